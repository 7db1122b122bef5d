import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type ClientProject,
  createClientProject,
  packedClient,
} from '../support/programs/clientProject.ts';
import {
  demoEnvironment,
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { launchChromium, leaveChromium } from '../support/browser/chromium.ts';
import { scanQrCode } from '../support/browser/qrScan.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { freePort } from '../../main/drill/freePort.ts';
import { openAsScripted } from '../support/programs/openAsScripted.ts';

const run = promisify(execFile);

describe('The examples of the client library', function () {
  this.timeout(240_000);
  let demo: DemoInstallation;
  let project: ClientProject;
  let okay: DemoPhone;
  let refusing: DemoPhone;
  let environment: Record<string, string>;
  const stopping: (() => Promise<void>)[] = [];

  before(async function () {
    const created = await createClientProject(await packedClient());
    if (created === null) this.skip();
    project = created;
    stopping.push(created.remove);
    for (const name of [...frameworks, ...(await typePackages())]) await project.lend(name);
    await project.copy('client/examples', '.');
    // Of this project; TypeScript 7 compiles no files beside one.
    await rm(join(project.directory, 'tsconfig.json'));
    const sources = [
      ...['expressLogin.ts', 'signAndStamp.ts', 'demo-bank/main.ts', 'small-bank/bank.test.ts'],
      ...['express', 'fastify', 'next', 'nest', 'passport'].map((name) => `login/${name}.ts`),
    ];
    const compiled = await project.compile(sources, [
      ...['--rewriteRelativeImportExtensions', '--types', 'node', '--experimentalDecorators'],
    ]);
    expect(compiled).to.equal('');

    // A port known beforehand, so that certificates name an OCSP address that answers.
    demo = await startDemoInstallation({ SVC_PORT: String(await freePort()) });
    stopping.unshift(demo.stop);
    okay = await demo.enrol('110000000001');
    refusing = await demo.enrol('110000000003');
    environment = {
      ...(await demoEnvironment(demo)),
      PUBLIC_ORIGIN: 'https://rp.example.mn',
      PORT: '0',
    };
  });

  after(async () => {
    for (const stop of stopping) await stop();
  });

  it('test a small bank by itself', async () => {
    const said = await run(process.execPath, ['--test', 'small-bank/bank.test.js'], {
      cwd: project.directory,
    });
    expect(said.stdout).to.match(/^. fail 0$/m);
  });

  it('sign a PDF and stamp it', async () => {
    const pdf = onePage();
    const [input, output] = ['contract.pdf', 'contract.signed.pdf'];
    await writeFile(join(project.directory, input), pdf);
    const phones = startScriptedPhones([okay]);
    try {
      const said = await run(
        process.execPath,
        ['signAndStamp.js', 'PNOMN-110000000001', input, output],
        { cwd: project.directory, env: { ...process.env, ...environment }, timeout: 60_000 },
      );
      expect(said.stdout).to.match(
        /^Choose this code on the phone: \d{5}\nSigned by .+\nStamped: contract\.signed\.pdf\n$/,
      );
    } finally {
      await phones.stop();
    }
    const stamped = await readFile(join(project.directory, output));
    expect(stamped.subarray(0, pdf.length).equals(pdf)).to.equal(true);
    expect(stamped.toString('latin1')).to.contain('ETSI.CAdES.detached');
  });

  describe('Demo Bank, alone', () => {
    /** Runs it while `work` does. */
    async function withBank(
      changed: Readonly<Record<string, string>>,
      work: (address: string) => Promise<void>,
    ): Promise<void> {
      const port = String(await freePort());
      const bank = spawn(process.execPath, ['demo-bank/main.js'], {
        cwd: project.directory,
        env: { ...process.env, ...environment, PUBLIC_ORIGIN: '', PORT: port, ...changed },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        const [said] = (await once(bank.stdout, 'data')) as [Buffer];
        expect(said.toString()).to.equal(`Demo Bank: http://127.0.0.1:${port}/\n`);
        await work(`http://127.0.0.1:${port}`);
      } finally {
        const ended = once(bank, 'exit');
        bank.kill();
        await ended;
      }
    }

    /** Begins a login by push. @returns the page the browser ends on */
    async function logIn(address: string): Promise<Response> {
      const page = await fetch(address);
      const cookie = page.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const [, csrf = ''] = /name="csrf" value="([\w-]+)"/.exec(await page.text()) ?? [];
      const sent = await fetch(`${address}/login/push`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie },
        body: new URLSearchParams({ csrf, id: okay.citizen.regNo }),
      });
      return fetch(new URL(sent.headers.get('location') ?? '', address), { headers: { cookie } });
    }

    it('has the whole origin, its own lines and the library’s script for browsers', async () => {
      await withBank({}, async (address) => {
        const page = await (await fetch(address)).text();
        expect(page).to.match(/flows\/loginByPush\.ts:\d+/);
        const script = await fetch(`${address}/public/tamga/browser.js`);
        expect(await script.text()).to.contain('showDeviceLink');
        const waiting = await logIn(address);
        expect(waiting.url).to.equal(`${address}/wait`);
        expect(await waiting.text()).to.match(/<output[^>]*>\s*\d{5}\s*</);
      });
    });

    it('says so when the service is unavailable', async () => {
      const nobody = `http://127.0.0.1:${await freePort()}`;
      await withBank({ RP_API_BASE: nobody }, async (address) => {
        const failed = await logIn(address);
        expect(await failed.text()).to.contain('data-failure="serviceAway"');
      });
    });
  });

  describe('a login with Express', () => {
    let shop: ChildProcess;
    let origin: string;
    let written = '';

    before(async () => {
      shop = spawn(process.execPath, ['expressLogin.js'], {
        cwd: project.directory,
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      shop.stderr?.on('data', (chunk: Buffer) => (written += chunk.toString()));
      origin = await new Promise<string>((resolve, reject) => {
        shop.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
        shop.once('exit', () => reject(new Error(written)));
      });
    });

    after(async () => {
      const ended = new Promise((resolve) => shop.once('exit', resolve));
      shop.kill();
      await ended;
    });

    /** A browser: it keeps its cookie. */
    function createBrowser() {
      let cookie = '';
      return async (method: string, path: string, body?: object) => {
        const response = await fetch(new URL(path, origin), {
          method,
          redirect: 'manual',
          headers: { cookie, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
        const text = await response.text();
        const json = /json/.test(response.headers.get('content-type') ?? '');
        const parsed = json ? (JSON.parse(text) as Record<string, string>) : {};
        const location = response.headers.get('location');
        return { status: response.status, location, cookie, body: parsed };
      };
    }

    const me = {
      etsi: 'PNOMN-110000000001',
      civilId: '110000000001',
      firstName: 'Бат-Эрдэнэ',
      lastName: 'Дорж',
    };

    it('by push: the code, the citizen’s answer, a new cookie', async () => {
      const browser = createBrowser();
      const { cookie: before, body } = await browser('POST', '/login/start', {
        way: 'push',
        id: okay.citizen.regNo,
      });
      expect(body['code']).to.match(/^\d{5}$/);
      expect((await browser('GET', '/me')).status).to.equal(401);
      const phones = startScriptedPhones([okay, refusing]);
      try {
        const result = await browser('GET', '/login/status');
        expect(result).to.deep.include({ status: 200, body: { state: 'OK', user: me } });
        expect(result.cookie).not.to.equal(before);
        expect(await browser('GET', '/me')).to.deep.include({ status: 200, body: me });
        const other = createBrowser();
        await other('POST', '/login/start', { way: 'push', id: refusing.citizen.regNo });
        expect(await other('GET', '/login/status')).to.deep.include({
          status: 200,
          body: { state: 'FAILED', reason: 'USER_REFUSED' },
        });
        expect((await other('GET', '/me')).status).to.equal(401);
      } finally {
        await phones.stop();
      }
    });

    it('by QR code, a fresh one each second', async () => {
      const browser = createBrowser();
      expect((await browser('GET', '/login/link')).status).to.equal(404);
      const { body } = await browser('POST', '/login/start', { way: 'qr' });
      const waiting = browser('GET', '/login/status');
      const { body: fresh } = await browser('GET', '/login/link');
      const { request } = await openAsScripted(okay, fresh['link'] ?? '');
      expect(request.verificationCode).to.equal(body['code']);
      expect(await waiting).to.deep.include({ status: 200, body: { state: 'OK', user: me } });
      expect((await browser('GET', '/login/link')).status).to.equal(404);
    });

    it('by QR code, after the app was not opened', async () => {
      const browser = createBrowser();
      await browser('POST', '/login/start', { way: 'app' });
      await browser('POST', '/login/start', { way: 'qr' });
      const waiting = browser('GET', '/login/status');
      const { body } = await browser('GET', '/login/link');
      await openAsScripted(okay, body['link'] ?? '');
      expect(await waiting).to.deep.include({ status: 200, body: { state: 'OK', user: me } });
    });

    it('by the app on the same phone, which returns to the same browser only', async () => {
      const browser = createBrowser();
      const { body } = await browser('POST', '/login/start', { way: 'app' });
      const { returnTo } = await openAsScripted(okay, body['link'] ?? '');
      const { pathname, search } = new URL(returnTo ?? '');
      const other = createBrowser();
      expect((await other('GET', pathname + search)).location).to.equal('/me?login=NONE');
      expect((await browser('GET', '/login/status')).body).to.deep.equal({ state: 'NONE' });
      const forged = await browser('GET', pathname + search.replace('state=', 'state=x'));
      expect(forged.location).to.equal('/me?login=NOT_BELIEVED');
      expect((await browser('GET', '/me')).status).to.equal(401);
      expect((await browser('GET', pathname + search)).location).to.equal('/me');
      expect(await browser('GET', '/me')).to.deep.include({ status: 200, body: me });
    });

    it('logs a real browser in by the QR code its page shows', async function () {
      const chromium = await launchChromium();
      if (chromium === null) {
        process.stdout.write('Chromium is missing: the page of the login is not looked at.\n');
        this.skip();
      }
      try {
        const page = await chromium.newPage();
        await page.goto(`${origin}#qr`);
        await page.locator('#qr svg').waitFor();
        const svg = await page.locator('#qr').innerHTML();
        const { request } = await openAsScripted(okay, scanQrCode(svg));
        expect(await page.locator('#code').textContent()).to.equal(request.verificationCode);
        await page.getByText(`Hello ${me.firstName} ${me.lastName}`).waitFor();
        await page.locator('#qr svg').waitFor({ state: 'detached' });
        await page.goto(`${origin}me`);
        expect(await page.content()).to.contain(me.etsi);
      } finally {
        await leaveChromium(chromium);
      }
    });

    it('wrote no secret anywhere', () => {
      expect(written).to.contain('CALLBACK_MISMATCH');
      expect(written).not.to.contain(demo.apiSecret);
    });
  });
});

/** Packages that the examples import. */
const frameworks = [
  ...['@fastify/cookie', '@fastify/session', '@nestjs/common', '@nestjs/core'],
  ...['express', 'express-session', 'fastify', 'passport'],
] as const;

/** Everything the types of Express and Node.js need. */
async function typePackages(): Promise<string[]> {
  const types = await readdir('node_modules/@types');
  return [...types.map((name) => `@types/${name}`), 'undici-types'];
}
