import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedServer,
  startEmbeddedPostgres,
} from '../../../infrastructure/postgres/embedded.ts';
import type { Bench, Scenario } from './scenario.ts';
import type { ScenarioReport } from './report.ts';

export interface BenchOptions {
  readonly rounds: number;
  readonly wakes: number;
  readonly quick: boolean;
  readonly progress: (text: string) => void;
}

/**
 * Runs scenarios one after the other, each on a PostgreSQL server of its own: fsync and
 * synchronous_commit on, and 2 GB of shared buffers as in the measurements of `performance.md` §2.4
 * (256 MB, and nothing synced, in a quick run).
 */
export async function runScenario(
  scenario: Scenario,
  options: BenchOptions,
): Promise<ScenarioReport> {
  const startedAt = performance.now();
  const directory = await mkdtemp(join(tmpdir(), 'tamga-bench-'));
  // Readable for the database server's own user; otherwise its data would be created elsewhere and
  // stay.
  await chmod(directory, 0o755);
  const endings: (() => Promise<void>)[] = [];
  const notes: string[] = [];
  const progress = (text: string) => options.progress(`${scenario.id} ${text}`);
  let server: Promise<EmbeddedServer> | undefined;
  let databases = 0;

  async function start(): Promise<EmbeddedServer> {
    progress('starting PostgreSQL');
    const started = await startEmbeddedPostgres({
      dataDir: join(directory, 'postgres'),
      flags: [
        ...['-c', 'max_connections=200'],
        ...['-c', `shared_buffers=${options.quick ? '256MB' : '2GB'}`],
        ...['-c', 'max_wal_size=8GB'],
        ...(options.quick ? ['-c', 'fsync=off'] : []),
      ],
    });
    endings.push(() => started.stop());
    return started;
  }

  const bench: Bench = {
    postgres: () => (server ??= start()),
    freshDatabase: async (purpose) => {
      databases += 1;
      return (await bench.postgres()).createDatabase(`${purpose}_${databases}`);
    },
    directory,
    rounds: options.rounds,
    wakes: options.wakes,
    quick: options.quick,
    size: (full, quick) => (options.quick ? quick : full),
    progress,
    note: (text) => {
      notes.push(text);
    },
    atEnd: (stop) => {
      endings.push(stop);
    },
  };

  try {
    const rows = await scenario.run(bench);
    const seconds = (performance.now() - startedAt) / 1000;
    return { id: scenario.id, title: scenario.title, seconds, rows, notes };
  } finally {
    for (const stop of endings.reverse()) await stop();
    await rm(directory, { recursive: true, force: true });
  }
}
