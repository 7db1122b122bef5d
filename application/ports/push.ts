/** Reaches a citizen's phone. Delivery is at least once and best effort: the inbox is what counts. */
export interface PushGateway {
  /** @throws Unavailable(push) to be tried again */
  notify(message: PushMessage): Promise<void>;
}

export interface PushMessage {
  readonly documentNumber: string;
  readonly platform: 'APNS' | 'FCM' | 'SIM';
  readonly pushToken: string;
  /** Nothing of the session's content travels through the push provider. */
  readonly sessionId: string;
}
