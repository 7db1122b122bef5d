import type { AssistantLanguage } from '../../domain/assistant/events.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';

export { type AssistantLanguage, assistantLanguages } from '../../domain/assistant/events.ts';

/** Whose request it is that the model works on: tools run with this identity, never with one of their own. */
export interface AssistantCaller {
  /** `UserID` of the access token, or the operator's id; null for an anonymous visitor. */
  readonly userId: string | null;
  /** Set for a signed-in operator, with the role as it is now. */
  readonly operator: { readonly id: string; readonly role: OperatorRole } | null;
  readonly requestId: string;
  readonly ip: string;
  readonly lang: AssistantLanguage;
}

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Something the model may ask the backend to do; the model itself runs nothing (specification, rule 1). */
export interface AssistantTool {
  /** `[a-z_]{1,64}`, as the model names it. */
  readonly name: string;
  /** For the model: what it does, when to use it, what it answers. */
  readonly description: string;
  /** JSON schema of the arguments, of type object. */
  readonly parameters: JsonObject;
  /** Whether this caller's model is told of it; omitted: everybody's. It is asked again before every run. */
  isFor?(caller: AssistantCaller): boolean;
  /**
   * Whatever it throws, the model learns only that it failed, the caller nothing, and the cause is logged.
   *
   * @param args as the model sent them: an object, otherwise unchecked; check them
   * @param signal aborts when the time of a tool or of the request is over, or the caller is gone
   * @returns what the model, and the caller in `steps`, is shown; no secrets
   */
  run(args: JsonObject, caller: AssistantCaller, signal: AbortSignal): Promise<JsonObject>;
}

/** The two layers of the system prompt that administrators edit; the guardrails are none of them. */
export interface AssistantPrompts {
  /** As they are now: a change counts from the next request on. */
  current(): Promise<{ readonly scope: string; readonly instructions: string }>;
}
