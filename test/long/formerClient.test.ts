import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  demoEnvironment,
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { readmeExamples } from '../support/programs/clientProject.ts';
import { formerRelease } from '../support/programs/formerRelease.ts';
import { run } from '../support/programs/tools.ts';

/** Lines that the examples of the library's page end with. */
const examples = {
  'login-and-signature.mjs':
    /\nLogged in: .+, PNOMN-\d{12}\n(?:Choose this code .+\n)?Signed: ecdsa-with-SHA256\n$/u,
  'second-generation.mjs': /\nLogged in: .+\nSigned: .+\n$/u,
} as const;

describe('The client library of the former release against this one', function () {
  this.timeout(120_000);
  let directory: string | undefined;
  let page: string;
  let demo: DemoInstallation | undefined;
  let phones: ReturnType<typeof startScriptedPhones> | undefined;
  let environment: Readonly<Record<string, string>>;

  before(async function () {
    const former = await formerRelease();
    if ('missing' in former) {
      console.log(`      ${former.missing}`);
      return this.skip();
    }
    page = join(former.sources, 'client/README.md');
    directory = await mkdtemp(join(tmpdir(), 'tamga-former-client-'));
    await install(join(former.sources, 'client'), directory);
    demo = await startDemoInstallation();
    environment = await demoEnvironment(demo);
    const civilId = environment['CITIZEN_OK']?.replace('PNOMN-', '') ?? '';
    phones = startScriptedPhones([await demo.enrol(civilId)]);
  });

  after(async () => {
    await phones?.stop();
    await demo?.stop();
    if (directory !== undefined) await rm(directory, { recursive: true });
  });

  for (const [name, expected] of Object.entries(examples)) {
    it(`logs in and signs by its own example ${name}`, async () => {
      const path = join(directory ?? '', name);
      await writeFile(path, (await readmeExamples(page)).get(name) ?? '');
      const variables = Object.entries(environment).map(([key, value]) => `${key}=${value}`);
      const { code, output } = await run('env', ...variables, process.execPath, path);
      expect(output).to.match(expected);
      expect(code).to.equal(0);
    });
  }
});

/** Installs the library, bundled as its package is, and the packages it names, into an empty project. */
async function install(library: string, project: string): Promise<void> {
  const place = join(project, 'node_modules/@tamga/client');
  await mkdir(place, { recursive: true });
  await cp(join(library, 'package.json'), join(place, 'package.json'));
  const { dependencies } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const external = [...Object.keys(dependencies), '@noble/hashes'];
  await build({
    entryPoints: [join(library, 'index.ts')],
    outfile: join(place, 'dist/index.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: external.flatMap((name) => [name, `${name}/*`]),
    logLevel: 'warning',
  });
  for (const name of external) {
    const link = join(project, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(resolve('node_modules', name), link);
  }
}
