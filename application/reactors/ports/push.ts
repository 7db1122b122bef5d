/** Push notifications to a citizen's phone. Delivery is at least once and best effort: the inbox is authoritative. */
export interface PushGateway {
  /** @throws Unavailable(push) for a later retry */
  notify(message: PushMessage): Promise<void>;
}

/** The only content is an id: nothing else of the session or notice is sent through the push provider. */
export type PushMessage = PushAddress &
  ({ readonly sessionId: string } | { readonly noticeId: string });

export interface PushAddress {
  readonly documentNumber: string;
  readonly platform: 'APNS' | 'FCM' | 'SIM';
  readonly pushToken: string;
}
