import type { Mount } from '../http/mount.ts';
import type { AddressLimit } from '../http/rateLimit.ts';

export interface OidcMountOptions {
  /** Path prefixes of the provider. */
  readonly paths: readonly string[];
  readonly limit: AddressLimit;
  readonly serve: (ip: string, ...exchange: ServedExchange) => void;
}

type ServedExchange = [Parameters<Mount['listener']>[0], Parameters<Mount['listener']>[1]];

/**
 * Route labels of the provider's endpoints, of bounded cardinality; longer paths count under the
 * endpoint they begin with.
 */
const patterns = new Set([
  ...['/oidc/authorize', '/oidc/token', '/oidc/userinfo', '/oidc/jwks', '/oidc/introspect'],
  ...['/oidc/revoke', '/oidc/logout', '/oidc/logout/confirm', '/oidc/logout/success', '/oidc/par'],
  ...['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'],
]);

/**
 * Content security policy of the provider's few pages. The provider adds the hash of its one
 * script; `form-action` is absent because forms lead to clients, known by their exact redirect URIs.
 */
const contentPolicy = [
  ...["default-src 'none'", "style-src 'unsafe-inline'", "script-src 'report-sample'"],
  ...["base-uri 'none'", "frame-ancestors 'none'"],
].join('; ');

/** Mounts the OpenID provider on the service's address. */
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
