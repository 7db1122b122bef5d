import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { ClientLimit } from '../../api/openIdConnect/ports/clientLimit.ts';
import { isRefusal, type Refusal } from '../../domain/shared/refusal.ts';

/** Routes where clients prove who they are, or that they were given a token. */
const routes = new Set([
  'token',
  'userinfo',
  'introspection',
  'revocation',
  'pushed_authorization_request',
  'backchannel_authentication',
  'device_authorization',
]);

/**
 * Key of a client's limit. UserInfo has one of its own: any user of the client has a token for it, and uses up nothing
 * else.
 */
const keyOf = (route: string | undefined, clientId: string): string =>
  route === 'userinfo' ? `${clientId} userinfo` : clientId;

/** A limit in the form of RFC 6749 §5.2. A class because the library requires one. */
class TooManyRequests extends errors.OIDCProviderError {
  constructor(description: string) {
    super(429, 'temporarily_unavailable');
    this.error_description = description;
  }
}

/** Refusal of the current request by a limit, with `Retry-After`. */
export function tooManyRequests({ detail, message, retryAfterSeconds }: Refusal): Error {
  Provider.ctx?.set('retry-after', String(retryAfterSeconds ?? 1));
  return new TooManyRequests(detail ?? message);
}

/** Refuses the current request when the client it is of has used up its limit. */
export function refuseBeyond(limit: ClientLimit, clientId: string): void {
  const { ctx } = Provider;
  // Further clients that a request looks at are not those that sent it.
  if (ctx?.oidc.client !== undefined || !routes.has(ctx?.oidc.route ?? '')) return;
  try {
    limit.expectLeft(keyOf(ctx?.oidc.route, clientId));
  } catch (error) {
    if (!isRefusal(error, 'RATE_LIMITED')) throw error;
    throw tooManyRequests(error);
  }
}

/** Counts an answered request for its client; one that proved nothing stays with its address. */
export async function countRequest(
  limit: ClientLimit,
  ctx: Pick<KoaContextWithOIDC, 'status' | 'headers'> & {
    readonly oidc?: KoaContextWithOIDC['oidc'] | undefined;
  },
): Promise<void> {
  const { oidc, status, headers } = ctx;
  const client = oidc?.entities.Client;
  if (oidc === undefined || client === undefined || !routes.has(oidc.route)) return;
  const isPublic = client.clientAuthMethod === 'none';
  // The library knows the client before it refuses an attestation, which nobody here is registered with.
  const isAttested = Object.keys(headers).some((name) => name.startsWith('oauth-client-attest'));
  if (isPublic || isAttested || status === 401 || status === 429 || status >= 500) return;
  await limit.count(keyOf(oidc.route, client.clientId));
}
