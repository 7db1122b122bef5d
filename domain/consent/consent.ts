import type { Decider } from '../shared/decider.ts';
import { type OpenIdScopeName, openIdScopeNames } from '../shared/openIdScopes.ts';
import type { ConsentEvent } from './events.ts';

// State

/** What one citizen agreed to towards one client. */
export interface Consent {
  /** Empty: nothing, or nothing any more. */
  readonly scopes: readonly OpenIdScopeName[];
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
      /** What is agreed to now; it adds to what was. */
      readonly scopes: readonly OpenIdScopeName[];
    })
  | (Parties & { readonly type: 'WithdrawConsent' });

// Decisions

function decide(command: ConsentCommand, { scopes }: Consent): readonly ConsentEvent[] {
  const { civilId, clientId, now } = command;
  if (command.type === 'WithdrawConsent') {
    if (scopes.length === 0) return [];
    return [{ type: 'ConsentWithdrawn', data: { civilId, clientId, withdrawnAt: now } }];
  }
  const all = openIdScopeNames.filter(
    (name) => scopes.includes(name) || command.scopes.includes(name),
  );
  if (all.length === scopes.length) return [];
  return [{ type: 'ConsentGiven', data: { civilId, clientId, scopes: all, givenAt: now } }];
}

/** What names the consent of one citizen to one client: civil ids have no full stop. */
export function consentId(civilId: string, clientId: string): string {
  return `${civilId}.${clientId}`;
}

/** A citizen's consent to one client. Stream `consent-<civil id>.<client_id>`. */
export const consentDecider: Decider<Consent, ConsentCommand, ConsentEvent> = {
  initial,
  evolve,
  decide,
};
