import type { CivilRecord, CivilRegistry } from '../../application/ports/civilRegistry.ts';
import type { Clock } from '../../application/ports/clock.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import {
  failed,
  type IdentityProvider,
  type Verdict,
  type VerificationTurn,
} from '../../application/identityVerification/ports/identityProvider.ts';
import { equalSecrets, sha256 } from '../../domain/shared/digest.ts';
import { folded, readPersonIdentifier } from '../../domain/shared/etsi.ts';
import {
  type AuthorizationSecrets,
  type AuthorizationServer,
  isOpenId,
  type Tokens,
} from './authorizationServer.ts';
import { type ClaimPointers, claimsAt, type ReadClaim } from './claims.ts';
import { subjectOfIdToken } from './idToken.ts';

export interface DanProviderOptions {
  readonly server: AuthorizationServer;
  readonly clientId: string;
  readonly scope: string;
  readonly claims: ClaimPointers;
  /** Recorded in the evidence. */
  readonly issuer: string;
  /** Expected `iss` of ID tokens; null: any. */
  readonly idTokenIssuer: string | null;
  readonly civilRegistry: CivilRegistry;
  readonly clock: Clock;
}

/**
 * Identifies a person through another authority: the authorization code grant (RFC 6749 §4.1) with state, PKCE (RFC
 * 7636) and, with OpenID Connect, nonce. The code must come from the client that started the verification, not from any
 * redirected browser: this prevents authorization code injection (RFC 9700 §4.7).
 */
export function createDanProvider(options: DanProviderOptions): IdentityProvider<'dan'> {
  const { server, claims, issuer, civilRegistry } = options;

  /** Claims of the authority about the person, or the verdict without them. @throws Unavailable */
  async function askedOf(code: string, secrets: AuthorizationSecrets) {
    const tokens = await server.exchange(code, secrets.codeVerifier);
    if (tokens === null) return null;
    const subject = expectedSubject(options, tokens, secrets.nonce);
    const answer = await server.userinfo(tokens.accessToken);
    if (subject !== null && claimsAt(answer, { civilId: '/sub' })?.civilId !== subject) {
      throw new Unavailable('dan', new Error('The claims are of another subject.'));
    }
    return { claims: claimsAt(answer, claims) };
  }

  return {
    nextStep: (turn) => {
      const { state, codeVerifier, nonce } = secretsOf(turn);
      const codeChallenge = sha256(codeVerifier).toString('base64url');
      return { type: 'REDIRECT', url: server.authorizationUrl({ state, codeChallenge, nonce }) };
    },
    async check(turn, response, countFor) {
      const secrets = secretsOf(turn);
      if (!equalSecrets(response.state, secrets.state)) return failed('STATE_INVALID');
      if ('error' in response) return denied(response.error);
      const asked = await askedOf(response.code, secrets);
      if (asked === null) return failed('CODE_REJECTED');
      if (asked.claims === null) return failed('SUBJECT_UNREADABLE');
      const identifier = readPersonIdentifier(
        asked.claims.civilId ?? asked.claims.registrationNumber ?? '',
      );
      if (identifier === null) return failed('SUBJECT_UNREADABLE');
      const record = await civilRegistry.find(identifier);
      if (record === null) return failed('PERSON_UNKNOWN');
      await countFor(record.civilId);
      if (!agrees(record, asked.claims)) return failed('NOT_MATCHED');
      return { outcome: 'IDENTIFIED', record, evidence: { authorizationServer: issuer } };
    },
  };
}

/** @throws Unavailable for errors the person did not cause */
function denied(error: string): Verdict {
  if (faultsOfTheServer.has(error)) throw new Unavailable('dan');
  return failed('DENIED');
}

/** RFC 6749 §4.1.2.1: errors of the server, not of the person. */
const faultsOfTheServer: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable']);

function secretsOf({ verificationId, derive }: VerificationTurn): AuthorizationSecrets {
  return {
    // The id ties the redirect to its verification.
    state: `${verificationId}.${derive('state').toString('base64url')}`,
    codeVerifier: derive('code verifier').toString('base64url'),
    nonce: derive('nonce').toString('base64url'),
  };
}

/** Subject the claims must belong to; null outside of OpenID Connect. @throws Unavailable for an invalid ID token */
function expectedSubject(
  { clientId, scope, clock, idTokenIssuer }: DanProviderOptions,
  { idToken }: Tokens,
  nonce: string,
): string | null {
  if (!isOpenId(scope)) return null;
  const expected = { clientId, nonce, now: clock.now(), issuer: idTokenIssuer };
  const subject = subjectOfIdToken(idToken ?? '', expected);
  if (subject === null) throw new Unavailable('dan', new Error('The ID token is invalid.'));
  return subject;
}

/** True when all claims match the civil registry. */
function agrees(
  { civilId, identity }: CivilRecord,
  claims: Readonly<Partial<Record<ReadClaim, string>>>,
): boolean {
  const known = { ...identity, civilId };
  return (Object.keys(claims) as ReadClaim[]).every(
    (claim) => folded(claims[claim] ?? '').replace(PREFIX, '') === folded(known[claim]),
  );
}

/** Prefix of a person's identifier (ETSI EN 319 412-1 §5.1.3). */
const PREFIX = /^PNOMN-/;
