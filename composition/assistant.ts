import type { OperatorGuards } from '../api/admin/guard.ts';
import { createSearchKnowledgeTool } from '../application/assistant/tools/searchKnowledge.ts';
import type { AssistantPrompts, AssistantTool } from '../application/ports/assistant.ts';
import type { KnowledgeSearch } from '../application/ports/knowledgeSearch.ts';
import type { AssistantProviders } from './assistantProviders.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

/** What the knowledge base and the operator queries bring into the assistant. */
export interface AssistantKnowledge {
  readonly prompts: AssistantPrompts;
  /** Behind `search_knowledge`: all that the public chat has, and the signed-in have it too. */
  readonly search: KnowledgeSearch;
  /** Further tools of the signed-in; each says by `isFor` whose. */
  readonly tools: readonly AssistantTool[];
}

export interface AssistantOptions {
  readonly guards: OperatorGuards;
  readonly providers: AssistantProviders;
  readonly knowledge: AssistantKnowledge;
}

/** Chat, speech and translation. */
export function composeAssistant(_core: Core, { knowledge }: AssistantOptions): ServicePart {
  createSearchKnowledgeTool(knowledge.search);
  return {};
}
