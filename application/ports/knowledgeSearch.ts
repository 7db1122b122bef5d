/** A passage of the knowledge base. */
export interface KnowledgeMatch {
  readonly title: string;
  readonly content: string;
  readonly source?: string;
  /** Cosine similarity, in mode `vector` only. */
  readonly score?: number;
}

/** What a search found, the best first. */
export interface KnowledgeResults {
  readonly results: readonly KnowledgeMatch[];
  readonly count: number;
  /** `keyword` where vectors are not at hand. */
  readonly mode: 'vector' | 'keyword';
}

/** The knowledge base as the assistant asks it (specification, assistant rule 3; contract §12). */
export interface KnowledgeSearch {
  search(query: string, signal: AbortSignal): Promise<KnowledgeResults>;
}
