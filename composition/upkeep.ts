import type { Log } from '../application/ports/log.ts';
import { createLogUpkeep, type LogUpkeepStep } from '../infrastructure/eventstore/logUpkeep.ts';
import { createViewUpkeep, type ViewUpkeepStep } from '../infrastructure/postgres/viewUpkeep.ts';
import type { AnyReadModel } from '../projections/engine/readModel.ts';
import { readModels } from '../projections/readModels.ts';

/** Keeps partitions of the log in PostgreSQL ahead of need. */
export function openLogUpkeep(url: string, log: Log) {
  return createLogUpkeep({
    url,
    onStep: ({ step, ...what }) => log.info(what, logUpkeepTexts[step]),
    onError: (cause) =>
      log.warn({ err: cause }, 'The upkeep of the event log was interrupted; it is tried again.'),
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
        'The upkeep of the partitions of sessions and audit was interrupted; it is tried again.',
      ),
  });
}

const viewUpkeepTexts = {
  partitionsAdded: 'Partitions of a read model were added ahead of need.',
  monthDropped:
    'A partition with few sessions left was dropped, and these put into the default one.',
} satisfies Record<ViewUpkeepStep['step'], string>;
