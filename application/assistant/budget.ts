import type { Clock } from '../ports/clock.ts';
import type { ModelUsage } from './ports/languageModel.ts';
import type { SpendingLedger, SpendingScope } from './ports/spending.ts';

/** Price of a million tokens of a model. */
export interface ModelPrice {
  readonly model: string;
  readonly input: number;
  readonly output: number;
}

/** Price factor of cached input, as the provider bills it. */
const cacheReadFactor = 0.1;
const cacheWriteFactor = 1.25;

/** @returns millionths of the currency; 0 for a model without a price */
export function costOf(prices: readonly ModelPrice[], usage: ModelUsage): number {
  const price = prices.find(({ model }) => model === usage.model);
  if (price === undefined) return 0;
  const { input, output, cacheRead, cacheWrite } = usage;
  const read = input + cacheReadFactor * cacheRead + cacheWriteFactor * cacheWrite;
  return read * price.input + output * price.output;
}

/** Daily spending limit. Never fails: an unavailable ledger is no reason to refuse an answer. */
export interface Budget {
  isSpent(isPublic: boolean): Promise<boolean>;
  /** @param cost millionths of the currency */
  spend(isPublic: boolean, cost: number): Promise<void>;
}

export interface BudgetOptions {
  readonly ledger: SpendingLedger;
  readonly clock: Clock;
  /** Limit per day (UTC), in the currency; null: none. */
  readonly daily: Readonly<Record<SpendingScope, number | null>>;
  /** Called when the ledger cannot be read or written. */
  readonly onFailure: (cause: unknown) => void;
}

/** Calls in progress when the limit is reached are completed: spending may exceed it by that much. */
export function createBudget({ ledger, clock, daily, onFailure }: BudgetOptions): Budget {
  const today = () => clock.now().toISOString().slice(0, 10);
  const scopesOf = (isPublic: boolean) =>
    (isPublic ? (['all', 'public'] as const) : (['all'] as const)).filter(
      (scope) => daily[scope] !== null,
    );

  return {
    async isSpent(isPublic) {
      try {
        for (const scope of scopesOf(isPublic)) {
          const limit = BigInt(Math.round((daily[scope] ?? 0) * 1e6));
          if ((await ledger.spent(today(), scope)) >= limit) return true;
        }
      } catch (cause) {
        onFailure(cause);
      }
      return false;
    },
    async spend(isPublic, cost) {
      try {
        const amount = BigInt(Math.ceil(cost));
        if (amount === 0n) return;
        for (const scope of scopesOf(isPublic)) await ledger.add(today(), scope, amount);
      } catch (cause) {
        onFailure(cause);
      }
    },
  };
}
