import type { JsonObject } from './assistant.ts';

/** What the model may ask for. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON schema of type object. */
  readonly parameters: JsonObject;
}

/** A tool the model asks for. */
export interface ToolCall {
  /** Of this call; the result names it. */
  readonly id: string;
  readonly name: string;
  /** Null when what the model sent is no JSON object. */
  readonly args: JsonObject | null;
}

export interface ToolResult {
  readonly callId: string;
  readonly result: JsonObject;
  /** Whether `result` says why there is none. */
  readonly isError: boolean;
}

/** One turn of a conversation. */
export type ModelTurn =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'model';
      readonly text: string;
      readonly calls?: readonly ToolCall[];
      /** What the adapter itself wants to be given back with this turn; nobody else looks into it. */
      readonly native?: unknown;
    }
  | {
      readonly role: 'tools';
      /** The model is told this before every result. */
      readonly preface: string;
      readonly results: readonly ToolResult[];
    };

export interface ModelRequest {
  /** Layers of the system prompt, the one that changes least first: each is cached with those before it. */
  readonly system: readonly string[];
  readonly turns: readonly ModelTurn[];
  readonly tools: readonly ToolDeclaration[];
}

/** Tokens of one call, as the provider counts and bills them. */
export interface ModelUsage {
  readonly model: string;
  /** Read anew: neither from the cache nor into it. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ModelReply {
  /** Empty when it said nothing, or asked for tools only. */
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** Whether the provider's safeguards stopped it: what was written until then is no answer. */
  readonly isRefused: boolean;
  /** For the model turn that this reply becomes. */
  readonly native: unknown;
}

export interface ModelCall {
  readonly signal: AbortSignal;
  /** Told of the text as it is written. */
  readonly onText?: (piece: string) => void;
  /** Told of the tokens, also of a call that failed midway: then those written are an estimate that errs on the high side. */
  readonly onUsage?: (usage: ModelUsage) => void;
}

/** A generative language model with tool use. */
export interface LanguageModel {
  /**
   * One call, never repeated here.
   *
   * @throws ProviderFailure(languageModel)
   * @throws NotConfigured(languageModel)
   */
  reply(request: ModelRequest, call: ModelCall): Promise<ModelReply>;
}
