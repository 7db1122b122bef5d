/** Turns texts into vectors whose angle says how alike they are. */
export interface Embeddings {
  /** Vectors of different models cannot be compared. */
  readonly model: string;
  /**
   * One call, never repeated here.
   *
   * @returns one vector a text, in their order, all of one length, none all zero
   * @throws ProviderFailure(embeddings)
   * @throws NotConfigured(embeddings)
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}
