import type { MadeDocumentEvent, Making } from '../../domain/madeDocument/events.ts';
import {
  type MadeDocumentCommand,
  madeDocumentDecider,
  type MadeDocuments as Known,
} from '../../domain/madeDocument/madeDocument.ts';
import {
  type AggregateDependencies,
  type CommandContext,
  createAggregate,
} from '../handleCommand.ts';

/** Most files looked at when those made of a file are collected. */
const MOST_FILES = 200;

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
  /** Digests of the files made of these sources, and of those made of them in turn. */
  madeOf(sources: readonly string[]): Promise<readonly string[]>;
}

export function createMadeDocuments(dependencies: AggregateDependencies<Known>): MadeDocuments {
  const aggregate = createAggregate<Known, MadeDocumentCommand, MadeDocumentEvent>(
    'madeDocument',
    madeDocumentDecider,
    dependencies,
  );
  return {
    async record({ digest, making, sources }, context) {
      const madeAt = dependencies.clock.now().toISOString();
      for (const source of sources) {
        const made = { source, digest, making, madeAt };
        await aggregate.handleNew(source, { type: 'RecordMade', made }, context);
      }
    },
    async madeOf(sources) {
      const found = new Set<string>();
      for (const waiting = [...sources]; found.size < MOST_FILES;) {
        const source = waiting.shift();
        if (source === undefined) break;
        const { state } = await aggregate.load(source);
        const unseen = [...state].filter((digest) => !found.has(digest));
        for (const digest of unseen) found.add(digest);
        waiting.push(...unseen);
      }
      return [...found];
    },
  };
}
