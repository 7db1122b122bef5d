import { expect } from 'chai';
import type pg from 'pg';
import { createPostgresPersonKeys } from '../../infrastructure/codec/postgresPersonKeys.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { copiedTables, readSnapshot } from '../../infrastructure/postgres/tableCopies.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';

async function textOf(rows: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of rows) text += piece.toString('utf8');
  return text;
}

describe('O2: a snapshot of all tables', () => {
  let pool: pg.Pool;

  before(async () => {
    pool = createPool({ url: await migratedDatabase(), max: 6 });
  });

  after(() => pool.end());

  it('has every table there is, whoever added it, but those of the migrations', async () => {
    await pool.query('create table added_later (a int, b int generated always as (a + 1) stored)');
    const { rows } = await pool.query<{ name: string }>(`
      select relname::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname not in ('kysely_migration', 'kysely_migration_lock')`);
    const found = await copiedTables(pool);
    expect(found.map(({ name }) => name)).to.have.members(rows.map(({ name }) => name));
    expect(found.find(({ name }) => name === 'added_later')?.columns).to.deep.equal(['a']);
  });

  it('leaves out what a rebuild or an archive run is filling: no new database has these', async () => {
    await pool.query('create table certificate_view_rebuild (a int)');
    await pool.query('create table event_from_1_copy (a int)');
    const names = (await copiedTables(pool)).map(({ name }) => name);
    expect(names).to.include('certificate_view');
    expect(names).to.not.include.members(['certificate_view_rebuild']);
    expect(names).to.not.include.members(['event_from_1_copy']);
    await pool.query('drop table certificate_view_rebuild, event_from_1_copy');
  });

  it('has the key of a person who is forgotten while it is read, and keeps nobody waiting after', async () => {
    const keys = createPostgresPersonKeys({ pool });
    const subjects = Array.from({ length: 50 }, (_, number) => `person ${number}`);
    await keys.add(new Map(subjects.map((subject) => [subject, Buffer.from(subject)])), 0);
    let forgetting: Promise<void> | undefined;
    const texts = new Map<string, string>();
    await readSnapshot(pool, async ({ name }, rows) => {
      if (forgetting === undefined) {
        expect(name, 'first').to.equal('person_key');
        forgetting = keys.destroy('person 7');
        texts.set(name, await textOf(rows));
        return;
      }
      await forgetting;
      texts.set(name, await textOf(rows));
    });
    expect(texts.get('person_key')?.trimEnd().split('\n')).to.have.length(subjects.length);
    expect(texts.get('person_key')).to.include(
      `person 7\t\\\\x${Buffer.from('person 7').toString('hex')}`,
    );
    expect(texts.get('forgotten_person'), 'of the same moment').to.equal('');
    expect((await keys.find(['person 7'])).get('person 7')).to.equal('destroyed');
  });
});
