/** What embedding models made of passages, kept under the passages' hashes: the same passage is not asked for twice. */
export interface PassageVectors {
  /** Those of these passages that are there, by hash. */
  load(model: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  /** Keeps them and tells every process; what is there already stays. */
  save(model: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  /** Which of these passages have one. */
  present(model: string, hashes: readonly string[]): Promise<ReadonlySet<string>>;
  /** Forgets those of all other passages, of every model. */
  keepOnly(model: string, hashes: readonly string[]): Promise<void>;
}
