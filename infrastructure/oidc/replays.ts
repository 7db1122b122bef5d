import type { Provider } from 'oidc-provider';
import type { OidcState } from '../../application/openIdConnect/ports/oidcState.ts';

/** Members of the library's class that its types omit. */
interface ReplayDetection {
  unique(issuer: string, jti: string, expiresAt: number): Promise<boolean>;
}

/**
 * Has a client assertion or DPoP proof be used once in all processes together. The library looks for it and then stores
 * it: of two that bring it at the same time both would find nothing.
 */
export function detectReplays(
  provider: Provider,
  { state, clock }: { readonly state: OidcState; readonly clock: { now(): Date } },
): void {
  const model = provider.ReplayDetection as unknown as ReplayDetection;
  model.unique = (issuer, jti, expiresAt) =>
    state.claim('ReplayDetection', `${issuer} ${jti}`, new Date(expiresAt * 1000), clock.now());
}
