/** An event in one read model. */
export interface ParkedEventId {
  readonly readModel: string;
  readonly eventId: string;
}

/** Events at fault, which read models were parked at. */
export interface ParkedEvents {
  /** @returns null when it is not parked, or only waits behind another event */
  stateOf(event: ParkedEventId): Promise<'PARKED' | 'SKIPPED' | null>;
  /** Leaves an event out for good; those behind it are folded. @returns false when it is not parked as such */
  skip(event: ParkedEventId): Promise<boolean>;
}
