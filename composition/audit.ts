import { auditRoutes } from '../api/admin/auditRoutes.ts';
import type { OperatorGuards } from '../api/admin/guard.ts';
import { createRequestAudit } from '../api/http/requestAudit.ts';
import { createRequestJournal } from '../application/audit/requestJournal.ts';
import { exportEvents } from '../infrastructure/export/exportEvents.ts';
import { createAuditCsv } from '../infrastructure/postgres/auditCsv.ts';
import { failingFast } from '../infrastructure/postgres/availability.ts';
import { createAuditTrail } from '../projections/audit/auditTrail.ts';
import { createAuditChanges } from '../projections/audit/changes.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

/** The audit of all commands: what requests add to it, shown, and exported as CSV and as raw events. */
export function composeAudit({ foundation, aggregates }: Core, guards: OperatorGuards) {
  const { database, databaseUrl, eventStore, eventLog, clock, log } = foundation;
  const journal = createRequestJournal({
    ...{ accessLog: aggregates.accessLog, clock },
    onFailure: (cause) => log.error({ err: cause }, 'A refused command is not in the audit.'),
  });
  const part: ServicePart = {
    routes: auditRoutes({
      guards,
      auditTrail: failingFast(createAuditTrail(database)),
      auditChanges: createAuditChanges(eventStore),
      auditExport: createAuditCsv({ url: databaseUrl }),
      exportEvents: (after) => exportEvents(eventLog, after),
    }),
    stop: () => journal.settle(),
  };
  return { part, requestAudit: createRequestAudit(journal) };
}
