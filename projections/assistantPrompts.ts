import type { Kysely } from 'kysely';
import type { PromptRecords } from '../application/ports/assistantPrompts.ts';
import { promptsTopic } from '../application/ports/wake.ts';
import { type AssistantPromptChanged, promptNames } from '../domain/assistant/events.ts';
import { defaultPrompts } from '../domain/assistant/prompt.ts';
import type { AssistantPromptRow, Database } from './database.ts';
import { readModel } from './readModel.ts';

// Projection

/** The assistant's prompts, table `assistant_prompt_view`. */
export const assistantPromptsReadModel = readModel<AssistantPromptRow, AssistantPromptChanged>({
  name: 'assistantPrompts',
  table: 'assistant_prompt_view',
  category: 'assistantPrompt',
  key: 'prompt',
  columns: {
    prompt: 'text',
    content: 'text',
    version: 'int8',
    changed_by: 'text',
    changed_at: 'timestamptz',
    revision: 'int8',
  },
  evolve: (row, { data }, _key, { metadata }) => ({
    prompt: data.prompt,
    content: data.content,
    version: (row?.version ?? 0n) + 1n,
    changed_by: metadata.actor.id,
    changed_at: data.changedAt,
    revision: 0n,
  }),
  topics: () => [promptsTopic],
});

// Queries

/** Queries over the assistant's prompts. */
export function createPromptRecords(database: Kysely<Database>): PromptRecords {
  return {
    async prompts() {
      const rows = await database.selectFrom('assistant_prompt_view').selectAll().execute();
      return promptNames.map((prompt) => {
        const row = rows.find((each) => each.prompt === prompt);
        return {
          prompt,
          content: row?.content ?? defaultPrompts[prompt],
          version: Number(row?.version ?? 0),
          changedBy: row?.changed_by ?? null,
          changedAt: row?.changed_at.toISOString() ?? null,
        };
      });
    },
  };
}
