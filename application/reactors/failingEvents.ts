import type { RecordedEvent } from '../ports/eventStore.ts';
import { errorClass, isOfNewerRelease, Unavailable } from '../ports/faults.ts';
import { backOff, pause } from '../ports/follow.ts';
import type { DeadLetters } from './ports/deadLetters.ts';

/** Failed events that a reactor retries while it continues with others. */
export interface FailingEvents {
  /** Those that are retried, by id: the log is read again from the checkpoint when following it was interrupted. */
  readonly retried: ReadonlyMap<string, unknown>;
  /** True once an event waits for a process of a newer release, which none of this one can react to. */
  readonly waits: boolean;
  /**
   * Keeps trying with growing pauses, then leaves the event as a dead letter; one that rests on what a newer release wrote
   * is not tried again, and only the checkpoint before the first of them is kept, since their number has no bound.
   *
   * @param after the checkpoint before the event
   */
  add(event: RecordedEvent, after: bigint | null, cause: unknown): void;
  /** Checkpoint before the oldest that is retried or waits; `position` if there is none. */
  checkpointAt(position: bigint): bigint | null;
  /** Resolves when all tries have stopped, after the signal aborted. */
  ended(): Promise<unknown>;
}

/** Treatment of failing events. */
export interface FailureHandling {
  /** Reacting failed and will be tried again; called once until it succeeds. */
  readonly onFailure: (name: string, cause: unknown) => void;
  readonly deadLetters: DeadLetters;
  /** Another try of what failed before failed too. */
  readonly onFailedAgain?: (name: string) => void;
  /** An event was left behind as a dead letter: an operator must act. */
  readonly onDeadLetter?: (name: string, cause: unknown, eventId: string) => void;
  /** Tries of an event before it becomes a dead letter; an outage does not count; default 15, about 40 s. */
  readonly attempts?: number;
}

const defaultAttempts = 15;

/** @param react may be called for the same event again, also after it succeeded */
export function createFailingEvents(
  name: string,
  react: (event: RecordedEvent) => Promise<unknown>,
  dependencies: FailureHandling,
  signal: AbortSignal,
): FailingEvents {
  const { deadLetters, attempts: most = defaultAttempts } = dependencies;
  const failing = new Map<
    string,
    { readonly after: bigint | null; readonly tries: Promise<void> }
  >();

  /** The checkpoint stays before them, so that the first process of that release reacts to them. */
  let waiting: { readonly after: bigint | null } | undefined;

  function wait(after: bigint | null): void {
    if (waiting === undefined || isBefore(after, waiting.after)) waiting = { after };
  }

  async function persist(
    event: RecordedEvent,
    after: bigint | null,
    first: unknown,
  ): Promise<void> {
    let cause = first;
    let counted = cause instanceof Unavailable ? 0 : 1;
    for (
      let tries = 1;
      !isOfNewerRelease(cause) && !isHopeless(event) && counted < most;
      tries += 1
    ) {
      await pause(backOff(tries), signal);
      if (signal.aborted) return;
      try {
        await react(event);
        failing.delete(event.id);
        return;
      } catch (error) {
        dependencies.onFailedAgain?.(name);
        cause = error;
        if (!(error instanceof Unavailable)) counted += 1;
      }
    }
    if (!isOfNewerRelease(cause)) return leave(event, cause, counted);
    wait(after);
    failing.delete(event.id);
  }

  async function leave(event: RecordedEvent, cause: unknown, attempts: number): Promise<void> {
    const { id: eventId, stream, revision } = event;
    const letter = { reactor: name, eventId, stream, revision, error: errorClass(cause), attempts };
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        await deadLetters.add(letter);
        failing.delete(eventId);
        dependencies.onDeadLetter?.(name, cause, eventId);
        return;
      } catch {
        await pause(backOff(tries), signal);
      }
    }
  }

  return {
    retried: failing,
    get waits() {
      return waiting !== undefined;
    },
    add(event, after, cause) {
      if (isOfNewerRelease(cause)) {
        if (waiting === undefined) dependencies.onFailure(name, cause);
        wait(after);
        return;
      }
      dependencies.onFailure(name, cause);
      failing.set(event.id, { after, tries: persist(event, after, cause) });
    },
    checkpointAt(position) {
      let reached: bigint | null = position;
      for (const { after } of waiting ? [waiting, ...failing.values()] : failing.values()) {
        if (isBefore(after, reached)) reached = after;
      }
      return reached;
    },
    ended: () => Promise.all(Array.from(failing.values(), ({ tries }) => tries)),
  };
}

/** Compares checkpoints; null is the beginning of the log. */
function isBefore(one: bigint | null, other: bigint | null): boolean {
  return other !== null && (one === null || one < other);
}

/** True when another try of this release cannot succeed. */
function isHopeless({ undecodable }: RecordedEvent): boolean {
  return undecodable !== undefined;
}
