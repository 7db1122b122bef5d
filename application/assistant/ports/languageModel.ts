import type { JsonObject } from './assistant.ts';

/** A tool the model may call. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON schema of type object. */
  readonly parameters: JsonObject;
}

/** A tool call of the model. */
export interface ToolCall {
  /** Id of this call, repeated in its result. */
  readonly id: string;
  readonly name: string;
  /** Null unless the model sent a JSON object. */
  readonly args: JsonObject | null;
}

export interface ToolResult {
  readonly callId: string;
  readonly result: JsonObject;
  /** True when `result` is an error. */
  readonly isError: boolean;
}

/** One turn of a conversation. */
export type ModelTurn =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'model';
      readonly text: string;
      readonly calls?: readonly ToolCall[];
      /** The turn in the adapter's own format; opaque to others. */
      readonly native?: unknown;
    }
  | {
      readonly role: 'tools';
      /** Text before every result. */
      readonly preface: string;
      readonly results: readonly ToolResult[];
    };

export interface ModelRequest {
  /** Layers of the system prompt, the most stable first: each is cached with those before it. */
  readonly system: readonly string[];
  readonly turns: readonly ModelTurn[];
  readonly tools: readonly ToolDeclaration[];
}

/** Tokens of one call, as billed by the provider. */
export interface ModelUsage {
  readonly model: string;
  /** Neither read from the cache nor written to it. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ModelReply {
  /** Empty without text, or with tool calls only. */
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** True when the provider's safeguards stopped it: the partial text is no answer. */
  readonly isRefused: boolean;
  /** For the model turn of this reply. */
  readonly native: unknown;
}

export interface ModelCall {
  readonly signal: AbortSignal;
  /** Called with each part of the text. */
  readonly onText?: (piece: string) => void;
  /** Called with the tokens, also of a call that failed midway: output is then estimated upwards. */
  readonly onUsage?: (usage: ModelUsage) => void;
}

/** A generative language model with tool use. */
export interface LanguageModel {
  /**
   * One call, without retries.
   *
   * @throws ProviderFailure(languageModel)
   * @throws NotConfigured(languageModel)
   */
  reply(request: ModelRequest, call: ModelCall): Promise<ModelReply>;
}
