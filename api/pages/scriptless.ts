import { html, type Html } from './html.ts';

const off = {
  mn: 'Үүнд JavaScript хэрэгтэй боловч таны хөтөч дээр унтраалттай байна. Асаагаад, хуудсыг дахин ачаална уу.',
  en: 'This needs JavaScript, which is off in your browser. Turn it on and reload the page.',
};

const notLoaded = {
  mn: 'Хуудасны скрипт ачаалагдсангүй. Холболтоо шалгаад хуудсыг дахин ачаална уу. Хөтчийн нэмэлт скриптийг хааж байвал энэ хаягт зөвшөөрнө үү.',
  en: 'The scripts of this page did not load. Check your connection and reload the page. If an extension blocks scripts, allow them for this address.',
};

function inBoth(said: typeof off): Html {
  return html`<p lang="mn">${said.mn}</p>
    <p lang="en">${said.en}</p>`;
}

/**
 * Notice in every language that the page's own scripts did not come. `apps/pages/scriptless.css` shows it after
 * seconds; the scripts take it away.
 */
export const scriptsMissing = html`<div class="scriptless">${inBoth(notLoaded)}</div>`;

/** {@link scriptsMissing}, and a notice for browsers that run no script, which shows at once. */
export const scriptless = html`<noscript>${inBoth(off)}</noscript>${scriptsMissing}`;
