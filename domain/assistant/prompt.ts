import type { Decider } from '../shared/decider.ts';
import { expectVersion } from './edition.ts';
import type { AssistantPromptChanged, PromptName } from './events.ts';

/** Longest prompt, characters (contract §12). */
export const longestPrompt = 4000;

// State

/** One of the assistant's prompts. */
export interface Prompt {
  /** Null: the program's own text, {@link defaultPrompts}. */
  readonly content: string | null;
  /** Number of changes. */
  readonly version: number;
  /** ISO 8601; null: never. */
  readonly changedAt: string | null;
}

const initial: Prompt = { content: null, version: 0, changedAt: null };

function evolve({ version }: Prompt, { data }: AssistantPromptChanged): Prompt {
  return { content: data.content, version: version + 1, changedAt: data.changedAt };
}

/** The program's own prompts. The mandatory rules are in code, not configurable. */
export const defaultPrompts: Readonly<Record<PromptName, string>> = {
  scope:
    'You help people with the national electronic identity: enrolling, signing in, signing documents, PINs, verification ' +
    'codes, lost phones, certificates and their revocation, checking signed documents, seals and representation of ' +
    'organizations, and connecting services to the platform. Politely decline other subjects.',
  instructions:
    'Look things up with search_knowledge before you answer a question about the platform. Say only what the sources ' +
    'say; when they do not answer the question, say so and name who can help. Answer in short sentences and steps that ' +
    'a citizen without technical knowledge understands. Never ask for a PIN, a password or a verification code.',
};

// Commands

export interface ChangePrompt {
  readonly type: 'ChangePrompt';
  readonly prompt: PromptName;
  readonly content: string;
  /** Version the edit is based on; null: any. */
  readonly expected: number | null;
  readonly now: string;
}

// Decisions

function decide(
  { prompt, content, expected, now }: ChangePrompt,
  state: Prompt,
): readonly AssistantPromptChanged[] {
  if ((state.content ?? defaultPrompts[prompt]) === content) return [];
  expectVersion(expected, state.version);
  return [{ type: 'AssistantPromptChanged', data: { prompt, content, changedAt: now } }];
}

/** A prompt of the assistant. Streams `assistantPrompt-scope`, `assistantPrompt-instructions`. */
export const promptDecider: Decider<Prompt, ChangePrompt, AssistantPromptChanged> = {
  initial,
  evolve,
  decide,
};
