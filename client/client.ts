import {
  anyText,
  callable,
  checkArguments,
  generation,
  milliseconds,
  objectWith,
  optional,
  requestedLevel,
  text,
  withCheckedArguments,
} from './arguments.ts';
import { type Auth, createAuth } from './auth.ts';
import {
  authArguments,
  directoryArguments,
  documentsArguments,
  organizationArguments,
  personPkiArguments,
  sealArguments,
  sessionArguments,
  signArguments,
  stampArguments,
  trustSettings,
} from './callArguments.ts';
import { createDirectory, type Directory } from './directory.ts';
import { createDocuments, type Documents } from './documents.ts';
import { configOf } from './environment.ts';
import { ConfigurationError } from './errors.ts';
import { createHttp, type HttpOptions } from './http.ts';
import { createOrganization, type Organization } from './organization.ts';
import { createPersonPki, type PersonPki } from './personPki.ts';
import { createRequests } from './requests.ts';
import { createSeal, type Seal } from './seal.ts';
import { createSessionApi, type SessionApi } from './session.ts';
import { createSign, type Sign } from './sign.ts';
import { createStamp, type Stamp } from './stamp.ts';
import type { ClientConfig } from './types.ts';
import { ResponseValidator } from './validator/responseValidator.ts';

/**
 * A relying party's access to the service, for its server side only: it holds the API secret.
 *
 * 1. `auth` or `sign` starts a session; show its verification code.
 * 2. `session.waitForResult` waits for the citizen.
 * 3. `validator` checks the result; believe nothing before.
 */
export class EidClient {
  /** Starts authentications. */
  readonly auth: Auth;
  /** Starts signatures. */
  readonly sign: Sign;
  /** Polls sessions for their results. */
  readonly session: SessionApi;
  /** Validates results. */
  readonly validator: ResponseValidator;
  /** Stamps signed PDFs. */
  readonly stamp: Stamp;
  /** Seals for organizations. */
  readonly seal: Seal;
  /** Representation of organizations: rights and signers. */
  readonly organization: Organization;
  /** Certificates, phones and sessions of a citizen. */
  readonly personPki: PersonPki;
  /** Settings of the transport; private, so that printing the client does not reveal them. */
  readonly #transport: Omit<HttpOptions, 'prefix' | 'apiSecret'>;

  /**
   * Creates a client with the settings of the environment: `RP_API_BASE`, `RP_UUID`, `RP_NAME`, `RP_SECRET`, and in
   * `TRUST_ANCHORS` and `TRUST_INTERMEDIATES` (optional) paths of files in PEM. `.tamga/demo.env` has them.
   *
   * @param more other settings, or others in their place; those of `trust` beside the files'
   * @param environment default: `process.env`
   * @throws ConfigurationError that names every variable which is missing, or the setting that is wrong
   */
  static fromEnv(
    more: Partial<ClientConfig> = {},
    environment: Readonly<Record<string, string | undefined>> = process.env,
  ): EidClient {
    const config = configOf(environment);
    return new EidClient({ ...config, ...more, trust: { ...config.trust, ...more.trust } });
  }

  /**
   * Checks the configuration; makes no connection.
   *
   * @throws ConfigurationError that names the setting which is missing, of another type, or cannot be sent
   */
  constructor(config: ClientConfig) {
    checkArguments('new EidClient', [['config', settings]], [config]);
    const { credentials, defaultCertificateLevel = 'QUALIFIED', timeoutMs = 15_000 } = config;
    this.#transport = {
      base: rootOf(config.baseUrl),
      timeoutMs,
      fetchImpl: config.fetchImpl ?? fetch,
      dispatcher: config.dispatcher,
      onCall: config.onCall,
      onDeprecated: config.onDeprecated,
    };
    const http = createHttp({
      ...this.#transport,
      prefix: '/v3',
      apiSecret: checkedSecret('credentials.apiSecret', credentials.apiSecret),
    });
    const requests = createRequests(http, credentials, {
      certificateLevel: defaultCertificateLevel,
      generation: config.generation,
      schemeName: config.schemeName ?? 'smart-id',
      brokeredRpName: config.brokeredRpName ?? '',
    });
    this.auth = withCheckedArguments('auth', createAuth(requests), authArguments);
    this.sign = withCheckedArguments('sign', createSign(requests), signArguments);
    this.session = withCheckedArguments('session', createSessionApi(http), sessionArguments);
    this.validator = new ResponseValidator(config.trust);
    this.stamp = withCheckedArguments('stamp', createStamp(http), stampArguments);
    this.seal = withCheckedArguments('seal', createSeal(http, this.session), sealArguments);
    this.organization = withCheckedArguments(
      'organization',
      createOrganization(http, this.session),
      organizationArguments,
    );
    this.personPki = withCheckedArguments('personPki', createPersonPki(http), personPkiArguments);
  }

  /**
   * Calls in the name of a user: documents of their organization, and the directory.
   *
   * @param accessToken of an OpenID Connect login with the scopes the calls need; it is checked by the service alone
   * @throws ConfigurationError when it is empty or cannot be sent
   */
  withAccessToken(accessToken: string): UserCalls {
    const http = createHttp({
      ...this.#transport,
      prefix: '',
      apiSecret: checkedSecret('withAccessToken: accessToken', accessToken),
    });
    return {
      documents: withCheckedArguments('documents', createDocuments(http), documentsArguments),
      directory: withCheckedArguments('directory', createDirectory(http), directoryArguments),
    };
  }
}

/** Calls in the name of a user, by their access token. */
export interface UserCalls {
  /** Documents of the user's organization. */
  readonly documents: Documents;
  /** Persons and organizations of the registry. */
  readonly directory: Directory;
}

const settings = objectWith({
  credentials: objectWith({ rpUUID: text, rpName: text }),
  trust: optional(trustSettings),
  generation: optional(generation),
  schemeName: optional(text),
  brokeredRpName: optional(anyText),
  defaultCertificateLevel: optional(requestedLevel),
  timeoutMs: optional(milliseconds),
  fetchImpl: optional(callable),
  onCall: optional(callable),
  onDeprecated: optional(callable),
});

/** A setting as JavaScript callers pass it: absent counts as empty. */
type Setting = string | undefined;

/** Root address without `/v3`. */
function rootOf(baseUrl: Setting): string {
  const address = typeof baseUrl === 'string' ? baseUrl.trim() : '';
  if (address === '') throw new ConfigurationError('baseUrl is empty.');
  const url = URL.canParse(address) ? new URL(address) : null;
  const isRoot =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === '');
  if (!isRoot) {
    throw new ConfigurationError(
      'baseUrl is not an http(s) address without user, password, query and fragment.',
    );
  }
  return address.replace(/\/+$/, '').replace(/\/v3$/, '');
}

/**
 * Rejects a secret with a line break, as read from a file: the transport's own error would print
 * the secret.
 */
function checkedSecret(name: string, apiSecret: Setting): string {
  if (typeof apiSecret !== 'string' || apiSecret.trim() === '') {
    throw new ConfigurationError(`${name} is empty.`);
  }
  if (!/^[\x21-\x7e]+$/.test(apiSecret)) {
    throw new ConfigurationError(
      `${name} has characters no secret has: a line break at its end, perhaps.`,
    );
  }
  return apiSecret;
}
