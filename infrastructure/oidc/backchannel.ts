import { type ClientMetadata, type Configuration, errors, type Provider } from 'oidc-provider';
import type {
  Backchannel,
  BackchannelState,
} from '../../application/openIdConnect/ports/backchannel.ts';
import type { OidcState } from '../../application/openIdConnect/ports/oidcState.ts';
import type { Clock } from '../../application/ports/clock.ts';
import { isFapi2 } from '../../domain/oidcClient/securityProfile.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { faultOfDisplayed } from '../../domain/shared/requestFields.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { tooManyRequests } from './clientRequests.ts';
import { asksForDetails } from './richAuthorization.ts';
import { textOf, wordsOf } from './parameters.ts';
import { keepPace, pollIntervalSeconds } from './pollPace.ts';

type BackchannelPort = Pick<Backchannel, 'accountOf' | 'begin' | 'stateOf'>;

/** Client metadata in the library's format (CIBA Core §4); FAPI-CIBA wants every request signed (§5.2.2). */
export function backchannelMetadata({
  backchannelTokenDeliveryMode: mode,
  backchannelClientNotificationEndpoint: endpoint,
  securityProfile,
  keys: [key],
}: OidcClientSettings): Partial<ClientMetadata> {
  const isSigned = isFapi2(securityProfile);
  return {
    ...(mode !== 'none' && { backchannel_token_delivery_mode: mode }),
    ...(endpoint !== null && {
      backchannel_client_notification_endpoint: OVER_TLS,
      ping_uri: endpoint,
    }),
    ...(isSigned && { backchannel_authentication_request_signing_alg: algorithmOf(key ?? {}) }),
  };
}

/** The library wants https, which development does without; the address itself was checked when it was registered. */
const OVER_TLS = 'https://ping.invalid/';

/** Algorithms by type of key (RFC 7518 §3.1, RFC 8037 §3.1). */
const algorithms: Readonly<Partial<Record<string, string>>> = {
  EC: 'ES256',
  OKP: 'EdDSA',
  RSA: 'PS256',
};

/** Algorithm that a client of FAPI 2.0 signs with by its key. */
function algorithmOf({ alg, kty = '' }: Readonly<Record<string, string>>): string | undefined {
  return alg ?? algorithms[kty];
}

/** Longest life of a request, seconds: its session ends earlier, and its result is fetched within minutes. */
const LONGEST_LIFE = 600;

/** Longest text the phone shows with a choice of codes (contract §4). */
const LONGEST_MESSAGE = 200;

/** Life of a request (CIBA Core §7.1, `requested_expiry`), seconds. */
export function backchannelLife(_ctx: unknown, { params }: { readonly params?: unknown }): number {
  const asked = Number((params as { readonly requested_expiry?: unknown }).requested_expiry);
  return asked > 0 ? Math.min(asked, LONGEST_LIFE) : LONGEST_LIFE;
}

/** Options of a look-up; the library knows others. */
interface Found {
  /** Leaves the request as it is. */
  readonly isPing?: boolean;
}

/** Members of the library's classes that its types omit. */
interface AuthenticationRequest {
  readonly jti: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly expiration: number;
  readonly scope?: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly isExpired: boolean;
  readonly consumed?: unknown;
  grantId?: string;
  error?: string;
  save(): Promise<string>;
  destroy(): Promise<void>;
}

/** The library's feature: citizens are known by their number or that of a phone, and asked by push. */
export function backchannelFeature(backchannel: BackchannelPort) {
  return {
    enabled: true,
    deliveryModes: ['poll', 'ping'],
    processLoginHint: async ({ oidc }, hint = '') => {
      const clientId = oidc.client?.clientId ?? '';
      const found = await backchannel.accountOf(clientId, hint).catch((error: unknown) => {
        throw refusedAs(error);
      });
      return found ?? undefined;
    },
    processLoginHintToken: () => {
      throw new errors.InvalidRequest('login_hint_token is not supported; send login_hint');
    },
    verifyUserCode: () => undefined,
    validateRequestContext: (ctx) => {
      // The phone would not show them: a payment is authorized in the browser.
      if (asksForDetails(ctx)) {
        throw new errors.InvalidRequest('authorization_details are not supported here');
      }
    },
    validateBindingMessage: (_ctx, message) => {
      if (message === undefined) return;
      const fault = faultOfDisplayed(message, 'one line');
      if (fault !== null) throw new errors.InvalidBindingMessage(`binding_message: ${fault}`);
      if (message.trim() === '' || Array.from(message).length > LONGEST_MESSAGE) {
        throw new errors.InvalidBindingMessage(
          `binding_message has 1 to ${LONGEST_MESSAGE} characters`,
        );
      }
    },
    async triggerAuthenticationDevice(ctx, asked, _account, client) {
      const request = asked as unknown as AuthenticationRequest;
      const { params } = request;
      try {
        const code = await backchannel.begin({
          id: request.jti,
          clientId: client.clientId,
          loginHint: textOf(params['login_hint']) ?? '',
          bindingMessage: textOf(params['binding_message']),
          acrValues: wordsOf(params['acr_values']),
          expiresAt: new Date(Date.now() + request.expiration * 1000),
        });
        ctx.body = {
          ...(ctx.body as object),
          interval: pollIntervalSeconds,
          // Beyond CIBA Core §7.3: the code that the citizen picks on the phone.
          verification_code: code,
        };
      } catch (error) {
        await request.destroy();
        throw refusedAs(error);
      }
    },
  } satisfies NonNullable<Configuration['features']>['ciba'];
}

const unknownUser = ['PERSON_NOT_FOUND', 'DOCUMENT_NOT_FOUND', 'NO_SUITABLE_CERTIFICATE'] as const;

/** OpenID Connect CIBA Core §13. Anything but a refusal stays what it is. */
function refusedAs(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  if (unknownUser.some((code) => isRefusal(error, code))) {
    return new errors.UnknownUserId('could not identify end-user');
  }
  const { message } = error;
  if (isRefusal(error, 'RATE_LIMITED')) return tooManyRequests(error);
  return new errors.AccessDenied(message);
}

/**
 * Has a request be settled when its client polls for it, or is pinged: the session it stands for is read then, whichever
 * process began it. Polls sooner than the interval are told to slow down (CIBA Core §11).
 */
export function settleBackchannelRequests(
  provider: Provider,
  {
    backchannel,
    ...polls
  }: {
    readonly backchannel: BackchannelPort;
    readonly state: Pick<OidcState, 'claim'>;
    readonly clock: Clock;
  },
): void {
  const model = provider.BackchannelAuthenticationRequest as unknown as {
    find(id: string, options?: Found): Promise<AuthenticationRequest | undefined>;
  };
  const find = model.find.bind(model);
  model.find = async (id, options) => {
    const request = await find(id, options);
    if (request === undefined || options?.isPing === true) return request;
    if (isSettled(request) || request.isExpired) return request;
    await keepPace(polls, id);
    const reached = await backchannel.stateOf(id);
    if (reached.state === 'RUNNING') return request;
    Object.assign(request, await resultOf(provider, request, reached));
    // Used a second time, it ends the grant it was used for.
    await request.save();
    return request;
  };
}

function isSettled({ grantId, error, consumed }: AuthenticationRequest): boolean {
  return grantId !== undefined || error !== undefined || consumed !== undefined;
}

type Ended = Exclude<BackchannelState, { state: 'RUNNING' }>;

/** Members of a request that has ended. */
async function resultOf(provider: Provider, request: AuthenticationRequest, reached: Ended) {
  if (reached.state === 'FAILED') {
    const { endResult } = reached;
    const isLate = endResult === 'TIMEOUT' || endResult === 'OVER';
    return {
      error: isLate ? 'expired_token' : 'access_denied',
      errorDescription: `the citizen did not log in: ${endResult}`,
    };
  }
  const { acr, amr, scopes } = reached.login;
  const grant = new provider.Grant({ accountId: request.accountId, clientId: request.clientId });
  const asked = wordsOf(request.scope);
  // The library gives a refresh token for the scope of the request, whatever that of the grant is.
  const scope = scopes.filter((each) => asked.includes(each)).join(' ');
  grant.addOIDCScope(scope);
  const grantId = await grant.save();
  return { grantId, scope, acr, amr: [...amr], authTime: Math.floor(Date.now() / 1000) };
}

/** Pings the client of a request that has ended (CIBA Core §10.2). @throws Error when it was not taken */
export async function pingClient(provider: Provider, id: string): Promise<void> {
  const options: object = { isPing: true };
  const request = await provider.BackchannelAuthenticationRequest.find(id, options);
  const client = await provider.Client.find(request?.clientId ?? '');
  if (client === undefined) return;
  const pinged = client as unknown as PingedClient;
  Object.assign(pinged, { backchannelClientNotificationEndpoint: client['ping_uri'] });
  await pinged.backchannelPing(request);
}

/** Members of the library's client that its types omit. */
interface PingedClient {
  backchannelPing(request: unknown): Promise<void>;
}
