import type { AssistantKnowledge } from './assistant.ts';
import type { ServicePart } from './part.ts';

/** The knowledge base: what the assistant knows, and the prompts administrators edit. */
export function composeKnowledge(): AssistantKnowledge & { readonly part: ServicePart } {
  return {
    part: {},
    prompts: { current: () => Promise.resolve({ scope: '', instructions: '' }) },
    search: { search: () => Promise.resolve({ results: [], count: 0, mode: 'keyword' }) },
    tools: [],
  };
}
