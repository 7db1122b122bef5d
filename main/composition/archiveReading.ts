import type pg from 'pg';
import type { ArchivedEvents } from '../../application/archive/ports/archive.ts';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { ObjectStore } from '../../application/ports/objectStore.ts';
import { createArchiveCatalog } from '../../infrastructure/postgres/archiveCatalog.ts';
import { createArchivedEvents } from '../../infrastructure/archive/archivedEvents.ts';
import { createOpenDecoding } from '../../infrastructure/codec/eventEncoding.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import type { Outside } from '../../infrastructure/outside/bounds.ts';
import type { Metrics } from '../../infrastructure/telemetry/metrics.ts';
import { type AuditRow, auditRowOf } from '../../projections/audit/audit.ts';
import { archiveUse, openObjectStore } from './objectStores.ts';

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
      ...archiveUse,
      timeoutMs: OBJECT_TIMEOUT_MS,
    }) ?? noStore();
  return { catalog, store, events: createArchivedEvents({ catalog, store }) };
}

function noStore(): ObjectStore {
  const cause = new Error('Neither SVC_ARCHIVE_DIR nor SVC_ARCHIVE_S3_URL is set.');
  const refuse = () => Promise.reject(new Unavailable('archive', cause));
  return { put: refuse, get: refuse, remove: refuse };
}

/** Rows of the audit of what is archived, made from the events; each has the person any event of its session names. */
export function archivedAudit(events: ArchivedEvents) {
  const { decodeWithoutPersonalData } = createOpenDecoding();
  const rowOf = (event: LoggedEvent) => auditRowOf(decodeWithoutPersonalData(event));
  const personIn = (rows: readonly AuditRow[]) =>
    rows.find(({ person }) => person !== null)?.person ?? null;
  const personOf = async (stream: string) => personIn((await events.ofStream(stream)).map(rowOf));

  /** Rows of some events; a session is looked up again where they are only a part of it. */
  async function rowsOf(some: readonly LoggedEvent[]): Promise<readonly AuditRow[]> {
    const rows = some.map(rowOf);
    const persons = new Map<string, string | null>();
    for (const [stream, own] of byStream(rows)) {
      const isWhole = own.some(({ revision }) => revision === 0n) && own.length > 1;
      persons.set(stream, personIn(own) ?? (isWhole ? null : await personOf(stream)));
    }
    return rows.map((row) => ({ ...row, person: persons.get(row.stream) ?? null }));
  }

  return {
    withId: async (eventId: string) => {
      const event = await events.withId(eventId);
      return event === null ? null : ((await rowsOf([event]))[0] ?? null);
    },
    async *between(after: bigint, upTo: bigint) {
      for await (const some of events.between(after, upTo)) yield await rowsOf(some);
    },
  };
}

function byStream(rows: readonly AuditRow[]): ReadonlyMap<string, readonly AuditRow[]> {
  const streams = new Map<string, AuditRow[]>();
  for (const row of rows) {
    const known = streams.get(row.stream);
    if (known === undefined) streams.set(row.stream, [row]);
    else known.push(row);
  }
  return streams;
}
