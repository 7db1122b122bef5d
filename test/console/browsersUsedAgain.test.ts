import { expect } from 'chai';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { launchChromium, leaveChromium } from '../support/browser/chromium.ts';
import { visitorOf } from '../support/browser/visitors.ts';

/** Runs in the page: stores something wherever a page can. */
const store = `(async () => {
  document.cookie = 'kept=1; max-age=600';
  localStorage.setItem('kept', '1');
  sessionStorage.setItem('kept', '1');
  await new Promise((resolve, reject) => {
    const opening = indexedDB.open('kept');
    opening.onsuccess = () => (opening.result.close(), resolve());
    opening.onerror = reject;
  });
  await caches.open('kept');
  await navigator.serviceWorker.register('/worker.js');
  await navigator.serviceWorker.ready;
})()`;

/** Runs in the page: what of it is there. */
const stored = `(async () => ({
  cookie: document.cookie,
  local: localStorage.length,
  session: sessionStorage.length,
  databases: (await indexedDB.databases()).length,
  caches: (await caches.keys()).length,
  workers: (await navigator.serviceWorker.getRegistrations()).length,
  camera: (await navigator.permissions.query({ name: 'camera' })).state,
  languages: navigator.languages.join(),
  isDark: matchMedia('(prefers-color-scheme: dark)').matches,
  width: innerWidth,
}))()`;

describe('A browser that is used again', function () {
  this.timeout(60_000);
  let server: Server;
  let browser: Browser;
  let origin: string;
  /** Of the pages asked for. */
  const asked: unknown[] = [];

  before(async function () {
    browser = (await launchChromium()) ?? this.skip();
    server = createServer(({ url, headers }, response) => {
      if (url === '/') asked.push([headers.cookie, headers['accept-language']]);
      const type = url === '/worker.js' ? 'text/javascript' : 'text/html';
      response.writeHead(200, { 'content-type': type, connection: 'close' });
      response.end(url === '/worker.js' ? '' : '<link rel="icon" href="data:,"><h1>Page</h1>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    await leaveChromium(browser);
    await new Promise((resolve) => server.close(resolve));
  });

  it('has nothing of what the one before did, and two at once are two', async () => {
    const one = await visitorOf(browser, origin, { language: 'en', theme: 'dark', width: 360 });
    await one.open('/');
    const untouched = await one.page.evaluate(stored);
    expect(untouched).to.include({ languages: 'en-GB', isDark: true, width: 360 });
    await one.page.evaluate(store);
    await one.context.addCookies([{ name: 'kept', value: '1', url: 'http://localhost' }]);
    await one.context.grantPermissions(['camera'], { origin });
    await one.page.route('**/', (route) => route.abort());
    await one.page.evaluate("console.error('of the one before')");
    const other = await visitorOf(browser, origin, { language: 'en', theme: 'dark', width: 360 });
    await other.open('/');
    expect(other.context).not.to.equal(one.context);
    expect(await other.page.evaluate(stored), 'beside it').to.deep.equal(untouched);
    await other.leave();
    await one.leave();

    const next = await visitorOf(browser, origin);
    expect(next.context).to.equal(one.context);
    expect(next.faults).to.deep.equal([]);
    expect(await next.context.cookies()).to.deep.equal([]);
    await next.open('/');
    expect(await next.page.evaluate(stored)).to.deep.equal({
      ...(untouched as object),
      languages: 'mn-MN',
      isDark: false,
      width: 1280,
    });
    expect(asked.at(-1)).to.deep.equal([undefined, 'mn-MN']);
    await next.leave();
  });
});
