import { type Passage, passagesOf } from '../../domain/assistant/passages.ts';
import { createWordIndex } from '../../domain/assistant/wordIndex.ts';
import { comparable, type SearchedText } from '../../domain/assistant/wordSearch.ts';
import type { ArticleRecord, KnowledgeArticles } from './ports/knowledgeArticles.ts';
import type { PassageVectors } from './ports/passageVectors.ts';
import { knowledgeTopic } from '../../domain/shared/streams.ts';
import { type NotificationFeed } from '../ports/notifications.ts';
import { createVectorTable, type Nearest, type VectorTable } from './vectorTable.ts';

/** A passage in the search index. */
export interface IndexedPassage extends Passage, SearchedText {
  readonly articleId: string;
}

/** In-memory index of the knowledge base. */
export interface KnowledgeIndex {
  /** Resolves after the first load, successful or not. */
  ready(): Promise<void>;
  /** Passages matching a question by words; see domain/assistant/wordIndex.ts. */
  byWords(question: string): readonly IndexedPassage[];
  /** Passages nearest to a vector; null without vectors. @throws Error for a vector of another length */
  nearest(vector: Float32Array, count: number): readonly Nearest<IndexedPassage>[] | null;
  /** Number of articles, of passages, and of passages with a vector. */
  size(): { readonly articles: number; readonly passages: number; readonly embedded: number };
  /** Updates the index from the tables. @throws Unavailable(database) */
  refresh(): Promise<void>;
  /** Starts to follow the tables. */
  start(): void;
  stop(): Promise<void>;
}

export interface KnowledgeIndexDependencies {
  readonly articles: Pick<KnowledgeArticles, 'contentHashes' | 'articles'>;
  readonly vectors: Pick<PassageVectors, 'load'>;
  /** The embedding model; null: none. */
  readonly model: string | null;
  /** Notifies of changes. */
  readonly feed: NotificationFeed;
  /** Called when an update failed; the index stays as it was. */
  readonly onFailure: (cause: unknown) => void;
}

interface Loaded {
  readonly contentHash: string;
  readonly passages: readonly IndexedPassage[];
}

/** Articles per query: as many as are split and indexed without yielding to the event loop. */
const ARTICLES_AT_ONCE = 10;
/** Vectors per query. */
const VECTORS_AT_ONCE = 200;
/** Delay before a retry, and polling interval for changes without a notification, ms. */
const RETRY_MS = 5000;

/**
 * Caches every article and vector. Changes are found by comparing hashes, so that any later notification makes up for a
 * missed one.
 */
export function createKnowledgeIndex(dependencies: KnowledgeIndexDependencies): KnowledgeIndex {
  const { articles, vectors, model, feed, onFailure } = dependencies;
  const loaded = new Map<string, Loaded>();
  const words = createWordIndex<IndexedPassage>();
  let all: readonly IndexedPassage[] = [];
  let table: VectorTable<IndexedPassage> | null = null;
  const embedded = new Set<string>();
  let unsubscribe: (() => void) | undefined;
  let retry: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** Number of requests during the current update. */
  let asked = 0;
  let everLoaded = false;

  const keyOf = ({ articleId, hash }: IndexedPassage) => `${articleId} ${hash}`;

  async function loadArticles(): Promise<void> {
    const current = await articles.contentHashes();
    const changed = [...current].filter(([id, hash]) => loaded.get(id)?.contentHash !== hash);
    for (const id of loaded.keys()) if (!current.has(id)) drop(id);
    for (const ids of inParts(
      changed.map(([id]) => id),
      ARTICLES_AT_ONCE,
    )) {
      for (const article of await articles.articles(ids)) keep(article);
    }
    all = [...loaded.values()].flatMap(({ passages }) => passages);
  }

  function keep(article: ArticleRecord): void {
    const { articleId, contentHash } = article;
    const heading = comparable([article.title, ...article.tags].join('\n'));
    const passages = passagesOf(article).map((passage) => ({
      ...passage,
      articleId,
      heading,
      body: comparable(passage.content),
    }));
    loaded.set(articleId, { contentHash, passages });
    words.set(articleId, passages);
  }

  function drop(articleId: string): void {
    loaded.delete(articleId);
    words.set(articleId, []);
  }

  async function loadVectors(embeddingModel: string): Promise<void> {
    const wanted = new Map(all.map((passage) => [keyOf(passage), passage]));
    for (const key of embedded) if (!wanted.has(key)) forget(key);
    const missing = [...wanted.values()].filter((passage) => !embedded.has(keyOf(passage)));
    for (const part of inParts(missing, VECTORS_AT_ONCE)) {
      const found = await vectors.load(
        embeddingModel,
        part.map(({ hash }) => hash),
      );
      for (const passage of part) {
        const vector = found.get(passage.hash);
        if (vector !== undefined) remember(passage, vector);
      }
    }
  }

  function remember(passage: IndexedPassage, vector: Float32Array): void {
    table ??= createVectorTable<IndexedPassage>(vector.length);
    // Vector of a model that was replaced under the same name; see docs/operations.md.
    if (vector.length !== table.dimensions) return;
    table.set(keyOf(passage), vector, passage);
    embedded.add(keyOf(passage));
  }

  function forget(key: string): void {
    table?.delete(key);
    embedded.delete(key);
  }

  async function load(): Promise<void> {
    await loadArticles();
    if (model !== null) await loadVectors(model);
    everLoaded = true;
  }

  /** One update at a time: a call during an update gets the result of the next. */
  function refresh(): Promise<void> {
    if (running !== undefined) {
      asked += 1;
      return running;
    }
    running = loadUntilNobodyAsks().finally(() => (running = undefined));
    return running;
  }

  async function loadUntilNobodyAsks(): Promise<void> {
    asked = 0;
    await load();
    if (asked > 0) await loadUntilNobodyAsks();
  }

  function refreshSoon(): void {
    refresh().catch((error: unknown) => {
      onFailure(error);
      clearTimeout(retry);
      if (unsubscribe !== undefined) retry = setTimeout(refreshSoon, RETRY_MS);
    });
  }

  return {
    ready: async () => {
      if (!everLoaded) await refresh().catch(onFailure);
    },
    byWords: (question) => words.search(question),
    nearest: (vector, count) =>
      table === null || table.size === 0 ? null : table.nearest(vector, count),
    size: () => ({ articles: loaded.size, passages: all.length, embedded: embedded.size }),
    refresh,
    start() {
      unsubscribe ??= feed.subscribe(['assistant'], (topics) => {
        if (topics === 'all' || topics.includes(knowledgeTopic)) refreshSoon();
      });
      refreshSoon();
    },
    async stop() {
      unsubscribe?.();
      unsubscribe = undefined;
      clearTimeout(retry);
      await running?.catch(() => undefined);
    },
  };
}

function* inParts<Item>(items: readonly Item[], size: number): Iterable<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
