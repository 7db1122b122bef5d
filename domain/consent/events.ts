import type { DomainEvent } from '../shared/decider.ts';
import type { OpenIdScopeName } from '../shared/openIdScopes.ts';

// Storage format: see domain/session/events.ts.

/** A citizen agreed that a client learns or may do this. */
export type ConsentGiven = DomainEvent<
  'ConsentGiven',
  {
    readonly civilId: string;
    readonly clientId: string;
    /** All that is agreed to from now on. */
    readonly scopes: readonly OpenIdScopeName[];
    readonly givenAt: string;
  }
>;

export type ConsentWithdrawn = DomainEvent<
  'ConsentWithdrawn',
  { readonly civilId: string; readonly clientId: string; readonly withdrawnAt: string }
>;

export type ConsentEvent = ConsentGiven | ConsentWithdrawn;
