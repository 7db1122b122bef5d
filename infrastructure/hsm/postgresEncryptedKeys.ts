import type pg from 'pg';
import { HELD_GENERATION } from '../codec/postgresMasterKeys.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { VaultKeyType } from '../../application/ports/keyVault.ts';
import type { EncryptedKey, EncryptedKeys } from './encryptedKeys.ts';

interface Row {
  readonly label: string;
  readonly type: VaultKeyType;
  readonly public_key: Buffer;
  readonly sealed: Buffer;
}

const COLUMNS = 'label, type, public_key, sealed';

/** Encrypted keys in the table `software_key`; the unique label lets racing processes agree on one key. */
export function createPostgresEncryptedKeys(pool: pg.Pool): EncryptedKeys {
  async function query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    try {
      return (await pool.query<Row>(text, [...values])).rows;
    } catch (error) {
      throw new Unavailable('keyVault', error);
    }
  }

  async function find(label: string): Promise<EncryptedKey | null> {
    const [row] = await query(`select ${COLUMNS} from software_key where label = $1`, [label]);
    return row === undefined
      ? null
      : { label: row.label, type: row.type, publicKey: row.public_key, encrypted: row.sealed };
  }

  return {
    find,
    async keep(key, generation) {
      await query(
        `with held as (${HELD_GENERATION})
         insert into software_key (${COLUMNS})
           select $1, $2, $3, $4 from held where generation = $5
         on conflict (label) do nothing`,
        [key.label, key.type, key.publicKey, key.encrypted, generation],
      );
      return find(key.label);
    },
    async check() {
      await query('select 1');
    },
  };
}
