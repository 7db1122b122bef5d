import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { auditCsvFormat, auditCsvQuery } from '../../../infrastructure/postgres/auditCsv.ts';
import { personOf, subjectsOf } from '../../../projections/audit/personOf.ts';
import { findProgram } from '../peers/pgbench.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { startBenchService } from '../support/service.ts';
import { latencyOf } from '../support/statistics.ts';

/**
 * P8: the whole audit trail as CSV over HTTP compared with psql's `\copy` of the same query, and
 * its first and distant pages.
 */
export const auditExportScenario: Scenario = { id: 'P8', title: 'Audit export', run };

const ADMIN_KEY = 'bench-break-glass-key';
const MIB = 1024 * 1024;
const PAGES = 2000;

async function run(bench: Bench): Promise<readonly Row[]> {
  const rows = bench.size(1_000_000, 5000);
  const databaseUrl = await bench.freshDatabase('audit');
  const environment = { SVC_ADMIN_API_KEY: ADMIN_KEY };
  const service = await startBenchService(bench, { databaseUrl, citizens: 1, environment });
  bench.atEnd(() => service.stop());
  bench.progress(`writing ${rows} rows`);
  await fill(databaseUrl, rows);
  const psql = findProgram('psql');
  if (psql === null) bench.note('psql is not installed: there is no peer.');
  const { pid, port } = service.main;
  const file = join(bench.directory, 'audit.csv');

  const runs = await interleave(
    bench.rounds,
    {
      ours: () => exportOnce(port, pid),
      psql: async () =>
        psql === null ? null : perSecond(rows, () => copy(psql, databaseUrl, file)),
    },
    bench.progress,
  );
  const near = await pages(port, () => `?limit=50&${anyFilter()}`, bench.size(PAGES, 100));
  const far = await pages(port, () => '?limit=50&offset=100000', bench.size(PAGES, 100));
  const rates = runs.ours.map(({ lines, milliseconds }) => (lines / milliseconds) * 1000);
  const peers = runs.psql.filter((rate) => rate !== null);
  bench.note(`${rows} rows, ${Math.round((runs.ours[0]?.bytes ?? 0) / MIB)} MiB of CSV.`);
  return [
    row(
      'audit export over HTTP',
      'rows/s',
      {
        subject: measured('export', rates),
        peer: peers.length === 0 ? undefined : measured('psql \\copy', peers),
      },
      { floor: { atLeast: 0.7 }, goal: { atLeast: 1 } },
    ),
    row(
      'first byte',
      'ms',
      {
        subject: measured(
          'export',
          runs.ours.map(({ firstByteMs }) => firstByteMs),
        ),
      },
      { goal: { atMost: 20 } },
    ),
    row(
      'growth of the process, largest',
      'MiB',
      {
        subject: measured(
          'export',
          runs.ours.map(({ grownBytes }) => grownBytes / MIB),
        ),
      },
      { goal: { atMost: 32 } },
    ),
    row(
      'first page, any filter, p99',
      'ms',
      { subject: measured('page', [near]) },
      { goal: { atMost: 5 } },
    ),
    row(
      'page at offset 100,000, p99',
      'ms',
      { subject: measured('page', [far]) },
      { goal: { atMost: 10 } },
    ),
  ];
}

/** Writes rows as the projector does. */
async function fill(databaseUrl: string, rows: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `insert into audit_view (position, event_id, stream, type, outcome, actor_kind, actor_id, subject,
       person, request_id, ip, happened_at, details, revision)
     select 1000000000 + n, gen_random_uuid(), 'session-' || md5(n::text), types[1 + n % 4],
       case when n % 100 = 0 then 'DENIED' else 'OK' end, 'relyingParty', 'rp-' || n % 50,
       md5(n::text), 'PNOMN-1' || lpad((n % 100000)::text, 11, '0'), gen_random_uuid()::text,
       '192.0.2.' || n % 250, '2026-01-01'::timestamptz + n * interval '100 ms',
       '{"kind": "SIGNATURE", "flow": "NOTIFICATION"}', 0
     from generate_series(1, $1::int) as n,
       (values (array['SESSION_START', 'SESSION_CONFIRM', 'SESSION_REFUSE', 'CERT_ISSUE'])) as t(types)`,
    [rows],
  );
  await client.query('vacuum analyze audit_view');
  await client.end();
}

let asked = 0;

function anyFilter(): string {
  asked += 1;
  const filters = [
    'type=SESSION_CONFIRM',
    `subject=PNOMN-1${String(asked % 100).padStart(11, '0')}`,
    `actor=rp-${asked % 50}`,
    'outcome=DENIED',
    'from=2026-01-01T02:00:00Z&to=2026-01-01T03:00:00Z',
    'limit=50',
  ];
  return filters[asked % filters.length]?.replace('limit=50', '') ?? '';
}

/** p99 of sequential requests, after the lists were counted. */
async function pages(port: number, query: () => string, requests: number): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round < requests + 200; round += 1) {
    const started = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/v3/admin/audit${query()}`, {
      headers: { 'x-admin-key': ADMIN_KEY },
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`The list answered ${response.status}.`);
    if (round >= 200) samples.push(performance.now() - started);
  }
  return latencyOf(samples).p99;
}

async function exportOnce(port: number, pid: number) {
  const before = await residentBytes(pid);
  let largest = before;
  let bytes = 0;
  let lines = -1;
  let firstByteMs = 0;
  const sampler = setInterval(() => {
    void residentBytes(pid).then((now) => (largest = Math.max(largest, now)));
  }, 20);
  const started = performance.now();
  await new Promise<void>((resolve, reject) => {
    const url = `http://127.0.0.1:${port}/v3/admin/audit/export`;
    get(url, { headers: { 'x-admin-key': ADMIN_KEY } }, (response) => {
      response.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - started;
        bytes += chunk.length;
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
      });
      response.on('end', resolve);
      response.on('error', reject);
    }).on('error', reject);
  });
  const milliseconds = performance.now() - started;
  clearInterval(sampler);
  return { bytes, lines, milliseconds, firstByteMs, grownBytes: Math.max(0, largest - before) };
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

async function perSecond(rows: number, work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (rows / (performance.now() - started)) * 1000;
}

async function copy(psql: string, url: string, file: string): Promise<void> {
  const command = `\\copy (${auditCsvQuery({ subjectsOf, personOf })}) to '${file}' with (${auditCsvFormat})`;
  const child = spawn(psql, [url, '-q', '-c', command], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`psql ended with ${String(code)}.`);
}
