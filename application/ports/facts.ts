import type { StreamCategory } from '../../domain/events.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import type { ReferenceDataKind } from '../../domain/shared/streams.ts';

/** Source of one kind of fact: what a stream says, as one read model shows it. */
export interface FactSource<Value> {
  /** Of its streams. */
  readonly category: StreamCategory;
  /** Name of the read model. */
  readonly readModel: string;
  /** Reads its table; null: there is no such thing. @throws Unavailable(database) */
  readonly shown: (id: string) => Promise<Value | null>;
  /** Reads its stream, folded as the read model folds it. @throws Unavailable */
  readonly logged: (id: string) => Promise<Value | null>;
  /** Keys of {@link Facts.find} that lead to the thing since this event; default: none. */
  readonly keysOf?: (event: DomainEvent) => readonly string[];
}

/** Kinds of facts, each with its value. */
export type FactSources<Values> = {
  readonly [Kind in keyof Values & ReferenceDataKind]: FactSource<Values[Kind]>;
};

/**
 * Facts about single things. What is there is as fresh as the log: it shows every event this process has seen and misses
 * none that is older than the staleness bound. What is not there was not there when the bound began.
 */
export interface Facts<Values> {
  /** @throws Unavailable */
  get<Kind extends keyof Values & ReferenceDataKind>(
    kind: Kind,
    id: string,
  ): Promise<Values[Kind] | null>;
  /** Reads anew what is not announced, or rarely asked. @throws Unavailable */
  read<Kind extends keyof Values & ReferenceDataKind>(
    kind: Kind,
    id: string,
  ): Promise<Values[Kind] | null>;
  /**
   * Lists ids of the things of a kind that belong to another thing, of which a change of them is announced.
   *
   * @param search asks the read model
   * @throws Unavailable(readModels) when none was found and the read model may not show them yet
   */
  list(
    owner: keyof Values & ReferenceDataKind,
    id: string,
    kind: keyof Values & ReferenceDataKind,
    search: () => Promise<readonly string[]>,
  ): Promise<readonly string[]>;
  /** Ids of things whose rows wait for an event, so that no search finds them. @throws Unavailable while a read model is stale */
  parked(...kinds: readonly (keyof Values & ReferenceDataKind)[]): ReadonlySet<string>;
  /**
   * Finds a thing by something else than its id.
   *
   * @param key names the search
   * @param search asks the read model for ids, the best first
   * @param matches tells whether a thing, as it is now, is what was searched
   * @throws Unavailable(readModels) when nothing was found that the read model may not show yet
   */
  find<Kind extends keyof Values & ReferenceDataKind>(
    kind: Kind,
    key: string,
    search: () => Promise<readonly string[]>,
    matches: (value: Values[Kind]) => boolean,
  ): Promise<Values[Kind] | null>;
}
