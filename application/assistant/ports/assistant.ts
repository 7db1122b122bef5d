import type { AssistantLanguage } from '../../../domain/assistant/events.ts';
import type { OperatorRole } from '../../../domain/operator/capabilities.ts';

export { type AssistantLanguage, assistantLanguages } from '../../../domain/assistant/events.ts';

/** Caller of a request to the model: tools run with this identity, never with one of their own. */
export interface AssistantCaller {
  /** `UserID` of the access token, or the operator's id; null for an anonymous visitor. */
  readonly userId: string | null;
  /** Set for a signed-in operator, with the current role. */
  readonly operator: { readonly id: string; readonly role: OperatorRole } | null;
  readonly requestId: string;
  readonly ip: string;
  readonly lang: AssistantLanguage;
}

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A tool the model may call; the model itself executes nothing (specification, rule 1). */
export interface AssistantTool {
  /** `[a-z_]{1,64}`, for the model. */
  readonly name: string;
  /** For the model: purpose, use, result. */
  readonly description: string;
  /** JSON schema of the arguments, of type object. */
  readonly parameters: JsonObject;
  /** Decides if the tool is offered to this caller; omitted: to everybody. Checked again before every run. */
  isFor?(caller: AssistantCaller): boolean;
  /**
   * Runs the tool. Of an exception the model learns only that the tool failed, the caller nothing, and the cause is
   * logged.
   *
   * @param args as sent by the model: an object, otherwise unchecked; check them
   * @param signal aborts on the timeout of the tool or the request, or when the caller disconnects
   * @returns result shown to the model, and to the caller in `steps`; no secrets
   */
  run(args: JsonObject, caller: AssistantCaller, signal: AbortSignal): Promise<JsonObject>;
}

/** The two editable layers of the system prompt; the guardrails are not among them. */
export interface AssistantPrompts {
  /** Current texts: a change applies from the next request on. */
  current(): Promise<{ readonly scope: string; readonly instructions: string }>;
}
