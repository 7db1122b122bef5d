import { base64 } from './crypto.ts';
import { ConfigurationError } from './errors.ts';
import type { Http } from './http.ts';
import type { Json } from './json.ts';
import type {
  CallOptions,
  Credentials,
  Generation,
  HashAlgorithm,
  Interaction,
  RequestedAlgorithm,
  RequestedLevel,
  SentRequest,
} from './types.ts';

/** What every session-creating call takes. */
export interface SessionOptions extends CallOptions {
  /** The least level acceptable; default: the client's `defaultCertificateLevel`. */
  readonly certificateLevel?: RequestedLevel;
  /**
   * Where the phone returns to in a same-device flow: https, its host on the relying party's allowlist, else the service
   * drops it silently. Put a `state` of your own into it and check that on return.
   */
  readonly callbackUrl?: string;
  /** `NTRMN-<register>`: the citizen acts for this organization; without the right to, ForbiddenError. */
  readonly onBehalfOf?: string;
  /** The relying party's subsystem that asks; shown on the phone. */
  readonly subsystem?: string;
  /** Default: the client's `generation`. */
  readonly generation?: Generation;
  /** Second generation: asked of an RSA key; default `rsassa-pss`. */
  readonly signatureAlgorithm?: RequestedAlgorithm;
  /** Second generation; default `SHA-512` for an authentication, that of `hashType` for a signature. */
  readonly hashAlgorithm?: HashAlgorithm;
  /** The form of the code shown with a push; default: that of the generation. `numeric4` is another name of four digits. */
  readonly verificationCodeType?: 'alphaNumeric4' | 'alphaNumeric5' | 'numeric4';
  /** At most 30 characters. The same request again within 15 s may be answered with the same session; another nonce prevents it. */
  readonly nonce?: string;
}

/** One session-creating request, before it is put into the form of a generation. */
export interface SessionRequest {
  readonly flow: SentRequest['flow'];
  readonly protocol: SentRequest['signatureProtocol'];
  /** Below `/v3`. */
  readonly route: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly interactions: readonly Interaction[];
  /** Base64. */
  readonly challengeOrDigest: string;
  /** How the digest was made; the default of an authentication's hash. */
  readonly hashAlgorithm: HashAlgorithm;
  /** The fields that carry challenge or digest in the first generation. */
  readonly flatInput: Readonly<Record<string, string>>;
  /** Fields only this kind of session has. */
  readonly extra?: Readonly<Record<string, string | undefined>>;
  readonly options: SessionOptions;
}

export interface Started {
  readonly answer: Json;
  /** Null in the first generation. */
  readonly sent: SentRequest | null;
}

/** Session-creating requests of both generations: the fields every one of them has, in one place. */
export interface Requests {
  start(request: SessionRequest): Promise<Started>;
  /** A question that starts no session: who asks, and nothing else. */
  ask(request: Pick<SessionRequest, 'route' | 'params' | 'options'>): Promise<Json>;
}

export interface RequestDefaults {
  readonly certificateLevel: RequestedLevel;
  readonly generation: Generation;
  readonly schemeName: string;
  readonly brokeredRpName: string;
}

export function createRequests(
  http: Http,
  identity: Pick<Credentials, 'rpUUID' | 'rpName'>,
  defaults: RequestDefaults,
): Requests {
  function common({ options, extra }: Pick<SessionRequest, 'options' | 'extra'>) {
    return {
      relyingPartyUUID: identity.rpUUID,
      relyingPartyName: identity.rpName,
      certificateLevel: options.certificateLevel ?? defaults.certificateLevel,
      ...given({
        initialCallbackUrl: options.callbackUrl,
        onBehalfOf: options.onBehalfOf,
        rp_app: options.subsystem,
        vcType: options.verificationCodeType,
        nonce: options.nonce,
        ...extra,
      }),
    };
  }

  function flatBody(request: SessionRequest) {
    const { signatureAlgorithm, hashAlgorithm } = request.options;
    if (signatureAlgorithm !== undefined || hashAlgorithm !== undefined) {
      throw new ConfigurationError(
        'signatureAlgorithm and hashAlgorithm are options of the second generation.',
      );
    }
    return {
      ...common(request),
      signatureProtocol: 'ACSP_V2',
      interactions: request.interactions,
      ...request.flatInput,
    };
  }

  function asSent(request: SessionRequest): SentRequest {
    const { protocol, flow, challengeOrDigest, interactions, options } = request;
    return {
      schemeName: defaults.schemeName,
      signatureProtocol: protocol,
      flow,
      challengeOrDigest,
      relyingPartyName: identity.rpName,
      brokeredRpName: defaults.brokeredRpName,
      interactions: protocol === '' ? '' : base64(JSON.stringify(interactions)),
      initialCallbackUrl: options.callbackUrl ?? '',
      signatureAlgorithm: options.signatureAlgorithm ?? 'rsassa-pss',
      hashAlgorithm: requestedHash(options, request.hashAlgorithm),
    };
  }

  const nestedBody = (request: SessionRequest, sent: SentRequest) => ({
    ...common(request),
    ...(sent.signatureProtocol === '' ? {} : signedPart(sent)),
  });

  const signedPart = (sent: SentRequest) => ({
    signatureProtocol: sent.signatureProtocol,
    signatureProtocolParameters: {
      [sent.signatureProtocol === 'ACSP_V2' ? 'rpChallenge' : 'digest']: sent.challengeOrDigest,
      signatureAlgorithm: sent.signatureAlgorithm,
      signatureAlgorithmParameters: { hashAlgorithm: sent.hashAlgorithm },
    },
    interactions: sent.interactions,
  });

  return {
    async start(request) {
      const { route, params = {}, options } = request;
      const nested = (options.generation ?? defaults.generation) === 'G2';
      const sent = nested ? asSent(request) : null;
      const body = sent === null ? flatBody(request) : nestedBody(request, sent);
      const { signal } = options;
      return { answer: await http.json({ method: 'POST', route, params, body, signal }), sent };
    },
    ask: ({ route, params = {}, options }) =>
      http.json({
        ...{ method: 'POST', route, params, body: common({ options }) },
        signal: options.signal,
      }),
  };
}

/** The hash a PKCS#1 v1.5 algorithm names itself. */
const hashOf: Readonly<Partial<Record<RequestedAlgorithm, HashAlgorithm>>> = {
  sha256WithRSAEncryption: 'SHA-256',
  sha384WithRSAEncryption: 'SHA-384',
  sha512WithRSAEncryption: 'SHA-512',
};

/** The hash a second-generation request asks for. */
export function requestedHash(options: SessionOptions, otherwise: HashAlgorithm): HashAlgorithm {
  const named = options.signatureAlgorithm && hashOf[options.signatureAlgorithm];
  return named ?? options.hashAlgorithm ?? otherwise;
}

function given(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
