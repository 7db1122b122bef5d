/** Citizens' certificates requested and not issued. */
export interface OpenRequests {
  /** Serials in order, after `after`. @throws Unavailable(database) */
  requestedBefore(time: Date, limit: number, after: string | null): Promise<readonly string[]>;
}
