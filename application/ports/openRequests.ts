/** Certificates of citizens that were asked for and not issued. */
export interface OpenRequests {
  /** Serials in order, those after `after`. @throws Unavailable(database) */
  requestedBefore(time: Date, limit: number, after: string | null): Promise<readonly string[]>;
}
