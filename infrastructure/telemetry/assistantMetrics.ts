import type { Registry } from 'prom-client';
import type { ModelUsage } from '../../application/assistant/ports/languageModel.ts';
import { countersOf } from './counters.ts';

/** Metrics of the assistant. */
export interface AssistantMetrics {
  /** Counts a valid request. @param kind for example `chat` */
  requested(kind: string): void;
  /** Counts one call of a model. @param cost millionths of the currency of the prices */
  used(usage: ModelUsage, cost: number): void;
  /** Counts an answer without the model. */
  degraded(kind: string, reason: string): void;
  /** @param tool a declared tool */
  toolRun(tool: string, outcome: 'ok' | 'failed'): void;
}

export function createAssistantMetrics(registry: Registry): AssistantMetrics {
  const counter = countersOf(registry);
  const requests = counter('ai_requests_total', 'Requests to the assistant, by kind.', ['kind']);
  const tokens = counter(
    'ai_tokens_total',
    'Tokens of language models: input, output, cache_read, cache_write.',
    ['model', 'direction'],
  );
  const cost = counter(
    'ai_cost_total',
    'What language models cost, in the currency of SVC_AI_PRICES.',
    ['model'],
  );
  const degraded = counter(
    'ai_degraded_total',
    'Answers that are not the model’s, by kind of request and reason.',
    ['kind', 'reason'],
  );
  const tools = counter('ai_tool_runs_total', 'Tools run for the model, by outcome.', [
    'tool',
    'outcome',
  ]);
  return {
    requested: (kind) => requests.inc({ kind }),
    used: ({ model, input, output, cacheRead, cacheWrite }, millionths) => {
      tokens.inc({ model, direction: 'input' }, input);
      tokens.inc({ model, direction: 'output' }, output);
      tokens.inc({ model, direction: 'cache_read' }, cacheRead);
      tokens.inc({ model, direction: 'cache_write' }, cacheWrite);
      cost.inc({ model }, millionths / 1e6);
    },
    degraded: (kind, reason) => degraded.inc({ kind, reason }),
    toolRun: (tool, outcome) => tools.inc({ tool, outcome }),
  };
}
