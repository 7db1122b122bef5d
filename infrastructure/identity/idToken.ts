import { z } from 'zod';

const claims = z.object({
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  nonce: z.string(),
  sub: z.string(),
});

/**
 * The subject of an ID token that came straight from the token endpoint over TLS, whose signature therefore need not be
 * checked (OpenID Connect Core 1.0 §3.1.3.7, item 6): its audience, time and nonce are.
 *
 * @returns null when it is not for us, not in time, or not for this request
 */
export function subjectOfIdToken(
  token: string,
  expected: { readonly clientId: string; readonly nonce: string; readonly now: Date },
): string | null {
  const [, payload = ''] = token.split('.');
  const read = claims.safeParse(jsonIn(payload));
  if (!read.success) return null;
  const { aud, exp, nonce, sub } = read.data;
  const isForUs = [aud].flat().includes(expected.clientId);
  const isInTime = exp * 1000 > expected.now.getTime();
  return isForUs && isInTime && nonce === expected.nonce ? sub : null;
}

function jsonIn(base64url: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
