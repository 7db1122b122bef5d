import type pg from 'pg';
import { Misconfigured } from '../../application/ports/faults.ts';
import { inTransaction, orUnavailable } from '../postgres/pool.ts';
import { deriveMasterKeys, unwrapBytes, wrapBytes } from './encryption.ts';
import { type WrappingKey, type WrappingKeys, wrappingKeyOf } from './wrappingKeys.ts';

/**
 * The generation that new keys are wrapped under, held until the statement ends: a rotation waits for those who write
 * under the former one, and who comes later sees the next.
 */
export const HELD_GENERATION = 'select generation from wrapping_generation for share';

/** Master keys that a process was given, the present one first. */
export type GivenMasterKeys = readonly [Buffer, ...Buffer[]];

/** Keys of a process, by the master keys it was given. */
export interface MasterKeys {
  /** All that is derived is derived from it, whatever the master key is: the first master key of the installation. */
  readonly derivationKey: Buffer;
  readonly wrapping: WrappingKeys;
  /** Wrapped derivation keys, one of each master key in use; none before the installation knows its log. */
  readonly wrapped: readonly WrappedDerivationKey[];
}

/** The derivation key under a master key. */
export interface WrappedDerivationKey {
  readonly generation: number;
  /** Tells master keys apart, and nothing about them. */
  readonly mark: string;
  /** Raw 60 bytes. */
  readonly key: Buffer;
}

interface Row {
  readonly generation: number;
  readonly mark: string;
  readonly derivation_key: Buffer;
}

/** Columns of an outer join without a row. */
interface Nothing {
  readonly mark: null;
}

interface Kept {
  readonly rows: readonly WrappedDerivationKey[];
  readonly current: number;
  /** Fingerprint of the derivation key, by the identity of the log; null: not known yet. */
  readonly fingerprint: string | null;
}

const DERIVATION = Buffer.from('derivation-key', 'utf8');

/** Tells master keys apart, and nothing about them. */
export const masterKeyMark = (masterKey: Uint8Array) => deriveMasterKeys(masterKey).fingerprint;

/** Opens a wrapped derivation key; null: it is wrapped under none of these. */
export function openDerivationKey(
  given: readonly Buffer[],
  { generation, mark, key }: WrappedDerivationKey,
): Buffer | null {
  const masterKey = given.find((each) => masterKeyMark(each) === mark);
  if (masterKey === undefined) return null;
  return unwrapBytes(wrappingKeyOf(masterKey, generation).derivation, DERIVATION, key);
}

/**
 * Finds which of the given master keys are those of this installation. Changes nothing.
 *
 * @throws Misconfigured when one that is in use was not given
 * @throws Unavailable(database)
 */
export async function readMasterKeys(pool: pg.Pool, given: GivenMasterKeys): Promise<MasterKeys> {
  const kept = await load(pool);
  if (kept.rows.length === 0) return sole(pool, given, kept.fingerprint);
  const state = stateOf(given, kept);
  const [derivationKey] = kept.rows.flatMap((row) => openDerivationKey(given, row) ?? []);
  if (derivationKey === undefined) throw notGiven(kept.rows, kept.rows[0]);
  return { derivationKey, wrapping: following(pool, given, state), wrapped: kept.rows };
}

/** Records the first master key, once it is known to be the installation's. */
export async function recordMasterKey(
  pool: pg.Pool,
  { derivationKey, wrapping, wrapped }: MasterKeys,
): Promise<void> {
  if (wrapped.length > 0 || (await load(pool)).fingerprint === null) return;
  const { generation, mark, key } = wrapDerivationKey(derivationKey, derivationKey, 0);
  await orUnavailable('database', () =>
    pool.query('insert into master_key values ($1, $2, $3) on conflict do nothing', [
      ...[generation, mark, key],
    ]),
  );
  await wrapping.refresh();
}

/**
 * Lets all keys made from now on be wrapped under the first of the given master keys. Repeated it changes nothing.
 *
 * @throws Misconfigured as {@link readMasterKeys}
 */
export async function beginGeneration(pool: pg.Pool, given: GivenMasterKeys): Promise<void> {
  const { derivationKey, wrapped } = await readMasterKeys(pool, given);
  const [masterKey] = given;
  await orUnavailable('database', () =>
    inTransaction(pool, async (client) => {
      // Waits for those who write under the present generation.
      const { rows } = await client.query<{ generation: number }>(
        'select generation from wrapping_generation for update',
      );
      const current = rows[0]?.generation ?? 0;
      const isCurrent = wrapped.some(
        ({ generation, mark }) => generation === current && mark === masterKeyMark(masterKey),
      );
      if (isCurrent) return;
      const next = wrapDerivationKey(masterKey, derivationKey, current + 1);
      await client.query('insert into master_key values ($1, $2, $3)', [
        ...[next.generation, next.mark, next.key],
      ]);
      await client.query('update wrapping_generation set generation = $1', [next.generation]);
    }),
  );
}

/** Forgets all master keys but the current one, under which everything is wrapped. */
export async function endFormerGenerations(pool: pg.Pool): Promise<void> {
  await orUnavailable('database', () =>
    pool.query(
      'delete from master_key where generation <> (select generation from wrapping_generation)',
    ),
  );
}

function wrapDerivationKey(
  masterKey: Buffer,
  derivationKey: Buffer,
  generation: number,
): WrappedDerivationKey {
  const { derivation } = wrappingKeyOf(masterKey, generation);
  const key = wrapBytes(derivation, DERIVATION, derivationKey);
  return { generation, mark: masterKeyMark(masterKey), key };
}

async function load(pool: pg.Pool): Promise<Kept> {
  return orUnavailable('database', async () => {
    const { rows: found } = await pool.query<{ isMigrated: boolean; isHere: boolean }>(
      `select to_regclass('log_identity') is not null as "isMigrated",
         to_regclass('master_key') is not null as "isHere"`,
    );
    const { isMigrated, isHere } = found[0] ?? { isMigrated: false, isHere: false };
    const fingerprint = isMigrated ? await followedFingerprint(pool) : null;
    // Before the migration that brings it, in a command that migrates nothing.
    if (!isHere) return { rows: [], current: 0, fingerprint };
    const { rows } = await pool.query<(Row | Nothing) & { readonly current: number }>(
      `select master_key.*, wrapping_generation.generation as current
       from wrapping_generation left join master_key on true order by master_key.generation`,
    );
    return {
      rows: rows.flatMap((row) =>
        row.mark === null
          ? []
          : [{ generation: row.generation, mark: row.mark, key: row.derivation_key }],
      ),
      current: rows[0]?.current ?? 0,
      fingerprint,
    };
  });
}

async function followedFingerprint(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ fingerprint: string | null }>(
    'select wrapping_key_fingerprint as fingerprint from log_identity',
  );
  return rows[0]?.fingerprint ?? null;
}

interface State {
  readonly current: WrappingKey;
  readonly byGeneration: ReadonlyMap<number, WrappingKey>;
}

function stateOf(given: readonly Buffer[], { rows, current }: Kept): State {
  const byGeneration = new Map(
    rows.map((row) => {
      const masterKey = given.find((each) => masterKeyMark(each) === row.mark);
      if (masterKey === undefined) throw notGiven(rows, row);
      return [row.generation, wrappingKeyOf(masterKey, row.generation)] as const;
    }),
  );
  const found = byGeneration.get(current);
  if (found === undefined) throw notGiven(rows, undefined);
  return { current: found, byGeneration };
}

function following(pool: pg.Pool, given: GivenMasterKeys, begun: State): WrappingKeys {
  let state = begun;
  return {
    current: () => state.current,
    of: (generation) => state.byGeneration.get(generation),
    async refresh() {
      const kept = await load(pool);
      if (kept.rows.length > 0) state = stateOf(given, kept);
    },
  };
}

/** Before the first master key is recorded. */
function sole(pool: pg.Pool, given: GivenMasterKeys, fingerprint: string | null): MasterKeys {
  const [first] = given;
  const derivationKey =
    fingerprint === null ? first : given.find((each) => masterKeyMark(each) === fingerprint);
  if (derivationKey === undefined) {
    throw new Misconfigured(
      `SVC_SW_MASTER_KEY is not the key of this installation (its fingerprint is ${fingerprint ?? ''}, here it is ${masterKeyMark(first)}). Set the key of the installation.`,
    );
  }
  const current = wrappingKeyOf(derivationKey, 0);
  const byGeneration = new Map([[0, current]]);
  const wrapping = following(pool, given, { current, byGeneration });
  return { derivationKey, wrapping, wrapped: [] };
}

function notGiven(rows: Kept['rows'], row: WrappedDerivationKey | undefined): Misconfigured {
  const isFormer = row !== undefined && row !== rows.at(-1);
  return new Misconfigured(
    isFormer
      ? `A master key of this installation is missing (fingerprint ${row.mark}), and its rotation is not finished. Set it as SVC_SW_MASTER_KEY_PREVIOUS until ./tamga master-key rotate tells you to remove it.`
      : `SVC_SW_MASTER_KEY is not the key of this installation (fingerprint ${row?.mark ?? rows.at(-1)?.mark ?? 'unknown'}). Set the key of the installation.`,
  );
}
