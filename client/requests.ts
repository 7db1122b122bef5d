import type { Http } from './http.ts';
import type { Credentials, Interaction, RequestedLevel } from './types.ts';

export interface CreateOptions {
  readonly certificateLevel?: RequestedLevel;
  readonly callbackUrl?: string;
  /** Fields only this kind of session has. */
  readonly extra: Readonly<Record<string, string>>;
}

/** Session-creating requests: the fields every one of them has, in one place. */
export interface Requests {
  create(
    path: string,
    interactions: readonly Interaction[],
    options: CreateOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
}

export function createRequests(
  http: Http,
  identity: Pick<Credentials, 'rpUUID' | 'rpName'>,
  defaults: { readonly certificateLevel: RequestedLevel; readonly timeoutMs: number },
): Requests {
  return {
    create: (path, interactions, { certificateLevel, callbackUrl, extra }) =>
      http.call({
        method: 'POST',
        path,
        timeoutMs: defaults.timeoutMs,
        body: {
          relyingPartyUUID: identity.rpUUID,
          relyingPartyName: identity.rpName,
          certificateLevel: certificateLevel ?? defaults.certificateLevel,
          signatureProtocol: 'ACSP_V2',
          interactions,
          ...(callbackUrl === undefined ? {} : { initialCallbackUrl: callbackUrl }),
          ...extra,
        },
      }),
  };
}
