/** A pending right to which all agreed who were asked, and which is not in force yet. */
export interface AgreedInvitation {
  readonly register: string;
  readonly civilId: string;
  /** In which the invited person agreed; null: the person was not asked. */
  readonly sessionId: string | null;
  readonly adminSessionId: string;
  /** Civil id of the ADMIN who confirmed. */
  readonly confirmedBy: string;
}

/** Query of the confirming sweep. */
export interface AgreedInvitations {
  /** By register and the ADMIN's session. @param after last one of the previous page */
  agreedInvitations(
    limit: number,
    after: AgreedInvitation | null,
  ): Promise<readonly AgreedInvitation[]>;
}
