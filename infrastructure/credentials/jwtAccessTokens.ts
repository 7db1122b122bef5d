import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { decodeJwt, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type {
  AccessClaims,
  AccessTokenRequest,
  AccessTokens,
} from '../../application/platform/ports/accessTokens.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { Randomness } from '../../application/ports/randomness.ts';

export interface JwtAccessTokenOptions {
  /** Accepted external issuers; an issuer may have several keys for key rotation. */
  readonly issuers: readonly { readonly issuer: string; readonly key: string }[];
  /** Expected `aud` of external issuers; null: tokens with an `aud` are rejected (RFC 7519 §4.1.3). */
  readonly audience: string | null;
  /** Shared by all processes of the installation: the key of our own tokens is derived from it. */
  readonly masterKey: Buffer;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Time before which none of our own tokens counts; default: none. */
  readonly countsSince?: () => Date | null;
}

/** Issuer of operators' tokens; reserved. */
const ownIssuer = 'urn:tamga:operators';

/** Lifetime of our tokens, seconds: then the operator's session is checked again. */
const LIFE = 15 * 60;

/** Clock skew accepted, seconds. */
const SKEW = 5;

const LONGEST_TOKEN = 4096;

const ALGORITHM = 'HS256';

/** Some issuers use numbers for users and roles: whole ones, of which no two are read as one. */
const idOf = (value: unknown): string | null =>
  (typeof value === 'string' && value !== '') || Number.isSafeInteger(value) ? String(value) : null;

/** Access tokens as JWT (RFC 7519), signed with HMAC-SHA-256. */
export function createJwtAccessTokens(options: JwtAccessTokenOptions): AccessTokens {
  const { issuers, audience, masterKey, clock, randomness, countsSince = () => null } = options;
  const ownKey = createSecretKey(
    Buffer.from(hkdfSync('sha256', masterKey, '', 'tamga assistant access tokens', 32)),
  );
  const keys = new Map<string, KeyObject[]>([[ownIssuer, [ownKey]]]);
  for (const { issuer, key } of issuers) {
    const known = keys.get(issuer) ?? [];
    keys.set(issuer, [...known, createSecretKey(Buffer.from(key, 'utf8'))]);
  }

  async function verified(token: string): Promise<JWTPayload | null> {
    const issuer = issuerOf(token);
    for (const key of keys.get(issuer) ?? []) {
      try {
        const { payload } = await jwtVerify(token, key, {
          issuer,
          algorithms: [ALGORITHM],
          requiredClaims: ['exp', 'iat', 'jti', 'UserID'],
          currentDate: clock.now(),
          clockTolerance: SKEW,
        });
        const isOfTheFuture = (payload.iat ?? 0) > clock.now().getTime() / 1000 + SKEW;
        return isOfTheFuture || !isForUs(payload, audience) ? null : payload;
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
      }
    }
    return null;
  }

  /** True for one of ours that was given out before an installation was restored (ADR 57). */
  const isOver = ({ iss, iat = 0 }: JWTPayload) =>
    iss === ownIssuer && iat * 1000 < (countsSince()?.getTime() ?? 0);

  return {
    async issue({ userId, isAdmin, roleId, email, operatorSession, notAfter }: AccessTokenRequest) {
      const iat = Math.floor(clock.now().getTime() / 1000);
      const latest = notAfter === null ? Infinity : Math.floor(notAfter.getTime() / 1000);
      const exp = Math.min(iat + LIFE, latest);
      const { sessionId = null, epoch = null } = operatorSession ?? {};
      const token = await new SignJWT({
        UserID: userId,
        IsAdmin: isAdmin,
        RoleID: roleId,
        Email: email,
        Kind: 'access',
        sid: sessionId,
        epoch,
        jti: randomness.uuid(),
        iss: ownIssuer,
        iat,
        exp,
      })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .sign(ownKey);
      return { token, expiresAt: new Date(exp * 1000) };
    },
    async read(token) {
      if (token.length > LONGEST_TOKEN) return null;
      const payload = await verified(token);
      return payload === null || isOver(payload) ? null : claimsOf(payload);
    },
  };
}

/** RFC 7519 §4.1.3: rejects a token for another audience; tokens of the contract have no `aud`. */
function isForUs({ aud }: JWTPayload, audience: string | null): boolean {
  return aud === undefined || (audience !== null && [aud].flat().includes(audience));
}

/** Reads the issuer without verification, only to choose the keys to try. */
function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    return '';
  }
}

/** Null for a refresh token, or a token without a user. */
function claimsOf(payload: JWTPayload): AccessClaims | null {
  const { UserID, IsAdmin, RoleID, TenantID, Email, Kind, sid, epoch, iss } = payload;
  const userId = idOf(UserID);
  if (Kind !== 'access' || userId === null) return null;
  const isOwn = iss === ownIssuer;
  return {
    userId,
    issuer: iss ?? '',
    isOwn,
    isAdmin: IsAdmin === true,
    roleId: idOf(RoleID),
    tenantId: idOf(TenantID),
    email: typeof Email === 'string' ? Email : null,
    operatorSession:
      isOwn && typeof sid === 'string' && typeof epoch === 'number'
        ? { sessionId: sid, epoch }
        : null,
  };
}
