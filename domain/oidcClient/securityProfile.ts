import type { OpenIdScopeName } from '../shared/openIdScopes.ts';
import type { FieldFault } from '../shared/refusal.ts';
import { isPlatformScope } from './platformScopes.ts';

/**
 * Demands on a client beyond the standards it follows anyway: none; FAPI 2.0 Security Profile (Final); or that with FAPI
 * 2.0 Message Signing, whose requests and responses are signed.
 */
export const securityProfiles = ['standard', 'fapi2', 'fapi2_message_signing'] as const;

export type SecurityProfile = (typeof securityProfiles)[number];

/** Algorithms of everything that is signed under FAPI 2.0 (§5.4.1). */
export const fapi2Algorithms: readonly string[] = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** True for profiles under which FAPI 2.0 is demanded. */
export function isFapi2(profile: unknown): boolean {
  return profile === 'fapi2' || profile === 'fapi2_message_signing';
}

/** True for an authentication method by a client certificate (RFC 8705 §2.2). */
export function hasCertificate(authMethod: string): boolean {
  return authMethod === 'self_signed_tls_client_auth';
}

/** Settings that a profile restricts. */
interface Restricted {
  readonly securityProfile: SecurityProfile;
  readonly authMethod: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly OpenIdScopeName[];
  readonly keys: readonly Readonly<Record<string, string>>[];
  readonly idTokenSignedResponseAlg: string;
  readonly requirePkce: boolean;
  readonly exchanges: readonly unknown[];
}

/** Faults of settings under their profile (FAPI 2.0 Security Profile §5.3.2, §5.4.1). */
export function faultsUnderProfile(settings: Restricted): readonly FieldFault[] {
  if (!isFapi2(settings.securityProfile)) return [];
  const faults: FieldFault[] = [];
  const expect = (isMet: boolean, pointer: string, detail: string) => {
    if (!isMet) faults.push({ pointer, detail });
  };
  expect(
    settings.authMethod === 'private_key_jwt' || hasCertificate(settings.authMethod),
    '/authMethod',
    'FAPI 2.0 needs private_key_jwt or self_signed_tls_client_auth.',
  );
  expect(settings.requirePkce, '/requirePkce', 'FAPI 2.0 needs PKCE.');
  for (const [index, uri] of settings.redirectUris.entries()) {
    expect(uri.startsWith('https://'), `/redirectUris/${index}`, 'FAPI 2.0 needs https.');
  }
  expect(
    fapi2Algorithms.includes(settings.idTokenSignedResponseAlg),
    '/idTokenSignedResponseAlg',
    'FAPI 2.0 does not allow RS256.',
  );
  for (const [index, { alg }] of settings.keys.entries()) {
    expect(
      alg === undefined || fapi2Algorithms.includes(alg),
      `/keys/${index}`,
      `FAPI 2.0 allows only signatures with ${fapi2Algorithms.join(', ')}.`,
    );
  }
  expect(
    !settings.scopes.some(isPlatformScope),
    '/scopes',
    'The platform API takes bearer tokens, which FAPI 2.0 does not allow.',
  );
  expect(
    settings.exchanges.length === 0,
    '/exchanges',
    'Exchanged tokens are bearer tokens, which FAPI 2.0 does not allow.',
  );
  return faults;
}
