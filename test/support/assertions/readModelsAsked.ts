import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import pg from 'pg';
import type { AnyReadModel } from '../../../projections/engine/readModel.ts';
import type { StalenessWatch } from '../../../projections/engine/staleness.ts';

/** Read models that the services of this process ask while they answer requests. */
export interface ReadModelsAsked {
  /** To be laid around the watch of the service. */
  readonly aroundStaleness: (watch: StalenessWatch) => StalenessWatch;
  /** Names of the read models asked since the last call: by a statement that names the table, or for their age. */
  take(): ReadonlySet<string>;
  stop(): void;
}

const REQUEST_STARTS = 'http.server.request.start';

/** Observes this process. Begins before its service opens connections; what no request causes is left out. */
export function observeReadModels(models: readonly AnyReadModel[]): ReadModelsAsked {
  const answering = new AsyncLocalStorage<true>();
  let asked = new Set<string>();
  const ask = (name: string) => {
    if (answering.getStore() === true) asked.add(name);
  };
  const begin = () => answering.enterWith(true);
  subscribe(REQUEST_STARTS, begin);
  const tables = models.map(({ name, table }) => ({ name, pattern: new RegExp(`\\b${table}\\b`) }));
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
    const [statement] = parameters;
    const { text = statement } = statement as { readonly text?: unknown };
    for (const { name, pattern } of tables) if (pattern.test(String(text))) ask(name);
    return (query as (...given: unknown[]) => unknown).apply(this, parameters);
  } as typeof query;
  return {
    aroundStaleness: (watch) => ({
      ...watch,
      isStale: (name) => {
        ask(name);
        return watch.isStale(name);
      },
      parked: (name) => {
        ask(name);
        return watch.parked(name);
      },
    }),
    take: () => {
      const taken = asked;
      asked = new Set();
      return taken;
    },
    stop: () => {
      unsubscribe(REQUEST_STARTS, begin);
      pg.Client.prototype.query = query;
    },
  };
}
