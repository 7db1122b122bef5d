import { promptsTopic } from '../../domain/shared/streams.ts';
import { assistantPromptEvents, type PromptName } from '../../domain/assistant/events.ts';
import { int8, text, timestamptz } from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';

const columns = {
  prompt: text<PromptName>(),
  content: text(),
  /** Number of changes. */
  version: int8(),
  /** Last editor: an operator's id, or another actor of the log. */
  changed_by: text(),
  changed_at: timestamptz(),
  revision: int8(),
};

/** The assistant's prompts, table `assistant_prompt_view`. */
export const assistantPromptsReadModel = readModel({
  name: 'assistantPrompts',
  table: 'assistant_prompt_view',
  events: assistantPromptEvents,
  key: 'prompt',
  columns,
  shown: ['content', 'version'],
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
