import { randomUUID } from 'node:crypto';
import { auditRoutes } from '../../api/admin/auditRoutes.ts';
import type { OperatorGuards } from '../../api/admin/guard.ts';
import { createRequestAudit } from '../../api/http/requestAudit.ts';
import { createRequestJournal } from '../../application/audit/requestJournal.ts';
import type { AuditFilter } from '../../application/audit/ports/auditTrail.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import { checkExport, type ExportCheck } from '../../infrastructure/export/checkExport.ts';
import { exportEvents } from '../../infrastructure/export/exportEvents.ts';
import { createExportedLog } from '../../infrastructure/export/exportedLog.ts';
import { createAuditCsv } from '../../infrastructure/postgres/auditCsv.ts';
import {
  type MaintenanceConnection,
  withMaintenanceConnection,
} from '../../infrastructure/postgres/maintenanceConnection.ts';
import { createAuditChanges } from '../../projections/audit/changes.ts';
import { personOf, subjectsOf } from '../../projections/audit/personOf.ts';
import type { Database } from '../../projections/database.ts';
import { compareReadModel, type Comparison } from '../../projections/engine/compare.ts';
import { untilMadeAnew } from '../../projections/engine/foldVersions.ts';
import type { Names } from '../../projections/names.ts';
import type { AnyReadModel } from '../../projections/engine/readModel.ts';
import { rebuildReadModel } from '../../projections/engine/rebuild.ts';
import { dropScratch, takeRunning } from '../../projections/engine/replayScratch.ts';
import { readModels } from '../../projections/readModels.ts';
import type { Core } from './core.ts';
import type { Foundation } from './foundation.ts';
import type { ServiceModule } from './serviceModule.ts';

/** Timeout of a maintenance command for read models to catch up, ms: no process may have been projecting before. */
export const CATCH_UP_MS = 600_000;

/** Exports and replays for auditors, on the machine itself. */
export interface AuditExports {
  csv(filter: AuditFilter): Promise<AsyncIterable<Uint8Array>>;
  /** The raw events as JSON Lines. */
  events(): Promise<AsyncIterable<Uint8Array>>;
  /** @param onProgress called with the step that begins */
  replay(path: string, onProgress?: (what: string) => void): Promise<ReplayReport>;
}

/** The audit of all commands: recorded requests, queries, and exports as CSV and as raw events. */
export function composeAudit(
  { foundation, aggregates }: Core,
  guards: OperatorGuards,
  names: Names,
) {
  const { vault, auditTrail, auditOfArchived, databaseUrl, auditProgress } = foundation;
  const { eventStore, eventLog, clock, log } = foundation;
  const auditExport = createAuditCsv({
    url: databaseUrl,
    vault,
    persons: { subjectsOf, personOf },
    archivedRows: auditOfArchived.between,
  });
  const journal = createRequestJournal({
    accessLog: aggregates.accessLog,
    clock,
    onFailure: (cause) =>
      log.error({ err: cause }, 'A refused command could not be recorded in the audit trail.'),
  });
  const module: ServiceModule = {
    routes: auditRoutes({
      guards,
      names,
      auditTrail,
      auditChanges: createAuditChanges(eventStore),
      auditExport,
      exportEvents: (after) => exportEvents(eventLog, after),
    }),
    stop: () => journal.settle(),
  };

  /** A maintenance command has only just started its projections. */
  async function caughtUp(): Promise<void> {
    const head = await eventStore.head();
    if (head !== null) await auditProgress.untilProjected(head, CATCH_UP_MS);
  }

  const exports: AuditExports = {
    csv: async (filter) => {
      await caughtUp();
      return auditExport.csv(filter);
    },
    events: () => exportEvents(eventLog, null),
    replay: async (path, onProgress) => {
      await untilMadeAnew(foundation.database, readModels, CATCH_UP_MS, (name) =>
        onProgress?.(`${name}, which is being rebuilt for this release`),
      );
      await caughtUp();
      return replayExport(foundation, path, onProgress);
    },
  };
  return { module, exports, requestAudit: createRequestAudit(journal) };
}

/** Result for one read model; a failure is the sentence that explains it. */
export type ReplayedModel = { readonly name: string } & (
  (Comparison & { readonly failure: null }) | { readonly failure: string }
);

export interface ReplayReport {
  readonly log: ExportCheck;
  readonly models: readonly ReplayedModel[];
  /** The export matches the log, and every read model its replay. */
  readonly isEqual: boolean;
}

/**
 * Rebuilds every read model from an exported log in a schema of its own, and compares it with the running one at the
 * time of the call. Events after the export are taken from the running log, up to the read model's checkpoint.
 */
async function replayExport(
  foundation: Pick<Foundation, 'archive' | 'databaseUrl' | 'eventLog' | 'vault'>,
  path: string,
  onProgress: (name: string) => void = () => undefined,
): Promise<ReplayReport> {
  const { archive, databaseUrl, eventLog, vault } = foundation;
  onProgress('the lines');
  const log = await checkExport(path, eventLog);
  const schema = `tamga_replay_${randomUUID().replaceAll('-', '')}`;
  const models: ReplayedModel[] = [];
  await withMaintenanceConnection<Database>(databaseUrl, async ({ database }) => {
    try {
      const positions = await takeRunning(database, schema);
      await withMaintenanceConnection<Database>(inSchema(databaseUrl, schema), async (scratch) => {
        for (const model of readModels) {
          onProgress(model.name);
          const upTo = positions.get(model.name) ?? null;
          const store = createExportedLog({ path, last: log.last, later: eventLog, upTo });
          // The export has archived events, too, and does not say which.
          const eventStore = createEventLog({ store, archive: archive.events, vault });
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

type Scratch = MaintenanceConnection<Database> &
  Pick<Parameters<typeof rebuildReadModel>[1], 'eventStore' | 'vault'>;

async function replay(model: AnyReadModel, scratch: Scratch): Promise<ReplayedModel> {
  const { name } = model;
  try {
    await rebuildReadModel(name, { ...scratch, isScratch: true });
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
