import { consentId } from '../../domain/consent/consent.ts';
import type { LoginsEnded } from '../../domain/oidcAccess/events.ts';
import { awaitProjection, type CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { OidcEngine } from './ports/oidcEngine.ts';
import type { OidcState } from './ports/oidcState.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { Consents, OidcAccessLog } from './aggregates.ts';

export interface EndLoginsDependencies {
  readonly state: OidcState;
  readonly engine: Pick<OidcEngine, 'announceLogout'>;
  readonly accessLog: OidcAccessLog;
  readonly clock: Clock;
}

/**
 * Ends a citizen's browser sessions, grants, codes and tokens. Clients registered for back-channel logout are notified
 * where reachable and while the citizen's data can be read. Idempotent.
 *
 * @returns false when there was nothing to end
 */
export async function endLogins(
  { state, engine, accessLog, clock }: EndLoginsDependencies,
  { civilId, reason }: Pick<LoginsEnded['data'], 'civilId' | 'reason'>,
  context: CommandContext,
): Promise<boolean> {
  const sessions = await state.sessionsOf(civilId, clock.now());
  if (!(await state.removeOfCitizen(civilId))) return false;
  const endedAt = clock.now().toISOString();
  await accessLog({ type: 'LoginsEnded', data: { civilId, reason, endedAt } }, context);
  await engine.announceLogout(sessions);
  return true;
}

export interface WithdrawConsentDependencies {
  readonly consents: Consents;
  readonly state: Pick<OidcState, 'removeOfClient'>;
  readonly clock: Clock;
  readonly progress: ProjectionProgress;
}

/** Withdraws a citizen's consent to a client and ends the client's grants, codes and tokens. Idempotent. */
export async function withdrawConsent(
  { consents, state, clock, progress }: WithdrawConsentDependencies,
  { civilId, clientId }: { readonly civilId: string; readonly clientId: string },
  context: CommandContext,
): Promise<void> {
  const now = clock.now().toISOString();
  const command = { type: 'WithdrawConsent', civilId, clientId, now } as const;
  await awaitProjection(progress, consents.handle(consentId(civilId, clientId), command, context));
  await state.removeOfClient(clientId, civilId);
}
