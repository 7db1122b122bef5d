import type { KoaContextWithOIDC } from 'oidc-provider';

// The few pages the provider shows itself; logging in and agreeing are elsewhere.

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: unknown): string {
  return String(text).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}' +
  'button{font:inherit;padding:.6rem 1.2rem;margin:.5rem .5rem 0 0}code{overflow-wrap:anywhere}';

interface Text {
  readonly title: string;
  readonly body: string;
}

function page(ctx: KoaContextWithOIDC, texts: { readonly mn: Text; readonly en: Text }): void {
  const language = ctx.acceptsLanguages('mn', 'en') === 'en' ? 'en' : 'mn';
  const { title, body } = texts[language];
  ctx.type = 'html';
  ctx.body = `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`;
}

/** What is shown when a request cannot be sent back to the client that made it. */
export function errorPage(
  ctx: KoaContextWithOIDC,
  {
    error,
    error_description: description,
  }: { readonly error: string; readonly error_description?: string | undefined },
): void {
  const code = `<p><code>${escaped(error)}${description === undefined ? '' : `: ${escaped(description)}`}</code></p>`;
  page(ctx, {
    mn: { title: 'Нэвтэрч чадсангүй', body: `<p>Ирсэн газраасаа дахин эхлүүлнэ үү.</p>${code}` },
    en: { title: 'Signing in failed', body: `<p>Begin again where you came from.</p>${code}` },
  });
}

/** Asks whether to end all logins of this browser. @param form the library's, with id `op.logoutForm` */
export function logoutPage(ctx: KoaContextWithOIDC, form: string): void {
  const buttons = (yes: string, no: string) =>
    `${form}<button type="submit" form="op.logoutForm" value="yes" name="logout">${yes}</button>` +
    `<button type="submit" form="op.logoutForm">${no}</button>`;
  page(ctx, {
    mn: { title: 'Гарах уу?', body: buttons('Тийм, гарах', 'Үгүй, үлдэх') },
    en: { title: 'Sign out?', body: buttons('Yes, sign me out', 'No, stay signed in') },
  });
}

/** What is shown after a logout that came with no address to return to. */
export function loggedOutPage(ctx: KoaContextWithOIDC): void {
  page(ctx, {
    mn: { title: 'Та гарлаа', body: '<p>Энэ цонхыг хааж болно.</p>' },
    en: { title: 'You are signed out', body: '<p>You may close this window.</p>' },
  });
}
