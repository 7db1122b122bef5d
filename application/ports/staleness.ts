/** Age of what read models show, whichever process keeps them. */
export interface Staleness {
  /** True when the read model may lack events that are older than the bound; also while that is unknown. */
  isStale(readModel: string): boolean;
  /** Keys of the rows that wait for parked events: they are old although the read model is not. */
  parked(readModel: string): ReadonlySet<string>;
  /** True when a subscriber that reached this position has missed nothing that is older than the bound. */
  covers(position: bigint | null): boolean;
  /** Log position the read model had reached when it was last looked at; null: none, or unknown. */
  reached(readModel: string): bigint | null;
  /** Registers a callback after each look. Returns the unregister function. */
  onLook(listener: () => void): () => void;
}
