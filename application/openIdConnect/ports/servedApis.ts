import type { ApiScopeText, ApiSettings, Exchange } from '../../../domain/oidcClient/apis.ts';
import type { IdTokenAlgorithm } from '../../../domain/oidcClient/settings.ts';

/** An API that a client may ask for, or act at: active, and still registered for it. */
export interface ServedApi {
  /** The client_id of the API. */
  readonly apiId: string;
  readonly audience: string;
  readonly name: string;
  /** Null: no English name. */
  readonly nameEn: string | null;
  /** Citizens are known to it by the subject of this sector (OpenID Connect Core §8.1). */
  readonly sector: string;
  readonly scopes: readonly ApiScopeText[];
  readonly format: ApiSettings['accessTokenFormat'];
  /** Signs its access tokens in format `jwt`. */
  readonly algorithm: IdTokenAlgorithm;
  /** False: the client only acts there for who asked for its own API. */
  readonly isAskedFor: boolean;
  /** Scopes by which the client, itself an API, may act there: its own, and what each becomes (RFC 8693). */
  readonly exchanges: readonly Pick<Exchange, 'from' | 'to'>[];
  /** Life of its access tokens, s. */
  readonly seconds: number;
}

/** The APIs that a client may ask for, or act at; none, if it is unknown or deactivated. */
export type ApisOf = (clientId: string) => Promise<readonly ServedApi[]>;
