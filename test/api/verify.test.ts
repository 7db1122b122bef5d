import { expect } from 'chai';
import { createRateLimit } from '../../api/bounds/admission.ts';
import { assets } from '../../api/verify/assets.ts';
import { brandOf } from '../../api/pages/brand.ts';
import { html } from '../../api/pages/html.ts';
import { verifyRoutes } from '../../api/verify/routes.ts';
import { chooseLanguage } from '../../api/verify/texts.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { Verification } from '../../application/verification/verification.ts';
import { startTestServer } from '../support/http/http.ts';

describe('HTML templates', () => {
  it('escape whatever text is put into them', () => {
    const text = `<script>alert("&'")</script>`;
    const escaped = '&lt;script&gt;alert(&quot;&amp;&#39;&quot;)&lt;/script&gt;';
    expect(html`<p title="${text}">${text}</p>`.text).to.equal(
      `<p title="${escaped}">${escaped}</p>`,
    );
  });

  it('keep templates within templates, join lists, and leave null out', () => {
    expect(html`<p>${[html`<b>${1}</b>`, '<', null]}</p>`.text).to.equal('<p><b>1</b>&lt;</p>');
  });
});

describe('The language of a page', () => {
  for (const [asked, accepted, language] of [
    [undefined, undefined, 'mn'],
    ['en', 'mn', 'en'],
    ['EN', undefined, 'en'],
    ['de', 'en', 'en'],
    [undefined, 'en-GB,en;q=0.9,mn;q=0.8', 'en'],
    [undefined, 'de, mn;q=0.5, en;q=0.7', 'en'],
    [undefined, 'en;q=0', 'mn'],
    [undefined, '*', 'mn'],
    [undefined, 'en;q=x, mn-Cyrl', 'mn'],
  ] as const) {
    it(`is ${language} for ?lang=${asked ?? ''} and Accept-Language ${accepted ?? ''}`, () => {
      expect(chooseLanguage(asked, accepted)).to.equal(language);
    });
  }
});

describe('GET /verify/{sessionId}', () => {
  const unsigned: Verification = {
    kind: 'unsigned',
    sessionId: 'a',
    checks: [
      {
        name: 'outcome',
        result: 'failed',
        endResult: 'TIMEOUT',
        completedAt: '2026-06-01T00:00:00.000Z',
      },
    ],
  };

  async function get(
    path: string,
    verifySession: (id: string) => Promise<Verification | null>,
    times = 1,
  ) {
    const rateLimit = createRateLimit({ name: 'test', redis: null });
    const routes = verifyRoutes({
      verifySession,
      rateLimit,
      requestsPerMinute: 2,
      verifyBase: 'https://verify.example',
      brand: brandOf({}),
    });
    const { server, origin } = await startTestServer(routes);
    let response = await fetch(origin + path);
    for (let count = 1; count < times; count += 1) response = await fetch(origin + path);
    const text = await response.text();
    await server.stop(100);
    return { status: response.status, headers: response.headers, text };
  }

  it('is HTML under a policy that lets nothing in but its own files, and nothing out', async () => {
    const { status, headers, text } = await get('/verify/A', (id) =>
      Promise.resolve(id === 'a' ? unsigned : null),
    );
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).to.equal(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('vary')).to.equal('accept-language, accept-encoding');
    expect(text)
      .to.contain('Хугацаа дууссан')
      .and.not.to.match(/\sstyle=|<style|\son\w+=|<script>/);
  });

  it('starts at a page with a form, which leads to the session in what was typed', async () => {
    const nobody = () => Promise.resolve(null);
    const { status, headers, text } = await get('/verify?lang=en', nobody);
    expect(status).to.equal(200);
    expect(headers.get('content-security-policy'))
      .to.contain("default-src 'none'")
      .and.contain("form-action 'self'")
      .and.not.contain('connect-src');
    expect(text).to.contain('Verify a signature').and.not.to.contain('role="alert"');

    const typed = await get('/verify?lang=en&session=%3Cb%3E', nobody);
    expect(typed.text).to.contain('role="alert"').and.contain('value="&lt;b&gt;"');

    const id = '0b3f0f5e-7a51-4b6e-9a55-0d4f6a1c2b3d';
    const link = encodeURIComponent(`https://verify.example/verify/${id.toUpperCase()}`);
    const led = await get(`/verify?lang=en&session=${link}`, (asked) =>
      Promise.resolve(asked === id ? unsigned : null),
    );
    expect(led.status).to.equal(200);
    expect(led.text).to.contain('There is no signature');
  });

  it('limits its start as the pages themselves', async () => {
    const { status } = await get('/verify', () => Promise.resolve(null), 3);
    expect(status).to.equal(429);
  });

  it('answers in HTML while the log is unavailable', async () => {
    const away = () => Promise.reject(new Unavailable('eventStore'));
    const { status, headers, text } = await get('/verify/a?lang=en', away);
    expect(status).to.equal(503);
    expect(headers.get('retry-after')).to.equal('10');
    expect(text).to.contain('Verification is unavailable');
  });

  const made = (count: number): Verification => ({
    kind: 'signed',
    sessionId: 'a',
    verdict: 'valid',
    signer: null,
    organization: null,
    relyingPartyName: 'Bank',
    fileName: null,
    checks: [],
    file: {
      kind: 'signed',
      hash: 'SHA256',
      digest: 'f'.repeat(64),
      made: Array.from({ length: count }, (_, index) => index.toString(16).padStart(64, '0')),
    },
  });

  it('N1: holds 200 digests of copies, and asks for others', async () => {
    const few = await get('/verify/a?lang=en', () => Promise.resolve(made(200)));
    expect(few.headers.get('content-security-policy')).not.to.contain('connect-src');
    expect(few.text).to.contain('data-others=""').and.to.contain('nothing is sent anywhere');
    const many = await get('/verify/a?lang=en', () => Promise.resolve(made(20_000)));
    expect(many.headers.get('content-security-policy')).to.contain("connect-src 'self'");
    expect(many.text).to.contain('data-others="/verify/a/made/"').and.to.contain('only its digest');
    expect(many.text.length).to.be.below(30_000);
    for (const [sha256, answer] of [
      [(19_999).toString(16).padStart(64, '0'), true],
      ['e'.repeat(64), false],
    ] as const) {
      const { text } = await get(`/verify/a/made/${sha256}`, () => Promise.resolve(made(20_000)));
      expect(JSON.parse(text)).to.deep.equal({ made: answer });
    }
  });

  it('N1: says of no other session what was made', async () => {
    const of = `/verify/a/made/${'0'.repeat(64)}`;
    for (const found of [null, unsigned]) {
      expect((await get(of, () => Promise.resolve(found))).status).to.equal(404);
    }
    expect((await get(of, () => Promise.resolve(made(1)), 3)).status).to.equal(429);
  });

  it('is limited per address', async () => {
    expect((await get('/verify/a', () => Promise.resolve(null), 3)).status).to.equal(429);
  });

  for (const { fileName, contentType, body } of Object.values(assets)) {
    it(`serves ${fileName} to be kept for ever`, async () => {
      const { status, headers, text } = await get(`/verify/assets/${fileName}`, () =>
        Promise.reject(new Error('not asked')),
      );
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal(contentType);
      expect(headers.get('cache-control')).to.contain('immutable');
      expect(text).to.equal(body.toString());
    });
  }
});
