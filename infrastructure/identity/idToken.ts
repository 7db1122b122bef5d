import { z } from 'zod';

/** Seconds since 1970 of the last moment that a date can name. */
const LATEST = 8.64e12;

const claims = z.object({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
  exp: z.number().max(LATEST),
  nonce: z.string(),
  sub: z.string(),
});

/**
 * Validates an ID token received from the token endpoint over TLS, whose signature therefore need not be checked
 * (OpenID Connect Core 1.0 §3.1.3.7, item 6): issuer, audience, authorized party, time and nonce.
 *
 * @returns its subject; null when it is for another client, expired, or for another request
 */
export function subjectOfIdToken(
  token: string,
  expected: {
    readonly clientId: string;
    readonly nonce: string;
    readonly now: Date;
    /** Null: any. */
    readonly issuer: string | null;
  },
): string | null {
  const [, payload = ''] = token.split('.');
  const read = claims.safeParse(jsonIn(payload));
  if (!read.success) return null;
  const { iss, aud, azp, exp, nonce, sub } = read.data;
  const audience = [aud].flat();
  // With several audiences the authorized party must be this client.
  const party = azp ?? (audience.length === 1 ? expected.clientId : undefined);
  const isForUs = audience.includes(expected.clientId) && party === expected.clientId;
  const isOfIssuer = expected.issuer === null || iss === expected.issuer;
  const isInTime = exp * 1000 > expected.now.getTime();
  return isForUs && isOfIssuer && isInTime && nonce === expected.nonce ? sub : null;
}

function jsonIn(base64url: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
