import { expect } from 'chai';
import { providerPages } from '../../api/openIdConnect/providerPages.ts';
import { texts } from '../../api/openIdConnect/texts.ts';
import { brandOf } from '../../api/pages/brand.ts';

describe("The provider's page of an error", () => {
  for (const language of ['mn', 'en'] as const) {
    it(`tells readers what to do, and developers the rest in a fold: ${language}`, () => {
      const reader = { uiLocales: language, acceptLanguage: undefined, cookie: undefined };
      const description = "'redirect_uri' parameter must not be provided twice";
      const fault = { error: 'invalid_request', description, requestId: 'r-1', status: 400 };

      const { html } = providerPages(brandOf({})).error(reader, fault);

      const [shown = '', folded = ''] = html.split('<details>');
      expect(shown).to.include(texts[language].error.text);
      expect(shown).not.to.match(/invalid_request|provided twice/u);
      expect(folded).to.include('invalid_request').and.to.include('provided twice');
    });
  }
});
