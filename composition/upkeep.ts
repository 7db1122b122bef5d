import type { EventStore } from '../application/ports/eventStore.ts';
import type { Log } from '../application/ports/log.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import { createLogUpkeep, type LogUpkeepStep } from '../infrastructure/eventstore/logUpkeep.ts';
import { withMaintenanceConnection } from '../infrastructure/postgres/maintenanceConnection.ts';
import { createViewUpkeep, type ViewUpkeepStep } from '../infrastructure/postgres/viewUpkeep.ts';
import type { Database } from '../projections/database.ts';
import type { AnyReadModel } from '../projections/engine/readModel.ts';
import { type RebuildProgress, rebuildReadModel } from '../projections/engine/rebuild.ts';
import { readModels } from '../projections/readModels.ts';

/** Keeps the log in PostgreSQL partitioned. */
export function openLogUpkeep(url: string, log: Log) {
  return createLogUpkeep({
    url,
    onStep: ({ step, ...what }) =>
      log[step === 'waiting' ? 'warn' : 'info'](what, logUpkeepTexts[step]),
    onError: (cause) =>
      log.warn({ err: cause }, 'The upkeep of the event log was interrupted; it is tried again.'),
  });
}

const logUpkeepTexts = {
  heads: 'The event log is being prepared for its partitions; it serves meanwhile.',
  bounds: 'The events are checked for the bounds of the first partition.',
  waiting:
    'The event log is partitioned as soon as no transaction, such as a backup, keeps its table for long.',
  partitioned: 'The event log is partitioned.',
  partitionAdded: 'A partition of the event log was added ahead of need.',
  idsDropped: 'An index of event ids that nothing needs any more was dropped.',
} satisfies Record<LogUpkeepStep['step'], string>;

interface ViewUpkeepDependencies {
  readonly databaseUrl: string;
  readonly log: Log;
  readonly eventStore: EventStore;
  readonly vault: PersonalDataVault;
}

/** Keeps the tables of sessions and audit partitioned. */
export function openViewUpkeep({ databaseUrl, log, eventStore, vault }: ViewUpkeepDependencies) {
  const models = readModels.filter(({ byTime }: AnyReadModel) => byTime === true);
  return createViewUpkeep({
    url: databaseUrl,
    views: models.map(({ table }) => table),
    partition: (view, signal, on) =>
      withMaintenanceConnection<Database>(
        databaseUrl,
        async (resources) => {
          const { name = view } = models.find(({ table }) => table === view) ?? {};
          const onProgress = ({ rows }: RebuildProgress) => {
            if (rows !== undefined) on.copied(rows);
          };
          const onKept = on.waiting;
          const options = { ...resources, eventStore, vault, signal, onProgress, onKept };
          await rebuildReadModel(name, { ...options, fromRows: true });
        },
        signal,
      ),
    onStep: ({ step, ...what }) => log.info(what, viewUpkeepTexts[step]),
    onError: (cause) =>
      log.warn(
        { err: cause },
        'The upkeep of the partitions of sessions and audit was interrupted; it is tried again.',
      ),
  });
}

const viewUpkeepTexts = {
  copied: 'A table of the read models is being copied into partitions; it serves meanwhile.',
  waiting:
    'A table of the read models is partitioned as soon as no transaction, such as a backup, keeps it for long.',
  partitioned: 'A table of the read models is partitioned.',
  partitionsAdded: 'Partitions of a read model were added ahead of need.',
  monthDropped:
    'A partition with few sessions left was dropped, and these put into the default one.',
} satisfies Record<ViewUpkeepStep['step'], string>;
