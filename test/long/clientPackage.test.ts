import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type ClientProject,
  createClientProject,
  packedClient,
  readmeExamples,
} from '../support/programs/clientProject.ts';
import {
  demoEnvironment,
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { nodeOf } from '../support/programs/nodeVersions.ts';

const run = promisify(execFile);

describe('The packed client library', function () {
  this.timeout(240_000);
  let tarball: string;
  let demo: DemoInstallation;
  let phones: ReturnType<typeof startScriptedPhones>;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    tarball = await packedClient();
    demo = await startDemoInstallation();
    environment = await demoEnvironment(demo);
    const civilId = environment['CITIZEN_OK']?.replace('PNOMN-', '') ?? '';
    phones = startScriptedPhones([await demo.enrol(civilId)]);
  });

  after(async () => {
    await phones.stop();
    await demo.stop();
  });

  it('has the types it says it has, for ES modules, CommonJS and browsers', async function () {
    const project = await createClientProject(tarball);
    if (project === null) this.skip();
    try {
      for (const name of ['library.mts', 'library.cts', 'page.mts']) {
        await project.copy(`test/types/${name}`);
      }
      // Before any types of Node.js can be found.
      expect(await project.compile(['page.mts'], ['--lib', 'es2022,dom'])).to.equal('');
      for (const name of ['@types/node', 'undici-types']) await project.lend(name);
      expect(await project.compile(['library.mts', 'library.cts'], ['--types', 'node'])).to.equal(
        '',
      );
      for (const [name, text] of await readmeExamples()) {
        await project.write(name, text);
        const checked = ['--allowJs', '--checkJs', '--noEmit', '--types', 'node'];
        expect(await project.compile([name], checked), name).to.equal('');
      }
    } finally {
      await project.remove();
    }
  });

  for (const wanted of [20, 22, 24, 'latest'] as const) {
    describe(`in an empty project on Node.js ${wanted}`, () => {
      let project: ClientProject;
      let node: string;
      let remove = () => Promise.resolve();

      before(async function () {
        const version = await nodeOf(wanted);
        if ('missing' in version) {
          process.stdout.write(
            `Node.js ${wanted} is not to be had, its tests are skipped: ${version.missing}\n`,
          );
          this.skip();
        }
        node = version.path;
        const created = await createClientProject(tarball, version.directory);
        if (created === null) this.skip();
        project = created;
        ({ remove } = created);
        const { stdout } = await run(node, ['--version']);
        const major = Number(stdout.replace('v', '').split('.')[0]);
        if (wanted === 'latest') expect(major).to.be.at.least(24);
        else expect(major).to.equal(wanted);
      });

      after(() => remove());

      async function start(name: string, text: string): Promise<string> {
        const path = await project.write(name, text);
        const env = { ...process.env, ...environment };
        const { stdout, stderr } = await run(node, [path], { env, timeout: 60_000 });
        expect(stderr).to.equal('');
        return stdout;
      }

      it('installs what it needs and nothing else', async () => {
        const { stdout } = await run('npm', ['ls', '--all', '--parseable'], {
          cwd: project.directory,
        });
        const names = stdout
          .trim()
          .split('\n')
          .map((path) => path.split('/node_modules/').at(-1));
        expect(names.slice(1)).to.have.members(['@tamga/client', '@noble/curves', '@noble/hashes']);
      });

      it('runs the README’s example as an ES module', async () => {
        const text = (await readmeExamples()).get('login-and-signature.mjs') ?? '';
        expect(await start('login.mjs', text)).to.match(
          /^Choose this code on the phone: \d{5}\nLogged in: .+, PNOMN-\d{12}\nChoose this code on the phone: \d{5}\nSigned: ecdsa-with-SHA256\n$/,
        );
      });

      it('runs the README’s example as CommonJS', async () => {
        const text = (await readmeExamples()).get('login.cjs') ?? '';
        expect(await start('login.cjs', text)).to.match(
          /^Choose this code on the phone: \d+\nLogged in: .+\n$/,
        );
      });

      it('F17: runs the README’s example of the second generation', async () => {
        const text = (await readmeExamples()).get('second-generation.mjs') ?? '';
        expect(await start('second-generation.mjs', text)).to.match(
          /^Compare this code with your phone's: \d{5}\nLogged in: .+\nSigned: .+\n$/,
        );
      });

      it('F17: names a misused argument in both kinds of modules', async () => {
        const misuse = `
          const client = new EidClient({ baseUrl: 'https://rp', credentials: { rpUUID: 'u', rpName: 'n', apiSecret: 's' } });
          const said = (error) => console.log(error instanceof ConfigurationError, error.name, error.message);
          client.session.poll('id', { timeoutMs: 1000 }).catch(said);
          try { client.validator.validateSign({ state: 'COMPLETE' }, { sessionId: 'id' }); } catch (error) { said(error); }`;
        const expected =
          /^true ConfigurationError validator\.validateSign: digestB64 must be the digest.+\ntrue ConfigurationError session\.poll: serverPollMs must be a number of milliseconds.+\n$/;
        const names = '{ EidClient, ConfigurationError }';
        expect(
          await start('misuse.mjs', `import ${names} from '@tamga/client';${misuse}`),
        ).to.match(expected);
        expect(
          await start('misuse.cjs', `const ${names} = require('@tamga/client');${misuse}`),
        ).to.match(expected);
      });

      it('throws the same classes from all its entries', async () => {
        const program = (imports: string) => `${imports}
          const platform = createFakePlatform();
          const client = new EidClient(platform.config);
          const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Log in' }];
          const states = [];
          const visitor = { state: {}, read() { return this.state; }, write(state) { this.state = state; } };
          const login = createLogin({ client, interactions });
          const main = async () => {
            for (const outcome of ['OK', 'USER_REFUSED', 'SIGNATURE_INVALID']) {
              await login.start(visitor, 'push', platform.citizenWho(outcome).etsi);
              const { state, reason = '' } = await login.status(visitor);
              states.push(state + reason);
            }
            console.log(states.join(' '));
          };
          main();`;
        const names = [
          ['EidClient', '@tamga/client'],
          ['createLogin', '@tamga/client/login'],
          ['createFakePlatform', '@tamga/client/testing'],
        ] as const;
        const imported = names.map(([name, from]) => `import { ${name} } from '${from}';`);
        const required = names.map(([name, from]) => `const { ${name} } = require('${from}');`);
        const expected = 'OK FAILEDUSER_REFUSED FAILEDNOT_BELIEVED\n';
        expect(await start('entries.mjs', program(imported.join('\n')))).to.equal(expected);
        expect(await start('entries.cjs', program(required.join('\n')))).to.equal(expected);
      });

      it('exports the same from both, and its browser entry without anything of Node.js', async () => {
        const names = await start(
          'names.mjs',
          `import { createRequire } from 'node:module';
           import * as esm from '@tamga/client';
           import * as browser from '@tamga/client/browser';
           import * as login from '@tamga/client/login';
           import * as testing from '@tamga/client/testing';
           const require = createRequire(import.meta.url);
           const [cjs, ...beside] = ['', '/login', '/testing'].map((name) => require('@tamga/client' + name));
           console.log(JSON.stringify([esm, cjs, browser, login, testing, ...beside].map(Object.keys)));`,
        );
        const [esm, cjs, browser, login, testing, ...beside] = JSON.parse(names) as string[][];
        expect(beside).to.deep.equal([login, testing]);
        expect(cjs).to.have.members(esm ?? []);
        expect(esm).to.include.members(['EidClient', 'ValidationError', 'sha256Base64']);
        expect(browser).to.include.members(['showDeviceLink', 'qrSvg']);
        const file = 'node_modules/@tamga/client/dist/browser.js';
        const source = await readFile(join(project.directory, file), 'utf8');
        expect(source).not.to.match(/^import|require\(|'node:|\bBuffer\b/m);
      });
    });
  }
});
