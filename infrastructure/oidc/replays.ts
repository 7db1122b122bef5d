import type { Provider } from 'oidc-provider';
import type { OidcState } from '../../application/openIdConnect/ports/oidcState.ts';

/** Members of the library's class that its types omit. */
interface ReplayDetection {
  unique(issuer: string, jti: string, expiresAt: number): Promise<boolean>;
}

/** Name of the records; that of the library's model. */
const kind = 'ReplayDetection';

/**
 * Has a client assertion or DPoP proof be used once in all processes together. The library looks for it and then stores
 * it: of two that bring it at the same time both would find nothing.
 */
export function detectReplays(
  provider: Provider,
  { state, clock }: { readonly state: OidcState; readonly clock: { now(): Date } },
): void {
  const model = provider.ReplayDetection as unknown as ReplayDetection;
  model.unique = async (issuer, jti, expiresAt) => {
    const id = `${issuer} ${jti}`;
    await state.put({
      kind,
      id,
      payload: {},
      civilId: null,
      clientId: null,
      grantId: null,
      uid: null,
      expiresAt: new Date(expiresAt * 1000),
    });
    return state.consume(kind, id, clock.now());
  };
}
