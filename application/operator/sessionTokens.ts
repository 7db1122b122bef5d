import { equalSecrets, hmacSha256 } from '../../domain/shared/digest.ts';
import type { Clock } from '../ports/clock.ts';

/** Scope of a token: the second login step, or everything else. */
export type TokenScope = 'mfa' | 'session';

export interface TokenClaims {
  readonly scope: TokenScope;
  readonly operatorId: string;
  /** Shared by both tokens of one login. */
  readonly sessionId: string;
  /** Epoch of the operator at the time of the password check: a later one invalidates the token. */
  readonly epoch: number;
  /** In mfa tokens of a first login: the secret to enrol, sealed. */
  readonly enrolment: string | null;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * Stateless tokens of operators: `b64url(payload).b64url(HMAC-SHA-256)` (specification, Authentication, Operator API).
 */
export interface OperatorTokens {
  issue(claims: TokenClaims): IssuedToken;
  /** Null: forged, expired, or of another scope. */
  read(token: string, scope: TokenScope): (TokenClaims & { readonly expiresAt: Date }) | null;
}

const lifeSeconds: Readonly<Record<TokenScope, number>> = { mfa: 5 * 60, session: 60 * 60 };

/** Time after which no token of a session is valid, ms; twice as long, for clocks that differ. */
export const longestSessionMs = 2 * lifeSeconds.session * 1000;

const LONGEST_TOKEN = 2048;

interface Payload {
  readonly scope: TokenScope;
  readonly sub: string;
  readonly sid: string;
  readonly epoch: number;
  readonly enr?: string;
  /** Seconds since 1970, as `exp`. */
  readonly iat: number;
  readonly exp: number;
}

/** @param secret shared by all processes of the installation: at least 16 characters */
export function createOperatorTokens({
  secret,
  clock,
}: {
  readonly secret: string;
  readonly clock: Clock;
}): OperatorTokens {
  const key = Buffer.from(secret, 'utf8');
  const sign = (payload: string) => `${payload}.${hmacSha256(key, payload).toString('base64url')}`;

  return {
    issue({ scope, operatorId, sessionId, epoch, enrolment }) {
      const iat = Math.floor(clock.now().getTime() / 1000);
      const exp = iat + lifeSeconds[scope];
      const enr = enrolment === null ? {} : { enr: enrolment };
      const payload: Payload = { scope, sub: operatorId, sid: sessionId, epoch, ...enr, iat, exp };
      const token = sign(Buffer.from(JSON.stringify(payload), 'utf8').toString('base64url'));
      return { token, expiresAt: new Date(exp * 1000) };
    },
    read(token, scope) {
      if (token.length > LONGEST_TOKEN) return null;
      const [encoded = ''] = token.split('.', 1);
      // Compares the whole text, so that a token has only one encoding.
      if (!equalSecrets(token, sign(encoded))) return null;
      const payload = parse(encoded);
      if (payload?.scope !== scope || payload.exp * 1000 <= clock.now().getTime()) return null;
      return {
        scope,
        operatorId: payload.sub,
        sessionId: payload.sid,
        epoch: payload.epoch,
        enrolment: payload.enr ?? null,
        expiresAt: new Date(payload.exp * 1000),
      };
    },
  };
}

/** Null for a payload of another program with the same secret. */
function parse(encoded: string): Payload | null {
  try {
    const payload = JSON.parse(
      Buffer.from(encoded, 'base64url').toString('utf8'),
    ) as Partial<Payload> | null;
    const isOurs =
      typeof payload?.sub === 'string' &&
      typeof payload.sid === 'string' &&
      typeof payload.epoch === 'number' &&
      typeof payload.exp === 'number';
    return isOurs ? (payload as Payload) : null;
  } catch {
    return null;
  }
}
