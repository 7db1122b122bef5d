import { expect } from 'chai';
import { expectLook, firstLook } from '../support/browser/pageLooks.ts';
import { picture } from '../support/browser/pictures.ts';
import { useConsole } from '../support/worlds/consoleWorld.ts';

describe("The operator's name and colours in the console", function () {
  this.timeout(120_000);
  const world = useConsole({
    settings: () => ({
      SVC_BRAND_NAME_EN: 'Steppe ID',
      SVC_BRAND_ACCENT: '#7a1f5c',
      SVC_BRAND_ACCENT_DARK: '#f0a8d8',
    }),
  });

  for (const [language, name, accent] of [
    ['mn', 'Тамга', 'rgb(122, 31, 92)'],
    ['en', 'Steppe ID', 'rgb(240, 168, 216)'],
  ] as const) {
    it(`are those of the theme, and legible: ${language}`, async () => {
      const { page, open } = await world().newAs('SUPER_ADMIN', firstLook[language]);
      await open('/relying-parties/new');
      await page.getByRole('navigation').getByText(name, { exact: true }).waitFor();
      expect(await page.title()).to.match(new RegExp(` · ${name}$`));
      const button = page.getByRole('main').locator('button[type=submit]');
      await button.waitFor();
      const back = await page.evaluate<string>(
        "getComputedStyle(document.querySelector('main button[type=submit]')).backgroundColor",
      );
      expect(back).to.equal(accent);
      await expectLook(page, 'register', { width: 1440, axe: true });
      await picture(page, `brand-console-${language}`);
    });
  }
});
