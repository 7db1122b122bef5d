import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';
import { type ScriptedPhones, startScriptedPhones } from '../../apps/phone/scripted.ts';
import { openApiFile } from '../../main/cli/release/releaseFiles.ts';
import {
  demoEnvironment,
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { heyApi, kiota } from '../support/programs/clientGenerators.ts';
import { run } from '../support/programs/tools.ts';

const FIXTURES = 'test/fixtures/generatedClients';

describe('A client generated from the description of the service', function () {
  this.timeout(600_000);
  let directory: string;
  let demo: DemoInstallation;
  let phones: ScriptedPhones | undefined;
  let variables: readonly string[];
  let expected: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-generated-'));
    await symlink(resolve('node_modules'), join(directory, 'node_modules'));
    demo = await startDemoInstallation();
    const environment = await demoEnvironment(demo);
    const civilId = environment['CITIZEN_OK']?.replace('PNOMN-', '') ?? '';
    phones = startScriptedPhones([await demo.enrol(civilId)]);
    variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    expected = `smart-id OK ${civilId} SESSION_NOT_FOUND\n`;
  });

  after(async () => {
    await phones?.stop();
    await demo.stop();
    await rm(directory, { recursive: true });
  });

  async function succeed(program: string, ...parameters: readonly string[]): Promise<string> {
    const { code, output } = await run(program, ...parameters);
    expect(code, output.slice(-4_000)).to.equal(0);
    return output;
  }

  /** Compiles a program strictly and runs it: three operations, and one that is refused. */
  async function runTypeScript(name: string, path: string): Promise<string> {
    const program = join(path, 'program.ts');
    await cp(join(FIXTURES, `${name}.ts.txt`), program);
    const strict = [
      '--strict',
      '--noUncheckedIndexedAccess',
      '--noEmit',
      '--skipLibCheck',
      'false',
    ];
    const target = ['--target', 'es2023', '--module', 'esnext', '--moduleResolution', 'bundler'];
    await succeed('npx', 'tsc', ...strict, ...target, '--types', 'node', program);
    const outfile = join(path, 'program.mjs');
    await build({ entryPoints: [program], bundle: true, platform: 'node', format: 'esm', outfile });
    return succeed('env', ...variables, process.execPath, outfile);
  }

  it('compiles and works as types of TypeScript (openapi-typescript)', async () => {
    const path = join(directory, 'openApiFetch');
    await succeed('npx', 'openapi-typescript', openApiFile, '--output', join(path, 'openapi.ts'));
    expect(await runTypeScript('openApiFetch', path)).to.equal(expected);
  });

  it('compiles and works as functions of TypeScript (Hey API)', async function () {
    const generator = await heyApi();
    if (typeof generator === 'string') {
      console.log(`      ${generator}: skipped`);
      return this.skip();
    }
    const path = join(directory, 'heyApi');
    const output = join(path, 'generated');
    await succeed(generator.path, '--input', resolve(openApiFile), '--output', output, '--silent');
    expect(await runTypeScript('heyApi', path)).to.equal(expected);
  });

  it('compiles without a warning and works as classes of C# (Kiota)', async function () {
    const generator = await kiota();
    if (typeof generator === 'string') {
      console.log(`      ${generator}: skipped`);
      return this.skip();
    }
    const path = join(directory, 'kiota');
    await succeed(
      ...[generator.path, 'generate', '--language', 'CSharp', '--openapi', resolve(openApiFile)],
      ...['--output', join(path, 'generated'), '--class-name', 'TamgaClient'],
      ...['--namespace-name', 'Tamga.Generated', '--exclude-backward-compatible'],
    );
    for (const file of ['Program.cs', 'generated.csproj']) {
      await cp(join(FIXTURES, file), join(path, file));
    }
    const restored = await run('dotnet', 'restore', path);
    if (/NU1301|NU1101/u.test(restored.output)) {
      console.log('      packages of Kiota cannot be restored from NuGet: skipped');
      return this.skip();
    }
    const built = join(path, 'built');
    await succeed('dotnet', 'build', path, '--no-restore', '--nologo', '--output', built);
    const program = join(dirname(built), 'built', 'generated.dll');
    expect(await succeed('env', ...variables, 'dotnet', program)).to.equal(expected);
  });
});
