import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

/** Client of the OpenID Connect provider, registered for payments. */
export interface OpenIdClient {
  readonly issuer: string;
  readonly id: string;
  readonly secret: string;
  /** Address that browsers return to. */
  readonly returnTo: string;
}

/** A payment in the words of RFC 9396. */
export interface PaymentDetails {
  readonly type: 'payment_initiation';
  readonly instructedAmount: { readonly currency: string; readonly amount: string };
  readonly creditorName: string;
  readonly creditorAccount: { readonly iban: string };
  readonly remittanceInformationUnstructured: string;
}

/** A payment that the platform was told of, until the browser returns. */
export interface AskedPayment {
  readonly details: PaymentDetails;
  readonly verifier: string;
  readonly state: string;
}

/** Tells the platform of the payment. @returns address to send the browser to */
export async function askForPayment(
  client: OpenIdClient,
  details: PaymentDetails,
): Promise<AskedPayment & { readonly url: string }> {
  // #region askForPayment
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  // Pushed, so that the browser carries a reference alone: nobody changes the amount on the way.
  const { request_uri: requestUri } = await post(client, 'par', {
    client_id: client.id,
    response_type: 'code',
    redirect_uri: client.returnTo,
    scope: 'openid',
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    authorization_details: JSON.stringify([details]),
  });
  const query = new URLSearchParams({ client_id: client.id, request_uri: String(requestUri) });
  return { details, verifier, state, url: `${client.issuer}/oidc/authorize?${query.toString()}` };
  // #endregion
}

/** Finishes a payment with the code the browser brought. @returns false when something else was authorized */
export async function isAuthorized(
  client: OpenIdClient,
  { details, verifier }: AskedPayment,
  code: string,
): Promise<boolean> {
  // #region isAuthorized
  const tokens = await post(client, 'token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: client.returnTo,
    code_verifier: verifier,
  });
  const known = await post(client, 'introspect', { token: String(tokens['access_token']) });
  return known['active'] === true && isDeepStrictEqual(known['authorization_details'], [details]);
  // #endregion
}

async function post(
  { issuer, id, secret }: OpenIdClient,
  endpoint: string,
  form: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${issuer}/oidc/${endpoint}`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    body: new URLSearchParams(form),
  });
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  if (!response.ok) throw new Error(`${endpoint}: ${response.status} ${String(body['error'])}`);
  return body;
}
