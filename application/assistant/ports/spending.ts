/** Scope of a budget: all users, or the anonymous visitors among them. */
export type SpendingScope = 'all' | 'public';

/** Cost of the assistant over all processes. Amounts are millionths of the prices' currency. */
export interface SpendingLedger {
  /** @param day `2026-11-22` */
  spent(day: string, scope: SpendingScope): Promise<bigint>;
  add(day: string, scope: SpendingScope, amount: bigint): Promise<void>;
}
