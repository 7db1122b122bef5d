/** Push notifications to a citizen's phone. Delivery is at least once and best effort: the inbox is authoritative. */
export interface PushGateway {
  /** @throws Unavailable(push) for a later retry */
  notify(message: PushMessage): Promise<void>;
}

export interface PushMessage {
  readonly documentNumber: string;
  readonly platform: 'APNS' | 'FCM' | 'SIM';
  readonly pushToken: string;
  /** The only content: nothing else of the session is sent through the push provider. */
  readonly sessionId: string;
}
