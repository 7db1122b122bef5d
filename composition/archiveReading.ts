import type pg from 'pg';
import type { ArchivedEvents } from '../application/archive/ports/archive.ts';
import type { LoggedEvent } from '../application/ports/eventLog.ts';
import { Unavailable } from '../application/ports/faults.ts';
import type { ObjectStore } from '../application/ports/objectStore.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import { createArchiveCatalog } from '../infrastructure/postgres/archiveCatalog.ts';
import { createArchivedEvents } from '../infrastructure/archive/archivedEvents.ts';
import { createEventEncoding } from '../infrastructure/codec/eventEncoding.ts';
import type { Config } from '../infrastructure/config/config.ts';
import type { Outside } from '../infrastructure/outside/bounds.ts';
import type { Metrics } from '../infrastructure/telemetry/metrics.ts';
import { auditRowOf } from '../projections/audit/audit.ts';
import { openObjectStore } from './objectStores.ts';

/** An object of ten million events may take as long. */
const OBJECT_TIMEOUT_MS = 3_600_000;

/** Opens what reads the archive. */
export function openArchive(
  config: Config,
  pool: pg.Pool,
  resources: { readonly metrics: Metrics; readonly outside: Outside },
) {
  const catalog = createArchiveCatalog(pool);
  const store =
    openObjectStore(config, resources, {
      prefix: 'SVC_ARCHIVE',
      dependency: 'archive',
      folder: 'archive',
      timeoutMs: OBJECT_TIMEOUT_MS,
    }) ?? noStore();
  return { catalog, store, events: createArchivedEvents({ catalog, store }) };
}

function noStore(): ObjectStore {
  const cause = new Error('Neither SVC_ARCHIVE_DIR nor SVC_ARCHIVE_S3_URL is set.');
  const refuse = () => Promise.reject(new Unavailable('archive', cause));
  return { put: refuse, get: refuse, remove: refuse };
}

/** Rows of the audit of what is archived, made from the events. */
export function archivedAudit(events: ArchivedEvents, vault: PersonalDataVault) {
  const { decodeWithoutPersonalData } = createEventEncoding({ vault });
  const rowOf = (event: LoggedEvent) => auditRowOf(decodeWithoutPersonalData(event));
  return {
    withId: async (eventId: string) => {
      const event = await events.withId(eventId);
      return event === null ? null : rowOf(event);
    },
    async *between(after: bigint, upTo: bigint) {
      for await (const some of events.between(after, upTo)) yield some.map(rowOf);
    },
  };
}
