import { z } from 'zod';

const claims = z.object({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
  exp: z.number(),
  nonce: z.string(),
  sub: z.string(),
});

/**
 * The subject of an ID token that came straight from the token endpoint over TLS, whose signature therefore need not be
 * checked (OpenID Connect Core 1.0 §3.1.3.7, item 6): its issuer, audience, authorized party, time and nonce are.
 *
 * @returns null when it is not for us, not in time, or not for this request
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
  // With others in the audience the authorized party must be said to be us.
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
