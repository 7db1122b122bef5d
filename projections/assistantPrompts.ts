import type { Kysely } from 'kysely';
import { promptNames, type PromptName } from '../domain/assistant/events.ts';
import { defaultPrompts } from '../domain/assistant/prompt.ts';
import type { Database } from './database.ts';

/** A prompt of the assistant, for operators. */
export interface PromptRecord {
  readonly prompt: PromptName;
  readonly content: string;
  /** 0: the program's own text. */
  readonly version: number;
  /** Last editor; null: never changed. */
  readonly changedBy: string | null;
  /** ISO 8601. */
  readonly changedAt: string | null;
}

/** The prompts in the read model. */
export interface PromptRecords {
  /** All prompts, in the order of the list of names. */
  prompts(): Promise<readonly PromptRecord[]>;
}

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
