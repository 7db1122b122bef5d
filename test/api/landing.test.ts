import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { type LandingOptions, landingRoutes } from '../../api/platform/landing.ts';
import { brandOf } from '../../api/pages/brand.ts';
import { startTestServer } from '../support/http/http.ts';

const browser = { accept: 'text/html,*/*;q=0.8' };

describe('The landing page', () => {
  const links = [{ place: 'documentation', href: '/docs' }] as const;

  const serve = (more: Partial<LandingOptions> = {}) =>
    startTestServer([
      ...landingRoutes(links, { version: '1.2.3', brand: brandOf({}), isSecure: false, ...more }),
    ]);

  it('is a page for a browser, with its style and icon, and JSON for others', async () => {
    const { server, origin } = await serve();
    try {
      const page = await fetch(`${origin}/?lang=en`, {
        headers: { ...browser, 'accept-encoding': 'br' },
      });
      expect(page.status).to.equal(200);
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(page.headers.get('vary')).to.equal('accept, accept-language, cookie, accept-encoding');
      expect(page.headers.get('content-security-policy')).to.match(/^default-src 'none'/);
      expect(page.headers.get('content-encoding')).to.equal('br');
      const text = await page.text();
      expect(text).to.include('<a href="/docs">Documentation</a>').and.include('1.2.3');
      expect(text).not.to.match(/<style|\sstyle=|<script/);
      for (const address of ['/favicon.ico', /href="(\/landing\/[^"]+)"/.exec(text)?.[1] ?? '']) {
        expect((await fetch(origin + address)).status, address).to.equal(200);
      }
      const plain = await fetch(`${origin}/`, { headers: { 'accept-language': 'mn' } });
      expect(plain.headers.get('content-type')).to.equal('application/json');
      const told = (await plain.json()) as { readonly links: readonly object[] };
      expect(told).to.deep.include({ name: 'Tamga', version: '1.2.3' });
      expect(told.links[0]).to.include({ name: 'Documentation', href: '/docs' });
    } finally {
      await server.stop();
    }
  });

  it('is in the language that is asked for, chosen before, or the browser’s', async () => {
    const { server, origin } = await serve({ isSecure: true });
    const read = async (path: string, headers: Readonly<Record<string, string>>) => {
      const response = await fetch(origin + path, { headers: { ...browser, ...headers } });
      const language = response.headers.get('content-language');
      expect(await response.text()).to.include(`<html lang="${language}">`);
      return { language, kept: response.headers.get('set-cookie')?.split(';')[0] };
    };
    const none = undefined;
    try {
      expect(await read('/', {})).to.deep.equal({ language: 'mn', kept: none });
      const english = { 'accept-language': 'en-GB,en;q=0.9,mn;q=0.1' };
      expect(await read('/', english)).to.deep.equal({ language: 'en', kept: none });
      const kept = '__Host-tamga_lang=mn';
      expect(await read('/?lang=mn', english)).to.deep.equal({ language: 'mn', kept });
      const before = { ...english, cookie: kept };
      expect(await read('/', before)).to.deep.equal({ language: 'mn', kept: none });
      expect(await read('/?lang=xx', english)).to.deep.equal({ language: 'en', kept: none });
    } finally {
      await server.stop();
    }
  });

  it("has the operator's name, colours and logo, which is a picture and nothing else", async () => {
    const brand = brandOf({
      en: 'eID <Demo>',
      logo: { body: Buffer.from('<svg/>'), contentType: 'image/svg+xml' },
      style: ':root{--accent:red}',
    });
    const { server, origin } = await serve({ brand });
    try {
      const text = await (await fetch(`${origin}/?lang=en`, { headers: browser })).text();
      expect(text).to.include('<title>eID &lt;Demo&gt;</title>');
      const [, path = '', integrity = ''] =
        /href="(\/brand\/brand\.[0-9a-f]{16}\.css)"\s+integrity="(sha384-[^"]+)"/.exec(text) ?? [];
      const style = await fetch(origin + path);
      expect(style.headers.get('content-type')).to.equal('text/css; charset=utf-8');
      expect(style.headers.get('x-content-type-options')).to.equal('nosniff');
      const css = Buffer.from(await style.arrayBuffer());
      expect(css.toString()).to.equal(':root{--accent:red}');
      expect(integrity).to.equal(`sha384-${createHash('sha384').update(css).digest('base64')}`);
      const logo = await fetch(`${origin}/favicon.ico`);
      expect(await logo.text()).to.equal('<svg/>');
      expect(logo.headers.get('content-type')).to.equal('image/svg+xml');
      expect(logo.headers.get('x-content-type-options')).to.equal('nosniff');
      expect(logo.headers.get('content-security-policy')).to.match(/^default-src 'none'.*sandbox$/);
    } finally {
      await server.stop();
    }
  });
});
