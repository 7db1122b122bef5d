import { type Kysely, sql, type Transaction } from 'kysely';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import type { Database } from '../database.ts';
import type { AnyReadModel } from './readModel.ts';

/** Comparison of a read model with the replay of its events. */
export interface Comparison {
  readonly rows: number;
  readonly different: number;
  /** Key of the first row that differs, and the columns; null when all are equal. */
  readonly first: { readonly key: string; readonly columns: readonly string[] } | null;
  /** Number of uncomparable rows by column: of persons whose keys were destroyed. */
  readonly notCompared: Readonly<Record<string, number>>;
}

/** Name of the copy of a read model's running table during its replay. */
export function runningTableOf({ table }: AnyReadModel): string {
  return `${table}_running`;
}

interface Pair {
  readonly key: string;
  readonly civil_id: string | null;
  readonly running: Readonly<Record<string, string | null>>;
  readonly replayed: Readonly<Record<string, string | null>>;
}

const PAGE = 1000;

/** Compares a read model's table with the copy of its running table, both in the schema of the connection. */
export async function compareReadModel(
  database: Kysely<Database> | Transaction<Database>,
  model: AnyReadModel,
  vault: Pick<PersonalDataVault, 'decrypt'>,
): Promise<Comparison> {
  const running = runningTableOf(model);
  const personal = model.personal ?? [];
  const key = sql.ref(model.key);
  const plain = (alias: string) =>
    sql`(to_jsonb(${sql.table(alias)}) - ${sql.val([...personal])}::text[])`;
  const { rows: counted } = await sql<{ rows: bigint; different: bigint }>`
    select count(*) as rows,
      count(*) filter (where ${plain('running')} is distinct from ${plain('replayed')}) as different
    from ${sql.table(running)} as running
    full join ${sql.table(model.table)} as replayed using (${key})`.execute(database);
  const { rows: firsts } = await sql<{
    key: string;
    running: object | null;
    replayed: object | null;
  }>`
    select ${key}::text as key, ${plain('running')} as running, ${plain('replayed')} as replayed
    from ${sql.table(running)} as running
    full join ${sql.table(model.table)} as replayed using (${key})
    where ${plain('running')} is distinct from ${plain('replayed')}
    order by ${key} limit 1`.execute(database);
  const of = await comparePersonal(database, model, vault);
  const [first] = firsts;
  return {
    rows: Number(counted[0]?.rows ?? 0n),
    different: Number(counted[0]?.different ?? 0n) + of.different,
    first:
      first === undefined
        ? of.first
        : { key: first.key, columns: columnsThatDiffer(first.running, first.replayed) },
    notCompared: of.notCompared,
  };
}

function columnsThatDiffer(running: object | null, replayed: object | null): readonly string[] {
  if (running === null) return ['(not in the running table)'];
  if (replayed === null) return ['(only in the running table)'];
  const other = replayed as Record<string, unknown>;
  return Object.entries(running)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(other[name]))
    .map(([name]) => name);
}

/** Ciphertexts of equal columns differ: they are decrypted. */
async function comparePersonal(
  database: Kysely<Database> | Transaction<Database>,
  model: AnyReadModel,
  vault: Pick<PersonalDataVault, 'decrypt'>,
): Promise<Omit<Comparison, 'rows'>> {
  const notCompared: Record<string, number> = {};
  let different = 0;
  let first: Comparison['first'] = null;
  let last = '';
  for (let pairs = await page(); pairs.length > 0; pairs = await page()) {
    for (const pair of pairs) {
      const columns = await differing(pair);
      if (columns.length > 0) {
        different += 1;
        first ??= { key: pair.key, columns };
      }
    }
    last = pairs.at(-1)?.key ?? last;
  }
  return { different, first, notCompared };

  async function page(): Promise<readonly Pair[]> {
    const personal = model.personal ?? [];
    if (personal.length === 0) return [];
    const cells = (alias: string) =>
      sql`jsonb_build_object(${sql.join(
        personal.flatMap((column) => [
          sql.lit(column),
          sql`${sql.ref(`${alias}.${column}`)}::text`,
        ]),
      )})`;
    const { rows } = await sql<Pair>`
      select ${sql.ref(model.key)}::text as key, running.civil_id,
        ${cells('running')} as running, ${cells('replayed')} as replayed
      from ${sql.table(runningTableOf(model))} as running
      join ${sql.table(model.table)} as replayed using (${sql.ref(model.key)})
      where ${sql.ref(model.key)} > ${last} and ${cells('running')} is distinct from ${cells('replayed')}
      order by ${sql.ref(model.key)} limit ${PAGE}`.execute(database);
    return rows;
  }

  async function differing({ civil_id: person, running, replayed }: Pair): Promise<string[]> {
    const columns: string[] = [];
    for (const [column, shown] of Object.entries(running)) {
      const made = replayed[column] ?? null;
      if (shown === made) continue;
      const [left, right] = await Promise.all([open(person, shown), open(person, made)]);
      if (left === null || right === null) notCompared[column] = (notCompared[column] ?? 0) + 1;
      else if (left !== right) columns.push(column);
    }
    return columns;
  }

  /** @returns null for a person whose key is destroyed; the text itself if not encrypted */
  async function open(person: string | null, text: string | null): Promise<string | null> {
    if (text === null) return null;
    try {
      return await vault.decrypt(person, text);
    } catch {
      return text;
    }
  }
}
