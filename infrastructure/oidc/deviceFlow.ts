import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { HostedPage, OidcPages } from '../../api/openIdConnect/ports/oidcPages.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { namesOf, readerOf, send } from './pages.ts';
import { textOf } from './parameters.ts';
import { devicePath } from './paths.ts';

/** Lifetime of a device code, s (RFC 8628 §3.2). */
export const DEVICE_CODE_LIFE = 600;

type Features = NonNullable<Configuration['features']>;

type Pages = Pick<OidcPages, 'userCode' | 'confirmCode' | 'connected' | 'refused'>;

/** The code that was typed is unknown, over or used; nobody learns which. */
const codeFaults = new Set(['NotFoundError', 'ExpiredError', 'AlreadyUsedError', 'NoCodeError']);

/** Device authorization grant (RFC 8628). Codes have 8 consonants: 34 bits, and no words. */
export function deviceFlow(pages: Pages, onError: ErrorPage) {
  return {
    enabled: true,
    charset: 'base-20',
    mask: '****-****',
    // Nothing of the device is kept.
    deviceInfo: () => ({}),
    userCodeInputSource: async (
      ctx: KoaContextWithOIDC,
      _form: string,
      out?: { readonly error: string; readonly error_description?: string | undefined },
      error?: Error & { readonly userCode?: string },
    ): Promise<void> => {
      const name = error?.name ?? '';
      if (name === 'AbortedError') send(ctx, pages.refused(readerOf(ctx)));
      else if (out !== undefined && !codeFaults.has(name)) {
        leaveUnsaved(ctx);
        await onError(ctx, out);
      } else {
        const fault = error === undefined ? null : 'fault';
        const typed = error?.userCode ?? '';
        const isSecure = ctx.oidc.issuer.startsWith('https:');
        const reader = { ...readerOf(ctx), asked: textOf(ctx.query['lang']), isSecure };
        send(ctx, pages.userCode(reader, { ...formOf(ctx), typed, fault }));
      }
    },
    userCodeConfirmSource: (
      ...[ctx, , client, , userCode]: Parameters<
        NonNullable<NonNullable<Features['deviceFlow']>['userCodeConfirmSource']>
      >
    ): void => {
      const form = { ...formOf(ctx), userCode, client: namesOf(shownClient(client)) };
      send(ctx, pages.confirmCode(readerOf(ctx), form));
    },
    successSource: (ctx: KoaContextWithOIDC): void => {
      send(ctx, pages.connected(readerOf(ctx), namesOf(shownClient(ctx.oidc.client))));
    },
  } as const;
}

type ErrorPage = (
  ctx: KoaContextWithOIDC,
  out: { readonly error: string; readonly error_description?: string | undefined },
) => unknown;

/** Keeps the library from saving the session of a browser that has none, which it refuses to do after a refusal. */
function leaveUnsaved({ oidc }: KoaContextWithOIDC): void {
  const session = oidc.session as unknown as
    { readonly exp?: number; touched: boolean } | undefined;
  if (session !== undefined && session.exp === undefined) session.touched = false;
}

function shownClient(client: unknown): Readonly<Record<string, unknown>> {
  return client as Readonly<Record<string, unknown>>;
}

function formOf({ oidc }: KoaContextWithOIDC) {
  const action = new URL(oidc.urlFor('code_verification')).pathname;
  return { action, xsrf: textOf(oidc.session?.state?.['secret']) ?? '' };
}

/** A request before the library reads it. */
interface Arrived {
  readonly path: string;
  readonly method: string;
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  status: number;
  body: unknown;
  set(headers: Readonly<Record<string, string>>): void;
}

/**
 * Step that counts each code that is typed (RFC 8628 §5.1).
 *
 * @param admit @throws Refusal RATE_LIMITED
 */
export function boundGuesses(admit: (ip: string) => Promise<void>, pages: Pages) {
  return async (ctx: Arrived, next: () => Promise<void>): Promise<void> => {
    // A slash at the end makes no difference to the library.
    if (ctx.path.replace(/\/$/, '') !== devicePath || ctx.method !== 'POST') return next();
    try {
      await admit(ctx.ip);
    } catch (error) {
      if (!isRefusal(error, 'RATE_LIMITED')) throw error;
      const reader = {
        uiLocales: null,
        acceptLanguage: String(ctx.headers['accept-language'] ?? ''),
        cookie: textOf(ctx.headers['cookie']) ?? undefined,
        asked: null,
        isSecure: false,
      };
      const form = { action: devicePath, xsrf: '', typed: '', fault: 'busy' } as const;
      show(ctx, pages.userCode(reader, form));
      ctx.set({ 'retry-after': String(error.retryAfterSeconds ?? 60) });
      return;
    }
    return next();
  };
}

function show(ctx: Arrived, { status, headers, html }: HostedPage): void {
  ctx.status = status;
  ctx.set({ ...headers });
  ctx.body = html;
}
