import { expect } from 'chai';
import { firstLook, looksAt } from '../support/browser/pageLooks.ts';
import { type GivenPages, givenPages } from '../support/given/givenPages.ts';

describe("The operator's name, colours and logo", function () {
  this.timeout(120_000);
  let world: GivenPages;
  let stop = (): Promise<void> => Promise.resolve();

  before(async function () {
    const settings = {
      SVC_BRAND_NAME: 'Цахим үнэмлэх',
      SVC_BRAND_NAME_EN: 'Steppe ID',
      SVC_BRAND_ACCENT: '#7a1f5c',
      SVC_BRAND_ACCENT_DARK: '#f0a8d8',
    };
    world = (await givenPages({ settings })) ?? this.skip();
    stop = world.stop;
  });

  afterEach(() => world.leave());
  after(() => stop());

  for (const [language, name, accent] of [
    ['mn', 'Цахим үнэмлэх', 'rgb(122, 31, 92)'],
    ['en', 'Steppe ID', 'rgb(240, 168, 216)'],
  ] as const) {
    it(`are on every page citizens see, in the theme of their browser: ${language}`, async () => {
      const { page } = await world.visit(firstLook[language]);
      const look = looksAt(page, 'brand', language);
      for (const path of ['/', '/me', '/verify', '/login/consents', '/assistant']) {
        await page.goto(world.origin + path);
        expect(await page.title(), path).to.contain(name);
        const colour = await page.evaluate<string>(
          "getComputedStyle(document.querySelector('a')).color",
        );
        expect(colour, path).to.equal(accent);
        await look(path);
      }
      await page.goto(`${world.origin}/verify`);
      await page.getByText(name, { exact: true }).waitFor();
      const isSeen = await page.evaluate<boolean>(
        "document.querySelector('.brand img').naturalWidth > 0",
      );
      expect(isSeen).to.equal(true);
    });
  }
});
