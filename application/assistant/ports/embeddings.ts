/** Maps texts to vectors; the angle between two measures their similarity. */
export interface Embeddings {
  /** Vectors of different models are not comparable. */
  readonly model: string;
  /**
   * One call, without retries.
   *
   * @returns one vector per text, in their order, all of one length, none all zero
   * @throws ProviderFailure(embeddings)
   * @throws NotConfigured(embeddings)
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}
