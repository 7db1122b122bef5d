import { fetchedMatches, worthAnswering } from '../../domain/assistant/ranking.ts';
import type { Embeddings } from './ports/embeddings.ts';
import type { KnowledgeMatch, KnowledgeSearch } from './ports/knowledgeSearch.ts';
import type { IndexedPassage, KnowledgeIndex } from './knowledgeIndex.ts';

export interface KnowledgeSearchDependencies {
  readonly index: Pick<KnowledgeIndex, 'ready' | 'byWords' | 'nearest' | 'size'>;
  /** Null: not configured, search by words. */
  readonly embeddings: Embeddings | null;
  /** Called when vectors were unavailable and the search fell back to words. */
  readonly onFallback: (cause: unknown) => void;
}

/** Timeout of the provider for one question, milliseconds: the rest of a tool's time is for the search by words. */
const QUESTION_MS = 4000;

/**
 * Searches the knowledge base by meaning, or by words without vectors (specification, assistant rule 3; contract §12,
 * search_knowledge).
 */
export function createKnowledgeSearch(dependencies: KnowledgeSearchDependencies): KnowledgeSearch {
  const { index, embeddings, onFallback } = dependencies;

  async function byMeaning(query: string, signal: AbortSignal) {
    // Without vectors to compare with, the provider is not called.
    if (embeddings === null || index.size().embedded === 0) return null;
    try {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(QUESTION_MS)]);
      const [vector] = await embeddings.embed([query], limited);
      return vector === undefined ? null : index.nearest(vector, fetchedMatches);
    } catch (error) {
      signal.throwIfAborted();
      onFallback(error);
      return null;
    }
  }

  return {
    async search(query, signal) {
      await index.ready();
      const nearest = await byMeaning(query, signal);
      if (nearest !== null) {
        const results = worthAnswering(nearest).map(({ item, score }) => ({
          ...matchOf(item),
          score: Math.round(score * 10_000) / 10_000,
        }));
        return { results, count: results.length, mode: 'vector' };
      }
      const results = index.byWords(query).map(matchOf);
      return { results, count: results.length, mode: 'keyword' };
    },
  };
}

function matchOf({ title, content, source }: IndexedPassage): KnowledgeMatch {
  return { title, content, ...(source === null ? {} : { source }) };
}
