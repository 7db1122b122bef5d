import { createOwnHistory, type OwnHistoryReader } from '../../api/me/ownHistory.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createSessionList } from '../../projections/sessionList.ts';
import type { Core } from './core.ts';

/** History of a citizen, for the citizen's page and phones. */
export function composeOwnHistory({ foundation, aggregates }: Core): OwnHistoryReader {
  const { database, referenceData } = foundation;
  const { sessions } = aggregates;
  const sessionList = failingFast(createSessionList(database));
  return createOwnHistory({ sessionList, sessions, referenceData });
}
