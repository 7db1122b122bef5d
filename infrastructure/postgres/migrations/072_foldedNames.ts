import { type Kysely, type Migration, sql } from 'kysely';

/** Same folding as domain/shared/foldedName.ts. */
const others = 'АВЕЁКМНОРСТУҮХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧ';
const latin = 'ABEEKMHOPCTYYXIJSABEZHIKMNOPTYX';

function folded(name: string): string {
  const capitals = name.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC');
  return Array.from(capitals, (letter) => latin[others.indexOf(letter)] ?? letter)
    .join('')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^ | ?[.\s]*$/gu, '');
}

async function fill(database: Kysely<unknown>): Promise<void> {
  for (let last = ''; ;) {
    const { rows } = await sql<{ register: string; name: string; name_latin: string | null }>`
      select register, name, name_latin from organization_view
      where register > ${last} order by 1 limit 1000
    `.execute(database);
    const end = rows.at(-1);
    if (end === undefined) return;
    const filled = rows.map(({ register, name, name_latin: nameLatin }) => ({
      register,
      folded_names: [name, nameLatin].filter((each) => each !== null).map(folded),
    }));
    await sql`
      update organization_view as t set folded_names = filled.folded_names
      from jsonb_to_recordset(${JSON.stringify(filled)}::jsonb)
        as filled (register text, folded_names jsonb)
      where t.register = filled.register
    `.execute(database);
    last = end.register;
  }
}

/** Organizations by the form of their names that is equal for those which look the same. */
export const foldedNames: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`
      alter table organization_view add column folded_names jsonb not null default '[]'
    `.execute(database);
    await fill(database);
    await sql`
      create index organization_view_folded_names on organization_view
        using gin (folded_names jsonb_path_ops)
    `.execute(database);
  },
};
