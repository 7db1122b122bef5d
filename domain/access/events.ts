import type { DomainEvent } from '../shared/decider.ts';

// Storage format: see domain/session/events.ts. Facts that change no state and must be shown to auditors.

/** Somebody asked whom a person may represent. */
export type RightsLookedUp = DomainEvent<
  'RightsLookedUp',
  {
    /** Null: nobody enrolled has the identifier asked about. */
    readonly civilId: string | null;
    /** Registers of the organizations answered. */
    readonly registers: readonly string[];
    readonly lookedUpAt: string;
  }
>;

/** A session on behalf of an organization was let through. */
export type OnBehalfAccepted = DomainEvent<
  'OnBehalfAccepted',
  {
    readonly register: string;
    readonly civilId: string;
    readonly sessionId: string;
    readonly checkedAt: string;
  }
>;

/** A session on behalf of an organization was refused. */
export type OnBehalfDenied = DomainEvent<
  'OnBehalfDenied',
  {
    readonly register: string;
    readonly civilId: string;
    /** The refusal's code. */
    readonly code: string;
    readonly checkedAt: string;
  }
>;

/**
 * A command was refused because the caller is not known, is not permitted, or the state of things forbids it. Callers
 * nobody knows are told together, by address and minute.
 */
export type CommandDenied = DomainEvent<
  'CommandDenied',
  {
    /** Name of the route. */
    readonly operation: string;
    /** The refusal's code. */
    readonly code: string;
    /** What an operator would have needed; null: nothing in particular. */
    readonly capability: string | null;
    /** Public identifier of what it was meant for; null when the address names none. */
    readonly subject: string | null;
    /** How many refusals this stands for. */
    readonly count: number;
    /** When the first of them happened. */
    readonly since: string;
    /** When the last of them happened. */
    readonly deniedAt: string;
  }
>;

/** An operator was shown what is kept about persons. */
export type OperatorRead = DomainEvent<
  'OperatorRead',
  {
    /** Name of the route. */
    readonly operation: string;
    /** What let them; null: nothing in particular. */
    readonly capability: string | null;
    /** Public identifier of whom or what was shown; null for a list. */
    readonly subject: string | null;
    readonly readAt: string;
  }
>;

/** The key a person's data is sealed under was destroyed. */
export type PersonForgotten = DomainEvent<
  'PersonForgotten',
  { readonly civilId: string; readonly forgottenAt: string }
>;

export type AccessEvent =
  | RightsLookedUp
  | OnBehalfAccepted
  | OnBehalfDenied
  | CommandDenied
  | OperatorRead
  | PersonForgotten;
