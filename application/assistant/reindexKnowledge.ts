import type { Embeddings } from './ports/embeddings.ts';
import { Unavailable } from '../ports/faults.ts';
import { pause } from '../ports/follow.ts';
import { ProviderFailure } from './ports/providers.ts';
import { embedKnowledge, type EmbedKnowledgeDependencies } from './embedKnowledge.ts';
import type { KnowledgeIndex } from './knowledgeIndex.ts';

/** Embedding progress of the knowledge base. */
export interface ReindexProgress {
  /** `keyword`: no embeddings provider is configured. */
  readonly mode: 'vector' | 'keyword';
  /** The embedding model; null: none. */
  readonly model: string | null;
  readonly articles: number;
  readonly passages: number;
  /** Passages with a vector of this model. */
  readonly embedded: number;
  /** True while a requested run is in progress in this process. */
  readonly running: boolean;
  /** True when the last requested run in this process failed. */
  readonly failed: boolean;
}

/** Embedding of the knowledge base on request. */
export interface Reindexing {
  /**
   * Starts a run, or joins the one in progress.
   *
   * @returns the passages embedded so far, and if that is all, after `waitMs` at most
   * @throws Unavailable(embeddings or database)
   */
  run(waitMs: number): Promise<{ readonly embedded: number; readonly isDone: boolean }>;
  progress(): Promise<ReindexProgress>;
  stop(): Promise<void>;
}

export interface ReindexDependencies extends Omit<EmbedKnowledgeDependencies, 'embeddings'> {
  readonly embeddings: Embeddings | null;
  readonly index: KnowledgeIndex;
  /** Called when a run failed. */
  readonly onFailure: (cause: unknown) => void;
}

/** A requested run. */
interface Run {
  /** Passages so far. */
  embedded: number;
  /** Resolves when all are embedded; rejects with the failure. */
  ended: Promise<void>;
}

/** Two processes may embed the same passages at once, which only costs a duplicate call. */
export function createReindexing(dependencies: ReindexDependencies): Reindexing {
  const { embeddings, index, onFailure } = dependencies;
  const stopping = new AbortController();
  let running: Run | null = null;
  let failed = false;

  function begin(provider: Embeddings): Run {
    const run: Run = { embedded: 0, ended: Promise.resolve() };
    const work = async () => {
      const complete = { ...dependencies, embeddings: provider };
      await embedKnowledge(complete, stopping.signal, (passages) => (run.embedded += passages));
      await index.refresh();
    };
    failed = false;
    run.ended = work()
      .catch((error: unknown) => {
        failed = true;
        throw error instanceof ProviderFailure ? new Unavailable('embeddings', error) : error;
      })
      .finally(() => (running = null));
    // Waiting callers get the rejection; without any, it must not end the process.
    run.ended.catch(onFailure);
    return run;
  }

  return {
    async run(waitMs) {
      if (embeddings === null) {
        await index.refresh();
        return { embedded: 0, isDone: true };
      }
      const run = (running ??= begin(embeddings));
      const over = new AbortController();
      const isDone = await Promise.race([
        run.ended.then(() => true),
        pause(waitMs, over.signal).then(() => false),
      ]).finally(() => over.abort());
      return { embedded: run.embedded, isDone };
    },
    async progress() {
      await index.ready();
      const model = embeddings?.model ?? null;
      const mode = model === null ? 'keyword' : 'vector';
      return { mode, model, ...index.size(), running: running !== null, failed };
    },
    async stop() {
      stopping.abort();
      await running?.ended.catch(() => undefined);
    },
  };
}
