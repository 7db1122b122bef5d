import { sha256Hex } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

const TOKEN = /^(\d{12})\.[A-Za-z0-9_-]{43}$/;

/** Fields of a one-time enrolment token; the token itself is never stored. */
export interface EnrolmentTokenParts {
  readonly civilId: string;
  /** SHA-256 of the whole token, lower-case hexadecimal. */
  readonly hash: string;
}

/** Creates a token: civil id, a dot, 32 unpredictable bytes (base64url). */
export function newEnrolmentToken(civilId: string, secret: Buffer): string {
  return `${civilId}.${secret.toString('base64url')}`;
}

/** @throws Refusal ENROLMENT_TOKEN_INVALID for a malformed token */
export function readEnrolmentToken(token: string): EnrolmentTokenParts {
  const civilId = TOKEN.exec(token)?.[1];
  if (civilId === undefined) throw new Refusal('ENROLMENT_TOKEN_INVALID');
  return { civilId, hash: sha256Hex(token) };
}
