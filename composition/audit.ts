import { auditRoutes } from '../api/admin/auditRoutes.ts';
import type { OperatorGuards } from '../api/admin/guard.ts';
import { createRequestAudit } from '../api/http/requestAudit.ts';
import { createRequestJournal } from '../application/audit/requestJournal.ts';
import type { AuditFilter } from '../application/ports/auditTrail.ts';
import { exportEvents } from '../infrastructure/export/exportEvents.ts';
import { createAuditCsv } from '../infrastructure/postgres/auditCsv.ts';
import { failingFast } from '../infrastructure/postgres/availability.ts';
import { createAuditTrail } from '../projections/audit/auditTrail.ts';
import { createAuditChanges } from '../projections/audit/changes.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';
import { replayExport, type ReplayReport } from './replay.ts';

/** How long a maintenance command waits for the audit of what happened while nobody projected. */
const CATCH_UP_MS = 600_000;

/** What auditors take away and bring back, on the machine itself. */
export interface AuditExports {
  csv(filter: AuditFilter): Promise<AsyncIterable<Uint8Array>>;
  /** The raw events as JSON Lines. */
  events(): Promise<AsyncIterable<Uint8Array>>;
  /** @param onProgress told what is being looked at */
  replay(path: string, onProgress?: (what: string) => void): Promise<ReplayReport>;
}

/** The audit of all commands: what requests add to it, shown, and exported as CSV and as raw events. */
export function composeAudit({ foundation, aggregates }: Core, guards: OperatorGuards) {
  const { database, databaseUrl, eventStore, eventLog, clock, log, auditProgress } = foundation;
  const auditExport = createAuditCsv({ url: databaseUrl });
  const journal = createRequestJournal({
    ...{ accessLog: aggregates.accessLog, clock },
    onFailure: (cause) => log.error({ err: cause }, 'A refused command is not in the audit.'),
  });
  const part: ServicePart = {
    routes: auditRoutes({
      guards,
      auditTrail: failingFast(createAuditTrail(database)),
      auditChanges: createAuditChanges(eventStore),
      auditExport,
      exportEvents: (after) => exportEvents(eventLog, after),
    }),
    stop: () => journal.settle(),
  };

  /** A maintenance command has only just begun to project. */
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
      await caughtUp();
      return replayExport(foundation, path, onProgress);
    },
  };
  return { part, exports, requestAudit: createRequestAudit(journal) };
}
