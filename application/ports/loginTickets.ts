/** How a person reaches their phone from the login page. */
export const loginChannels = ['push', 'qr', 'app'] as const;

export type LoginChannel = (typeof loginChannels)[number];

/** What a browser keeps of the login it has begun. */
export interface LoginTicket {
  readonly sessionId: string;
  readonly channel: LoginChannel;
  /** Channel `app`: what the app must bring back to this browser; null: the others, and once it has. */
  readonly awaitedState: string | null;
}

/** Tickets as text a browser keeps and can neither read nor change nor use for another interaction. */
export interface LoginTickets {
  seal(interactionUid: string, ticket: LoginTicket): string;
  /** Null: no ticket of this interaction. */
  open(interactionUid: string, text: string): LoginTicket | null;
}
