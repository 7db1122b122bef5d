import { type Kysely, type Migration, sql } from 'kysely';

const before = [
  // Existing rows get the true time with the next rebuild of the read model.
  `alter table relying_party_view add column registered_at timestamptz not null default now()`,
  `update relying_party_view set subsystems = (
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', name, 'displayName', null, 'status', 'ACTIVE', 'mergedInto', null, 'firstSeenAt', null
    ) order by place), '[]')
    from jsonb_array_elements_text(subsystems) with ordinality as seen (name, place)
  )`,
  ...['relying_party_view', 'organization_view'].flatMap((table) => [
    `alter table ${table} add column search text not null default ''`,
    `alter table ${table} add column grams jsonb not null default '[]'`,
  ]),
];

const after = [
  ['relying_party_view', 'relying_party_id', 'active'],
  ['organization_view', 'register', 'status'],
].flatMap(([table, key, filter]) => [
  `create index ${table}_registered on ${table} (registered_at, ${key}) include (search)`,
  `create index ${table}_${filter} on ${table} (${filter}, registered_at, ${key}) include (search)`,
  `create index ${table}_grams on ${table} using gin (grams jsonb_path_ops)`,
]);

/** Same folding as projections/engine/search.ts. */
const folded = (text: string) => text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();

function gramsOf(text: string): readonly string[] {
  const letters = Array.from(text);
  const grams = letters.flatMap((letter, start) => [
    ...(letter === ' ' ? [letters.slice(start, start + 2).join('')] : []),
    ...(start + 3 <= letters.length ? [letters.slice(start, start + 3).join('')] : []),
  ]);
  return [...new Set(grams)];
}

/** Fills the search columns of existing rows. @param texts SQL: array of the searchable texts of a row */
async function fill(
  database: Kysely<unknown>,
  table: string,
  key: string,
  texts: string,
): Promise<void> {
  for (let last = ''; ;) {
    const { rows } = await sql<{ key: string; texts: readonly (string | null)[] }>`
      select ${sql.ref(key)} as key, ${sql.raw(texts)} as texts from ${sql.table(table)}
      where ${sql.ref(key)} > ${last} order by 1 limit 1000
    `.execute(database);
    const end = rows.at(-1);
    if (end === undefined) return;
    const filled = rows.map((row) => {
      const search = ` ${row.texts
        .filter((text) => text !== null)
        .map(folded)
        .join(' ')}`;
      return { key: row.key, search, grams: gramsOf(search) };
    });
    await sql`
      update ${sql.table(table)} as t set search = filled.search, grams = filled.grams
      from jsonb_to_recordset(${JSON.stringify(filled)}::jsonb)
        as filled (key text, search text, grams jsonb)
      where t.${sql.ref(key)} = filled.key
    `.execute(database);
    last = end.key;
  }
}

/** Subsystems with a state of their own; lists of relying parties and organizations in order and by text. */
export const partySearch: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    for (const statement of before) await sql.raw(statement).execute(database);
    await fill(
      database,
      ...(['relying_party_view', 'relying_party_id', 'array[name, relying_party_id]'] as const),
    );
    await fill(
      database,
      ...(['organization_view', 'register', 'array[register, name, name_latin]'] as const),
    );
    for (const statement of after) await sql.raw(statement).execute(database);
  },
};
