import type { Actor } from '../ports/eventStore.ts';

/** A command refused because of who asked, or because of how things stand. */
export interface RefusedCommand {
  /** Name of the route. */
  readonly operation: string;
  /** The refusal's code. */
  readonly code: string;
  /** What an operator would have needed. */
  readonly capability: string | null;
  /** Public identifier of what it was meant for. */
  readonly subject: string | null;
  /** Null: nobody knows. */
  readonly actor: Actor | null;
  readonly requestId: string;
  readonly ip: string;
}
