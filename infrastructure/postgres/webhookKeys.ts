import type pg from 'pg';
import { z } from 'zod';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import type { WebhookKey, WebhookKeys } from '../../application/webhooks/ports/webhooks.ts';
import { failingFast } from './pool.ts';

export interface WebhookKeysOptions {
  readonly pool: pg.Pool;
  /** Encrypts them under the key of the platform itself. */
  readonly vault: Pick<PersonalDataVault, 'encrypt' | 'decrypt'>;
  readonly make: () => WebhookKey;
}

interface Row {
  readonly sealed: string;
  readonly publicKey: string;
}

const sealedSchema = z.object({ secret: z.string(), privateKey: z.string() });

/** Keys of relying parties, in the table `webhook_key`: what is secret is encrypted. */
export function createPostgresWebhookKeys({ pool, vault, make }: WebhookKeysOptions): WebhookKeys {
  async function select(relyingPartyId: string, now: Date): Promise<readonly WebhookKey[]> {
    const { rows } = await pool.query<Row>(
      `select sealed, public_key as "publicKey" from webhook_key
       where relying_party_id = $1 and (ends_at is null or ends_at > $2) order by made_at desc`,
      [relyingPartyId, now],
    );
    return Promise.all(
      rows.map(async ({ sealed, publicKey }) => {
        const opened = await vault.decrypt(null, sealed);
        return { ...sealedSchema.parse(JSON.parse(String(opened))), publicKey };
      }),
    );
  }

  /**
   * Adds keys in one statement with the end of those before.
   *
   * @param onlyFirst adds none beside others in force @returns null: nothing was added
   */
  async function add(
    relyingPartyId: string,
    { madeAt, formerUntil, onlyFirst }: { madeAt: Date; formerUntil: Date; onlyFirst: boolean },
  ): Promise<WebhookKey | null> {
    const { secret, publicKey, privateKey } = make();
    const sealed = await vault.encrypt(null, JSON.stringify({ secret, privateKey }));
    const { rowCount } = await pool.query(
      `with former as (
         update webhook_key set ends_at = least(ends_at, $5)
         where relying_party_id = $1 and not $6 returning 1
       )
       insert into webhook_key (relying_party_id, made_at, sealed, public_key)
       select $1, $2, $3, $4
       where not $6 or not exists (
         select from webhook_key where relying_party_id = $1 and (ends_at is null or ends_at > $2))
       on conflict do nothing`,
      [relyingPartyId, madeAt, sealed, publicKey, formerUntil, onlyFirst],
    );
    return rowCount === 0 ? null : { secret, publicKey, privateKey };
  }

  return failingFast<WebhookKeys>({
    async inForce(relyingPartyId, now) {
      const found = await select(relyingPartyId, now);
      if (found.length > 0) return found;
      await add(relyingPartyId, { madeAt: now, formerUntil: now, onlyFirst: true });
      return select(relyingPartyId, now);
    },
    async rotate(relyingPartyId, now, formerUntil) {
      // Keys made in the same millisecond take the next ones: what is answered must be what signs.
      for (let madeAt = now; ; madeAt = new Date(madeAt.getTime() + 1)) {
        const added = await add(relyingPartyId, { madeAt, formerUntil, onlyFirst: false });
        if (added !== null) return added;
      }
    },
  });
}
