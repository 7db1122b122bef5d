import { url } from './addresses.ts';
import { count, flag, setting } from './settings.ts';

/** Settings of the OpenID Connect provider. */
export const oidcSettings = {
  SVC_OIDC_SESSION_HOURS: setting(
    count(1, 720).default(8),
    'Time an OpenID Connect login lasts in a browser, in hours. Meanwhile the citizen is not asked again.',
  ),
  SVC_OIDC_LOGIN_MINUTES: setting(
    count(2, 60).default(15),
    'Time a citizen has to log in and consent, in minutes.',
  ),
  SVC_OIDC_ACCESS_TOKEN_SECONDS: setting(
    count(30, 86_400).default(600),
    'Lifetime of OpenID Connect access tokens and ID tokens, in seconds.',
  ),
  SVC_OIDC_REFRESH_TOKEN_DAYS: setting(
    count(1, 365).default(30),
    'Lifetime of an unused refresh token, in days. Each use replaces it. Under FAPI 2.0 it is not replaced, and its lifetime counts from its issuance.',
  ),
  SVC_OIDC_GRANT_DAYS: setting(
    count(1, 3650).default(365),
    'Time after which refresh tokens end however often they are used, in days. The citizen then logs in again.',
  ),
  SVC_OIDC_KEY_DAYS: setting(
    count(1, 3650).default(90),
    'Time a key signs for the OpenID Connect provider before the next one replaces it, in days.',
  ),
  SVC_OIDC_KEY_LEAD_HOURS: setting(
    count(1, 720).default(24),
    'Time the next key is published before it signs, in hours.',
  ),
  SVC_OIDC_REQUESTS_PER_MINUTE: setting(
    count(1, 100_000_000).default(6000),
    'Requests per minute that one client may send to the OpenID Connect provider. Requests of browsers, of public clients and without client authentication count for their address. UserInfo has a separate limit of the same size.',
  ),
  SVC_OIDC_MTLS_BASE_URL: setting(
    url.optional(),
    'Origin at which clients present their certificates, if it differs from that of browsers (`mtls_endpoint_aliases`).',
  ),
  SVC_OIDC_PRIVATE_NETWORKS: setting(
    flag.optional(),
    'Allow addresses in private networks for logouts (`backchannel_logout_uri`), pings and webhooks, in production as well. Operators who register such addresses can then reach everything that this service can reach.',
    'development: true, otherwise false',
  ),
} as const;

/** Settings refused in production. @returns faults by name */
export function unsafeOidcSettings({
  SVC_BASE_URL: base,
}: {
  readonly SVC_BASE_URL?: string | undefined;
}): readonly string[] {
  // The issuer identifier (OpenID Connect Core §2): clients compare it, browsers send cookies to it.
  return base?.startsWith('http://') === true ? ['SVC_BASE_URL: must be https in production'] : [];
}
