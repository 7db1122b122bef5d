import { sha256Hex } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

const TOKEN = /^(\d{12})\.[A-Za-z0-9_-]{43}$/;

/** What is known of a one-time enrolment token; the token itself is never kept. */
export interface EnrolmentTokenParts {
  readonly civilId: string;
  /** SHA-256 of the whole token, lower-case hexadecimal. */
  readonly hash: string;
}

/** Makes a token: whose it is, a dot, 32 unpredictable bytes (base64url). */
export function newEnrolmentToken(civilId: string, secret: Buffer): string {
  return `${civilId}.${secret.toString('base64url')}`;
}

/** @throws Refusal ENROLMENT_TOKEN_INVALID when it cannot be one of ours */
export function readEnrolmentToken(token: string): EnrolmentTokenParts {
  const civilId = TOKEN.exec(token)?.[1];
  if (civilId === undefined) throw new Refusal('ENROLMENT_TOKEN_INVALID');
  return { civilId, hash: sha256Hex(token) };
}
