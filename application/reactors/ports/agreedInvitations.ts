/** A signer who accepted the invitation in its session, and is not confirmed yet. */
export interface AgreedInvitation {
  readonly register: string;
  readonly civilId: string;
  readonly sessionId: string;
}

/** Query of the confirming sweep. */
export interface AgreedInvitations {
  /** By register and session. @param after last one of the previous page */
  agreedInvitations(
    limit: number,
    after: AgreedInvitation | null,
  ): Promise<readonly AgreedInvitation[]>;
}
