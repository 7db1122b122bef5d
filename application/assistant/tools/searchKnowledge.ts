import type { AssistantTool } from '../ports/assistant.ts';
import type { KnowledgeSearch } from '../ports/knowledgeSearch.ts';

const LONGEST_QUERY = 500;

/** Tool to search the knowledge base (specification, assistant rule 3). */
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
      if (typeof query !== 'string' || query.trim() === '')
        throw new Error('The argument query is missing or empty.');
      const { results, count, mode } = await knowledge.search(
        query.trim().slice(0, LONGEST_QUERY),
        signal,
      );
      return { results, count, mode };
    },
  };
}
