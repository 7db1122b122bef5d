import type { KeyObject } from 'node:crypto';
import {
  type ClientMetadata,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import {
  fapi2Algorithms,
  hasCertificate,
  isFapi2,
} from '../../domain/oidcClient/securityProfile.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';

/** Client metadata that hold a client to its profile, in the library's format. */
export function profileMetadata({
  securityProfile: profile,
  authMethod,
}: Pick<OidcClientSettings, 'securityProfile' | 'authMethod'>): Partial<ClientMetadata> & {
  readonly security_profile: string;
} {
  const isSigned = profile === 'fapi2_message_signing';
  return {
    security_profile: profile,
    // RFC 8705 §3: the certificate that authenticates the client holds its tokens, too.
    tls_client_certificate_bound_access_tokens: hasCertificate(authMethod),
    ...(isFapi2(profile) && {
      require_pushed_authorization_requests: true,
      dpop_bound_access_tokens: !hasCertificate(authMethod),
      response_modes: isSigned ? signedModes : [...signedModes, 'query', 'form_post'],
    }),
    ...(isSigned && { require_signed_request_object: true }),
  };
}

/** OAuth 2.0 JWT Secured Authorization Response Mode §2.3; fragments are for tokens, which no response has. */
const signedModes = ['jwt', 'query.jwt', 'form_post.jwt'];

/** True when the client of a request is held to FAPI 2.0. */
function isHeld({ oidc }: KoaContextWithOIDC): boolean {
  return isFapi2(oidc.client?.['security_profile']);
}

/** The library's features that profiles need. @param nonceKey makes the nonces of DPoP proofs in all processes */
export function profileFeatures(nonceKey: KeyObject) {
  return {
    fapi: {
      enabled: true,
      profile: (ctx: KoaContextWithOIDC) => (isHeld(ctx) ? '2.0' : undefined),
    },
    requestObjects: { enabled: true, assertJwtClaimsAndHeader: expectProfileRequest },
    jwtResponseModes: { enabled: true },
    jwtIntrospection: { enabled: true },
    dPoP: {
      enabled: true,
      nonceSecret: nonceKey.export(),
      requireNonce: (ctx: KoaContextWithOIDC) => {
        const isKnown = ctx.oidc.client !== undefined;
        if (!isKnown || isHeld(ctx)) expectNoLaterProof(ctx);
        return isHeld(ctx);
      },
    },
  } satisfies Configuration['features'];
}

/** Difference of clocks up to which a JWT of the future is taken (FAPI 2.0 Security Profile §5.3.2.1, 13), seconds. */
const MOST_AHEAD = 60;

/** Life of a signed request (FAPI 2.0 Message Signing §5.3.1), seconds. */
const LONGEST_REQUEST = 3600;

type Claims = Readonly<Record<string, unknown>>;

function isOfFuture({ iat }: Claims): boolean {
  return typeof iat === 'number' && iat > Date.now() / 1000 + MOST_AHEAD;
}

/**
 * Refuses a DPoP proof of the future: the library takes one of in five minutes, and any with a nonce. Called before it
 * verifies the proof, of which it finds all else. At UserInfo of everybody: the proof is verified before the token says
 * whose it is.
 *
 * @throws errors.InvalidDpopProof
 */
function expectNoLaterProof(ctx: KoaContextWithOIDC): void {
  const [, payload = ''] = ctx.get('DPoP').split('.');
  if (!isOfFuture(claimsIn(payload))) return;
  throw new errors.InvalidDpopProof('DPoP proof iat is in the future');
}

function claimsIn(payload: string): Claims {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  } catch {
    return {};
  }
}

/**
 * Refuses an assertion that the client's profile does not take (FAPI 2.0 Security Profile §5.3.2.1, 8 and 13; §5.4.1):
 * for another audience than the issuer alone, by another algorithm, or of the future.
 *
 * @throws errors.InvalidClientAuth
 */
export function expectProfileAssertion(
  ctx: KoaContextWithOIDC,
  claims: Claims,
  header: Readonly<Record<string, unknown>>,
): void {
  if (!isHeld(ctx)) return;
  if (claims['aud'] !== ctx.oidc.issuer) {
    throw new errors.InvalidClientAuth('audience (aud) must equal the issuer identifier url');
  }
  if (!fapi2Algorithms.includes(String(header['alg']))) {
    throw new errors.InvalidClientAuth('alg is none of the profile');
  }
  if (isOfFuture(claims)) throw new errors.InvalidClientAuth('iat is in the future');
}

/**
 * Refuses a signed request without a beginning and an end, good for too long, or of the future (FAPI 2.0 Message Signing
 * §5.3.1). The library looks at the issuer, the audience and whether it is over.
 *
 * @throws errors.InvalidRequestObject
 */
function expectProfileRequest(ctx: KoaContextWithOIDC, claims: Claims): void {
  if (!isHeld(ctx)) return;
  const { exp, nbf, aud } = claims;
  if (typeof exp !== 'number' || typeof nbf !== 'number' || aud === undefined) {
    throw new errors.InvalidRequestObject('aud, nbf and exp are required');
  }
  if (exp <= nbf || exp - nbf > LONGEST_REQUEST) {
    throw new errors.InvalidRequestObject('exp must be an hour after nbf at most');
  }
  if (isOfFuture(claims)) throw new errors.InvalidRequestObject('iat is in the future');
}

/** FAPI 2.0 Security Profile §5.3.2.1, 9: rotation gains nothing where refreshing needs the client's key. */
export function rotatesRefreshTokens(ctx: KoaContextWithOIDC): boolean {
  return !isHeld(ctx);
}
