import { createReadStream } from 'node:fs';
import { eventBatches } from '../../application/ports/eventBatches.ts';
import type {
  EventLog,
  LoggedEvent,
  SubscriptionOptions,
} from '../../application/ports/eventLog.ts';
import { categoryOf } from '../../domain/shared/streams.ts';
import { BadEventLine, parseEventLine } from './eventLines.ts';
import { linesOf } from './lines.ts';

export interface ExportedLogOptions {
  readonly path: string;
  /** Position of its last event; null: the export is empty. */
  readonly last: bigint | null;
  /** Log that holds the events after the export. */
  readonly later: Pick<EventLog, 'subscribe' | 'head'>;
  /** Last position to read; null: read nothing. */
  readonly upTo: bigint | null;
}

const STREAM = /^\{"position":"\d+","stream":"([^"\\]+)"/;

/**
 * An exported log followed by the later events of the running one, for one read from the beginning. Damaged lines are
 * skipped: callers check the file before.
 */
export function createExportedLog({ path, last, later, upTo }: ExportedLogOptions): EventLog {
  async function* batches(
    wanted: ReadonlySet<string> | undefined,
  ): AsyncGenerator<readonly LoggedEvent[]> {
    if (upTo === null) return;
    const isIn = (stream: string) => wanted === undefined || wanted.has(categoryOf(stream));
    for await (const lines of linesOf(createReadStream(path))) {
      const events = lines
        .flatMap(({ text }) => (text !== null && isIn(streamIn(text)) ? parsed(text) : []))
        .filter(({ position }) => position <= upTo);
      yield events;
    }
    for await (const events of eventBatches(later, last)) {
      const wantedOnes = events.filter(({ stream, position }) => isIn(stream) && position <= upTo);
      yield wantedOnes;
      if ((events.at(-1)?.position ?? 0n) >= upTo) return;
    }
  }

  async function deliver(
    { categories, onBatch, onCaughtUp }: SubscriptionOptions<LoggedEvent>,
    isStopped: () => boolean,
  ): Promise<void> {
    const wanted = categories === undefined ? undefined : new Set(categories);
    for await (const events of batches(wanted)) {
      if (isStopped()) return;
      const newest = events.at(-1);
      if (newest !== undefined) await onBatch(events, newest.position);
    }
    if (!isStopped() && upTo !== null) await onBatch([], upTo);
    if (!isStopped()) onCaughtUp?.();
  }

  const never = () => Promise.reject(new Error('An exported log is read from its beginning only.'));
  return {
    head: () => Promise.resolve(upTo),
    subscribe(options) {
      let stopped = false;
      const delivering = deliver(options, () => stopped).catch((cause: unknown) =>
        options.onStopped?.(cause),
      );
      return {
        async stop() {
          stopped = true;
          await delivering;
        },
      };
    },
    append: never,
    // eslint-disable-next-line require-yield -- it refuses before the first event
    async *read() {
      await never();
    },
  };
}

function streamIn(line: string): string {
  return STREAM.exec(line)?.[1] ?? '';
}

function parsed(text: string): readonly LoggedEvent[] {
  try {
    return [parseEventLine(text)];
  } catch (error) {
    if (error instanceof BadEventLine) return [];
    throw error;
  }
}
