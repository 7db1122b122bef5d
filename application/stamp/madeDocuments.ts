import { Refusal } from '../../domain/shared/refusal.ts';
import type { PdfRefused } from '../ports/pdfStamping.ts';
import type { DocumentMade, Making } from '../../domain/madeDocument/events.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore, NewEvent } from '../ports/eventStore.ts';
import { RevisionConflict } from '../ports/faults.ts';
import type { Randomness } from '../ports/randomness.ts';

/** Files made of the sources, whose own streams are read in turn, at most. */
const MOST_FILES = 200;
/** Digests remembered in all, some 20 MB. */
const MOST_REMEMBERED = 100_000;

/** PDFs the platform made of others, by SHA-256. */
export interface MadeDocuments {
  /**
   * Records a file before it is handed out.
   *
   * @param sources SHA-256 of the file added to, the id of the session
   */
  record(
    made: { readonly digest: string; readonly making: Making; readonly sources: readonly string[] },
    context: CommandContext,
  ): Promise<void>;
  /**
   * Digests of the files made of these sources, all of them, and of those made of the first 200 in turn.
   */
  madeOf(sources: readonly string[]): Promise<readonly string[]>;
}

export interface MadeDocumentsDependencies {
  readonly eventStore: Pick<EventStore, 'append' | 'read'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** Files made of one source, as far as its stream was read. */
interface Known {
  readonly digests: Set<string>;
  /** Revision to read on from. */
  next: bigint;
}

/**
 * A source is stamped and sealed any number of times, so its stream has no end: it is appended to without being read,
 * and read on from where the last reading ended.
 */
export function createMadeDocuments(dependencies: MadeDocumentsDependencies): MadeDocuments {
  const { eventStore, clock, randomness } = dependencies;
  /** By source; the one used longest ago first. */
  const remembered = new Map<string, Known>();

  async function read(source: string): Promise<ReadonlySet<string>> {
    const known = remembered.get(source) ?? { digests: new Set(), next: 0n };
    for await (const { event, revision } of eventStore.read(
      streamOf('madeDocument', source),
      known.next,
    )) {
      known.digests.add((event as DocumentMade).data.digest);
      // Another reading of the same stream may be further on.
      if (revision >= known.next) known.next = revision + 1n;
    }
    remember(source, known);
    return known.digests;
  }

  function remember(source: string, known: Known): void {
    remembered.delete(source);
    if (known.digests.size === 0) return;
    remembered.set(source, known);
    let total = 0;
    for (const { digests } of remembered.values()) total += digests.size;
    for (const [oldest, { digests }] of remembered) {
      if (total <= MOST_REMEMBERED) return;
      total -= digests.size;
      remembered.delete(oldest);
    }
  }

  async function recordOne(made: DocumentMade['data'], context: CommandContext): Promise<void> {
    const stream = streamOf('madeDocument', made.source);
    const metadata = { time: made.madeAt, ...context };
    const created: NewEvent[] = [
      { id: randomness.timeOrderedUuid(), event: { type: 'DocumentMade', data: made }, metadata },
    ];
    try {
      await eventStore.append(stream, created, 'none');
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      if ((await read(made.source)).has(made.digest)) return;
      await eventStore.append(stream, created, 'any');
    }
  }

  return {
    async record({ digest, making, sources }, context) {
      const madeAt = clock.now().toISOString();
      for (const source of sources) await recordOne({ source, digest, making, madeAt }, context);
    },
    async madeOf(sources) {
      const found = new Set<string>();
      const waiting = [...sources];
      for (let index = 0; index < sources.length + MOST_FILES; index += 1) {
        const source = waiting[index];
        if (source === undefined) break;
        for (const digest of await read(source)) {
          if (found.has(digest)) continue;
          found.add(digest);
          waiting.push(digest);
        }
      }
      return [...found];
    },
  };
}

/** @throws Refusal with the fault of the document */
export function accepted<Result extends object>(result: Result | PdfRefused): Result {
  if (!('refused' in result)) return result;
  const { refused, detail } = result;
  throw new Refusal(refused, detail === null ? {} : { detail });
}
