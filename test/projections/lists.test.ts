import { expect } from 'chai';
import { sql } from 'kysely';
import type { ListSnapshot } from '../../application/ports/listSnapshot.ts';
import { createLists, type ListFilter, type Lists } from '../../projections/engine/lists.ts';
import type { ListedTable } from '../../projections/engine/snapshots.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

const citizens: ListedTable = { table: 'citizen_search', time: 'enrolled_at', key: 'civil_id' };
const ROWS = 25_000;
const idOf = (number: number) => `1${String(number).padStart(11, '0')}`;

const everybody: ListFilter = { id: '', where: sql`true`, by: 'walk' };
const common: ListFilter = { id: 'common', where: sql`name_index @@ 'common'`, by: 'search' };
const rare: ListFilter = { id: 'rare', where: sql`name_index @@ 'rare'`, by: 'search' };
const sparse: ListFilter = { ...rare, by: 'sparse' };

describe('A list', function () {
  this.timeout(60_000);
  let side: ReadSide;
  let lists: Lists;
  let elapsed = 0;

  before(async () => {
    side = await openReadSide();
    // Two rows of each time; every third has a common name, every thousandth a rare one.
    await sql`
      insert into citizen_search
      select
        (100000000000 + n)::text, timestamptz '2026-01-01' + (n / 2) * interval '1 minute',
        case when n % 1000 = 0 then 'common rare' when n % 3 = 0 then 'common' else 'other' end::tsvector, 0
      from generate_series(1, ${ROWS}) as n
    `.execute(side.database);
    await sql`analyze citizen_search`.execute(side.database);
  });

  after(() => side.close());

  beforeEach(() => {
    elapsed = 0;
    lists = createLists({ database: side.database, elapsed: () => elapsed });
  });

  afterEach(() => lists.stop());

  const keys = (filter: ListFilter, limit: number, offset: number, of = lists) =>
    of.keys(citizens, filter, { limit, offset });

  const isCommon = (number: number) => number % 3 === 0 || number % 1000 === 0;

  /** All numbers a filter has, the latest first. */
  function expected(has: (number: number) => boolean): readonly string[] {
    return Array.from({ length: ROWS }, (_, at) => ROWS - at)
      .filter(has)
      .map(idOf);
  }

  /** Asks until it was counted. */
  async function counted(filter: ListFilter): Promise<number> {
    let total = 0;
    await eventually(async () => {
      const found = await keys(filter, 1, 0);
      total = found.total;
      expect([1000, 5000]).not.to.include(found.total);
    });
    return total;
  }

  it('too long to be counted at once says so, and is counted meanwhile', async () => {
    expect(await keys(everybody, 2, 0)).to.deep.include({
      keys: [idOf(ROWS), idOf(ROWS - 1)],
      total: 5000,
      isTotalExact: false,
    });
    expect(await counted(everybody)).to.equal(ROWS);
    expect((await keys(everybody, 1, 0)).isTotalExact).to.equal(false);
  });

  it('has the same pages before and after it was counted', async () => {
    const all = expected(() => true);
    const offsets = [0, 1, 2, 3, 4, 99, 12_345, ROWS - 5, ROWS - 1, ROWS, ROWS + 1, 1_000_000];
    for (const isCounted of [false, true]) {
      if (isCounted) await counted(everybody);
      for (const offset of offsets) {
        const fresh = isCounted ? lists : createLists({ database: side.database });
        const page = await keys(everybody, 7, offset, fresh);
        expect(page.keys, `${offset} ${isCounted}`).to.deep.equal(all.slice(offset, offset + 7));
        await fresh.stop();
      }
    }
  });

  it('searched for is sorted when it is short, walked when it is long', async () => {
    const long = expected(isCommon);
    expect(await keys(common, 3, 0)).to.deep.include({
      keys: long.slice(0, 3),
      total: 1000,
      isTotalExact: false,
    });
    expect(await counted(common)).to.equal(long.length);
    for (const offset of [0, 1, 4999, 7000, long.length - 2, long.length]) {
      const page = await keys(common, 10, offset);
      expect(page.keys, String(offset)).to.deep.equal(long.slice(offset, offset + 10));
    }
    const short = expected((number) => number % 1000 === 0);
    expect(await keys(rare, 10, 20)).to.deep.include({
      keys: short.slice(20),
      total: 25,
      isTotalExact: true,
    });
  });

  it('of few among many ends exactly with a page that is not full', async () => {
    const short = expected((number) => number % 1000 === 0);
    const whole = { keys: short, total: 25, isTotalExact: true };
    expect(await keys(sparse, 50, 0)).to.deep.include(whole);
    expect(await keys(sparse, 10, 20)).to.deep.include({ total: 25, isTotalExact: true });
    expect(await keys(sparse, 10, 10)).to.deep.include({ total: 20, isTotalExact: false });
    expect((await keys({ ...sparse, id: 'beyond' }, 10, 30)).keys).to.deep.equal([]);
  });

  for (const [name, filter] of [
    ['walked', everybody],
    ['searched', common],
  ] as const) {
    it(`${name} shows what came since it was counted on its first page, and nothing that went`, async () => {
      const total = await counted(filter);
      const [newest, gone] = [idOf(ROWS + 1), (await keys(filter, 1, 0)).keys[0] ?? ''];
      const before = await sql<{ civil_id: string; enrolled_at: Date; name_index: string }>`
        delete from citizen_search where civil_id = ${gone} returning *
      `.execute(side.database);
      const [row] = before.rows;
      await sql`
        insert into citizen_search values (${newest}, '2027-01-01', 'common', 0)
      `.execute(side.database);
      try {
        const page = await keys(filter, 2, 0);
        expect(page.keys).to.have.length(2).and.to.include(newest).and.not.to.include(gone);
        expect(page.total).to.equal(total);
      } finally {
        await sql`delete from citizen_search where civil_id = ${newest}`.execute(side.database);
        await sql`
          insert into citizen_search
          values (${gone}, ${row?.enrolled_at}, ${row?.name_index}::tsvector, 0)
        `.execute(side.database);
      }
    });
  }

  for (const [name, filter] of [
    ['walked', everybody],
    ['searched', common],
    ['of few', sparse],
  ] as const) {
    for (const isCounted of [false, true]) {
      it(`F16: ${name}${isCounted ? ', counted,' : ''} shows no row twice while rows are added`, async () => {
        if (isCounted && name !== 'of few') await counted(filter);
        const own = isCounted ? lists : createLists({ database: side.database });
        const page = (offset: number, snapshot: ListSnapshot | null) =>
          own.keys(citizens, filter, { limit: 5, offset, snapshot });
        const before = (await own.keys(citizens, filter, { limit: 15, offset: 0 })).keys;
        const first = await page(0, null);
        const added = [ROWS + 1, ROWS + 2, ROWS + 3].map(idOf);
        for (const id of added) {
          await sql`
            insert into citizen_search values (${id}, '2027-01-01', 'common rare', 0)
          `.execute(side.database);
        }
        try {
          const second = await page(5, first.snapshot);
          const third = await page(10, first.snapshot);
          expect([...first.keys, ...second.keys, ...third.keys]).to.deep.equal(before);
          // A page of a count that is newer than the snapshot.
          await own.stop();
          elapsed += 20_001;
          await page(0, null);
          await own.stop();
          expect((await page(5, first.snapshot)).keys).to.deep.equal(second.keys);
        } finally {
          await sql`delete from citizen_search where civil_id = any(${added})`.execute(
            side.database,
          );
          await own.stop();
        }
      });
    }
  }

  for (const [name, filter] of [
    ['walked', everybody],
    ['searched', common],
    ['of few', sparse],
  ] as const) {
    for (const isCounted of [false, true]) {
      it(`F16: ${name}${isCounted ? ', counted,' : ''} goes on behind the last row shown, whatever came or went before it`, async () => {
        if (isCounted && name !== 'of few') await counted(filter);
        const asked = new Set<Lists>();
        const page = (offset: number, snapshot: ListSnapshot | null, limit = 5) => {
          // One that was never asked has counted nothing.
          const own = isCounted ? lists : createLists({ database: side.database });
          asked.add(own);
          return own.keys(citizens, filter, { limit, offset, snapshot });
        };
        const before = (await page(0, null, 15)).keys;
        const first = await page(0, null);
        // Its time is that of a clock behind: it came later than rows that are newer.
        const late = `${before[2] ?? ''}0`;
        await sql`
          insert into citizen_search
          select ${late}, enrolled_at, 'common rare', 0 from citizen_search
          where civil_id = ${before[2]}
        `.execute(side.database);
        // To the end of the list, and back.
        const move = (by: string) =>
          sql`
            update citizen_search set enrolled_at = enrolled_at + ${by}::interval
            where civil_id = any(${[before[0], before[3]]})
          `.execute(side.database);
        await move('-1000 days');
        try {
          const second = await page(5, first.snapshot);
          const third = await page(10, second.snapshot);
          expect([...first.keys, ...second.keys, ...third.keys]).to.deep.equal(before);
          expect((await page(10, first.snapshot)).keys).to.deep.equal(third.keys);
        } finally {
          await sql`delete from citizen_search where civil_id = ${late}`.execute(side.database);
          await move('1000 days');
          for (const own of asked) await own.stop();
        }
      });
    }
  }

  it('is counted anew while it is looked at, and forgotten when it is not', async () => {
    await counted(everybody);
    elapsed = 20_001;
    expect((await keys(everybody, 1, 0)).total).to.equal(ROWS);
    await lists.stop();
    elapsed = 80_000;
    expect((await keys(everybody, 1, 0)).total).to.equal(ROWS);
    await lists.stop();
    elapsed = 140_001;
    expect((await keys(everybody, 1, 0)).total).to.equal(5000);
  });
});
