import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { landingRoutes } from '../../api/platform/landing.ts';
import { brandOf } from '../../api/pages/brand.ts';
import { startTestServer } from '../support/http/http.ts';

describe('The landing page', () => {
  const links = [{ name: 'Documentation', href: '/docs', about: 'All of it.' }];

  it('is a page for a browser, with its style and icon, and JSON for others', async () => {
    const { server, origin } = await startTestServer([
      ...landingRoutes(links, { version: '1.2.3', brand: brandOf({}) }),
    ]);
    try {
      const page = await fetch(`${origin}/`, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect(page.status).to.equal(200);
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(page.headers.get('vary')).to.equal('accept');
      expect(page.headers.get('content-security-policy')).to.match(/^default-src 'none'/);
      const text = await page.text();
      expect(text).to.include('<a href="/docs">Documentation</a>').and.include('1.2.3');
      expect(text).not.to.match(/<style|\sstyle=|<script/);
      for (const address of ['/favicon.ico', /href="(\/landing\/[^"]+)"/.exec(text)?.[1] ?? '']) {
        expect((await fetch(origin + address)).status, address).to.equal(200);
      }
      const plain = await fetch(`${origin}/`);
      expect(plain.headers.get('content-type')).to.equal('application/json');
      expect(await plain.json()).to.deep.include({ name: 'Tamga', version: '1.2.3' });
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
    const { server, origin } = await startTestServer([
      ...landingRoutes(links, { version: '1.2.3', brand }),
    ]);
    try {
      const text = await (await fetch(`${origin}/`, { headers: { accept: 'text/html' } })).text();
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
