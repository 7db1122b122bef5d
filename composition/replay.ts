import { randomUUID } from 'node:crypto';
import { createEventStore } from '../infrastructure/codec/codec.ts';
import { checkExport, type ExportCheck } from '../infrastructure/export/checkExport.ts';
import { createExportedLog } from '../infrastructure/export/exportedLog.ts';
import { unhurried, type UnhurriedDatabase } from '../infrastructure/postgres/unhurried.ts';
import { type Comparison, compareReadModel } from '../projections/compare.ts';
import type { Database } from '../projections/database.ts';
import type { AnyReadModel } from '../projections/readModel.ts';
import { readModels } from '../projections/readModels.ts';
import { rebuildReadModel } from '../projections/rebuild.ts';
import { dropScratch, takeRunning } from '../projections/replayScratch.ts';
import type { Foundation } from './foundation.ts';

/** How one read model came out; a failure is the sentence that says why it could not be rebuilt. */
export type ReplayedModel = { readonly name: string } & (
  (Comparison & { readonly failure: null }) | { readonly failure: string }
);

export interface ReplayReport {
  readonly log: ExportCheck;
  readonly models: readonly ReplayedModel[];
  /** The export is the log, and everything shown is what it makes. */
  readonly isEqual: boolean;
}

/**
 * Rebuilds every read model from an exported log in a schema of its own, and compares it with the running one as it was
 * when this began. What happened after the export is taken from the running log, as far as the read model had come.
 */
export async function replayExport(
  foundation: Pick<Foundation, 'databaseUrl' | 'eventLog' | 'vault'>,
  path: string,
  onProgress: (name: string) => void = () => undefined,
): Promise<ReplayReport> {
  const { databaseUrl, eventLog, vault } = foundation;
  onProgress('the lines');
  const log = await checkExport(path, eventLog);
  const schema = `tamga_replay_${randomUUID().replaceAll('-', '')}`;
  const models: ReplayedModel[] = [];
  await unhurried<Database>(databaseUrl, async ({ database }) => {
    try {
      const positions = await takeRunning(database, schema);
      await unhurried<Database>(inSchema(databaseUrl, schema), async (scratch) => {
        for (const model of readModels) {
          onProgress(model.name);
          const upTo = positions.get(model.name) ?? null;
          const exported = createExportedLog({ path, last: log.last, later: eventLog, upTo });
          const eventStore = createEventStore({ log: exported, vault });
          models.push(await replay(model, { ...scratch, eventStore, vault }));
        }
      });
    } finally {
      await dropScratch(database, schema);
    }
  });
  const isEqual =
    log.faultCount === 0 &&
    models.every((model) => model.failure === null && model.different === 0);
  return { log, models, isEqual };
}

type Scratch = UnhurriedDatabase<Database> &
  Pick<Parameters<typeof rebuildReadModel>[1], 'eventStore' | 'vault'>;

async function replay(model: AnyReadModel, scratch: Scratch): Promise<ReplayedModel> {
  const { name } = model;
  try {
    await rebuildReadModel(name, scratch);
  } catch (error) {
    return { name, failure: error instanceof Error ? error.message : String(error) };
  }
  return {
    name,
    failure: null,
    ...(await compareReadModel(scratch.database, model, scratch.vault)),
  };
}

/** The same database, seen through one schema. */
function inSchema(databaseUrl: string, schema: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `-c search_path=${schema}`);
  return url.toString();
}
