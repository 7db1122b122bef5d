import type { Actor } from '../ports/eventStore.ts';

/** A command refused for lack of rights or because of the state. */
export interface RefusedCommand {
  /** Name of the route. */
  readonly operation: string;
  /** The refusal's code. */
  readonly code: string;
  /** Capability required of an operator. */
  readonly capability: string | null;
  /** Public identifier of the command's target. */
  readonly subject: string | null;
  /** Null: unknown. */
  readonly actor: Actor | null;
  readonly requestId: string;
  readonly ip: string;
}
