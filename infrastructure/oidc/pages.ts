import type { KoaContextWithOIDC } from 'oidc-provider';
import type { HostedPage, OidcPages, PageReader } from '../../api/openIdConnect/ports/oidcPages.ts';
import { textOf } from './parameters.ts';

export function readerOf({ oidc, headers }: KoaContextWithOIDC): PageReader {
  const { params } = oidc;
  return {
    uiLocales: params === undefined ? null : textOf(params['ui_locales']),
    acceptLanguage: headers['accept-language'],
    cookie: headers.cookie,
  };
}

export function send(ctx: KoaContextWithOIDC, { status, headers, html }: HostedPage): void {
  ctx.status = status;
  ctx.set({ ...headers });
  ctx.body = html;
}

/** The library's page callbacks, rendered by the platform's pages. */
export function libraryPages(pages: OidcPages) {
  return {
    /** Rendered when a request cannot be redirected back to its client. */
    error: (
      ctx: KoaContextWithOIDC,
      fault: { readonly error: string; readonly error_description?: string | undefined },
    ): void => {
      const { error, error_description: description = null } = fault;
      const requestId = String(ctx.res.getHeader('x-request-id') ?? '');
      send(ctx, pages.error(readerOf(ctx), { error, description, requestId, status: ctx.status }));
    },
    /** Asks the user to confirm ending the logins of this browser. */
    logout: (ctx: KoaContextWithOIDC): void => {
      const { client, session } = ctx.oidc;
      const state = session?.state ?? {};
      const question = {
        client: client === undefined ? null : namesOf(client),
        action: new URL(ctx.oidc.urlFor('end_session_confirm')).pathname,
        xsrf: textOf(state['secret']) ?? '',
        postLogoutRedirectUri: textOf(state['postLogoutRedirectUri']),
      };
      send(ctx, pages.logout(readerOf(ctx), question));
    },
    /** Rendered after a logout without a return address. */
    loggedOut: (ctx: KoaContextWithOIDC): void => send(ctx, pages.loggedOut(readerOf(ctx))),
  };
}

export function namesOf(client: Readonly<Record<string, unknown>>) {
  return {
    name: textOf(client['clientName']) ?? '',
    nameEn: textOf(client['client_name_en']),
  };
}
