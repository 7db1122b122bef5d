import { expect } from 'chai';
import type { OrganizationStatus } from '../../domain/organization/events.ts';
import type { AnyRow } from '../../projections/engine/readModel.ts';
import {
  createOrganizationPages,
  type OrganizationFilter,
} from '../../projections/organizations.ts';
import { createLists, type Lists } from '../../projections/engine/lists.ts';
import { upsertRows } from '../../projections/engine/rows.ts';
import { gramsOf, searchPattern, searchText } from '../../projections/engine/search.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';
import { organizationsReadModel } from '../../projections/models/organizations.ts';

interface Known {
  readonly register: string;
  readonly name: string;
  readonly status: OrganizationStatus;
}

/** More than are walked through in order: some names are everywhere, some rare, one is there once. */
const known = Array.from({ length: 12_000 }, (_, index): Known => {
  const register = `УБ${2_000_000 + index}`;
  const often = index % 3 === 0 ? ' Хангай' : '';
  const rarely = index % 200 === 0 ? ' Өндөр_уул' : '';
  const once = index === 11_111 ? ' 100% Ганц' : '';
  const name = `Тамга ${index}${often}${rarely}${once} ХХК`;
  return { register, name, status: index % 10 === 0 ? 'SUSPENDED' : 'ACTIVE' };
});

describe('A list of many rows', function () {
  this.timeout(60_000);
  let side: ReadSide;
  let lists: Lists;
  let pages: ReturnType<typeof createOrganizationPages>;

  before(async () => {
    side = await openReadSide();
    for (let start = 0; start < known.length; start += 2000) {
      const rows = known.slice(start, start + 2000).map(toRow);
      await upsertRows(side.database, organizationsReadModel, 'organization_view', rows);
    }
    lists = createLists({ database: side.database });
    pages = createOrganizationPages({ database: side.database, lists });
  });

  after(async () => {
    await lists.stop();
    await side.close();
  });

  function toRow({ register, name, status }: Known): AnyRow {
    const search = searchText([register, name, null]);
    return {
      register,
      name,
      name_latin: null,
      status,
      status_before: null,
      revision: 0n,
      registered_at: '2026-01-01T00:00:00.000Z',
      search,
      grams: gramsOf(search),
      folded_names: [],
    };
  }

  const wish = (changes: Partial<OrganizationFilter>): OrganizationFilter => ({
    query: '',
    status: null,
    limit: 20,
    offset: 0,
    ...changes,
  });

  const queries: readonly (readonly [string, (name: string) => boolean])[] = [
    ['everything', () => true],
    ['тамга', () => true],
    ['ХАНГАЙ', (name) => name.includes('Хангай')],
    ['өндөр_уул', (name) => name.includes('Өндөр_уул')],
    ['100%', (name) => name.includes('100%')],
    ['ганц ххк', (name) => name.includes('Ганц')],
    ['11111', (name) => name.includes('11111')],
    ['Ө', (name) => name.includes('Өндөр')],
    ['%', () => false],
    ['хан_ай', () => false],
  ];
  for (const [query, isMeant] of queries) {
    it(`is the same page by page as one looked through row by row: ${query}`, async () => {
      for (const status of [null, 'SUSPENDED'] as const) {
        const meant = known
          .filter((each) => isMeant(each.name) && (status === null || each.status === status))
          .reverse();
        for (const offset of [0, 30, 900, 3990, 11_000]) {
          const wanted = wish({ query: query === 'everything' ? '' : query, status, offset });
          const { items, total, isTotalExact } = await pages.organizationPage(wanted);
          expect(items.map(({ register }) => register)).to.deep.equal(
            meant.slice(offset, offset + 20).map(({ register }) => register),
          );
          if (isTotalExact) expect(total).to.equal(meant.length);
          else expect(total).to.be.at.most(meant.length);
        }
      }
    });
  }

  it('finds text by three letters anywhere and by fewer where a word begins', () => {
    const text = searchText(['Хаан  Банк', null, 'Ö']);
    expect(text).to.equal(' хаан банк ö');
    const isFound = (query: string) => text.includes(searchPattern(query));
    expect(['ААН', 'н ба', 'ба', 'х', 'Ö'].map(isFound)).to.deep.equal(Array(5).fill(true));
    expect(['ан', 'к', 'хаанб'].map(isFound)).to.deep.equal([false, false, false]);
    const grams = gramsOf(text);
    for (const query of ['ААН', 'н ба', 'ба', 'х', 'Ö', 'Хаан банк']) {
      expect(grams).to.include.members([...gramsOf(searchPattern(query))]);
    }
  });
});
