import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { shownBlocks } from '../support/programs/shownBlocks.ts';
import { isInstalled } from '../../main/cli/test.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';
import {
  commonSettings,
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';

/** Pages whose shell blocks run as they stand, each in a shell of its own; the tour is the first. */
const tutorials = ['docs/sign-and-stamp.md', 'docs/approving.md', 'docs/verify-an-export.md'];

/** Match of the first group of a pattern; empty where there is none. */
const found = (pattern: RegExp, text: string) => pattern.exec(text)?.[1] ?? '';

const blocksOf = (page: string) => shownBlocks(page).map((block) => block.text);

describe('a1, a2, a12: the tour, as it stands on its page', function () {
  this.timeout(2_400_000);
  let data: string;
  let checkout: string;
  let service: ServiceProcess;
  const made: (() => Promise<unknown>)[] = [];

  before(async function () {
    for (const tool of ['curl', 'openssl', 'oathtool', 'pdfsig']) {
      if (isInstalled(tool)) continue;
      process.stdout.write(`${tool} is missing: the tour is not run.\n`);
      this.skip();
    }
    data = await serverDirectory('tour');
    checkout = await serverDirectory('checkout');
    for (const directory of [data, checkout]) {
      made.push(() => rm(directory, { recursive: true, force: true }));
    }
    await symlink(data, join(checkout, '.tamga'));
    const contract = 'client/examples/demo-bank/public/contract.pdf';
    await mkdir(join(checkout, dirname(contract)), { recursive: true });
    await cp(contract, join(checkout, contract));
    const program = resolve('dist/main/cli/tamga.js');
    await writeFile(
      join(checkout, 'tamga'),
      `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`,
    );
    await chmod(join(checkout, 'tamga'), 0o755);
    service = await createServiceProcess({ SVC_DATA_DIR: data }, undefined, ['up']);
    made.push(() => service.stop());
  });

  after(async () => {
    for (const undo of made.toReversed()) await undo();
  });

  async function up(): Promise<void> {
    const starts = () => service.output().split('Serving on ').length;
    const before = starts();
    service.launch();
    await eventually(() => {
      if (!service.hasEnded()) expect(starts(), service.output()).to.equal(before + 1);
      return Promise.resolve();
    }, 900_000);
    if (service.hasEnded()) throw new Error(service.output());
  }

  /** Files of the checkout, without the demo's own data. */
  const inCheckout = async () =>
    (await readdir(checkout, { recursive: true })).filter((path) => !path.startsWith('.tamga/'));

  /** Runs blocks in one shell that ends at the first failure. @returns what they print */
  async function run(blocks: readonly string[], cwd = checkout): Promise<string> {
    const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
    const shell = spawn('bash', ['-euo', 'pipefail'], {
      cwd,
      env: { ...process.env, ...commonSettings(), PATH, SVC_DATA_DIR: data, TMPDIR: data },
    });
    const [printed, complaints] = [text(shell.stdout), text(shell.stderr)];
    const ended = new Promise((done) => shell.once('close', done));
    shell.stdin.end(blocks.join('\n'));
    const status = await ended;
    expect(status, `${await printed}\n${await complaints}`).to.equal(0);
    return printed;
  }

  it('runs, and again its login after the demo was stopped and started on the kept data', async () => {
    const blocks = blocksOf('docs/tour.md');
    expect(blocks.length).to.be.greaterThan(10);
    await up();
    expect(service.output()).not.to.include('left out');
    expect(service.output().trim().split('\n').length, service.output()).to.be.at.most(10);
    expect(service.output()).to.match(/ docs .*\/docs;/);
    const inFull = await readFile(join(data, 'demo.log'), 'utf8');
    expect(inFull).to.match(/OK, verified: [\s\S]*EXECUTED, OCSP: revoked[\s\S]*client_secret/);
    const before = await inCheckout();
    const printed = await run(blocks);
    expect(printed)
      .to.include('"endResult":"OK"')
      .and.include('citizen.pem: OK')
      .and.include('Signature Verified Successfully')
      .and.include('revoked.pem: revoked')
      .and.include('Signature is Valid')
      .and.include('EXECUTED')
      .and.include('APPROVED');
    for (const page of tutorials) await run(blocksOf(page));
    expect(await inCheckout(), 'left in the checkout').to.deep.equal(before);

    await service.stop();
    await up();
    expect(await run(blocks.slice(0, 3))).to.include('"endResult":"OK"');
  });

  it('is followed by the first login of an own program, typed from its page in its order', async () => {
    const page = 'docs/first-login.md';
    const blocks = blocksOf(page);
    const block = (index: number) => blocks[index] ?? '';
    const program = found(/```js\n([\s\S]*?)```/u, await readFile(page, 'utf8'));
    const shop = await serverDirectory('shop');
    made.push(() => rm(shop, { recursive: true, force: true }));
    const archive = found(/(\S+\.tgz)/u, await run([block(0)], process.cwd()));
    await run([block(1).replace('./path/to/tamga-client.tgz', resolve(archive))], shop);
    await writeFile(join(shop, 'login.ts'), program);
    const demo = block(2).replace('/path/to/tamga/.tamga', data);
    expect(await run([demo, block(3)], shop)).to.match(/Logged in: \S+ \S+, PNOMN-\d+/u);
    const registered = await run([block(4)]);
    const id = found(/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/u, registered);
    const secret = found(/secret\s+(\S+)/iu, registered);
    const mine = block(5).replace('=UUID', `=${id}`).replace('=SECRET', `=${secret}`);
    expect(await run([demo, mine], shop)).to.match(/(?:Logged in: [\s\S]*){2}/u);
  });
});
