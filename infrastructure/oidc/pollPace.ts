import { errors } from 'oidc-provider';
import type { OidcState } from '../../application/openIdConnect/ports/oidcState.ts';
import type { Clock } from '../../application/ports/clock.ts';

/** Least time between two polls for one code (CIBA Core §7.3, RFC 8628 §3.2), seconds. */
export const pollIntervalSeconds = 5;

/** Allowance for clients whose timers are early, ms. */
const EARLY_MS = 250;

/**
 * Holds a client to the interval, whichever process it asks (CIBA Core §11, RFC 8628 §3.5): of polls at the same time one
 * counts.
 *
 * @throws errors.SlowDown when the last one that counted was less than the interval ago
 */
export async function keepPace(
  { state, clock }: { readonly state: Pick<OidcState, 'claim'>; readonly clock: Clock },
  code: string,
): Promise<void> {
  const now = clock.now();
  const until = new Date(now.getTime() + pollIntervalSeconds * 1000 - EARLY_MS);
  if (await state.claim('Poll', code, until, now)) return;
  throw new errors.SlowDown(`poll every ${pollIntervalSeconds} seconds`);
}
