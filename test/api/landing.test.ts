import { expect } from 'chai';
import { landingRoutes } from '../../api/platform/landing.ts';
import { startTestServer } from '../support/http/http.ts';

describe('The landing page', () => {
  const links = [{ name: 'Documentation', href: '/docs', about: 'All of it.' }];

  it('is a page for a browser, with its style and icon, and JSON for others', async () => {
    const { server, origin } = await startTestServer([
      ...landingRoutes(links, { version: '1.2.3' }),
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
});
