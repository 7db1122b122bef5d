/** Who a budget is for: everybody together, or the anonymous visitors among them. */
export type SpendingScope = 'all' | 'public';

/** What the assistant cost, counted over all processes. Amounts are millionths of the currency prices are in. */
export interface SpendingLedger {
  /** @param day `2026-11-22` */
  spent(day: string, scope: SpendingScope): Promise<bigint>;
  add(day: string, scope: SpendingScope, amount: bigint): Promise<void>;
}
