import { expect } from 'chai';
import { sql } from 'kysely';
import type { OrganizationStatus } from '../../domain/organization/events.ts';
import type { ListSnapshot, ListSort } from '../../application/ports/listSnapshot.ts';
import { createLists, type Lists } from '../../projections/engine/lists.ts';
import type { AnyRow } from '../../projections/engine/readModel.ts';
import { upsertRows } from '../../projections/engine/rows.ts';
import { gramsOf, searchText } from '../../projections/engine/search.ts';
import type { SortColumn } from '../../projections/engine/snapshots.ts';
import { organizationsReadModel } from '../../projections/models/organizations.ts';
import { createOrganizationPages, organizationSorts } from '../../projections/organizations.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

/** In the order of the alphabet; equal names are told apart by their registers. */
const ordered = [
  ...['100 айл ХХК', 'apple LLC', 'Bat LLC', 'аргал', 'Аргамаг', 'Ёл', 'Жаргал', 'Олон', 'Олон'],
  ...['олон сум', 'Өгөөж', 'Пунцаг', 'Улаан', 'Үлгэр', 'Фото', 'яргуй'],
];
const registerOf = (index: number) => String(1_000_000 + index);

describe('A list that is sorted', function () {
  this.timeout(60_000);
  let side: ReadSide;
  let lists: Lists;

  beforeEach(async () => {
    side = await openReadSide();
    lists = createLists({ database: side.database });
    // Made in another order than that of their names.
    await add(ordered.map((name, index) => organization(registerOf(index), name, index * 7)));
  });

  afterEach(async () => {
    await lists.stop();
    await side.close();
  });

  const add = (rows: readonly AnyRow[]) =>
    upsertRows(side.database, organizationsReadModel, 'organization_view', rows);

  function organization(register: string, name: string, minute: number): AnyRow {
    const search = searchText([register, name, null]);
    return {
      register,
      name,
      name_latin: null,
      status: 'ACTIVE',
      status_before: null,
      registered_at: new Date(Date.UTC(2026, 0, 1, 0, minute % 60, minute)).toISOString(),
      search,
      grams: gramsOf(search),
      folded_names: [],
      revision: 0n,
    };
  }

  const byName = (isDescending: boolean): ListSort => ({ by: 'name', isDescending });

  function page(offset: number, sort: ListSort, snapshot?: ListSnapshot | null, query = '') {
    const pages = createOrganizationPages({ database: side.database, lists });
    return pages.organizationPage({ query, status: null, limit: 4, offset, snapshot, sort });
  }

  /** Names of all pages, each read behind the one before. */
  async function walk(sort: ListSort, between: () => Promise<void> = () => Promise.resolve()) {
    const registers: string[] = [];
    let snapshot: ListSnapshot | null = null;
    for (let offset = 0; ; offset += 4) {
      const found = await page(offset, sort, snapshot);
      if (found.items.length === 0) return registers;
      registers.push(...found.items.map(({ register }) => register));
      ({ snapshot } = found);
      await between();
    }
  }

  const all = ordered.map((_, index) => registerOf(index));

  it('has the order of the Mongolian alphabet in any case, equal names by their keys, and ends the other way around', async () => {
    expect(await walk(byName(false))).to.deep.equal(all);
    expect(await walk(byName(true))).to.deep.equal(all.toReversed());
  });

  it('leads back to the page before', async () => {
    const first = await page(0, byName(false));
    const second = await page(4, byName(false), first.snapshot);
    const third = await page(8, byName(false), second.snapshot);
    const back = await page(4, byName(false), third.snapshot);
    expect(back.items).to.deep.equal(second.items);
    expect((await page(0, byName(false), back.snapshot)).items).to.deep.equal(first.items);
  });

  it('shows no row twice and leaves none out when others come or go meanwhile', async () => {
    let added = 0;
    const registers = await walk(byName(false), async () => {
      added += 1;
      await add([organization(String(2_000_000 + added), 'Аав', 6000 + added)]);
      await sql`delete from organization_view where register = ${registerOf(0)}`.execute(
        side.database,
      );
    });
    expect(registers).to.deep.equal(all);
  });

  it('goes on from its place in another order as if it were read anew', async () => {
    const first = await page(0, byName(false));
    const other = await page(4, byName(true), first.snapshot);
    expect(other.items.map(({ register }) => register)).to.deep.equal(all.toReversed().slice(4, 8));
  });

  it('takes no time from a forged snapshot that the database would refuse', async () => {
    const sort = { by: 'registeredAt', isDescending: false };
    const { snapshot } = await page(0, sort);
    for (const time of ['2026-02-31 00:00:00+00', 'x', '2026-01-01 00:00:00+00:00']) {
      const shown = { time, key: registerOf(0), rows: 4, sort };
      const forged = snapshot && { ...snapshot, shown };
      expect((await page(4, sort, forged)).items).to.have.length(4);
    }
  });

  it('has what a search finds, and how many that is', async () => {
    const found = await page(0, byName(false), null, 'олон');
    expect(found.items.map(({ name }) => name)).to.deep.equal(['Олон', 'Олон', 'олон сум']);
    expect([found.total, found.isTotalExact]).to.deep.equal([3, true]);
  });

  it('is sorted by the time of registration, too, by the earliest', async () => {
    const first = await page(0, { by: 'registeredAt', isDescending: false });
    const times = await sql<{ register: string }>`
      select register from organization_view order by registered_at, register limit 8
    `.execute(side.database);
    const expected = times.rows.map(({ register }) => register);
    const second = await page(4, { by: 'registeredAt', isDescending: false }, first.snapshot);
    expect([...first.items, ...second.items].map(({ register }) => register)).to.deep.equal(
      expected,
    );
  });

  it('of organizations is sorted by what they are, too, and equal ones by their registers', async () => {
    const statuses: readonly OrganizationStatus[] = ['SUSPENDED', 'ACTIVE', 'PENDING'];
    const rows = ordered.map((name, index) => ({
      ...organization(registerOf(index), name, index * 7),
      status: statuses[index % 3],
      revision: 1n,
    }));
    await add(rows);
    const expected = ['ACTIVE', 'PENDING', 'SUSPENDED'].flatMap((status) =>
      all.filter((_, index) => statuses[index % 3] === status),
    );
    expect(await walk({ by: 'status', isDescending: false })).to.deep.equal(expected);
    expect(await walk({ by: 'status', isDescending: true })).to.deep.equal(expected.toReversed());
  });

  it('of organizations is read in the order of an index, whatever it is sorted by', async () => {
    await side.database.transaction().execute(async (transaction) => {
      // The planner sorts so few rows otherwise.
      await sql`set local enable_sort = off`.execute(transaction);
      for (const { value } of Object.values<SortColumn>(organizationSorts)) {
        const { rows } = await sql<{ 'QUERY PLAN': string }>`
          explain select register from organization_view order by ${value}, register limit 4
        `.execute(transaction);
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).to.contain('Index').and.not.to.contain('Sort');
      }
    });
  });
});
