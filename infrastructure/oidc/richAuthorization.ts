import {
  type AuthorizationDetail,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { readPayment } from '../../domain/oidcClient/paymentInitiation.ts';
import { detailsOf, paymentIn } from './authorizationDetails.ts';

/** Code or token whose authorization details are decided on. */
interface Detailed {
  readonly kind?: string;
  readonly rar?: readonly AuthorizationDetail[] | undefined;
}

/** True when a request asks for something of its own, which a login for something else does not authorize. */
export function asksForDetails({ oidc }: KoaContextWithOIDC): boolean {
  return detailsOf(oidc.params) !== undefined;
}

/**
 * Authorization details (RFC 9396): the library keeps them with the code and the token; what they are and who is asked is
 * decided here.
 */
export const richAuthorization = {
  richAuthorizationRequests: {
    enabled: true,
    types: {
      payment_initiation: {
        validate: (ctx: KoaContextWithOIDC) => {
          const read = readPayment(detailsOf(ctx.oidc.params));
          if ('fault' in read) throw new errors.InvalidAuthorizationDetails(read.fault);
        },
      },
    },
    // Asked at the phone and on the page of this request; nothing of it is kept for another one.
    authorizationDetailsForGrantSource: (ctx: KoaContextWithOIDC) =>
      detailsOf(ctx.oidc.params) as Detailed['rar'],
    authorizationDetailsForAccessToken,
    authorizationDetailsForIntrospection: (_ctx: KoaContextWithOIDC, { kind, rar }: Detailed) =>
      kind === 'AccessToken' ? rar : undefined,
  },
} satisfies Configuration['features'];

/**
 * The details that were authorized, for the token of the code alone: who refreshes pays no second time.
 *
 * @throws errors.InvalidAuthorizationDetails when the client names others than the code was given for
 */
function authorizationDetailsForAccessToken(
  ctx: KoaContextWithOIDC,
  _token: unknown,
  source: Detailed | undefined,
  grantType: string,
): Detailed['rar'] {
  const authorized = grantType === 'authorization_code' ? source?.rar : undefined;
  const asked = paymentIn(ctx.oidc.params);
  if (asked !== null && JSON.stringify([asked]) !== JSON.stringify(authorizedPayment(authorized))) {
    throw new errors.InvalidAuthorizationDetails('these were not authorized');
  }
  return authorized;
}

/** In the order of its fields, as {@link paymentIn} has it. */
function authorizedPayment(details: Detailed['rar']): unknown {
  const read = readPayment(details);
  return 'fault' in read ? null : [read.payment];
}
