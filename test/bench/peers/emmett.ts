import type { Event } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import pg from 'pg';
import { eventually } from '../../support/assertions/eventually.ts';

type BenchEvent = Event<'SessionStarted', Record<string, unknown>>;

/** Emmett's PostgreSQL store as a peer: its own tables, its own connection pool, defaults throughout. */
export interface EmmettPeer {
  /** Appends `count` events to a new stream. */
  append(stream: string, count?: number): Promise<void>;
  /** Folds a stream with `aggregateStream`. @returns number of events */
  fold(stream: string): Promise<number>;
  close(): Promise<void>;
}

type Parser = (value: string) => unknown;
const { INT8, JSON: json, JSONB } = pg.types.builtins;
const readByEmmett = [INT8, json, JSONB];
const parsers = () =>
  readByEmmett.map((type) => ({ type, parser: pg.types.getTypeParser(type) as Parser }));
const setParsers = (values: ReturnType<typeof parsers>) => {
  for (const { type, parser } of values) pg.types.setTypeParser(type, parser);
};
/** Parsers of types that Emmett sets for every client of the process, once, when first connected. */
let parsersOfEmmett: ReturnType<typeof parsers> | undefined;

/**
 * Connects Emmett and migrates its schema. `data` is the payload of every event. Until it is closed, every client of
 * the process that has no parsers of its own reads types as Emmett does.
 */
export async function startEmmett(
  url: string,
  data: Readonly<Record<string, unknown>>,
): Promise<EmmettPeer> {
  const before = parsers();
  if (parsersOfEmmett !== undefined) setParsers(parsersOfEmmett);
  const store = getPostgreSQLEventStore(url);
  parsersOfEmmett = parsers();
  await store.schema.migrate();
  return {
    append: async (stream, count = 1) => {
      const events = Array.from({ length: count }, (): BenchEvent => ({
        type: 'SessionStarted',
        data,
      }));
      await store.appendToStream(stream, events, {
        expectedStreamVersion: 'STREAM_DOES_NOT_EXIST',
      });
    },
    fold: async (stream) => {
      const { state } = await store.aggregateStream<{ count: number }, BenchEvent>(stream, {
        initialState: () => ({ count: 0 }),
        evolve: (state: { count: number }) => ({ count: state.count + 1 }),
      });
      return state.count;
    },
    close: async () => {
      await store.close();
      await untilUnused(url);
      setParsers(before);
    },
  };
}

/** Waits until the database has no other connection: Emmett does not wait for those it ends, which a stopping server cuts. */
async function untilUnused(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await eventually(async () => {
      const { rows } = await client.query<{ others: string }>(
        'select count(*) as others from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      if (Number(rows[0]?.others) > 0) throw new Error(`${rows[0]?.others} connections are open.`);
    });
  } finally {
    await client.end();
  }
}
