import { hasCertificate, isFapi2 } from './securityProfile.ts';
import type { OidcClientSettings } from './settings.ts';

const caep = 'https://schemas.openid.net/secevent/caep/event-type/';
const ssf = 'https://schemas.openid.net/secevent/ssf/event-type/';

/** Types of security events that a stream may deliver (CAEP 1.0 §3). */
export const caepTypes = {
  sessionRevoked: `${caep}session-revoked`,
  tokenClaimsChange: `${caep}token-claims-change`,
  credentialChange: `${caep}credential-change`,
} as const;

/** Type of the event about a stream itself, sent whatever the stream delivers (SSF 1.0 §8.1.4.1). */
export const verificationType = `${ssf}verification` as const;

export type CaepType = (typeof caepTypes)[keyof typeof caepTypes];

export type SignalType = CaepType | typeof verificationType;

/** Types in `events_supported` (SSF 1.0 §8.1.1). */
export const supportedTypes: readonly CaepType[] = Object.values(caepTypes);

/**
 * True for clients that may have a stream: they authenticate, and their own tokens are bearer tokens, which those of FAPI
 * 2.0 and of client certificates are not.
 */
export function mayHaveStream({
  authMethod,
  securityProfile,
}: Pick<OidcClientSettings, 'authMethod' | 'securityProfile'>): boolean {
  return authMethod !== 'none' && !hasCertificate(authMethod) && !isFapi2(securityProfile);
}

/** Root path of the endpoints of streams. */
export const signalsRoot = '/ssf';

/** Scopes of a client's own access token: to read its stream, to manage it (CAEP Interoperability Profile §2.7.2). */
export const signalScopes = ['ssf.read', 'ssf.manage'] as const;

export type SignalScope = (typeof signalScopes)[number];
