/** Cache of embeddings of passages, keyed by model and the passage's hash. */
export interface PassageVectors {
  /** Stored vectors of these passages, by hash. */
  load(model: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  /** Stores vectors and notifies every process; existing ones stay. */
  save(model: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  /** Hashes of these passages that have a vector. */
  present(model: string, hashes: readonly string[]): Promise<ReadonlySet<string>>;
  /** Deletes the vectors of all other passages, of every model. */
  keepOnly(model: string, hashes: readonly string[]): Promise<void>;
}
