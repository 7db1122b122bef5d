import { expect } from 'chai';
import type pg from 'pg';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createPostgresWebhookKeys } from '../../infrastructure/postgres/webhookKeys.ts';
import { newWebhookKey } from '../../infrastructure/webhooks/standardWebhooks.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';

const DAY_MS = 86_400_000;

describe('The keys that events are signed with', () => {
  const now = new Date('2026-06-01T00:00:00.000Z');
  const later = (ms: number) => new Date(now.getTime() + ms);
  let pool: pg.Pool;

  before(async () => {
    pool = createPool({ url: await migratedDatabase(), max: 3 });
  });

  beforeEach(() => pool.query('truncate webhook_key'));

  after(() => pool.end());

  const keys = () =>
    createPostgresWebhookKeys({
      pool,
      make: newWebhookKey,
      vault: {
        encrypt: (_subject, text) => Promise.resolve(text),
        decrypt: (_subject, sealed) => Promise.resolve(sealed),
      },
    });

  it('are made when there is none, once', async () => {
    const { inForce } = keys();
    const made = await inForce('rp', now);
    expect(made).to.have.length(1);
    expect(await inForce('rp', later(1))).to.deep.equal(made);
  });

  it('sign, all of them, that were made in the same millisecond', async () => {
    const { inForce, rotate } = keys();
    const made = await Promise.all([1, 2, 3].map(() => rotate('rp', now, later(DAY_MS))));
    const secrets = (await inForce('rp', later(10))).map(({ secret }) => secret);
    expect(secrets.sort()).to.deep.equal(made.map(({ secret }) => secret).sort());
  });

  it('are made when all have ended', async () => {
    const { inForce, rotate } = keys();
    const former = await rotate('rp', now, now);
    await pool.query('update webhook_key set ends_at = $1', [later(DAY_MS)]);
    const [made] = await inForce('rp', later(2 * DAY_MS));
    expect(made?.secret)
      .to.match(/^whsec_/)
      .and.not.equal(former.secret);
  });
});
