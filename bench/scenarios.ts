import { appendScenario } from './scenarios/p1Append.ts';
import { rebuildScenario } from './scenarios/p10Rebuild.ts';
import { httpOverheadScenario } from './scenarios/p12HttpOverhead.ts';
import { replayScenario } from './scenarios/p9Replay.ts';
import type { Scenario } from './support/scenario.ts';

/** Every scenario there is, in the order they run. */
export const scenarios: readonly Scenario[] = [
  appendScenario,
  replayScenario,
  rebuildScenario,
  httpOverheadScenario,
];
