import type { Mount } from '../http/mount.ts';
import type { AddressLimit } from '../http/rateLimit.ts';

export interface OidcMountOptions {
  /** Where the provider answers, and everything below. */
  readonly paths: readonly string[];
  readonly limit: AddressLimit;
  readonly serve: (ip: string, ...exchange: ServedExchange) => void;
}

type ServedExchange = [Parameters<Mount['listener']>[0], Parameters<Mount['listener']>[1]];

/** Its endpoints, for metrics; of what comes below the first only that it does. */
const patterns = new Set([
  ...['/oidc/authorize', '/oidc/token', '/oidc/userinfo', '/oidc/jwks', '/oidc/introspect'],
  ...['/oidc/revoke', '/oidc/logout', '/oidc/logout/confirm', '/oidc/logout/success', '/oidc/par'],
  ...['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'],
]);

/**
 * What its few pages may do. The provider adds the hash of the one script it writes; forms lead to clients, who are known by
 * their exact addresses.
 */
const contentPolicy = [
  ...["default-src 'none'", "style-src 'unsafe-inline'", "script-src 'report-sample'"],
  ...["base-uri 'none'", "frame-ancestors 'none'"],
].join('; ');

/** The OpenID Connect provider on the service's own address. */
export function createOidcMount({ paths, limit, serve }: OidcMountOptions): Mount {
  return {
    paths,
    limit,
    headers: { 'content-security-policy': contentPolicy },
    patternOf: (path) => {
      if (patterns.has(path)) return path;
      return /^\/oidc\/authorize\/[^/]+$/.test(path) ? '/oidc/authorize/:uid' : '/oidc/*';
    },
    listener: (request, response, { ip }) => serve(ip, request, response),
  };
}
