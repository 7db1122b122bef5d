import type { PromptName } from '../../domain/assistant/events.ts';

/** A prompt of the assistant as operators see it. */
export interface PromptRecord {
  readonly prompt: PromptName;
  readonly content: string;
  /** 0: as it comes with the program. */
  readonly version: number;
  /** Who changed it last; null: nobody did. */
  readonly changedBy: string | null;
  /** ISO 8601. */
  readonly changedAt: string | null;
}

/** The prompts as the read model has them. */
export interface PromptRecords {
  /** All of them, in the order of their names' list. */
  prompts(): Promise<readonly PromptRecord[]>;
}
