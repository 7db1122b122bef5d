import {
  type Aggregate,
  type AggregateDependencies,
  type CommandContext,
  createAggregate,
  expectShown,
} from '../handleCommand.ts';
import type { AssistantPromptChanged, PromptName } from '../../domain/assistant/events.ts';
import { type ChangePrompt, type Prompt, promptDecider } from '../../domain/assistant/prompt.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';

/** The assistant's prompts, bound to their store. */
export type Prompts = Aggregate<Prompt, ChangePrompt, AssistantPromptChanged>;

export function createPrompts(dependencies: AggregateDependencies<Prompt>): Prompts {
  return createAggregate('assistantPrompt', promptDecider, dependencies);
}

export interface ChangePromptDependencies {
  readonly prompts: Prompts;
  readonly clock: Clock;
  readonly progress: ProjectionProgress;
}

/** Operator's change of a prompt. */
export interface PromptEdit {
  readonly prompt: PromptName;
  readonly content: string;
  /** Version the edit is based on; null: any. */
  readonly expected: number | null;
}

/** Changes a prompt; resolves when the read model shows it. @throws Refusal PRECONDITION_FAILED */
export async function changePrompt(
  { prompts, clock, progress }: ChangePromptDependencies,
  edit: PromptEdit,
  context: CommandContext,
): Promise<void> {
  const now = clock.now().toISOString();
  await expectShown(
    progress,
    prompts.handle(edit.prompt, { type: 'ChangePrompt', ...edit, now }, context),
  );
}
