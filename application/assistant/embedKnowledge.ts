import { type Passage, passagesOf } from '../../domain/assistant/passages.ts';
import type { Embeddings } from './ports/embeddings.ts';
import type { KnowledgeArticles } from './ports/knowledgeArticles.ts';
import type { PassageVectors } from './ports/passageVectors.ts';

export interface EmbedKnowledgeDependencies {
  readonly articles: Pick<KnowledgeArticles, 'contentHashes' | 'articles'>;
  readonly vectors: PassageVectors;
  readonly embeddings: Embeddings;
}

/** Texts per call of the provider; results are stored after each. */
const TEXTS_PER_CALL = 64;
/** Timeout of a call, milliseconds. */
const CALL_MS = 30_000;
const ARTICLES_PER_QUERY = 200;

/**
 * Embeds the passages without vectors, and deletes vectors of passages that no longer exist. Interruptions lose at most
 * one call: vectors are stored after each.
 *
 * @param onEmbedded called after each call with its number of passages
 * @returns number of passages embedded
 * @throws ProviderFailure, NotConfigured(embeddings), Unavailable(database), or the signal's reason
 */
export async function embedKnowledge(
  { articles, vectors, embeddings }: EmbedKnowledgeDependencies,
  signal: AbortSignal,
  onEmbedded: (passages: number) => void = () => undefined,
): Promise<number> {
  const passages = await allPassages(articles);
  const { model } = embeddings;
  const present = await vectors.present(model, [...passages.keys()]);
  const missing = [...passages.values()].filter(({ hash }) => !present.has(hash));
  for (let from = 0; from < missing.length; from += TEXTS_PER_CALL) {
    signal.throwIfAborted();
    const part = missing.slice(from, from + TEXTS_PER_CALL);
    const made = await embeddings.embed(
      part.map(({ embedded }) => embedded),
      AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
    );
    await vectors.save(model, byHash(part, made));
    onEmbedded(part.length);
  }
  await vectors.keepOnly(model, [...passages.keys()]);
  return missing.length;
}

async function allPassages(
  articles: EmbedKnowledgeDependencies['articles'],
): Promise<ReadonlyMap<string, Passage>> {
  const ids = [...(await articles.contentHashes()).keys()];
  const passages = new Map<string, Passage>();
  for (let from = 0; from < ids.length; from += ARTICLES_PER_QUERY) {
    for (const article of await articles.articles(ids.slice(from, from + ARTICLES_PER_QUERY))) {
      for (const passage of passagesOf(article)) passages.set(passage.hash, passage);
    }
  }
  return passages;
}

function byHash(
  passages: readonly Passage[],
  vectors: readonly Float32Array[],
): ReadonlyMap<string, Float32Array> {
  const kept = new Map<string, Float32Array>();
  for (const [index, { hash }] of passages.entries()) {
    const vector = vectors[index];
    if (vector === undefined) throw new Error('The provider returned fewer vectors than texts.');
    kept.set(hash, vector);
  }
  return kept;
}
