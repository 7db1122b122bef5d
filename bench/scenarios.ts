import type { Scenario } from './support/scenario.ts';

/** Every scenario there is, in the order they run. */
export const scenarios: readonly Scenario[] = [];
