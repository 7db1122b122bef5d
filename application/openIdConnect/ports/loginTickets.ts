/** Channels from the login page to the phone. */
export const loginChannels = ['push', 'qr', 'app'] as const;

export type LoginChannel = (typeof loginChannels)[number];

/** Login state stored in the browser. */
export interface LoginTicket {
  readonly sessionId: string;
  readonly channel: LoginChannel;
  /** Channel `app`: state expected from the app; null: other channels, and once received. */
  readonly awaitedState: string | null;
}

/** Encodes tickets for the browser, which can neither read nor change them, nor use them for another interaction. */
export interface LoginTickets {
  encrypt(interactionUid: string, ticket: LoginTicket): string;
  /** Null: not a ticket of this interaction. */
  decrypt(interactionUid: string, text: string): LoginTicket | null;
}
