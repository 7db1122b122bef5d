import { expect } from 'chai';
import { sql } from 'kysely';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { buffer } from 'node:stream/consumers';
import type { AuditFilter } from '../../application/audit/ports/auditTrail.ts';
import {
  auditCsvFormat,
  auditCsvQuery,
  createAuditCsv,
} from '../../infrastructure/postgres/auditCsv.ts';
import { until } from '../support/assertions/waiting.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';
import * as persons from '../../projections/audit/personOf.ts';

const ROWS = 1000;
const PAGE = 64;

describe('The audit as CSV, in short snapshots', () => {
  let side: ReadSide;
  let client: pg.Client;

  before(async () => {
    side = await openReadSide();
    client = new pg.Client({ connectionString: side.url });
    await client.connect();
    await fill(1, ROWS);
  });

  after(async () => {
    await client.end();
    await side.close();
  });

  /** Details hold what CSV quotes; every third row is denied. */
  async function fill(from: number, to: number): Promise<void> {
    await sql`
      insert into audit_view (position, event_id, stream, type, outcome, actor_kind, actor_id, subject,
        happened_at, details, revision)
      select n * 7, gen_random_uuid(), 'x-1', 'ORG_SEAL', case when n % 3 = 0 then 'DENIED' else 'OK' end,
        'operator', E'=o\n"' || n % 5, 'NTRMN-' || n % 2, '2026-01-01'::timestamptz + n * interval '1 s',
        '{"a": "\\n,\\""}', 0
      from generate_series(${from}::int, ${to}::int) as n`.execute(side.database);
  }

  const open = (filter: AuditFilter, pageRows = PAGE) =>
    createAuditCsv({ url: side.url, vault: side.vault, persons, pageRows }).csv(filter);

  const exported = async (filter: AuditFilter, pageRows = PAGE) =>
    (await buffer(await open(filter, pageRows))).toString();

  /** The same rows by one COPY. */
  const copied = async (where: string) => {
    const query = `copy (${auditCsvQuery(persons, where)}) to stdout with (${auditCsvFormat})`;
    return (await buffer(client.query(copyTo(query)))).toString();
  };

  it('leaves out what operators read where that is not wanted', async () => {
    await sql`update audit_view set type = 'OPERATOR_READ' where position = 7`.execute(
      side.database,
    );
    const typesIn = async (filter: AuditFilter) =>
      (await exported(filter)).match(/[A-Z]+_[A-Z]+/gu);
    const [all, others] = [await typesIn({ reads: true }), await typesIn({ reads: false })];
    expect(all).to.have.length(ROWS);
    expect(all).to.include('OPERATOR_READ');
    expect(others).to.have.length(ROWS - 1);
    expect(others).not.to.include('OPERATOR_READ');
    await sql`update audit_view set type = 'ORG_SEAL' where position = 7`.execute(side.database);
  });

  it('is byte for byte what one COPY gives, wherever the pages end', async () => {
    const whole = await copied('');
    for (const pageRows of [PAGE, ROWS - 1, ROWS, ROWS + 1]) {
      expect((await exported({}, pageRows)) === whole, String(pageRows)).to.equal(true);
    }
    expect(await exported({ outcome: 'DENIED', subject: 'NTRMN-1' })).to.equal(
      await copied(`where outcome = 'DENIED' and subject = 'NTRMN-1'`),
    );
    expect(await exported({ subject: 'nobody' })).to.equal(await copied('where false'));
    expect(await exported({ from: new Date('2026-01-01T00:16:00Z') })).to.equal(
      await copied(`where happened_at >= '2026-01-01T00:16:00Z'`),
    );
  });

  it('ends with the row that was the newest when it began', async () => {
    const before = await copied('');
    const csv = await open({});
    await fill(ROWS + 1, ROWS + 200);
    expect((await buffer(csv)).toString()).to.equal(before);
    await sql`delete from audit_view where position > ${ROWS * 7}`.execute(side.database);
  });

  it('holds no snapshot while it is read slowly, however many pages it has', async () => {
    const rests = async () => {
      const { rows } = await client.query<{ xmin: string | null; state: string }>(
        `select backend_xmin::text as xmin, state from pg_stat_activity
         where application_name = 'tamga audit export' and datname = current_database()`,
      );
      return rows.every(({ xmin, state }) => state === 'idle' && xmin === null);
    };
    const csv = (await open({}, 10))[Symbol.asyncIterator]();
    let pages = 0;
    for (let next = await csv.next(); next.done !== true; next = await csv.next()) {
      pages += 1;
      // The page that is read meanwhile ends, though nobody takes it.
      if (pages % 20 === 1) await until(rests);
    }
    expect(pages).to.be.greaterThan(ROWS / 20);
  });
});
