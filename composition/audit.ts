import { auditRoutes } from '../api/admin/auditRoutes.ts';
import type { OperatorGuards } from '../api/admin/guard.ts';
import { exportEvents } from '../infrastructure/export/exportEvents.ts';
import { createAuditCsv } from '../infrastructure/postgres/auditCsv.ts';
import { failingFast } from '../infrastructure/postgres/availability.ts';
import { createAuditTrail } from '../projections/audit/auditTrail.ts';
import { createAuditChanges } from '../projections/audit/changes.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

/** The audit of all commands: shown, and exported as CSV and as raw events. */
export function composeAudit({ foundation }: Core, guards: OperatorGuards): ServicePart {
  const { database, databaseUrl, eventStore, eventLog } = foundation;
  return {
    routes: auditRoutes({
      guards,
      auditTrail: failingFast(createAuditTrail(database)),
      auditChanges: createAuditChanges(eventStore),
      auditExport: createAuditCsv({ url: databaseUrl }),
      exportEvents: (after) => exportEvents(eventLog, after),
    }),
  };
}
