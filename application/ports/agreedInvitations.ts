/** A signer who agreed, in the session of the invitation, and is not confirmed yet. */
export interface AgreedInvitation {
  readonly register: string;
  readonly civilId: string;
  readonly sessionId: string;
}

/** What the confirming sweep asks. */
export interface AgreedInvitations {
  /** By register and session. @param after continue behind this one */
  agreedInvitations(
    limit: number,
    after: AgreedInvitation | null,
  ): Promise<readonly AgreedInvitation[]>;
}
