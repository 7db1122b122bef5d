import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Mount, MountEndpoint } from '../http/mount.ts';
import type { AddressLimit } from '../http/route.ts';
import { redirectForm } from './formRedirect.ts';
import type { OidcPages } from './ports/oidcPages.ts';
import { asErrorPage, asOauthError, type WriteErrorPage } from './refusals.ts';

export interface OidcMountOptions {
  /** Path prefixes of the provider. */
  readonly paths: readonly string[];
  readonly limit: AddressLimit;
  readonly pages: Pick<OidcPages, 'error'>;
  /** Serves a request. @param certificate reads the client certificate, DER; null: none */
  readonly serve: (
    ip: string,
    request: IncomingMessage,
    response: ServerResponse,
    certificate: () => Uint8Array | null,
  ) => void;
}

const read = ['GET', 'HEAD'];

/** Endpoints called by programs, CORS preflights included; they refuse by OAuth errors. */
const forPrograms: Readonly<Record<string, readonly string[]>> = {
  '/oidc/token': ['POST'],
  '/oidc/userinfo': [...read, 'POST'],
  '/oidc/jwks': read,
  '/oidc/introspect': ['POST'],
  '/oidc/revoke': ['POST'],
  '/oidc/par': ['POST'],
  '/oidc/backchannel': ['POST'],
  '/oidc/device_authorization': ['POST'],
  '/.well-known/openid-configuration': read,
  '/.well-known/oauth-authorization-server': read,
};

/**
 * Endpoints opened by browsers; they refuse by pages. POST to the first two is required by OpenID
 * Connect Core §3.1.2.1 and RP-Initiated Logout §2.
 */
const forBrowsers: Readonly<Record<string, readonly string[]>> = {
  '/oidc/authorize': [...read, 'POST'],
  '/oidc/logout': [...read, 'POST'],
  '/oidc/authorize/:uid': read,
  '/oidc/logout/confirm': ['POST'],
  '/oidc/logout/success': read,
  '/device': [...read, 'POST'],
  '/device/:uid': read,
};

type Endpoints = ReadonlyMap<string, MountEndpoint>;

function endpointsWith(errorPage: WriteErrorPage): Endpoints {
  return new Map([
    ...Object.entries(forPrograms).map(([pattern, methods]) =>
      endpoint({ pattern, methods: [...methods, 'OPTIONS'], refusedAs: asOauthError }),
    ),
    ...Object.entries(forBrowsers).map(([pattern, methods]) =>
      endpoint({ pattern, methods, refusedAs: errorPage }),
    ),
  ]);
}

function endpoint(one: MountEndpoint): [string, MountEndpoint] {
  return [one.pattern, one];
}

/** Endpoints whose forms continue as queries; see {@link redirectForm}. */
const takesForms = new Set(['/oidc/authorize', '/oidc/logout']);

/**
 * Content security policy of the provider's few pages. The provider adds the hash of its one
 * script; `form-action` is absent because forms lead to clients, known by their exact redirect URIs.
 */
const contentPolicy = [
  ...["default-src 'none'", "style-src 'unsafe-inline'", "script-src 'report-sample'"],
  ...["base-uri 'none'", "frame-ancestors 'none'"],
].join('; ');

/** Mounts the OpenID provider on the service's address. */
export function createOidcMount({ paths, limit, pages, serve }: OidcMountOptions): Mount {
  const errorPage: WriteErrorPage = (...refused) => asErrorPage(pages, ...refused);
  const endpoints = endpointsWith(errorPage);
  return {
    paths,
    limit,
    headers: { 'content-security-policy': contentPolicy },
    endpointOf: (path) => endpointOf(endpoints, path),
    listener: (request, response, { ip, requestId, certificate }) => {
      const { pattern = '' } = endpointOf(endpoints, pathOf(request)) ?? {};
      if (request.method === 'POST' && takesForms.has(pattern)) {
        redirectForm(request, response, { path: pattern, requestId, errorPage });
      } else serve(ip, request, response, certificate);
    },
  };
}

function endpointOf(endpoints: Endpoints, path: string): MountEndpoint | null {
  const plain = path.replace(/\/$/, '');
  const pattern = plain.replace(/^(\/oidc\/authorize|\/device)\/[^/]+$/, '$1/:uid');
  return endpoints.get(pattern) ?? null;
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}
