import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { demoCitizens } from '../../main/cli/demo.ts';
import { type GivenPages, givenPages } from '../support/given/givenPages.ts';
import { type DemoPhone, newChallenge } from '../support/installation/demoInstallation.ts';
import { firstLook, looksAt } from '../support/browser/pageLooks.ts';
import { picture } from '../support/browser/pictures.ts';
import { expectScriptlessNotices } from '../support/browser/scriptless.ts';
import { attacksOn } from '../support/pdf/attacks.ts';
import { onePage } from '../support/pdf/samplePdf.ts';

const phoneScreen = { width: 360, height: 740 };
const desktop = { width: 1280, height: 900 };

describe('The verification page in Chromium', function () {
  this.timeout(120_000);
  let browser: Browser;
  let demo: GivenPages<'owner'>;
  let owner: DemoPhone;
  let stop = (): Promise<void> => Promise.resolve();
  /** It has been changed often, and ends with more than an end of line. */
  const original = Buffer.concat([
    onePage({ more: { 7: `null\n${'%%EOF\n'.repeat(50)}` } }),
    Buffer.from(' \r\n\n'),
  ]);

  before(async function () {
    const owning = { owner: demoCitizens[0]?.civilId ?? '' };
    demo = (await givenPages({ phones: owning })) ?? this.skip();
    ({ stop, browser } = demo);
    ({ owner } = demo.phones);
  });

  after(() => stop());

  /** A signature session over `content`, and the phone's view of it. */
  async function ask(content: Buffer) {
    const { status, body } = await demo.create(
      `/signature/notification/etsi/${owner.citizen.civilId}`,
      {
        digest: createHash('sha384').update(content).digest('base64'),
        hashType: 'SHA384',
        fileName: 'Гэрээ <2026> "эцсийн".pdf',
      },
    );
    expect(status).to.equal(200);
    const sessionId = String(body['sessionID']);
    return { sessionId, request: await owner.phone.open(sessionId) };
  }

  async function signed(content: Buffer = original): Promise<string> {
    const { sessionId, request } = await ask(content);
    await owner.phone.confirm(request, owner.pin2);
    await demo.poll(sessionId);
    return sessionId;
  }

  /** Sends a document; `path` below `/v3/signature/`. */
  async function post(path: string, document: Buffer) {
    const response = await fetch(`${demo.service.origin}/v3/signature/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.apiSecret}` },
      ...(document.length === 0 ? {} : { body: document }),
    });
    expect(response.status).to.equal(200);
    return Buffer.from(await response.arrayBuffer());
  }

  interface Visit {
    readonly page: Page;
    readonly status: number | undefined;
    /** Everything that was fetched, by path. */
    readonly fetched: readonly string[];
    /** Errors reported by the browser. */
    readonly complaints: readonly string[];
    close(): Promise<void>;
  }

  async function visit(
    sessionId: string,
    options: BrowserContextOptions & { readonly query?: string } = {},
  ): Promise<Visit> {
    const { query = '', ...contextOptions } = options;
    const context = await browser.newContext({ locale: 'mn-MN', ...contextOptions });
    const page = await context.newPage();
    const fetched: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    const response = await page.goto(`${demo.service.origin}/verify/${sessionId}${query}`);
    return { page, status: response?.status(), fetched, complaints, close: () => context.close() };
  }

  const title = (page: Page) => page.locator('h1').innerText();

  /** Result of each check by name. */
  async function results(page: Page): Promise<Record<string, string>> {
    const checks = await page.locator('[data-check]').all();
    const found: Record<string, string> = {};
    for (const check of checks) {
      const name = (await check.getAttribute('data-check')) ?? '';
      found[name] = (await check.getAttribute('data-result')) ?? '';
    }
    return found;
  }

  async function drop(page: Page, content: Buffer): Promise<string> {
    const transfer = await page.evaluateHandle((base64) => {
      const binary = atob(base64);
      const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
      const scope = globalThis as unknown as {
        DataTransfer: new () => { items: { add(file: unknown): void } };
      };
      const dropped = new scope.DataTransfer();
      dropped.items.add(new File([bytes], 'document.pdf'));
      return dropped;
    }, content.toString('base64'));
    await page.locator('#file').dispatchEvent('drop', { dataTransfer: transfer });
    const output = page.locator('output:is(.same, .stamped, .altered, .different, .unknown)');
    await output.waitFor();
    return (await output.getAttribute('class')) ?? '';
  }

  const allPassed = {
    outcome: 'passed',
    signature: 'passed',
    chain: 'passed',
    revocation: 'passed',
    timestamp: 'open',
  };

  it('shows a valid signature with its five checks, signer and document, fetching nothing else', async () => {
    const { page, status, fetched, complaints, close } = await visit(await signed());
    expect(status).to.equal(200);
    expect(await title(page)).to.equal('Гарын үсэг хүчинтэй');
    expect(await results(page)).to.deep.equal(allPassed);
    const text = await page.locator('main').innerText();
    const { civilId } = owner.citizen;
    expect(text).to.contain('Гэрээ <2026> "эцсийн".pdf').and.to.contain('Tamga Demo');
    expect(text).to.contain(createHash('sha384').update(original).digest('hex'));
    expect(await page.content()).not.to.contain(civilId);
    expect(fetched.map((path) => path.replace(/[0-9a-f-]{16,}/, '…'))).to.deep.equal([
      '/verify/…',
      '/verify/assets/verify.….css',
      '/verify/assets/verify.….js',
    ]);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('recognises the file that was signed and no other, keeping it in the browser', async () => {
    const { page, fetched, complaints, close } = await visit(await signed());
    const before = fetched.length;
    expect(await drop(page, original)).to.equal('same');
    const changed = Buffer.from(original);
    changed[100] = (changed[100] ?? 0) ^ 1;
    expect(await drop(page, changed)).to.equal('different');
    await picture(page, 'verification-wrong-file');
    const chosen = { name: 'a.pdf', mimeType: 'application/pdf', buffer: original };
    await page.locator('#file input').setInputFiles(chosen);
    await page.locator('#file output.same').waitFor();
    expect(fetched.length, 'nothing was sent').to.equal(before);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('shows the timestamp of a stamped document, and recognises the stamped copy', async () => {
    const sessionId = await signed();
    const stamped = await post(`stamp/${sessionId}`, original);
    const { page, close } = await visit(sessionId, { viewport: phoneScreen });
    expect(await results(page)).to.deep.equal({ ...allPassed, timestamp: 'passed' });
    const text = await page.locator('[data-check=timestamp]').innerText();
    expect(text).to.contain('Tamga Time-Stamping Unit');
    expect(await drop(page, stamped)).to.equal('stamped');
    await picture(page, 'verification-stamped');
    await close();
  });

  it('knows a document signed from within by its stamped copy, and calls no other wrong', async () => {
    const prepared = await post(`prepare?documentNumber=${owner.documentNumber}`, original);
    const { digest, preparedId } = JSON.parse(prepared.toString()) as Record<string, string>;
    const { body } = await demo.create(`/signature/notification/document/${owner.documentNumber}`, {
      digest,
      hashType: 'SHA256',
    });
    const sessionId = String(body['sessionID']);
    await owner.phone.confirm(await owner.phone.open(sessionId), owner.pin2);
    await demo.poll(sessionId);
    const stamped = await post(`stamp/${sessionId}`, Buffer.alloc(0));
    const { page, close } = await visit(String(preparedId));
    expect(await results(page)).to.deep.equal({ ...allPassed, timestamp: 'passed' });
    expect(await drop(page, stamped)).to.equal('stamped');
    expect(await drop(page, original)).to.equal('unknown');
    await close();
  });

  it('F2: says yes to no published forgery, and names what was added to the signed file', async () => {
    const contract = Buffer.from(onePage());
    const sessionId = await signed(contract);
    const stamped = await post(`stamp/${sessionId}`, contract);
    const { page, fetched, complaints, close } = await visit(sessionId, { viewport: desktop });
    const before = fetched.length;
    const attacks = attacksOn(stamped);
    for (const { name, forged } of attacks) {
      expect(await drop(page, forged), name).to.equal('altered');
      expect(await page.locator('.added').isVisible(), name).to.equal(true);
    }
    const [replaced] = attacks;
    expect(await drop(page, replaced?.forged ?? Buffer.alloc(0))).to.equal('altered');
    const added = await page.locator('.added').innerText();
    expect(added).to.contain('1 хэсгийг сольсон').and.to.contain('бичвэр');
    await picture(page, 'verification-altered');
    const downloading = page.waitForEvent('download');
    await page.locator('.added a').click();
    const path = await (await downloading).path();
    expect((await readFile(path)).equals(stamped), 'the signed part').to.equal(true);
    expect(fetched.filter((each) => !each.startsWith('blob:')).length).to.equal(before);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('F2: knows every copy the platform made, and what it made of those', async () => {
    const contract = Buffer.from(onePage());
    const sessionId = await signed(contract);
    const first = await post(`stamp/${sessionId}`, contract);
    const again = await post(`stamp/${sessionId}`, contract);
    expect(again.equals(first)).to.equal(false);
    const next = await signed(again);
    const both = await post(`stamp/${next}`, again);
    const { page, close } = await visit(sessionId);
    for (const copy of [first, again, both]) expect(await drop(page, copy)).to.equal('stamped');
    await close();
  });

  /** The page where a verification starts. */
  async function start(options: BrowserContextOptions = {}) {
    const context = await browser.newContext({
      locale: 'en-GB',
      viewport: phoneScreen,
      ...options,
    });
    const page = await context.newPage();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url().replace(demo.service.origin, '')));
    await page.goto(`${demo.service.origin}/verify`);
    const choose = (buffer: Buffer) =>
      page
        .locator('#find input')
        .setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer });
    return { page, sent, choose, close: () => context.close() };
  }

  it('starts with a PDF, which leads to its session without being sent', async () => {
    const sessionId = await signed();
    const stamped = await post(`stamp/${sessionId}`, original);
    const { page, sent, choose, close } = await start();
    await page.getByRole('heading', { name: 'Verify a signature' }).waitFor();
    await choose(original);
    await page.locator('#find output.none').waitFor();
    await picture(page, 'verification-start');
    const before = sent.length;
    await choose(stamped);
    await page.getByRole('heading', { name: 'The signature is valid' }).waitFor();
    const said = page.locator('#file output.stamped');
    await said.waitFor();
    expect(await said.innerText()).to.match(/^a\.pdf – Yes: this is an unchanged copy/u);
    const asked = sent.slice(before).filter((path) => !path.startsWith('/verify/assets/'));
    expect(asked).to.deep.equal([`/verify/${sessionId}?lang=en`]);

    // Read once, and from no address: a link to the page says nothing of a file.
    const sha256 = createHash('sha256').update(stamped).digest('hex');
    await page.goto(`${page.url()}#sha256=${sha256}`);
    await page.reload();
    await page.locator('#file:visible').waitFor();
    expect(await page.locator('#file output').innerText()).to.equal('');

    await page.goto(`${demo.service.origin}/verify`);
    const changed = Buffer.concat([stamped, Buffer.from('%')]);
    await choose(changed);
    await page.locator('#file output.again').waitFor();
    expect(await drop(page, changed)).to.equal('altered');
    await close();
  });

  it('says first of a file that was altered not to rely on it, and of the signature below', async () => {
    const sessionId = await signed();
    const stamped = await post(`stamp/${sessionId}`, original);
    const forged = Buffer.from(stamped);
    forged[300] = (forged[300] ?? 0) ^ 1;
    const { page, choose, close } = await start();
    for (const file of [forged, Buffer.concat([stamped, Buffer.from('%')])]) {
      await page.goto(`${demo.service.origin}/verify`);
      await choose(file);
      await page.getByRole('heading', { name: 'Do not rely on the file you chose' }).waitFor();
      const verdict = page.locator('.verdict.failed');
      expect(await verdict.innerText())
        .to.contain('a.pdf – The file you chose is not an unchanged copy.')
        .and.contain('About the document that was signed: The signature is valid');
      await picture(page, 'verification-forged');
      expect(await drop(page, file)).to.be.oneOf(['altered', 'different']);
      expect(await title(page)).to.equal('Do not rely on the file you chose');
      expect(await drop(page, stamped)).to.equal('stamped');
      expect(await title(page)).to.equal('The signature is valid');
      expect(await page.locator('.verdict.passed').innerText()).to.contain('document.pdf – Yes');
    }
    await close();
  });

  it('tells a file that is no PDF apart from one without a stamp', async () => {
    const { page, choose, close } = await start();
    await choose(Buffer.from('{"name": "package"}'));
    await page.locator('#find output.foreign', { hasText: /PDF/ }).waitFor();
    await choose(original);
    await page.locator('#find output.none').waitFor();
    await close();
  });

  it('offers each session of a PDF that was signed again', async () => {
    const first = await signed();
    const once = await post(`stamp/${first}`, original);
    const second = await signed(once);
    const twice = await post(`stamp/${second}`, once);
    const { page, choose, close } = await start({ colorScheme: 'dark' });
    await choose(twice);
    const links = page.locator('.found a');
    await links.first().waitFor();
    const addresses = await links.evaluateAll((all) =>
      (all as unknown as readonly { readonly href: string }[]).map(({ href }) => href),
    );
    for (const [place, id] of [second, first].entries()) {
      expect(addresses[place]).to.contain(`/verify/${id}`);
    }
    for (const name of await links.allTextContents()) {
      expect(name).to.match(/^\S+ \S+ · Tamga Demo.* · \d{4}.* \(UTC\+8\)$/u);
    }
    await links.last().click();
    await page.getByRole('heading', { name: 'The signature is valid' }).waitFor();
    await close();
  });

  it('starts with the number of a session, by keyboard and without script', async () => {
    const sessionId = await signed();
    const { page, close } = await start({ javaScriptEnabled: false });
    const field = page.getByLabel('Session number, or link');
    await field.fill('not a number');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await field.inputValue()).to.equal('not a number');
    await field.fill(`https://verify.example/verify/${sessionId.toUpperCase()}?lang=mn`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The signature is valid' }).waitFor();
    await page.getByRole('link', { name: 'Verify another signature' }).click();
    await field.fill(randomUUID());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nothing to verify' }).waitFor();
    await page.getByRole('link', { name: 'Verify another signature' }).click();
    await page.getByRole('heading', { name: 'Verify a signature' }).waitFor();
    await close();
  });

  for (const language of ['mn', 'en'] as const) {
    it(`starts on a page that is accessible and fits in both themes and widths: ${language}`, async () => {
      const visitor = await demo.visit(firstLook[language]);
      await visitor.open(`/verify?lang=${language}&session=x`);
      await looksAt(visitor.page, 'verification-start', language)('typed');
      await demo.leave();
    });
  }

  it('says what to do where scripts are off or do not come', async () => {
    for (const path of ['', `/${await signed()}`]) {
      await expectScriptlessNotices(browser, `${demo.service.origin}/verify${path}`);
    }
  });

  it('says all of it without script, and offers no file check then', async () => {
    const { page, close } = await visit(await signed(), {
      javaScriptEnabled: false,
      viewport: phoneScreen,
    });
    expect(await title(page)).to.equal('Гарын үсэг хүчинтэй');
    expect(await results(page)).to.deep.equal(allPassed);
    expect(await page.locator('#file').count()).to.equal(1);
    expect(await page.locator('#file').isVisible()).to.equal(false);
    await picture(page, 'verification-no-script');
    await close();
  });

  it('speaks the language of the browser, and the other on request', async () => {
    const sessionId = await signed();
    const english = await visit(sessionId, { locale: 'en-GB' });
    expect(await title(english.page)).to.equal('The signature is valid');
    await english.page.getByRole('link', { name: 'Монгол' }).click();
    expect(await title(english.page)).to.equal('Гарын үсэг хүчинтэй');
    expect(await english.page.locator('html').getAttribute('lang')).to.equal('mn');
    await english.close();
    const other = await visit(sessionId, { locale: 'fr-FR' });
    expect(await title(other.page)).to.equal('Гарын үсэг хүчинтэй');
    await other.close();
  });

  // Colours decide no width.
  for (const [name, viewport, colorScheme] of [
    ['phone', phoneScreen, 'light'],
    ['desktop', desktop, 'dark'],
  ] as const) {
    it(`fits a ${name}`, async () => {
      const { page, close } = await visit(await signed(), { viewport, colorScheme });
      const width = await page.evaluate(
        () =>
          (globalThis as unknown as { document: { documentElement: { scrollWidth: number } } })
            .document.documentElement.scrollWidth,
      );
      expect(width).to.equal(viewport.width);
      await picture(page, `verification-valid-${name}-${colorScheme}`);
      await close();
    });
  }

  it('shows of a refused session that nothing was signed, and of nobody', async () => {
    const { sessionId } = await ask(original);
    await owner.phone.refuse(sessionId, 'USER_REFUSED');
    await demo.poll(sessionId);
    const { page, status, close } = await visit(sessionId, { viewport: phoneScreen });
    expect(status).to.equal(200);
    expect(await title(page)).to.equal('Гарын үсэг зураагүй');
    expect(await results(page)).to.deep.equal({ outcome: 'failed' });
    const content = await page.content();
    expect(content).not.to.contain('Гэрээ').and.not.to.contain('Tamga Demo');
    await picture(page, 'verification-refused');
    await close();
  });

  it('tells nothing of sessions that are unknown, running, authentications or malformed', async () => {
    const { sessionId: running, request } = await ask(original);
    const authentication = await demo.create(
      `/authentication/notification/etsi/${owner.citizen.civilId}`,
      newChallenge(),
    );
    const done = String(authentication.body['sessionID']);
    await owner.phone.confirm(await owner.phone.open(done), owner.pin1);
    await demo.poll(done);
    const contents = new Set<string>();
    for (const sessionId of [randomUUID(), running, done, 'nonsense', '%3Cscript%3E']) {
      const { page, status, close } = await visit(sessionId);
      expect(status, sessionId).to.equal(404);
      expect(await title(page)).to.equal('Шалгах зүйл олдсонгүй');
      contents.add(await page.content());
      await close();
    }
    expect(contents.size, 'all the same').to.equal(1);
    await owner.phone.confirm(request, owner.pin2);
  });

  it('shows a certificate revoked since, and that it was in force when it signed', async () => {
    const leaver = await demo.enrol(demoCitizens[1]?.civilId ?? '');
    const before = owner;
    owner = leaver;
    const sessionId = await signed();
    owner = before;
    await demo.service.deactivateDevice(leaver.documentNumber, 1);
    const { page, close } = await visit(sessionId, {
      viewport: phoneScreen,
      query: '?lang=en',
    });
    expect(await title(page)).to.equal('The signature was valid when it was made');
    expect(await results(page)).to.deep.equal(allPassed);
    const text = await page.locator('[data-check=revocation]').innerText();
    expect(text).to.contain('In force').and.to.contain('Revoked').and.to.contain('Key compromised');
    await picture(page, 'verification-revoked');
    await close();
  });
});
