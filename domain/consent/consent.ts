import type { Decider } from '../shared/decider.ts';
import { type ConsentScope, unitedScopes } from '../shared/consentScopes.ts';
import type { ConsentEvent } from './events.ts';

// State

/** A citizen's consent to one client. */
export interface Consent {
  /** Empty: none, or withdrawn. */
  readonly scopes: readonly ConsentScope[];
}

const initial: Consent = { scopes: [] };

function evolve(_consent: Consent, event: ConsentEvent): Consent {
  return event.type === 'ConsentGiven' ? { scopes: event.data.scopes } : initial;
}

// Commands

interface Parties {
  readonly civilId: string;
  readonly clientId: string;
  readonly now: string;
}

export type ConsentCommand =
  | (Parties & {
      readonly type: 'GiveConsent';
      /** Newly granted scopes; added to earlier ones. */
      readonly scopes: readonly ConsentScope[];
    })
  | (Parties & { readonly type: 'WithdrawConsent' });

// Decisions

function decide(command: ConsentCommand, { scopes }: Consent): readonly ConsentEvent[] {
  const { civilId, clientId, now } = command;
  if (command.type === 'WithdrawConsent') {
    if (scopes.length === 0) return [];
    return [{ type: 'ConsentWithdrawn', data: { civilId, clientId, withdrawnAt: now } }];
  }
  const all = unitedScopes(scopes, command.scopes);
  if (all.length === scopes.length) return [];
  return [{ type: 'ConsentGiven', data: { civilId, clientId, scopes: all, givenAt: now } }];
}

/** Id of a citizen's consent to a client: civil ids have no full stop. */
export function consentId(civilId: string, clientId: string): string {
  return `${civilId}.${clientId}`;
}

/** A citizen's consent to one client. Stream `consent-<civil id>.<client_id>`. */
export const consentDecider: Decider<Consent, ConsentCommand, ConsentEvent> = {
  initial,
  evolve,
  decide,
};
