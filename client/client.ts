import { type Auth, createAuth } from './auth.ts';
import { ConfigurationError } from './errors.ts';
import { createHttp } from './http.ts';
import { createRequests } from './requests.ts';
import { createSessionApi, type SessionApi } from './session.ts';
import { createSign, type Sign } from './sign.ts';
import type { ClientConfig } from './types.ts';
import { ResponseValidator } from './validator/responseValidator.ts';

/**
 * A relying party's access to the service, for its server side only: it holds the API secret.
 *
 * 1. `auth` or `sign` starts a session; show its verification code.
 * 2. `session.waitForResult` waits for the citizen.
 * 3. `validator` checks what came back; only then is it true.
 */
export class EidClient {
  readonly auth: Auth;
  readonly sign: Sign;
  readonly session: SessionApi;
  readonly validator: ResponseValidator;

  /** @throws ConfigurationError when `baseUrl` or `credentials.apiSecret` is empty */
  constructor(config: ClientConfig) {
    const { credentials, defaultCertificateLevel = 'QUALIFIED', timeoutMs = 15_000 } = config;
    if (config.baseUrl.trim() === '') throw new ConfigurationError('baseUrl is empty.');
    if (credentials.apiSecret.trim() === '') {
      throw new ConfigurationError('credentials.apiSecret is empty.');
    }
    const http = createHttp({
      root: versioned(config.baseUrl),
      apiSecret: credentials.apiSecret,
      fetchImpl: config.fetchImpl ?? fetch,
      dispatcher: config.dispatcher,
    });
    const requests = createRequests(http, credentials, {
      certificateLevel: defaultCertificateLevel,
      timeoutMs,
    });
    this.auth = createAuth(requests);
    this.sign = createSign(requests);
    this.session = createSessionApi(http);
    this.validator = new ResponseValidator(config.trust);
  }
}

function versioned(baseUrl: string): string {
  return `${baseUrl.trim().replace(/\/+$/, '').replace(/\/v3$/, '')}/v3`;
}
