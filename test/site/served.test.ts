import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { problemType } from '../../api/problems/wire.ts';
import { refusalCodes } from '../../domain/shared/refusal.ts';
import { launchChromium, leaveChromium } from '../support/browser/chromium.ts';
import { expectScriptlessNotices } from '../support/browser/scriptless.ts';
import { expectLook } from '../support/browser/pageLooks.ts';
import { given, type Given } from '../support/given/given.ts';
import { run } from '../support/programs/tools.ts';

describe('The documentation at /docs', function () {
  this.timeout(120_000);
  let world: Given;

  before(async () => {
    // The command that the launcher, the image and the release run: it knows where the service looks.
    if (!existsSync('dist/docs-site/404.html')) {
      await run(process.execPath, 'dist/apps/site/build.js');
    }
    world = await given();
  });

  after(() => world.stop());

  const ask = (path: string, options?: RequestInit) =>
    fetch(new URL(path, world.origin), { redirect: 'manual', ...options });

  it('is where the type of a problem leads', async () => {
    const refused = await ask('/v3/session/00000000-0000-4000-8000-000000000000');
    const { type, code } = (await refused.json()) as { type: string; code: string };
    expect(code).to.equal('UNAUTHENTICATED');
    const page = await fetch(new URL(type, refused.url));
    expect(page.status).to.equal(200);
    expect(await page.text()).to.include(`<code>${code}</code>`);
  });

  it('has a page at the type of every problem', async () => {
    for (const code of refusalCodes) {
      const page = await ask(problemType(code));
      expect(page.status, code).to.equal(200);
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      await page.body?.cancel();
    }
  });

  it('has a strict policy, an ETag, and pages for addresses with and without an ending', async () => {
    const first = await ask('/docs');
    expect(first.status).to.equal(308);
    expect(first.headers.get('location')).to.equal('/docs/');
    const page = await ask('/docs/');
    expect(page.status).to.equal(200);
    expect((page.headers.get('content-security-policy') ?? '').split('; ').sort()).to.deep.equal([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
      "trusted-types 'none'",
    ]);
    expect(page.headers.get('x-content-type-options')).to.equal('nosniff');
    const etag = page.headers.get('etag') ?? '';
    expect((await ask('/docs/', { headers: { 'if-none-match': etag } })).status).to.equal(304);
    expect(await (await ask('/docs/tour')).text()).to.equal(
      await (await ask('/docs/tour.html')).text(),
    );
  });

  it('answers what it does not have', async () => {
    const missing = await ask('/docs/adr/nothing');
    expect(missing.status).to.equal(404);
    expect(await missing.text()).to.include('href="/docs/index.html"');
    expect((await ask('/docs/../package.json')).status).to.equal(404);
    expect((await ask('/docs/%2e%2e/cli/tamga.js')).status).to.equal(404);
    const posted = await ask('/docs/', { method: 'POST' });
    expect(posted.status).to.equal(405);
    expect((await ask('/docsite')).status).to.equal(404);
  });

  it('finds WRONG_VC in the browser, fits and is accessible, dark and light, and says when it cannot search', async function () {
    const browser = (await launchChromium()) ?? this.skip();
    try {
      for (const [colorScheme, width] of [
        ['light', 1280],
        ['dark', 360],
      ] as const) {
        const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' });
        const page = await context.newPage();
        const faults: string[] = [];
        page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
        page.on('pageerror', (error) => faults.push(String(error)));
        for (const path of [
          '',
          'architecture.html',
          'mn/end-results/WRONG_VC',
          'problems/',
          'tour',
        ]) {
          await page.goto(`${world.origin}/docs/${path}`);
          await expectLook(page, path, {
            width,
            axe: colorScheme === 'light' || path === 'architecture.html',
          });
        }
        await page.fill('.search input', 'WRONG_VC');
        await page.locator('.search .results a').first().click();
        await page.waitForURL('**/end-results/WRONG_VC.html');
        await page.fill('.search input', 'WRONG_VC');
        await page.keyboard.press('Enter');
        await page.locator('#results a').first().waitFor();
        await expectLook(page, 'search', { width, axe: true });
        await page.goto(`${world.origin}/docs/citizen-mn`);
        await page.fill('.search input', 'ыыыыыыыы');
        await page.keyboard.press('Enter');
        await page.waitForURL('**/mn/search.html?q=*');
        await page.locator('#results').getByText('агуулгаас сонгоно уу').waitFor();
        expect(faults).to.deep.equal([]);
        await context.close();
      }
      await expectScriptlessNotices(browser, `${world.origin}/docs/search.html`);
    } finally {
      await leaveChromium(browser);
    }
  });

  it('has operations tried in the browser where the service is a demo', async function () {
    const known = { relyingPartyUUID: world.relyingPartyId, relyingPartyName: 'Tamga Demo' };
    expect(await (await ask('/docs/demo.json')).json()).to.deep.equal({
      demo: true,
      relyingParty: known,
    });
    const browser = (await launchChromium()) ?? this.skip();
    try {
      const context = await browser.newContext({ reducedMotion: 'reduce' });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(String(error)));
      await page.goto(`${world.origin}/docs/api/rp.html`);
      const formOf = (operation: string) => page.locator(`section:has(#${operation}) form.try`);
      const start = formOf('authenticationDeviceLinkAnonymous');
      // The form says where the secret is; it knows the demo's relying party.
      await start.getByText('RP_SECRET').waitFor();
      expect(JSON.parse(await start.getByLabel('Body').inputValue())).to.include(known);
      await start.getByLabel('Authorization').fill(world.apiSecret);
      await start.getByRole('button', { name: 'Send' }).click();
      await start.getByText(/^200 OK/u).waitFor();
      const answer = await start.locator('output').innerText();
      const { sessionID } = JSON.parse(answer.slice(answer.indexOf('{'))) as { sessionID: string };
      // Credentials and the relying party were typed once.
      const poll = formOf('session');
      await poll.getByLabel('Address').fill(`/v3/session/${sessionID}?timeoutMs=1000`);
      await poll.getByRole('button', { name: 'Send' }).click();
      await poll.getByText('"state": "RUNNING"').waitFor();
      expect(await formOf('signatureDeviceLinkEtsi').getByLabel('Body').inputValue()).to.include(
        world.relyingPartyId,
      );
      await poll.getByLabel('Address').fill('//elsewhere.example/');
      await poll.getByRole('button', { name: 'Send' }).click();
      await poll.getByText('An address begins with one slash.').waitFor();
      await expectLook(page, 'api/rp', { width: 1280, axe: true });
      expect(faults).to.deep.equal([]);
      await context.close();
    } finally {
      await leaveChromium(browser);
    }
  });
});
