import {
  type ReferenceDataKind,
  categoryOf,
  identifierOf,
  referenceDataTopic,
} from '../../domain/shared/streams.ts';
import { createLogFollower, type LogFollower } from '../followAggregate.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import type { Facts, FactSource, FactSources } from '../ports/facts.ts';
import { Unavailable } from '../ports/faults.ts';
import { type NotificationFeed, type NotificationSender } from '../ports/notifications.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';
import type { Staleness } from '../ports/staleness.ts';

/** A bounded map that forgets what was not used for the longest time. */
export interface Memory<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  clear(): void;
}

export interface RememberedFactsOptions<Values> {
  readonly sources: FactSources<Values>;
  readonly eventStore: EventStore;
  readonly staleness: Staleness;
  /** Announces changes, those of projections in all processes and those this process sees in the log. */
  readonly notifications: NotificationFeed & NotificationSender;
  readonly vault: Pick<PersonalDataVault, 'onForgotten'>;
  /** @param ttlMs lifetime of an entry, milliseconds; absent: unlimited */
  readonly newMemory: <Value extends object | string>(ttlMs?: number) => Memory<Value>;
  /** Marks beyond which those that staleness tells as well are dropped; default 100,000. */
  readonly mostMarks?: number;
  /** Called once when following failed; it is retried. */
  readonly onFailure: (cause: unknown) => void;
}

/** {@link Facts} of one process. Until `start` it follows announcements only. */
export interface RememberedFacts<Values>
  extends Facts<Values>, Pick<LogFollower, 'start' | 'stop'> {
  /** True while the log has events of the thing that its row does not show: its stream must be read. */
  isBehind(kind: keyof Values & ReferenceDataKind, id: string): boolean;
  /** Forgets everything. */
  clear(): void;
}

/** Fallback for a lost announcement. */
const TTL_MS = 30_000;

interface Entry {
  /** A promise, so that a hit allocates nothing. */
  readonly value: Promise<unknown>;
  readonly isCurrent: () => boolean;
}

/** The last event seen of a thing, until the read model is known to show it. */
interface Mark {
  readonly readModel: string;
  readonly position: bigint;
}

/**
 * Remembers facts as long as they are as fresh as the log. Every event of their categories is followed, whatever its
 * type: it ends what is remembered of its thing, and marks the thing until its read model shows the event. A fact is read
 * from the read model, and from the log while the read model is stale or the thing is marked or parked. Absence is never
 * remembered.
 */
export function createRememberedFacts<Values extends object>(
  options: RememberedFactsOptions<Values>,
): RememberedFacts<Values> {
  type Kind = keyof Values & ReferenceDataKind;
  const { sources, eventStore, staleness, notifications, vault, newMemory, onFailure } = options;
  const { mostMarks = 100_000 } = options;
  const kinds = Object.keys(sources) as Kind[];
  const kindsByCategory = new Map<string, Kind>(
    kinds.map((kind) => [sources[kind].category, kind]),
  );
  const memory = newMemory<Entry>(TTL_MS);
  /** Ids of what belongs to a thing, by its topic. */
  const lists = newMemory<Promise<readonly string[]>>(TTL_MS);
  /** Ids by key of a search. Without an end: whoever uses one looks at the thing itself. */
  const found = newMemory<string>();
  const loading = new Map<string, { readonly value: Promise<unknown>; readonly since: number }>();
  /** Incremented by every change: a value requested before one may be old when it arrives. */
  let changes = 0;
  const marks = new Map<string, Mark>();
  let parked: ReadonlySet<string> = new Set();

  function change(topics: readonly string[] | 'all'): void {
    if (topics === 'all') {
      changes += 1;
      memory.clear();
      lists.clear();
      return;
    }
    changes += 1;
    for (const topic of topics) {
      memory.delete(topic);
      lists.delete(topic);
    }
  }

  /** Removes the marks of events that the read models show. */
  function unmark(): void {
    for (const [topic, { readModel, position }] of marks) {
      if ((staleness.reached(readModel) ?? -1n) >= position) marks.delete(topic);
    }
  }

  /** Removes the marks of events so old that a read model behind them is stale anyway. */
  function dropOldMarks(): void {
    for (const [topic, { position }] of marks) {
      if (!staleness.covers(position)) marks.delete(topic);
    }
  }

  /** Announces what is parked since the last look, so that nothing remembered of it is used. */
  function announceParked(): void {
    const before = parked;
    parked = new Set(
      kinds.flatMap((kind) =>
        Array.from(staleness.parked(sources[kind].readModel), (id) => referenceDataTopic(kind, id)),
      ),
    );
    notifications.notify([...parked].filter((topic) => !before.has(topic)));
  }

  function mark({ stream, event, position }: RecordedEvent): readonly string[] {
    const kind = kindsByCategory.get(categoryOf(stream));
    if (kind === undefined) return [];
    const { readModel, keysOf }: FactSource<unknown> = sources[kind];
    const id = identifierOf(stream);
    const topic = referenceDataTopic(kind, id);
    marks.set(topic, { readModel, position });
    for (const key of keysOf?.(event) ?? []) found.set(key, id);
    return [topic];
  }

  const follower = createLogFollower({
    eventStore,
    categories: kinds.map((kind) => sources[kind].category),
    withoutPersonalData: true,
    // Undecodable events mark their thing, whatever they change.
    keepUndecodable: true,
    take: (events) => {
      if (marks.size > mostMarks) dropOldMarks();
      notifications.notify(events.flatMap(mark));
    },
    onFailure,
  });

  const isStale = (kind: Kind) => staleness.isStale(sources[kind].readModel);
  const isBehind = (kind: Kind, id: string) =>
    staleness.parked(sources[kind].readModel).has(id) || marks.has(referenceDataTopic(kind, id));

  /** Nothing was missed since an entry was read from the log. */
  const isFollowed = () => follower.isFollowing() && staleness.covers(follower.position());

  /** Result of `load`; concurrent calls share one. Remembered when nothing changed meanwhile. */
  async function once<Value>(
    key: string,
    load: () => Promise<Value>,
    remember: (loaded: Value, value: Promise<Value>) => void = () => undefined,
  ): Promise<Value> {
    const shared = loading.get(key);
    if (shared?.since === changes) return shared.value as Promise<Value>;
    const since = changes;
    const value = load();
    loading.set(key, { value, since });
    try {
      const loaded = await value;
      if (since === changes) remember(loaded, value);
      return loaded;
    } finally {
      if (loading.get(key)?.value === value) loading.delete(key);
    }
  }

  function get<Of extends Kind>(kind: Of, id: string): Promise<Values[Of] | null> {
    const topic = referenceDataTopic(kind, id);
    const entry = memory.get(topic);
    if (entry?.isCurrent() === true) return entry.value as Promise<Values[Of] | null>;
    const { shown, logged }: FactSource<Values[Of]> = sources[kind];
    const isShown = () => !isStale(kind);
    const fromTable = isShown() && !isBehind(kind, id);
    const isCurrent = fromTable ? isShown : isFollowed;
    // Reads from before the log is followed may miss an event that is never seen.
    const isRemembered = fromTable || follower.isFollowing();
    return once(
      topic,
      () => (fromTable ? shown(id) : logged(id)),
      (loaded, value) => {
        if (loaded !== null && isRemembered) memory.set(topic, { value, isCurrent });
      },
    );
  }

  /** Empty result of a search. @throws Unavailable */
  function expectShown(kind: Kind): void {
    if (isStale(kind) || staleness.parked(sources[kind].readModel).size > 0) {
      throw new Unavailable('readModels');
    }
  }

  const unsubscribe = notifications.subscribe(kinds, change);
  // Forgets all: whose a certificate is stands in what was opened.
  const unregister = [
    vault.onForgotten(() => change('all')),
    staleness.onLook(() => {
      announceParked();
      unmark();
    }),
  ];

  return {
    get,
    isBehind,
    read: (kind, id) =>
      isStale(kind) || isBehind(kind, id) ? sources[kind].logged(id) : sources[kind].shown(id),
    async list(owner, ownerId, kind, search) {
      const topic = referenceDataTopic(owner, ownerId);
      const ids = await (lists.get(topic) ??
        once(`${topic} ${kind}`, search, (loaded, value) => {
          if (loaded.length > 0) lists.set(topic, value);
        }));
      if (ids.length === 0) expectShown(kind);
      return ids;
    },
    parked(...of) {
      if (of.some(isStale)) throw new Unavailable('readModels');
      return new Set(of.flatMap((kind) => [...staleness.parked(sources[kind].readModel)]));
    },
    clear: () => change('all'),
    async find(kind, key, search, matches) {
      const known = found.get(key);
      const remembered = known === undefined ? null : await get(kind, known);
      if (remembered !== null && matches(remembered)) return remembered;
      const ids = await once(key, search);
      for (const id of ids) {
        const value = await get(kind, id);
        if (value === null || !matches(value)) continue;
        found.set(key, id);
        return value;
      }
      if (ids.length === 0) expectShown(kind);
      return null;
    },
    start: follower.start,
    async stop() {
      unsubscribe();
      for (const each of unregister) each();
      await follower.stop();
    },
  };
}
