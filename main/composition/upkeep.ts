import type { Log } from '../../application/ports/log.ts';
import { createLogUpkeep, type LogUpkeepStep } from '../../infrastructure/eventstore/logUpkeep.ts';
import { withMaintenanceConnection } from '../../infrastructure/postgres/maintenanceConnection.ts';
import { createViewUpkeep, type ViewUpkeepStep } from '../../infrastructure/postgres/viewUpkeep.ts';
import type { Database } from '../../projections/database.ts';
import { createFoldUpkeep } from '../../projections/engine/foldVersions.ts';
import type { AnyReadModel } from '../../projections/engine/readModel.ts';
import { rebuildReadModel, type RebuildOptions } from '../../projections/engine/rebuild.ts';
import { readModels } from '../../projections/readModels.ts';

/** Keeps partitions of the log in PostgreSQL ahead of need. */
export function openLogUpkeep(url: string, log: Log) {
  return createLogUpkeep({
    url,
    onStep: ({ step, ...what }) => log.info(what, logUpkeepTexts[step]),
    onError: (cause) =>
      log.warn({ err: cause }, 'The maintenance of the event log was interrupted. It is retried.'),
  });
}

const logUpkeepTexts = {
  partitionAdded: 'A partition of the event log was added ahead of need.',
  idsDropped: 'An index of event ids that nothing needs any more was dropped.',
} satisfies Record<LogUpkeepStep['step'], string>;

/** Keeps partitions of sessions and audit ahead of need. */
export function openViewUpkeep(url: string, log: Log) {
  const models = readModels.filter(({ byTime }: AnyReadModel) => byTime === true);
  return createViewUpkeep({
    url,
    views: models.map(({ table }) => table),
    onStep: ({ step, ...what }) => log.info(what, viewUpkeepTexts[step]),
    onError: (cause) =>
      log.warn(
        { err: cause },
        'The maintenance of the partitions of sessions and audit was interrupted. It is retried.',
      ),
  });
}

const viewUpkeepTexts = {
  partitionsAdded: 'Partitions of a read model were added ahead of need.',
  monthDropped:
    'A partition with few sessions left was dropped, and these put into the default one.',
} satisfies Record<ViewUpkeepStep['step'], string>;

/** Makes read models anew whose fold is another than this release's. */
export function openFoldUpkeep(
  url: string,
  { log, ...sources }: Pick<RebuildOptions, 'eventStore' | 'vault'> & { readonly log: Log },
) {
  return createFoldUpkeep({
    rebuild: (name, signal) =>
      withMaintenanceConnection<Database>(url, (resources) =>
        rebuildReadModel(name, { ...resources, ...sources, signal }),
      ),
    onBegin: (readModel) =>
      log.info({ readModel }, 'A read model of another release is being rebuilt while it serves.'),
    onDone: (readModel) => log.info({ readModel }, 'A read model was rebuilt.'),
    onFailure: (readModel, cause) =>
      log.error({ readModel, err: cause }, 'A read model could not be rebuilt. It is retried.'),
  });
}
