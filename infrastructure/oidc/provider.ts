import { createHash, timingSafeEqual } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { OidcHost } from '../../application/ports/oidcHost.ts';
import type { CredentialRefused } from '../../domain/oidcAccess/events.ts';
import { oidcConfiguration, type OidcProviderOptions } from './configuration.ts';
import { Provider } from './library.ts';
import type { VaultSigningKey } from './signingKey.ts';

export interface ProviderObserver {
  /** Something went wrong in answering; the client sees no more than `server_error`. */
  readonly onFailure: (cause: unknown) => void;
  /** A client could not be told of a logout. */
  readonly onUntold: (clientId: string, cause: unknown) => void;
}

/**
 * The library's provider, configured and made ours.
 *
 * @param issuer no slash at the end
 * @param signingKeys the one that signs first; all are published
 */
export function buildProvider(
  issuer: string,
  signingKeys: readonly VaultSigningKey[],
  options: OidcProviderOptions,
  { onFailure, onUntold }: ProviderObserver,
): Provider {
  const provider = new Provider(issuer, oidcConfiguration(options, signingKeys));
  // What the request says of itself was written by the mount, never by the caller.
  provider.proxy = true;
  compareSecretsByHash(provider);
  // Koa's own event, and two of the library's, are not in its types.
  const emitter: EventEmitter = provider;
  provider.on('server_error', (_ctx, error) => onFailure(error));
  emitter.on('error', onFailure);
  provider.on('backchannel.error', (_ctx, error, client) => onUntold(client.clientId, error));
  for (const event of ['grant.error', 'introspection.error', 'revocation.error']) {
    emitter.on(event, (ctx: KoaContextWithOIDC, error: unknown) =>
      tellRefusal(options.host, ctx, error),
    );
  }
  return provider;
}

/** Of secrets only SHA-256 is kept; the library would compare the texts. */
function compareSecretsByHash(provider: Provider): void {
  const prototype = provider.Client.prototype as unknown as {
    compareClientSecret: (this: { readonly secret_hash?: string }, presented: string) => boolean;
  };
  prototype.compareClientSecret = function (presented) {
    const kept = Buffer.from(this.secret_hash ?? '', 'hex');
    const actual = createHash('sha256').update(presented).digest();
    return kept.length === actual.length && timingSafeEqual(kept, actual);
  };
}

/** The library's words for what only misuse or a defect explains; they come in `error_detail`, which no client sees. */
const misuse: readonly (readonly [RegExp, CredentialRefused['data']['reason']])[] = [
  [/invalid secret provided/, 'CLIENT_AUTHENTICATION_FAILED'],
  [/authorization code already consumed/, 'CODE_REPLAYED'],
  [/refresh token already used/, 'REFRESH_TOKEN_REPLAYED'],
  [/code_verifier does not match/, 'CODE_VERIFIER_WRONG'],
];

function tellRefusal(host: Pick<OidcHost, 'refused'>, ctx: KoaContextWithOIDC, error: unknown) {
  const { client, entities } = ctx.oidc;
  const { error_detail: detail = '', cause } = error as {
    readonly error_detail?: string;
    readonly cause?: unknown;
  };
  const why = cause instanceof Error ? `${detail} ${cause.message}` : detail;
  const reason = misuse.find(([words]) => words.test(why))?.[1];
  if (client === undefined || reason === undefined) return;
  const { AuthorizationCode: code, RefreshToken: refresh } = entities;
  const accountId = code?.accountId ?? refresh?.accountId ?? null;
  host.refused({ clientId: client.clientId, accountId, reason });
}
