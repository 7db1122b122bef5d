import { sql } from 'kysely';
import type { Identity } from '../../../domain/citizen/events.ts';
import { createPersonalDataVault } from '../../../infrastructure/codec/personalDataVault.ts';
import { createPostgresPersonKeys } from '../../../infrastructure/codec/postgresPersonKeys.ts';
import { createCopyWriter } from '../../../infrastructure/postgres/copyWriter.ts';
import { createDatabase, createPool } from '../../../infrastructure/postgres/pool.ts';
import { registrationIndex } from '../../../projections/models/citizens.ts';
import type { Database } from '../../../projections/database.ts';
import { nameIndex } from '../../../projections/engine/nameIndex.ts';

/** Names with a realistic distribution: a few are frequent, most are rare. */
const firsts =
  'бат болд ган мөнх эрдэнэ цэрэн дорж нар алтан энх оюун сүх төмөр баяр чин даш пүрэв лхагва ням мягмар баасан бямба дава отгон хүрэл тэгш ариун сайн сар уран цэцэг хишиг жаргал амар өлзий тул гэрэл зол од мишээл хонгор тэмүү тэнгис анар номин есүй бадам гом шарав дамба'.split(
    ' ',
  );
const seconds =
  'баатар эрдэнэ сайхан туяа цэцэг жаргал баяр болд хуяг сүрэн маа дулам хүү төмөр зул мөнх очир өлзий бат заяа чимэг гэрэл оргил түшиг билэг саран дорж дагва хорол ванчиг шагдар пэл цогт уул уянга тунгалаг өнө жин рэгзэн янжин шүр зориг мандах тогтох золбоо ганц дэлгэр нэргүй'.split(
    ' ',
  );
const latin: Readonly<Record<string, string>> = {
  а: 'a',
  б: 'b',
  в: 'v',
  г: 'g',
  д: 'd',
  е: 'ye',
  ж: 'j',
  з: 'z',
  и: 'i',
  й: 'i',
  л: 'l',
  м: 'm',
  н: 'n',
  о: 'o',
  ө: 'u',
  п: 'p',
  р: 'r',
  с: 's',
  т: 't',
  у: 'u',
  ү: 'u',
  х: 'kh',
  ц: 'ts',
  ч: 'ch',
  ш: 'sh',
  э: 'e',
  ю: 'yu',
  я: 'ya',
};

export const benchNames: readonly string[] = firsts.flatMap((first) => [
  first,
  ...seconds.map((second) => first + second),
]);

/** Index of a name: `chance` (0..1) of 0 is the most frequent one. */
const nameAt = (chance: number) => Math.floor(benchNames.length * chance ** 2.5);

const toLatin = (name: string) => Array.from(name, (letter) => latin[letter] ?? letter).join('');

/** Civil id by row number; all other fields derive from the number. */
export const civilIdOf = (number: number) => String(300_000_000_000 + number);
export const registrationNumberOf = (number: number) => `хэ${String(number).padStart(8, '0')}`;
export const documentNumberOf = (number: number) =>
  `d0000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
export const serialOf = (number: number) => `4${String(number).padStart(31, '0')}`;

/** Seeded generator of numbers in 0..1. */
export function chances(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const BATCH = 5000;

export interface PeopleTablesOptions {
  readonly url: string;
  readonly masterKey: Uint8Array;
  readonly rows: number;
  readonly progress: (text: string) => void;
}

/**
 * Fills the read tables of citizens, devices and certificates with rows: identities really
 * encrypted, one row in fifty of another status.
 */
export async function fillPeopleTables(options: PeopleTablesOptions): Promise<void> {
  const { url, masterKey, rows, progress } = options;
  const pool = createPool({ url });
  const database = createDatabase<Database>(pool);
  const vault = createPersonalDataVault({ keys: createPostgresPersonKeys({ pool }), masterKey });
  const identityOf = (number: number, [given, surname, family]: readonly number[]): Identity => {
    const name = (at = 0) => benchNames[at] ?? '';
    return {
      givenName: name(given),
      surname: name(surname),
      familyName: name(family),
      givenNameLatin: toLatin(name(given)),
      surnameLatin: toLatin(name(surname)),
      registrationNumber: registrationNumberOf(number),
      birthDate: '1990-01-01',
      gender: 'F',
      geId: number,
    };
  };

  await sql`
    create unlogged table bench_person (civil_id text, enrolled_at timestamptz, given int, surname int, family int);
  `.execute(database);
  await sql`create unlogged table bench_name (id int primary key, cyrillic tsvector, latin tsvector)`.execute(
    database,
  );
  const nobody = identityOf(0, []);
  const none = { ...nobody, surname: '', familyName: '', givenNameLatin: '', surnameLatin: '' };
  const copyWriter = createCopyWriter({ pool });
  const names = await copyWriter.open('bench_name', ['id', 'cyrillic', 'latin']);
  await names.write(
    benchNames.map((name, id) => [
      String(id),
      nameIndex(vault, { ...none, givenName: name }),
      nameIndex(vault, { ...none, givenName: toLatin(name) }),
    ]),
  );
  await names.end();

  const columns = ['civil_id', 'identity', 'registration_index', 'enrolled_at', 'revision'];
  const citizens = await copyWriter.open('citizen_view', columns);
  const persons = await copyWriter.open('bench_person', [
    ...['civil_id', 'enrolled_at', 'given', 'surname', 'family'],
  ]);
  const chance = chances();
  const start = Date.UTC(2020, 0, 1);
  for (let from = 1; from <= rows; from += BATCH) {
    if ((from - 1) % (20 * BATCH) === 0) progress(`sealing citizens, ${from - 1} of ${rows}`);
    const numbers = Array.from({ length: Math.min(BATCH, rows - from + 1) }, (_, at) => from + at);
    const made = await Promise.all(
      numbers.map(async (number) => {
        const chosen = [nameAt(chance()), nameAt(chance()), nameAt(chance())];
        const civilId = civilIdOf(number);
        const identity = JSON.stringify(identityOf(number, chosen));
        return {
          civilId,
          chosen,
          sealed: await vault.encrypt(civilId, identity),
          index: registrationIndex(vault, registrationNumberOf(number)),
          at: new Date(start + number * 60_000).toISOString(),
        };
      }),
    );
    await citizens.write(made.map((row) => [row.civilId, row.sealed, row.index, row.at, '1']));
    await persons.write(made.map((row) => [row.civilId, row.at, ...row.chosen.map(String)]));
  }
  await citizens.end();
  await persons.end();

  progress('filling the other tables');
  // Creates the indexes after the rows: row by row would take minutes.
  const { rows: indexes } = await sql<{ definition: string }>`
    select pg_get_indexdef('citizen_search_names'::regclass) as definition
  `.execute(database);
  const statements = [
    `drop index citizen_search_names`,
    `insert into citizen_search
      select civil_id, enrolled_at, g.cyrillic || g.latin || s.cyrillic || s.latin || f.cyrillic, 1
      from bench_person
      join bench_name g on g.id = given join bench_name s on s.id = surname
      join bench_name f on f.id = family
      order by enrolled_at`,
    indexes[0]?.definition ?? '',
    `insert into device_view
      select 'd0000000-0000-4000-8000-' || lpad(n::text, 12, '0'), (300000000000 + n)::text, 'FCM',
        'token', 'key', '4' || lpad(n::text, 31, '0'), '4' || lpad(n::text, 31, '0'), n % 50 <> 0,
        timestamptz '2020-01-01' + n * interval '1 minute',
        case when n % 50 = 0 then timestamptz '2026-01-01' end, 1
      from generate_series(1, ${rows}) as n`,
    `insert into certificate_view (serial, type, level, key_type, holder_kind, civil_id,
        document_number, authority, issuer, public_key, not_before, not_after, status, fingerprint,
        revocation_reason, revoked_at, superseded_by, revision)
      select '4' || lpad(n::text, 31, '0'), 'SIGN', 'QUALIFIED', 'P-256', 'citizen',
        (300000000000 + n)::text, 'd0000000-0000-4000-8000-' || lpad(n::text, 12, '0'), 'personal',
        'CN=Personal CA', 'key', timestamptz '2020-01-01' + n * interval '1 minute',
        now() + (n - ${rows} / 10) * interval '1 minute',
        case when n % 50 = 1 then 'REVOKED' when n % 50 = 2 then 'SUSPENDED' else 'VALID' end,
        lpad(n::text, 64, '0'), case when n % 50 = 1 then 4 when n % 50 = 2 then 6 end,
        case when n % 50 in (1, 2) then timestamptz '2026-01-01' end, case when n % 50 = 3 then '4' || lpad('1', 31, '0') end, 1
      from generate_series(1, ${rows}) as n`,
    ...['citizen_view', 'citizen_search', 'device_view', 'certificate_view', 'person_key'].map(
      (table) => `vacuum analyze ${table}`,
    ),
    `drop table bench_person, bench_name`,
    `checkpoint`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(database);
  await database.destroy();
}
