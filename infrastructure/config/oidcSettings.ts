import { url } from './addresses.ts';
import { count, flag, setting } from './settings.ts';

/** Settings of the OpenID Connect provider. */
export const oidcSettings = {
  SVC_OIDC_SESSION_HOURS: setting(
    count(1, 720).default(8),
    'Hours a login through OpenID Connect lasts in a browser; meanwhile the citizen is not asked again.',
  ),
  SVC_OIDC_LOGIN_MINUTES: setting(
    count(2, 60).default(15),
    'Minutes a citizen has to log in and to agree.',
  ),
  SVC_OIDC_ACCESS_TOKEN_SECONDS: setting(
    count(30, 86_400).default(600),
    'Seconds an access token of OpenID Connect is good for, and an ID token.',
  ),
  SVC_OIDC_REFRESH_TOKEN_DAYS: setting(
    count(1, 365).default(30),
    'Days a refresh token is good for that is not used; each use replaces it. Under FAPI 2.0 it stays as it is, and its days count from its making.',
  ),
  SVC_OIDC_GRANT_DAYS: setting(
    count(1, 3650).default(365),
    'Days after which refresh tokens end however often they are used, and the citizen logs in again.',
  ),
  SVC_OIDC_KEY_DAYS: setting(
    count(1, 3650).default(90),
    'Days a key signs for the OpenID Connect provider; then the next one does.',
  ),
  SVC_OIDC_KEY_LEAD_HOURS: setting(
    count(1, 720).default(24),
    'Hours the next key is published before it signs.',
  ),
  SVC_OIDC_REQUESTS_PER_MINUTE: setting(
    count(1, 100_000_000).default(6000),
    'Requests one client may send to the OpenID Connect provider a minute; those of browsers and public clients, and those that prove no client, count for their address. UserInfo counts apart, as many again.',
  ),
  SVC_OIDC_MTLS_BASE_URL: setting(
    url.optional(),
    'Origin at which clients present their certificates, where it is another than that of browsers (`mtls_endpoint_aliases`).',
  ),
  SVC_OIDC_PRIVATE_NETWORKS: setting(
    flag.optional(),
    'Tell clients inside private networks of logouts (`backchannel_logout_uri`) and of requests that ended (pings), and relying parties there of events (webhooks), in production as well. Operators who register them then reach what this service reaches.',
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
