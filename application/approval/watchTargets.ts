import type { ApprovalTarget } from '../../domain/approval/events.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';

/** The command was carried out before under the same approval. */
export class AlreadyExecuted extends Error {
  override readonly name = 'AlreadyExecuted';
}

export interface WatchOptions {
  readonly approvalId: string;
  readonly targets: readonly ApprovalTarget[];
  /** True when an event of another command changes the approved effects. */
  readonly concerns: (event: RecordedEvent['event']) => boolean;
  /** True when an event under this approval completes the command. */
  readonly completes: (event: RecordedEvent['event']) => boolean;
}

export interface WatchedTargets {
  /**
   * Reads all targets.
   *
   * @returns true when execution under this approval has started
   * @throws Refusal APPROVAL_STALE when another command changed a target before that
   * @throws AlreadyExecuted
   */
  look(): Promise<boolean>;
  /** Event store for the approved command: refuses decisions based on other than the approved state. */
  readonly eventStore: EventStore;
}

/**
 * Watches the streams a command depends on. A decision reads its stream and appends at the revision it read, so
 * watching the reads suffices: an event in between is a conflict, and is read.
 */
export function watchTargets(eventStore: EventStore, options: WatchOptions): WatchedTargets {
  const { approvalId, targets, concerns, completes } = options;
  const known = new Map(
    targets.map(({ stream, revision }) => [stream, revision === null ? -1n : BigInt(revision)]),
  );
  const appendedHere = new Set<string>();
  let begun = false;

  function whose({ id, event, metadata }: RecordedEvent): 'OURS' | 'FOREIGN' | 'IRRELEVANT' {
    // Our events have no requestId; a correlationId alone may be the caller's choice.
    const isOurs = metadata.correlationId === approvalId && metadata.requestId === null;
    if (!isOurs) return concerns(event) ? 'FOREIGN' : 'IRRELEVANT';
    if (!appendedHere.has(id) && completes(event)) throw new AlreadyExecuted();
    return 'OURS';
  }

  function assertFresh(isForeign: boolean): void {
    if (isForeign && !begun) throw new Refusal('APPROVAL_STALE');
  }

  return {
    async look() {
      const found = new Set<string>();
      for (const [stream, revision] of known) {
        for await (const recorded of eventStore.read(stream, revision + 1n)) {
          found.add(whose(recorded));
        }
      }
      begun = found.has('OURS');
      assertFresh(found.has('FOREIGN'));
      return begun;
    },
    eventStore: {
      ...eventStore,
      async append(stream, events, expected) {
        for (const { id } of events) appendedHere.add(id);
        const appended = await eventStore.append(stream, events, expected);
        begun = true;
        return appended;
      },
      async *read(stream, from) {
        const revision = known.get(stream);
        for await (const recorded of eventStore.read(stream, from)) {
          if (revision !== undefined && recorded.revision > revision) {
            assertFresh(whose(recorded) === 'FOREIGN');
          }
          yield recorded;
        }
      },
    },
  };
}
