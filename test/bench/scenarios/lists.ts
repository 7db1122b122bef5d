import { randomBytes } from 'node:crypto';
import { createDatabase, createPool } from '../../../infrastructure/postgres/pool.ts';
import type { Database } from '../../../projections/database.ts';
import { openHttp, requestBytes } from '../support/httpConnection.ts';
import { measured, type Row, row } from '../support/measure.ts';
import {
  benchNames,
  chances,
  civilIdOf,
  documentNumberOf,
  fillPeopleTables,
  registrationNumberOf,
  serialOf,
} from '../support/peopleTables.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { startBenchService } from '../support/service.ts';
import { latencyOf } from '../support/statistics.ts';

/** Lists and searches of the operator API: first pages with any filter, and distant pages. */
export const listsScenario: Scenario = { id: 'LISTS', title: 'Operators’ lists and searches', run };

const LIMIT = 50;

async function run(bench: Bench): Promise<readonly Row[]> {
  const rows = bench.size(1_000_000, 2000);
  const url = await bench.freshDatabase('lists');
  const masterKey = randomBytes(32);
  const adminKey = randomBytes(24).toString('base64url');
  const service = await startBenchService(bench, {
    databaseUrl: url,
    citizens: 0,
    environment: {
      SVC_SW_MASTER_KEY: masterKey.toString('base64'),
      SVC_ADMIN_API_KEY: adminKey,
    },
  });
  bench.atEnd(() => service.stop());
  await fillPeopleTables({ url, masterKey, rows, progress: bench.progress });

  const connection = await openHttp({ port: service.main.port });
  bench.atEnd(() => {
    connection.close();
    return Promise.resolve();
  });
  const ask = async (path: string) => {
    const sentAt = performance.now();
    const answer = await connection.send(
      requestBytes('GET', `/v3/admin${path}`, { 'x-admin-key': adminKey }),
    );
    if (answer.status !== 200) {
      throw new Error(`${path} was answered ${answer.status}: ${answer.body.toString('utf8')}`);
    }
    return {
      took: answer.receivedAt - sentAt,
      body: JSON.parse(answer.body.toString('utf8')) as Listed,
    };
  };
  /** 99th percentile of sequential requests, ms. */
  const p99 = async (paths: () => string) => {
    const requests = bench.size(400, 40);
    const samples: number[] = [];
    for (let request = 0; request < requests; request += 1) {
      samples.push((await ask(paths())).took);
    }
    return latencyOf(samples).p99;
  };

  const chance = chances(7);
  const filters = filterPaths(chance, rows);
  const names = namePaths(chance);
  const far = farPaths(bench.size(100_000, 500));
  bench.progress('warming up');
  for (let request = 0; request < 100; request += 1) await ask(filters());
  for (const path of far) await counted(ask, path);

  const plain = createPlainList(url);
  bench.atEnd(plain.stop);
  const runs = {
    filters: [] as number[],
    names: [] as number[],
    far: [] as number[],
    plain: [] as number[],
    plainFar: [] as number[],
  };
  let farAt = 0;
  for (let round = 1; round <= bench.rounds; round += 1) {
    bench.progress(`round ${round}/${bench.rounds}`);
    runs.filters.push(await p99(filters));
    runs.names.push(await p99(names));
    runs.far.push(await p99(() => far[farAt++ % far.length] ?? ''));
    runs.plain.push(await plain.p99(0));
    runs.plainFar.push(await plain.p99(bench.size(100_000, 500)));
  }
  bench.note(
    `${rows} citizens, devices and certificates each, pages of ${LIMIT}, one request at a time.`,
  );
  bench.note(
    'Plain SQL: valid certificates by Kysely with limit, offset and count(*), without HTTP and without identities.',
  );
  bench.note(
    'Names and beginnings of names are drawn anew for each request; far pages have been counted.',
  );
  return [
    row(
      'first page, any filter, p99',
      'ms',
      { subject: measured('lists', runs.filters) },
      { goal: { atMost: 5 } },
    ),
    row(
      'first page, names never asked for, p99',
      'ms',
      { subject: measured('names', runs.names) },
      { goal: { atMost: 5 } },
    ),
    row(
      'page at offset 100,000, p99',
      'ms',
      { subject: measured('far pages', runs.far) },
      { goal: { atMost: 10 } },
    ),
    row('first page with its total, p99', 'ms', {
      subject: measured('lists', runs.filters),
      peer: measured('plain SQL', runs.plain),
    }),
    row('page at offset 100,000 with its total, p99', 'ms', {
      subject: measured('far pages', runs.far),
      peer: measured('plain SQL', runs.plainFar),
    }),
  ];
}

/** Requests of the plain list per round: each counts all rows. */
const PLAIN_REQUESTS = 50;

/** The list of ADR 45's alternative: one statement for the page, one for the total. */
function createPlainList(url: string) {
  const database = createDatabase<Database>(createPool({ url }));
  return {
    p99: async (offset: number) => {
      const samples: number[] = [];
      for (let request = 0; request < PLAIN_REQUESTS; request += 1) {
        const startedAt = performance.now();
        const valid = database.selectFrom('certificate_view').where('status', '=', 'VALID');
        const page = valid.select('serial').orderBy('not_after', 'desc').orderBy('serial', 'desc');
        await Promise.all([
          page.limit(LIMIT).offset(offset).execute(),
          valid.select(({ fn }) => fn.countAll().as('total')).execute(),
        ]);
        samples.push(performance.now() - startedAt);
      }
      return latencyOf(samples).p99;
    },
    stop: () => database.destroy(),
  };
}

interface Listed {
  readonly items: readonly unknown[];
  readonly total: number;
  readonly totalIsExact: boolean;
}

const part = `limit=${LIMIT}`;

/** Every list with every filter but names, in turn; identifiers are drawn at random. */
function filterPaths(chance: () => number, rows: number): () => string {
  const number = () => 1 + Math.floor(chance() * rows);
  const statuses = ['REQUESTED', 'VALID', 'SUPERSEDED', 'SUSPENDED', 'EXPIRED', 'REVOKED'];
  const q = (text: string) => `q=${encodeURIComponent(text)}`;
  const paths: readonly (() => string)[] = [
    () => `/users?${part}`,
    () => `/users?${part}&${q(`PNOMN-${civilIdOf(number())}`)}`,
    () => `/users?${part}&${q(registrationNumberOf(number()).toUpperCase())}`,
    () => `/users?${part}&${q(documentNumberOf(number()))}`,
    () => `/devices?${part}`,
    () => `/devices?${part}&active=true`,
    () => `/devices?${part}&active=false`,
    () => `/devices?${part}&${q(documentNumberOf(number()))}`,
    () => `/devices?${part}&${q(`PNOMN-${civilIdOf(number())}`)}`,
    () => `/certificates?${part}`,
    ...statuses.map((status) => () => `/certificates?${part}&status=${status}`),
    () => `/certificates?${part}&${q(serialOf(number()))}`,
    () => `/certificates?${part}&${q(documentNumberOf(number()))}&status=VALID`,
    () => `/certificates?${part}&${q(registrationNumberOf(number()))}`,
  ];
  let at = 0;
  return () => paths[at++ % paths.length]?.() ?? '';
}

/** Searches by name: whole names, prefixes of every length, two words. */
function namePaths(chance: () => number): () => string {
  const name = () => benchNames[Math.floor(benchNames.length * chance() ** 2)] ?? '';
  const beginning = () => name().slice(0, 1 + Math.floor(chance() * 8));
  const makes = [name, beginning, () => `${name()} ${name()}`, () => `${beginning()} ${name()}`];
  let at = 0;
  return () => `/users?${part}&q=${encodeURIComponent(makes[at++ % makes.length]?.() ?? '')}`;
}

function farPaths(offset: number): readonly string[] {
  return [
    `/users?${part}&offset=${offset}`,
    `/users?${part}&offset=${offset}&q=${encodeURIComponent('б')}`,
    `/devices?${part}&offset=${offset}`,
    `/devices?${part}&offset=${offset}&active=true`,
    `/certificates?${part}&offset=${offset}`,
    `/certificates?${part}&offset=${offset}&status=VALID`,
  ];
}

/**
 * Repeats a request until the list was counted: until its total is no longer the counting bound.
 */
async function counted(ask: (path: string) => Promise<{ body: Listed }>, path: string) {
  const until = performance.now() + 20_000;
  for (;;) {
    const { body } = await ask(path.replace(/&offset=\d+/, ''));
    if (body.totalIsExact || ![1000, 5000].includes(body.total)) return;
    if (performance.now() > until) throw new Error(`${path} was not counted in time.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
