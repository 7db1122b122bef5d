import type { CivilRecord, CivilRegistry } from '../../application/ports/civilRegistry.ts';
import type { Clock } from '../../application/ports/clock.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type {
  IdentityProvider,
  Verdict,
  VerificationTurn,
} from '../../application/ports/identityProvider.ts';
import type { VerificationFailure } from '../../domain/identityVerification/events.ts';
import { equalSecrets, sha256 } from '../../domain/shared/digest.ts';
import { readPersonIdentifier } from '../../domain/shared/etsi.ts';
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
  /** Named in the evidence. */
  readonly issuer: string;
  readonly civilRegistry: CivilRegistry;
  readonly clock: Clock;
}

/**
 * Identifies a person by another authority they sign in at: the authorization code grant (RFC 6749 §4.1) with state, PKCE
 * (RFC 7636) and, with OpenID Connect, nonce. The code comes from whoever started the verification, not from whichever
 * browser was sent back: a link that somebody else was talked into following leads nowhere (RFC 9700 §4.7).
 */
export function createDanProvider(options: DanProviderOptions): IdentityProvider<'dan'> {
  const { server, claims, issuer, civilRegistry } = options;

  /** What the authority says of the person, or why nothing. @throws Unavailable */
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
      if ('error' in response) return failed('DENIED');
      const asked = await askedOf(response.code, secrets);
      if (asked === null) return failed('CODE_REJECTED');
      if (asked.claims === null) return failed('SUBJECT_UNREADABLE');
      const { registrationNumber, civilId, ...others } = asked.claims;
      const identifier = readPersonIdentifier(civilId ?? registrationNumber ?? '');
      if (identifier === null) return failed('SUBJECT_UNREADABLE');
      const record = await civilRegistry.find(identifier);
      if (record === null) return failed('PERSON_UNKNOWN');
      await countFor(record.civilId);
      if (!agrees(record, others)) return failed('NOT_MATCHED');
      return { outcome: 'IDENTIFIED', record, evidence: { authorizationServer: issuer } };
    },
  };
}

function secretsOf({ verificationId, derive }: VerificationTurn): AuthorizationSecrets {
  return {
    // The id leads whoever is sent back to the verification it belongs to.
    state: `${verificationId}.${derive('state').toString('base64url')}`,
    codeVerifier: derive('code verifier').toString('base64url'),
    nonce: derive('nonce').toString('base64url'),
  };
}

/** The subject the claims must be of; null outside of OpenID Connect. @throws Unavailable when the ID token is not right */
function expectedSubject(
  { clientId, scope, clock }: DanProviderOptions,
  { idToken }: Tokens,
  nonce: string,
): string | null {
  if (!isOpenId(scope)) return null;
  const subject = subjectOfIdToken(idToken ?? '', { clientId, nonce, now: clock.now() });
  if (subject === null) throw new Unavailable('dan', new Error('The ID token is not right.'));
  return subject;
}

/** Whether whatever else the authority says is what the civil registry says. */
function agrees(
  { identity }: CivilRecord,
  claims: Readonly<Partial<Record<Exclude<ReadClaim, 'registrationNumber' | 'civilId'>, string>>>,
): boolean {
  return (Object.keys(claims) as (keyof typeof claims)[]).every(
    (claim) => folded(claims[claim] ?? '') === folded(identity[claim]),
  );
}

function folded(text: string): string {
  return text.normalize('NFC').trim().toUpperCase();
}

function failed(reason: VerificationFailure): Verdict {
  return { outcome: 'FAILED', reason };
}
