import type { Readable } from 'node:stream';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { AuditExport } from '../../application/ports/auditExport.ts';
import type { AuditFilter } from '../../application/ports/auditTrail.ts';
import { Overloaded } from '../../application/ports/faults.ts';
import { orUnavailable } from './availability.ts';

export interface AuditCsvOptions {
  readonly url: string;
  /** Exports at a time at most, each with a connection of its own; default 4. */
  readonly atOnce?: number;
}

const CONNECT_TIMEOUT_MS = 5000;
/** COPY takes no parameters: they are settings of its transaction. */
const SETTING = 'tamga.audit_';

/** Each filter as SQL; `$` stands for its value as text. */
const conditions: Readonly<Record<keyof AuditFilter, string>> = {
  type: 'type = $',
  subject: 'subject = $',
  actor: 'actor_id = $',
  outcome: 'outcome = $',
  from: 'happened_at >= $::timestamptz',
  to: 'happened_at < $::timestamptz',
};
/** As projections/audit/conditions.ts has it. */
const ofPerson = `position in (
  select position from audit_view where person = $
  union all
  select position from audit_view where subject in (
    select $
    union all select document_number collate "C" from device_view where civil_id = substr($, 7)
    union all select serial collate "C" from certificate_view where civil_id = substr($, 7)
  )
)`;

/** What spreadsheets take for the beginning of a formula (OWASP, CSV Injection). */
const guarded = (column: string) =>
  `case when left(${column}, 1) in ('=', '+', '-', '@', E'\\t', E'\\r', E'\\n')
   then '''' || ${column} else ${column} end`;

/** Columns are added at the end only: others read them by their place. */
const columns = [
  `position as "position"`,
  `event_id as "eventId"`,
  `to_char(happened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "at"`,
  `type as "type"`,
  `outcome as "outcome"`,
  `actor_kind as "actorKind"`,
  `${guarded('actor_id')} as "actorId"`,
  `capability as "capability"`,
  `${guarded(`nullif(subject, '-')`)} as "subject"`,
  `person as "person"`,
  `${guarded('request_id')} as "requestId"`,
  `ip as "ip"`,
  `details::text as "details"`,
];

export const auditCsvFormat = `format csv, header true, encoding 'UTF8'`;

/** The rows of the CSV, on one line. @param wanted a WHERE clause, or nothing */
export function auditCsvQuery(wanted = ''): string {
  const query = `select ${columns.join(', ')} from audit_view ${wanted} order by position`;
  return query.replaceAll(/\s+/g, ' ');
}

/** The audit's CSV, made by PostgreSQL itself and handed on as it comes. */
export function createAuditCsv({ url, atOnce = 4 }: AuditCsvOptions): AuditExport {
  let running = 0;

  async function open(filter: AuditFilter): Promise<Readable> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'tamga audit export',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('begin isolation level repeatable read read only');
      const wanted = await prepare(client, filter);
      const copy = client.query(
        copyTo(`copy (${auditCsvQuery(wanted)}) to stdout with (${auditCsvFormat})`),
      );
      // A query that is not over is given up with its connection; PostgreSQL then looks whether anybody listens.
      copy.once('close', () => void client.end().catch(() => undefined));
      await firstBytes(copy);
      return copy;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  return {
    async csv(filter) {
      if (running >= atOnce) throw new Overloaded('audit exports');
      running += 1;
      try {
        const copy = await orUnavailable('database', () => open(filter));
        copy.once('close', () => (running -= 1));
        return copy;
      } catch (error) {
        running -= 1;
        throw error;
      }
    },
  };
}

/** Makes the filter known to the transaction. @returns the condition that uses it */
async function prepare(client: pg.Client, filter: AuditFilter): Promise<string> {
  const settings: Record<string, string> = {
    statement_timeout: '0',
    client_connection_check_interval: '1s',
    // The order of the log is that of an index: sorting would hold back the first byte.
    enable_sort: 'off',
  };
  const wanted: string[] = [];
  for (const [name, value] of Object.entries(filter) as [keyof AuditFilter, string | Date][]) {
    if ((value as unknown) === undefined) continue;
    const text = value instanceof Date ? value.toISOString() : value;
    const isPerson = name === 'subject' && text.startsWith('PNOMN-');
    settings[SETTING + name] = text;
    if (isPerson) delete settings['enable_sort'];
    const condition = isPerson ? ofPerson : conditions[name];
    wanted.push(condition.replaceAll('$', () => `current_setting('${SETTING}${name}')`));
  }
  await client.query(
    'select set_config(name, value, true) from unnest($1::text[], $2::text[]) as s(name, value)',
    [Object.keys(settings), Object.values(settings)],
  );
  return wanted.length === 0 ? '' : `where ${wanted.join(' and ')}`;
}

function firstBytes(copy: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    copy.once('readable', resolve);
    copy.once('error', reject);
  });
}
