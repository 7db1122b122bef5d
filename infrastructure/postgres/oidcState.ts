import { createHash } from 'node:crypto';
import type pg from 'pg';
import {
  type FoundRecord,
  type OidcRecord,
  type OidcState,
  sessionKind,
} from '../../application/openIdConnect/ports/oidcState.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import { failingFast } from './pool.ts';

interface Row {
  readonly payload: string;
  readonly civil_id: string | null;
  readonly consumed_at: Date | null;
}

/** Identifiers have 256 random bits or are not secret: a plain hash resists search. */
function hash(text: string): Buffer;
function hash(text: string | null): Buffer | null;
function hash(text: string | null): Buffer | null {
  return text === null ? null : createHash('sha256').update(text).digest();
}

/** The provider's state in the table `oidc_state`. */
export function createPostgresOidcState({
  pool,
  vault,
}: {
  readonly pool: pg.Pool;
  readonly vault: Pick<PersonalDataVault, 'encrypt' | 'decrypt'>;
}): OidcState {
  async function open({ payload, civil_id, consumed_at }: Row): Promise<FoundRecord | null> {
    const text = await vault.decrypt(civil_id, payload);
    if (text === null) return null;
    return { payload: JSON.parse(text) as FoundRecord['payload'], consumedAt: consumed_at };
  }

  async function findWhere(condition: string, parameters: unknown[]): Promise<FoundRecord | null> {
    const { rows } = await pool.query<Row>(
      `select payload, civil_id, consumed_at from oidc_state
        where kind = $1 and ${condition} and expires_at > $3`,
      parameters,
    );
    return rows[0] === undefined ? null : open(rows[0]);
  }

  return failingFast<OidcState>({
    async put({ kind, id, payload, civilId, clientId, grantId, uid, expiresAt }: OidcRecord) {
      const encrypted = await vault.encrypt(civilId, JSON.stringify(payload));
      await pool.query(
        `insert into oidc_state
           (kind, id_hash, payload, civil_id, client_id, grant_hash, uid_hash, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (kind, id_hash) do update set
           payload = excluded.payload, civil_id = excluded.civil_id,
           client_id = excluded.client_id, grant_hash = excluded.grant_hash,
           uid_hash = excluded.uid_hash, expires_at = excluded.expires_at`,
        [kind, hash(id), encrypted, civilId, clientId, hash(grantId), hash(uid), expiresAt],
      );
    },
    find: (kind, id, now) => findWhere('id_hash = $2', [kind, hash(id), now]),
    findByUid: (kind, uid, now) => findWhere('uid_hash = $2', [kind, hash(uid), now]),
    async consume(kind, id, now) {
      const { rowCount } = await pool.query(
        `update oidc_state set consumed_at = $3
          where kind = $1 and id_hash = $2 and consumed_at is null`,
        [kind, hash(id), now],
      );
      return rowCount === 1;
    },
    async remove(kind, id) {
      await pool.query('delete from oidc_state where kind = $1 and id_hash = $2', [kind, hash(id)]);
    },
    async removeOfGrant(grantId, kind) {
      await pool.query(
        'delete from oidc_state where grant_hash = $1 and ($2::text is null or kind = $2)',
        [hash(grantId), kind ?? null],
      );
    },
    async removeOfClient(clientId, civilId) {
      await pool.query(
        'delete from oidc_state where client_id = $1 and ($2::text is null or civil_id = $2)',
        [clientId, civilId],
      );
    },
    async removeOfCitizen(civilId) {
      const { rowCount } = await pool.query('delete from oidc_state where civil_id = $1', [
        civilId,
      ]);
      return (rowCount ?? 0) > 0;
    },
    async sessionsOf(civilId, now) {
      const { rows } = await pool.query<Row>(
        `select payload, civil_id, consumed_at from oidc_state
          where kind = $1 and civil_id = $2 and expires_at > $3`,
        [sessionKind, civilId, now],
      );
      const found = await Promise.all(rows.map(open));
      return found.flatMap((record) => (record === null ? [] : [record.payload]));
    },
    async removeExpired(now) {
      await pool.query('delete from oidc_state where expires_at <= $1', [now]);
    },
  });
}
