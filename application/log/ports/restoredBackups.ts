/** Statement of evidence about the time after the backup. */
export interface Finding {
  /** Text for operators about what happened; it names public things and pseudonyms only. */
  readonly what: string;
  /** True: it was done again. False: it is to be done by operators, or cannot be. */
  readonly isApplied: boolean;
}

/** The backup that an installation was restored from, or the point in time that its database was recovered to. */
export interface RestoredBackup {
  readonly madeAt: Date;
  readonly restoredAt: Date;
  /** Position of the last event in it; null: none. */
  readonly head: bigint | null;
  readonly events: number;
  /** Merkle tree root over its log, base64; `unknown` after a recovery. */
  readonly root: string;
  readonly findings: readonly Finding[];
  /** Operator who asked another one to accept it as it is listed now; null: nobody did. */
  readonly asked: { readonly by: string; readonly at: Date } | null;
}

/** Storage of what was restored and is not accepted yet. @throws Unavailable(database) from every method */
export interface RestoredBackups {
  /** Null: nothing was restored, or it was accepted. A database on another server than before was. */
  pending(): Promise<RestoredBackup | null>;
  /** Writes down what is pending, so that events appended from then on are none of it. */
  note(): Promise<void>;
  /**
   * Takes evidence or accepts, neither beside the other: whoever accepts has seen all findings.
   *
   * @throws Refusal CONFLICT while another process or request does
   */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Adds to the findings of what is pending; whoever asked had not seen them.
   *
   * @throws Error when nothing is pending any more
   */
  found(findings: readonly Finding[]): Promise<void>;
  /** Keeps who asked another operator to accept what is pending. */
  ask(operatorId: string): Promise<void>;
  /** Ends what was handed out before and may have been used or withdrawn since: logins, codes and tokens of clients. */
  accept(): Promise<void>;
  /** True: the database is on another server than before, and nobody said that it lost nothing. */
  isElsewhere(): Promise<boolean>;
  /** Says that the database lost nothing, as long as it is on the server of this name. */
  follow(server: string): Promise<void>;
  /** Time of the last acceptance; null: nothing was ever restored. */
  acceptedAt(): Promise<Date | null>;
}
