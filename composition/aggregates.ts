import { createCertificates } from '../application/certificate/certificates.ts';
import { createCitizens } from '../application/citizen/citizens.ts';
import { createDevices } from '../application/device/devices.ts';
import type { Loaded } from '../application/handleCommand.ts';
import type { WakeSender } from '../application/ports/wake.ts';
import { createRelyingParties } from '../application/relyingParty/relyingParties.ts';
import { countOutcomes } from '../application/session/countOutcomes.ts';
import { createSessions } from '../application/session/sessions.ts';
import type { Session } from '../domain/session/session.ts';
import type { Config } from '../infrastructure/config.ts';
import { createEagerWake } from '../infrastructure/postgres/eagerWake.ts';
import type { PostgresWake } from '../infrastructure/postgres/wakeListener.ts';
import { createAggregateCache } from '../infrastructure/system.ts';
import type { Foundation } from './foundation.ts';

export type Aggregates = ReturnType<typeof createAggregates>;

/** Session aggregates kept in memory; ten minutes' worth at some eighty a second, else they are read again. */
const SESSIONS_REMEMBERED = 50_000;

/** The aggregates, bound to the log. */
export function createAggregates(config: Config, foundation: Foundation) {
  const { eventStore, clock, randomness, vault, wake, metrics } = foundation;
  const stores = { eventStore, clock, randomness };
  const cache = createAggregateCache<Loaded<Session>>(SESSIONS_REMEMBERED);
  vault.onForgotten(() => cache.clear());
  return {
    sessions: countOutcomes(
      createSessions({ ...stores, cache, wake: completionWake(config, wake) }),
      (kind, flow, endResult) => metrics.sessionCompleted(kind, flow, endResult),
    ),
    relyingParties: createRelyingParties(stores),
    citizens: createCitizens(stores),
    devices: createDevices(stores),
    certificates: createCertificates(stores),
  };
}

/** Where there are other processes, a poll may wait in one of them. */
function completionWake(config: Config, wake: PostgresWake): WakeSender {
  return config.SVC_SOLE_PROCESS ? wake : createEagerWake(wake);
}
