/** A passage of the knowledge base. */
export interface KnowledgeMatch {
  readonly title: string;
  readonly content: string;
  readonly source?: string;
  /** Cosine similarity, in mode `vector` only. */
  readonly score?: number;
}

/** Search results, the best first. */
export interface KnowledgeResults {
  readonly results: readonly KnowledgeMatch[];
  readonly count: number;
  /** `keyword` without vectors. */
  readonly mode: 'vector' | 'keyword';
}

/** Search in the knowledge base (specification, assistant rule 3; contract §12). */
export interface KnowledgeSearch {
  search(query: string, signal: AbortSignal): Promise<KnowledgeResults>;
}
