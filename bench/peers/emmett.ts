import type { Event } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';

type BenchEvent = Event<'SessionStarted', Record<string, unknown>>;

/** Emmett's PostgreSQL store as a peer: its own tables, its own connection pool, defaults throughout. */
export interface EmmettPeer {
  /** Appends `count` events to a new stream. */
  append(stream: string, count?: number): Promise<void>;
  /** Folds a stream with `aggregateStream`. @returns number of events */
  fold(stream: string): Promise<number>;
  close(): Promise<void>;
}

/** Connects Emmett and migrates its schema. `data` is the payload of every event. */
export async function startEmmett(
  url: string,
  data: Readonly<Record<string, unknown>>,
): Promise<EmmettPeer> {
  const store = getPostgreSQLEventStore(url);
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
    close: () => store.close(),
  };
}
