import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { EmbeddedServer } from '../../../infrastructure/postgres/embedded.ts';
import type { ChildServer } from './childServer.ts';
import { processorTime } from './processorTime.ts';

/** Cost of one cycle. */
export interface CycleCost {
  /** Microseconds of processor time. */
  readonly service: number;
  /** Microseconds of processor time. */
  readonly postgres: number;
  /** Statements sent to PostgreSQL, as the service's connections count them. */
  readonly statements: number;
  /** Transactions that wrote: they took a transaction id. */
  readonly commits: number;
  /** All transactions of `pg_stat_database`: reads, and each notification a listener was woken for, are among them. */
  readonly transactions: number;
}

/** Measures loads of a server and its database. */
export interface CostMeter {
  /** @param cyclesOf the number of cycles in the result of the load */
  measure<Result>(
    load: () => Promise<Result>,
    cyclesOf: (result: Result) => number,
  ): Promise<{ readonly result: Result; readonly cost: CycleCost }>;
}

/**
 * Measures what cycles cost on a server with one database.
 *
 * @param server answers `statements` when `counts` is set; otherwise no statements are counted
 */
export function createCostMeter(
  server: ChildServer,
  database: { readonly postgres: EmbeddedServer; readonly url: string },
  { counts }: { readonly counts: boolean },
): CostMeter {
  async function used(): Promise<CycleCost> {
    // Backends report their transactions once a second.
    if (counts) await pause(1100);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ wrote: string; transactions: string }>(
      `select pg_snapshot_xmax(pg_current_snapshot())::text as wrote, xact_commit::text as transactions
       from pg_stat_database where datname = current_database()`,
    );
    await client.end();
    return {
      service: await processorTime(server.pid),
      postgres: await processorTime(database.postgres.pid),
      statements: counts ? await server.ask<number>('statements') : NaN,
      commits: Number(rows[0]?.wrote),
      transactions: Number(rows[0]?.transactions),
    };
  }

  return {
    async measure(load, cyclesOf) {
      const before = await used();
      const result = await load();
      const after = await used();
      const cycles = cyclesOf(result);
      const each = (key: keyof CycleCost) => (after[key] - before[key]) / cycles;
      return {
        result,
        cost: {
          service: each('service'),
          postgres: each('postgres'),
          statements: each('statements'),
          commits: each('commits'),
          transactions: each('transactions'),
        },
      };
    },
  };
}
