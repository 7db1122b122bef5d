import type { Decider, DomainEvent } from '../domain/shared/decider.ts';
import { isRefusal } from '../domain/shared/refusal.ts';
import type { StreamCategory } from '../domain/events.ts';
import { streamOf } from '../domain/shared/streams.ts';
import type { Clock } from './ports/clock.ts';
import type { Appended } from './ports/eventLog.ts';
import type { Actor, EventStore, NewEvent } from './ports/eventStore.ts';
import { NotYetShown, RevisionConflict, Unavailable } from './ports/faults.ts';
import { backOff, pause } from './ports/follow.ts';
import type { Randomness } from './ports/randomness.ts';
import type { ProjectionProgress } from './ports/projectionProgress.ts';
import { spans, traced } from './ports/spans.ts';

/** Origin of a command; becomes the metadata of the events it causes. */
export interface CommandContext {
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string;
  readonly requestId: string | null;
  readonly ip: string | null;
}

/** An aggregate at one revision; `null`: the stream does not exist. */
export interface Loaded<State> {
  readonly state: State;
  readonly revision: bigint | null;
}

export interface Handled<State, Event> extends Loaded<State> {
  /** Appended events: none when the command was already satisfied. */
  readonly events: readonly Event[];
  /** Position of the last event appended; `null`: none. */
  readonly position: bigint | null;
}

/** Cache of recently used aggregates. Only a hint: the append at the cached revision decides. */
export interface AggregateCache<State> {
  get(stream: string): Loaded<State> | undefined;
  set(stream: string, loaded: Loaded<State>): void;
  delete(stream: string): void;
  /** True while the stream is remembered, or read or appended to and perhaps remembered then: its news matter here. */
  concerns(stream: string): boolean;
  /** Says that the stream is being read or appended to. @returns to be called at the end */
  begin(stream: string): () => void;
}

/** One kind of aggregate, bound to its store. */
export interface Aggregate<State, Command, Event> {
  /** Loads the aggregate from the log, or from the cache when `trusts` accepts it; default: always. */
  load(
    id: string,
    options?: { readonly trusts?: (remembered: State) => boolean },
  ): Promise<Loaded<State>>;
  /** Loads the aggregate as the log has it by now: reads what is newer than the cache. */
  refresh(id: string): Promise<Loaded<State>>;
  /**
   * Loads, decides, appends at the revision read; on a conflict loads and decides again, a bounded number of times.
   *
   * @param known as it was just loaded: saves the read, unless others were faster
   * @throws Refusal when the command is not allowed
   * @throws RevisionConflict when every attempt lost
   * @throws Unavailable when the log refuses the revision that it reads, because of what it cannot read for seconds
   */
  handle(
    id: string,
    command: Command,
    context: CommandContext,
    known?: Loaded<State>,
  ): Promise<Handled<State, Event>>;
  /** Handles a command for a new id: assumes the stream does not exist, which saves the read. */
  handleNew(id: string, command: Command, context: CommandContext): Promise<Handled<State, Event>>;
}

export interface AggregateDependencies<State> {
  readonly eventStore: EventStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly cache?: AggregateCache<State>;
}

/** Events without a decider. */
export interface Journal<Event> {
  /** Appends at any revision, without loading. Resolved means durable. */
  record(id: string, event: Event, context: CommandContext): Promise<Appended>;
  /** Appends several at once, all or none. */
  recordAll(id: string, events: readonly Event[], context: CommandContext): Promise<Appended>;
}

export interface JournalDependencies {
  readonly eventStore: Pick<EventStore, 'append'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** Binds a journal to its streams. */
export function createJournal<Event extends DomainEvent>(
  category: StreamCategory,
  { eventStore, clock, randomness }: JournalDependencies,
): Journal<Event> {
  const recordAll: Journal<Event>['recordAll'] = (id, events, context) => {
    const metadata = { time: clock.now().toISOString(), ...context };
    const created = events.map((event): NewEvent => ({
      id: randomness.timeOrderedUuid(),
      event,
      metadata,
    }));
    return appendTo(eventStore, category, [streamOf(category, id), created, 'any']);
  };
  return { recordAll, record: (id, event, context) => recordAll(id, [event], context) };
}

/** Appends, and tells of it if somebody listens: without a listener nothing is made for a span. */
function appendTo(
  eventStore: Pick<EventStore, 'append'>,
  category: StreamCategory,
  append: Parameters<EventStore['append']>,
): Promise<Appended> {
  if (!spans.hasSubscribers) return eventStore.append(...append);
  return traced('append', `append ${category}`, {}, () => eventStore.append(...append));
}

const ATTEMPTS = 10;
/**
 * Longest pause before another attempt at the revision of the last one, ms. A cluster's leader counts an append before its
 * followers have it, and shows it afterwards: all pauses together are some four seconds.
 */
const LONGEST_PAUSE_MS = 1000;

/**
 * Binds a decider to the event store. The only place that appends decided events.
 *
 * @param onAppended called once the events of a command are durable
 */
export function createAggregate<State, Command, Event extends DomainEvent>(
  category: StreamCategory,
  decider: Decider<State, Command, Event>,
  { eventStore, clock, randomness, cache }: AggregateDependencies<State>,
  onAppended: (id: string, state: State) => void = () => undefined,
): Aggregate<State, Command, Event> {
  async function load(
    id: string,
    { trusts = () => true }: { readonly trusts?: (remembered: State) => boolean } = {},
  ): Promise<Loaded<State>> {
    const remembered = cache?.get(streamOf(category, id));
    if (remembered !== undefined && trusts(remembered.state)) return remembered;
    return read(id, { state: decider.initial, revision: null });
  }

  const refresh = (id: string) =>
    read(id, cache?.get(streamOf(category, id)) ?? { state: decider.initial, revision: null });

  /** Reads what the log has after `known`. */
  async function read(id: string, known: Loaded<State>): Promise<Loaded<State>> {
    const stream = streamOf(category, id);
    const end = cache?.begin(stream);
    try {
      let loaded = known;
      const next = known.revision === null ? 0n : known.revision + 1n;
      for await (const { event, revision } of eventStore.read(stream, next)) {
        loaded = { state: decider.evolve(loaded.state, event as Event), revision };
      }
      return remember(stream, loaded);
    } finally {
      end?.();
    }
  }

  /** A concurrent command may have cached a newer state, which stays. */
  function remember(stream: string, loaded: Loaded<State>): Loaded<State> {
    if (cache === undefined || loaded.revision === null) return loaded;
    const known = cache.get(stream);
    if (known !== undefined && (known.revision ?? -1n) > loaded.revision) return known;
    cache.set(stream, loaded);
    return loaded;
  }

  async function attempt(
    id: string,
    command: Command,
    context: CommandContext,
    before: Loaded<State>,
  ): Promise<Handled<State, Event>> {
    const events = decider.decide(command, before.state);
    if (events.length === 0) return { ...before, events, position: null };
    const stream = streamOf(category, id);
    const time = clock.now().toISOString();
    const end = cache?.begin(stream);
    try {
      const created = events.map((event): NewEvent => ({
        id: randomness.timeOrderedUuid(),
        event,
        metadata: { time, ...context },
      }));
      const revision = before.revision ?? 'none';
      const appended = await appendTo(eventStore, category, [stream, created, revision]);
      const state = events.reduce(decider.evolve, before.state);
      remember(stream, { state, revision: appended.revision });
      onAppended(id, state);
      return { state, revision: appended.revision, events, position: appended.position };
    } finally {
      end?.();
    }
  }

  function handleTraced(...parameters: Parameters<typeof handleFrom>) {
    if (!spans.hasSubscribers) return handleFrom(...parameters);
    const { type = '' } = parameters[2] as { readonly type?: string };
    return traced('command', `${category} ${type}`, {}, () => handleFrom(...parameters));
  }

  async function handleFrom(
    first: Loaded<State> | undefined,
    id: string,
    command: Command,
    context: CommandContext,
  ): Promise<Handled<State, Event>> {
    if (first !== undefined) {
      // The cached or assumed state may be outdated: no conflict, refusal or "already so" from it is final.
      try {
        const handled = await attempt(id, command, context, first);
        if (handled.events.length > 0) return handled;
      } catch (error) {
        if (!(error instanceof RevisionConflict) && !isRefusal(error)) throw error;
      }
      // It may even be ahead of a log that lost its end.
      cache?.delete(streamOf(category, id));
    }
    return handleAsRead(id, command, context);
  }

  /** Decides on what the log has, again after each conflict. */
  async function handleAsRead(
    id: string,
    command: Command,
    context: CommandContext,
  ): Promise<Handled<State, Event>> {
    let lostAt: bigint | null | undefined;
    for (let tries = 1; ; tries += 1) {
      const before = await load(id, { trusts: () => false });
      try {
        return await attempt(id, command, context, before);
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
        const isUnreadable = before.revision === lostAt;
        if (tries >= ATTEMPTS) throw isUnreadable ? new Unavailable('eventStore', error) : error;
        if (isUnreadable) await pause(Math.min(backOff(tries), LONGEST_PAUSE_MS));
        lostAt = before.revision;
      }
    }
  }

  return {
    load,
    refresh,
    handle: (id, command, context, known = cache?.get(streamOf(category, id))) =>
      handleTraced(known, id, command, context),
    handleNew: (id, command, context) =>
      handleTraced({ state: decider.initial, revision: null }, id, command, context),
  };
}

/** Outcome of a command, as far as read models are waited for. */
type Placed = { readonly position: bigint | null };

/**
 * Waits until the read models show a command's effect, so that the next reader sees it. Returns on timeout too, because
 * the response is made from the aggregate.
 */
export async function awaitProjection<Of extends Placed>(
  progress: ProjectionProgress,
  handling: Promise<Of>,
): Promise<Of> {
  const handled = await handling;
  await expectShown(progress, Promise.resolve(handled)).catch((error: unknown) => {
    if (!(error instanceof NotYetShown)) throw error;
  });
  return handled;
}

/**
 * Waits until the read models from which a command's response is made show its effect. @throws NotYetShown on timeout
 */
export async function expectShown<Of extends Placed>(
  progress: ProjectionProgress,
  handling: Promise<Of>,
): Promise<Of> {
  const handled = await handling;
  try {
    if (handled.position !== null) await progress.untilProjected(handled.position);
  } catch (error) {
    throw error instanceof Unavailable ? new NotYetShown(error) : error;
  }
  return handled;
}
