import type { Config } from '../config/config.ts';
import { NOTIFICATION_CONNECTION } from './notifications.ts';
import { LOCK_CONNECTION } from './lockHolders.ts';

/** Application names of connections, by what they are for; the locks' is followed by the process. */
export const connectionNames = {
  requests: 'tamga',
  projections: 'tamga projections',
  logReaders: 'tamga event reader',
  logWriter: 'tamga event writer',
  logListener: 'tamga event listener',
  notifications: NOTIFICATION_CONNECTION,
  locks: LOCK_CONNECTION,
} as const;

/** Connections to PostgreSQL that a process keeps at most, by what they are for. */
export type ConnectionBudget = Readonly<Record<keyof typeof connectionNames, number>>;

/** Connections for requests, jobs and reactors where `SVC_DATABASE_POOL` is not set. */
const requestsByRole = { api: 10, worker: 8, otherwise: 4 } as const;

/** Read models that commit at once; PostgreSQL gets no faster by more. */
const PROJECTIONS = 8;
/** Pages of the log read at once. */
const LOG_READERS = 4;

/** Budget of a process with these roles; docs/operations.md, Connections, has the sums. */
export function connectionBudget(
  config: Pick<
    Config,
    'SVC_ROLES' | 'SVC_DATABASE_POOL' | 'SVC_EVENTSTORE_URL' | 'SVC_SOLE_PROCESS'
  >,
): ConnectionBudget {
  const has = (role: Config['SVC_ROLES'][number]) => config.SVC_ROLES.includes(role);
  const byRole = has('api') ? 'api' : has('worker') ? 'worker' : 'otherwise';
  const keepsLog = config.SVC_EVENTSTORE_URL === undefined ? 1 : 0;
  const bound = config.SVC_DATABASE_POOL ?? Infinity;
  return {
    requests: config.SVC_DATABASE_POOL ?? requestsByRole[byRole],
    projections: has('projector') ? Math.min(PROJECTIONS, bound) : 0,
    logReaders: keepsLog * Math.min(LOG_READERS, bound),
    logWriter: keepsLog,
    logListener: keepsLog,
    notifications: 1,
    locks: has('projector') || has('worker') || config.SVC_SOLE_PROCESS ? 1 : 0,
  };
}

/** Connections in all. */
export function connectionsInAll(budget: ConnectionBudget): number {
  return Object.values(budget).reduce((sum, count) => sum + count, 0);
}
