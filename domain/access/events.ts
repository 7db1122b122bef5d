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

export type AccessEvent = RightsLookedUp | OnBehalfAccepted | OnBehalfDenied;
