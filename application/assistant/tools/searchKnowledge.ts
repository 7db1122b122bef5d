import type { AssistantTool } from '../../ports/assistant.ts';
import type { KnowledgeSearch } from '../../ports/knowledgeSearch.ts';

const LONGEST_QUERY = 500;

/** Lets the model look things up in the knowledge base (specification, assistant rule 3). */
export function createSearchKnowledgeTool(knowledge: KnowledgeSearch): AssistantTool {
  return {
    name: 'search_knowledge',
    description:
      'Searches the knowledge base of the platform in Mongolian and English. Use it before answering anything about ' +
      'the platform. Answers passages with their titles; count 0 means that nothing is known.',
    parameters: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: "The question in the visitor's own words, without greetings.",
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    run: async ({ query }, _caller, signal) => {
      if (typeof query !== 'string' || query.trim() === '') throw new Error('There is no query.');
      const { results, count, mode } = await knowledge.search(
        query.trim().slice(0, LONGEST_QUERY),
        signal,
      );
      return { results, count, mode };
    },
  };
}
