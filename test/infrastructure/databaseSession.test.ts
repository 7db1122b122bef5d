import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { sessionAt, sessionSettings } from '../../infrastructure/postgres/session.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

/** A value of each setting that changes what the program reads, or how long it may take. */
const hostile: Readonly<Record<string, string>> = {
  timezone: 'Asia/Ulaanbaatar',
  datestyle: 'German',
  intervalstyle: 'sql_standard',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  client_encoding: 'LATIN1',
  standard_conforming_strings: 'off',
  backslash_quote: 'on',
  array_nulls: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  lc_numeric: 'POSIX',
  lc_time: 'POSIX',
  lc_monetary: 'POSIX',
  row_security: 'on',
  gin_fuzzy_search_limit: '1',
  statement_timeout: '1',
  lock_timeout: '1',
  idle_in_transaction_session_timeout: '1',
  idle_session_timeout: '1',
  jit: 'on',
};

const query = `select lower(name) as name, setting from pg_settings where lower(name) = any($1)`;

async function settingsOf(config: pg.ClientConfig): Promise<Record<string, string>> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; setting: string }>(query, [
      Object.keys(sessionSettings),
    ]);
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting.replace(', ', ',')]));
  } finally {
    await client.end();
  }
}

describe('Sessions of the database', function () {
  this.timeout(60_000);
  let url: string;

  before(async () => {
    url = await freshDatabase();
    const { pathname } = new URL(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const [name, value] of Object.entries(hostile)) {
      await client.query(`alter database ${pathname.slice(1)} set ${name} = '${value}'`);
    }
    await client.end();
  });

  it('have a hostile value here for each of their settings', () => {
    expect(Object.keys(hostile)).to.have.members(Object.keys(sessionSettings));
  });

  it('are set, whatever the database, the role and PGOPTIONS say', async () => {
    const { PGOPTIONS } = process.env;
    process.env['PGOPTIONS'] = '-c timezone=Asia/Tokyo -c bytea_output=escape';
    try {
      expect(await settingsOf(sessionAt(url))).to.deep.equal(sessionSettings);
    } finally {
      if (PGOPTIONS === undefined) Reflect.deleteProperty(process.env, 'PGOPTIONS');
      else process.env['PGOPTIONS'] = PGOPTIONS;
    }
  });

  it('keep what the address itself says, and what one connection needs', async () => {
    const address = new URL(url);
    address.searchParams.set('options', '-c work_mem=8MB');
    const { options, connectionString } = sessionAt(address.href, { lock_timeout: 70 });
    expect(options).to.include('-c work_mem=8MB').and.to.include('-c lock_timeout=70');
    expect(connectionString).not.to.include('options');
    expect(await settingsOf(sessionAt(address.href, { lock_timeout: 70 }))).to.include({
      lock_timeout: '70',
      timezone: 'UTC',
    });
  });

  it('give values in the form that the program reads', async () => {
    const pool = createPool({ url });
    const moment = new Date('2026-03-29T01:30:00.123Z');
    const { rows } = await pool.query<Record<string, unknown>>(
      `select $1::timestamptz as moment, $2::bytea as bytes, 0.1::float8 + 0.2::float8 as number,
         ($1::timestamptz)::date::text as day, 'a\\b' as text, $3::text as name`,
      [moment, Buffer.from([0, 255, 92]), 'Энхтуяа'],
    );
    await pool.end();
    expect(rows[0]).to.deep.equal({
      moment,
      bytes: Buffer.from([0, 255, 92]),
      number: 0.1 + 0.2,
      day: '2026-03-29',
      text: 'a\\b',
      name: 'Энхтуяа',
    });
  });

  it('are opened through the one function that sets them', () => {
    const own = ['infrastructure/postgres/session.ts', 'infrastructure/postgres/embedded.ts'];
    const files = [
      'infrastructure',
      'main/composition',
      'application',
      'projections',
      'main/cli',
    ].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(folder, name)),
    );
    const others = files.filter(
      (file) =>
        !own.includes(file) &&
        /\bconnectionString: (?!z\b)|\bconnectionString,? ?\}\)/u.test(readFileSync(file, 'utf8')),
    );
    expect(others).to.deep.equal([]);
  });
});
