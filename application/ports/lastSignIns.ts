/** When operators last signed in, as the audit shows it. */
export interface LastSignIns {
  /** ISO times by operator; those who never did are missing. @throws Unavailable(database) */
  of(operatorIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
