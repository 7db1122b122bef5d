import { expect } from 'chai';
import { sql, type Transaction } from 'kysely';
import type { AuditFilter, AuditTrail } from '../../application/audit/ports/auditTrail.ts';
import type { Database } from '../../projections/database.ts';
import { createAuditTrail } from '../../projections/audit/auditTrail.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

const ROWS = 12_345;

/** Rows that the transaction has read of the audit. */
async function rowsRead(transaction: Transaction<Database>): Promise<number> {
  const { rows } = await sql<{ read: bigint }>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as read
    from pg_stat_xact_user_tables where relname like 'audit_view%'`.execute(transaction);
  return Number(rows[0]?.read);
}

describe('Pages of the audit', () => {
  let side: ReadSide;
  let trail: AuditTrail;

  beforeEach(async () => {
    side = await openReadSide();
    trail = createAuditTrail(side.database, side.vault);
    await fill(1, ROWS);
  });

  afterEach(() => side.close());

  /** Every third row is denied; a row a second. */
  async function fill(from: number, to: number): Promise<void> {
    await sql`
      insert into audit_view (position, event_id, stream, type, outcome, actor_kind, actor_id, subject,
        happened_at, details, revision)
      select n * 7, gen_random_uuid(), 'x-1', 'ORG_SEAL', case when n % 3 = 0 then 'DENIED' else 'OK' end,
        'operator', 'o' || n % 5, 'NTRMN-' || n % 2, '2026-01-01'::timestamptz + n * interval '1 s', '{}', 0
      from generate_series(${from}::int, ${to}::int) as n`.execute(side.database);
  }

  const positions = async (filter: AuditFilter, offset: number, limit = 3, isAscending = false) => {
    const { items, total } = await trail.auditEntries(filter, { limit, offset, isAscending });
    return { positions: items.map(({ position }) => Number(position) / 7), total };
  };

  /** Counting goes on behind the first answers. */
  const counted = (filter: AuditFilter, total: number) =>
    eventually(async () => expect((await positions(filter, 0)).total).to.equal(total));

  it('begin where they should, however deep, with an exact total', async () => {
    await counted({}, ROWS);
    for (const offset of [0, 1, 2344, 2345, 2346, 4999, 5000, 7344, 7345, 7346, 12_344]) {
      const newest = ROWS - offset;
      const expected = [newest, newest - 1, newest - 2].filter((n) => n > 0);
      const page = await positions({}, offset);
      expect(page.positions, String(offset)).to.deep.equal(expected);
      await counted({}, ROWS);
    }
    expect((await positions({}, ROWS)).positions).to.deep.equal([]);
  });

  it('b11: guess nothing where they are not counted, and end where the rows do', async () => {
    const uncounted = createAuditTrail(side.database, side.vault, undefined, 0);
    const page = async (offset: number, limit: number) => {
      const { items, total, isTotalExact } = await uncounted.auditEntries({}, { limit, offset });
      return { rows: items.length, total, isTotalExact };
    };
    expect(await page(0, 25)).to.deep.equal({ rows: 25, total: 25, isTotalExact: false });
    expect(await page(50, 25)).to.deep.equal({ rows: 25, total: 75, isTotalExact: false });
    const last = { total: ROWS, isTotalExact: true };
    expect(await page(ROWS - 25, 25)).to.deep.equal({ rows: 25, ...last });
    expect(await page(ROWS - 9, 25)).to.deep.equal({ rows: 9, ...last });
    expect(await page(ROWS, 25)).to.deep.equal({ rows: 0, total: 0, isTotalExact: false });
    // Of the planner's estimate, 31 rows became pages that do not exist.
    await sql`delete from audit_view where position > 9 * 7`.execute(side.database);
    await sql`analyze audit_view`.execute(side.database);
    expect(await page(0, 25)).to.deep.equal({ rows: 9, total: 9, isTotalExact: true });
    const { total } = await uncounted.auditEntries({ subject: 'nobody' }, { limit: 9, offset: 0 });
    expect(total).to.equal(0);
  });

  it('begin with the oldest where that is wished, however deep, and end with the newest of the first page', async () => {
    await counted({}, ROWS);
    const upTo = BigInt(ROWS) * 7n;
    await fill(ROWS + 1, ROWS + 6000);
    for (const offset of [0, 1, 4997, 4998, 4999, 5000, 5001, 9999, 10_000, 12_343, 12_344]) {
      const wished = { limit: 3, offset, isAscending: true, upTo };
      await eventually(async () => {
        const { items, total, isTotalExact } = await trail.auditEntries({}, wished);
        const expected = [offset + 1, offset + 2, offset + 3].filter((n) => n <= ROWS);
        const shown = items.map(({ position }) => Number(position) / 7);
        expect(shown, String(offset)).to.deep.equal(expected);
        expect({ total, isTotalExact }).to.deep.equal({ total: ROWS, isTotalExact: true });
      });
    }
    await counted({}, ROWS + 6000);
    expect((await positions({}, ROWS + 5998, 3, true)).positions).to.deep.equal([18_344, 18_345]);
    expect((await positions({}, ROWS + 6000, 3, true)).positions).to.deep.equal([]);
    const denied = { outcome: 'DENIED' } as const;
    await counted(denied, (ROWS + 6000) / 3);
    expect((await positions(denied, 5001, 2, true)).positions).to.deep.equal([15_006, 15_009]);
    const both = { subject: 'NTRMN-0', actor: 'o0' };
    expect((await positions(both, 1000, 1, true)).positions).to.deep.equal([10_010]);
    const from = new Date(Date.UTC(2026, 0, 1, 0, 0, 100));
    const since = await positions({ from }, 0, 3, true);
    expect(since.positions).to.deep.equal([100, 101, 102]);
  });

  it('with the oldest first are whole while they are being counted, too', async () => {
    const uncounted = createAuditTrail(side.database, side.vault, undefined, 0);
    const page = async (offset: number) => {
      const wished = { limit: 2, offset, isAscending: true };
      const { items, total, isTotalExact } = await uncounted.auditEntries({}, wished);
      const shown = items.map(({ position }) => Number(position) / 7);
      return { shown, total, isTotalExact };
    };
    expect(await page(10_000)).to.deep.equal({
      shown: [10_001, 10_002],
      total: 10_002,
      isTotalExact: false,
    });
    const last = { total: ROWS, isTotalExact: true };
    expect(await page(ROWS - 1)).to.deep.equal({ shown: [ROWS], ...last });
  });

  it('are read from an index without the rows before them, from either end', async () => {
    await fill(ROWS + 1, 100_000);
    await sql`analyze audit_view`.execute(side.database);
    await side.database.transaction().execute(async (transaction) => {
      const one = createAuditTrail(transaction, side.vault);
      const page = (offset: number, isAscending: boolean) =>
        one.auditEntries({}, { limit: 25, offset, isAscending });
      await eventually(async () => expect((await page(0, false)).isTotalExact).to.equal(true));
      for (const isAscending of [true, false]) {
        for (const offset of [0, 50_010, 99_960]) {
          const before = await rowsRead(transaction);
          await page(offset, isAscending);
          const read = (await rowsRead(transaction)) - before;
          // The last of every 5,000 rows is known; those behind it are counted, looked at for the next and skipped.
          expect(read, `${offset} ${isAscending}`).to.be.within(25, 3 * 5000 + 100);
        }
      }
    });
  });

  it('are whole while they are still being counted', async () => {
    const deep = await Promise.all([12_342, 12_344].map((offset) => positions({}, offset)));
    expect(deep.map((page) => page.positions)).to.deep.equal([[3, 2, 1], [1]]);
    for (const { total } of deep) expect(total).to.be.at.least(ROWS);
  });

  it('show what was added since they were counted', async () => {
    await counted({}, ROWS);
    await fill(ROWS + 1, ROWS + 6000);
    await counted({}, ROWS + 6000);
    expect((await positions({}, 0)).positions[0]).to.equal(ROWS + 6000);
    expect((await positions({}, 6000)).positions[0]).to.equal(ROWS);
  });

  it('are those of each filter', async () => {
    const denied = Math.floor(ROWS / 3);
    await counted({ outcome: 'DENIED' }, denied);
    expect((await positions({ outcome: 'DENIED' }, 4000)).positions).to.deep.equal(
      [0, 1, 2].map((step) => (denied - 4000 - step) * 3),
    );
    const both = { subject: 'NTRMN-0', actor: 'o0' };
    await counted(both, Math.floor(ROWS / 10));
    expect((await positions(both, 1000, 1)).positions).to.deep.equal([(1234 - 1000) * 10]);
    const from = new Date(Date.UTC(2026, 0, 1, 0, 0, 100));
    const to = new Date(Date.UTC(2026, 0, 1, 0, 0, 110));
    await counted({ from, to }, 10);
    expect((await positions({ from, to }, 0, 20)).positions).to.deep.equal([
      109, 108, 107, 106, 105, 104, 103, 102, 101, 100,
    ]);
  });

  it('of a person are not compared row by row in a table that has no statistics yet', async () => {
    await sql`truncate audit_view`.execute(side.database);
    await fill(1, 200);
    await sql`update audit_view set person = 'PNOMN-1' where position % 50 = 0`.execute(
      side.database,
    );
    await side.database.transaction().execute(async (transaction) => {
      const { items } = await createAuditTrail(transaction, side.vault).auditEntries(
        { subject: 'PNOMN-1' },
        { limit: 3, offset: 0 },
      );
      expect(items.map(({ position }) => Number(position) / 7)).to.deep.equal([200, 150, 100]);
      expect(await rowsRead(transaction)).to.be.within(200, 200 * 20);
    });
  });

  it('are counted anew when a rebuild puts another table in place', async () => {
    await counted({}, ROWS);
    await sql`alter table audit_view rename to audit_view_old`.execute(side.database);
    await sql`create table audit_view (like audit_view_old including all)`.execute(side.database);
    await fill(1, 20);
    await counted({}, 20);
    expect((await positions({}, 19)).positions).to.deep.equal([1]);
  });
});
