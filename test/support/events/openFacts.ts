import { createRememberedFacts } from '../../../application/log/rememberedFacts.ts';
import type { Staleness } from '../../../application/ports/staleness.ts';
import { createMemory } from '../../../infrastructure/system.ts';
import { failingFast } from '../../../infrastructure/postgres/pool.ts';
import {
  createNotificationHub,
  type NotificationHub,
} from '../../../infrastructure/postgres/notifications.ts';
import { createLoggedClient } from '../../../projections/loggedClient.ts';
import { createLoggedRow } from '../../../projections/engine/loggedRow.ts';
import {
  createFactReferenceData,
  createFactRows,
  createFactSources,
} from '../../../projections/referenceData.ts';
import { neverStale } from '../doubles/memoryPorts.ts';
import type { ReadSide } from './readSide.ts';

/**
 * Facts that a process remembers of a read side; follows its log once started.
 *
 * @param around laid around the queries of tables, to observe them
 */
export function openFacts(
  { database, eventStore, vault }: Pick<ReadSide, 'database' | 'eventStore' | 'vault'>,
  {
    staleness = neverStale,
    notifications = createNotificationHub(),
    around = (rows) => rows,
    ...limits
  }: {
    readonly staleness?: Staleness;
    readonly notifications?: NotificationHub;
    readonly mostMarks?: number;
    readonly around?: (rows: ReturnType<typeof createFactRows>) => typeof rows;
  } = {},
) {
  const failures: unknown[] = [];
  const rows = failingFast(around(createFactRows(database)));
  const logged = createLoggedRow(eventStore, vault);
  const facts = createRememberedFacts({
    ...limits,
    sources: createFactSources(rows, logged, vault, createLoggedClient(eventStore)),
    eventStore,
    staleness,
    notifications,
    vault,
    newMemory: createMemory,
    onFailure: (cause) => failures.push(cause),
  });
  return {
    facts,
    referenceData: createFactReferenceData(facts, rows, vault),
    notifications,
    /** Reasons why following was interrupted. */
    failures,
  };
}
