import { askedOn } from './codeChoice.ts';
import { base64 } from './crypto.ts';
import { ConfigurationError } from './errors.ts';
import type { Http } from './http.ts';
import type { Json } from './json.ts';
import type { RiskSignal } from './riskSignals.ts';
import type {
  Addressee,
  CallOptions,
  Credentials,
  Generation,
  HashAlgorithm,
  Interaction,
  RequestedAlgorithm,
  RequestedLevel,
  SentRequest,
  Shown,
} from './types.ts';

/** Options of every call that creates a session. */
export interface SessionOptions extends CallOptions {
  /** Lowest acceptable level; default: the client's `defaultCertificateLevel`. */
  readonly certificateLevel?: RequestedLevel;
  /**
   * Callback URL of a same-device flow: https, its host on the relying party's allowlist, else the
   * service drops it silently. Include a `state` of your own and check it on return.
   */
  readonly callbackUrl?: string;
  /**
   * Organization the citizen acts for, `NTRMN-<register>`; ForbiddenError when the citizen may not.
   */
  readonly onBehalfOf?: string;
  /**
   * Signals of the phone to be told with the citizen's consent: true for all, or their names.
   * ForbiddenError without the permission `RISK_SIGNALS`.
   */
  readonly riskSignals?: true | readonly RiskSignal[];
  /** True: the citizen cannot confirm without telling them; default false. */
  readonly riskSignalsRequired?: boolean;
  /** Subsystem of the relying party; shown on the phone. */
  readonly subsystem?: string;
  /** Protocol generation; default: the client's `generation`, or the one its interactions need. */
  readonly generation?: Generation;
  /** Second generation: requested of an RSA key; default `rsassa-pss`. */
  readonly signatureAlgorithm?: RequestedAlgorithm;
  /** Second generation; default `SHA-512` for an authentication, that of `hashType` for a signature. */
  readonly hashAlgorithm?: HashAlgorithm;
  /**
   * Format of the code shown with a push; default: that of the generation. `numeric4` is an alias
   * of four digits.
   */
  readonly verificationCodeType?: 'alphaNumeric4' | 'alphaNumeric5' | 'numeric4';
  /**
   * Nonce, at most 30 characters. An identical request within 15 s may be answered with the same
   * session; another nonce prevents it.
   */
  readonly nonce?: string;
}

/** A session-creating request, before it is encoded for a generation. */
export interface SessionRequest {
  readonly flow: SentRequest['flow'];
  readonly protocol: SentRequest['signatureProtocol'];
  /** Path below `/v3`. */
  readonly route: string;
  /** Person or phone that the route names. */
  readonly params?: Pick<Addressee, 'id' | 'documentNumber'>;
  readonly interactions: Shown;
  /** Base64. */
  readonly challengeOrDigest: string;
  /** Hash of the digest; default hash of an authentication. */
  readonly hashAlgorithm: HashAlgorithm;
  /** Fields of challenge or digest in the first generation. */
  readonly flatInput: Readonly<Record<string, unknown>>;
  /** Fields specific to this kind of session. */
  readonly extra?: Readonly<Record<string, string | undefined>>;
  readonly options: SessionOptions;
}

/** A request whose interactions were picked. */
interface EncodedRequest extends SessionRequest {
  readonly interactions: readonly Interaction[];
}

export interface Started {
  readonly answer: Json;
  /** Second-generation request as sent; null in the first. */
  readonly sent: SentRequest | null;
  readonly addressee: Addressee;
}

/** Encodes session-creating requests of both generations, with the fields they share. */
export interface Requests {
  start(request: SessionRequest): Promise<Started>;
  /** Sends a request that starts no session and names only the relying party. */
  ask(request: Pick<SessionRequest, 'route' | 'params' | 'options'>): Promise<Json>;
}

export interface RequestDefaults {
  readonly certificateLevel: RequestedLevel;
  /** Undefined: none was named. */
  readonly generation: Generation | undefined;
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
        riskSignals: options.riskSignals,
        riskSignalsRequired: options.riskSignalsRequired,
        rp_app: options.subsystem,
        vcType: options.verificationCodeType,
        nonce: options.nonce,
        ...extra,
      }),
    };
  }

  function flatBody(request: EncodedRequest) {
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

  function asSent(request: EncodedRequest): SentRequest {
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

  const nestedBody = (request: EncodedRequest, sent: SentRequest) => ({
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
    async start({ interactions: shown, ...asked }) {
      const { route, params = {}, options } = asked;
      const { interactions, generation } = askedOn(asked.flow, shown, {
        ofCall: options.generation,
        ofClient: defaults.generation,
      });
      const request = { ...asked, interactions };
      const nested = generation === 'G2';
      const sent = nested ? asSent(request) : null;
      const body = sent === null ? flatBody(request) : nestedBody(request, sent);
      const { signal, onBehalfOf } = options;
      const answer = await http.json({ method: 'POST', route, params, body, signal });
      return { answer, sent, addressee: { ...params, ...given({ onBehalfOf }) } };
    },
    ask: ({ route, params = {}, options }) =>
      http.json({
        method: 'POST',
        route,
        params,
        body: common({ options }),
        signal: options.signal,
      }),
  };
}

/** Hash implied by a PKCS#1 v1.5 algorithm. */
const hashOf: Readonly<Partial<Record<RequestedAlgorithm, HashAlgorithm>>> = {
  sha256WithRSAEncryption: 'SHA-256',
  sha384WithRSAEncryption: 'SHA-384',
  sha512WithRSAEncryption: 'SHA-512',
};

/** Hash requested by a second-generation request. */
export function requestedHash(options: SessionOptions, otherwise: HashAlgorithm): HashAlgorithm {
  const named = options.signatureAlgorithm && hashOf[options.signatureAlgorithm];
  return named ?? options.hashAlgorithm ?? otherwise;
}

function given(fields: Json): Json {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
