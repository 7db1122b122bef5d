import { type Consent, type ConsentCommand, consentDecider } from '../../domain/consent/consent.ts';
import type { ConsentEvent } from '../../domain/consent/events.ts';
import type { OidcAccessEvent } from '../../domain/oidcAccess/events.ts';
import type { OidcClientEvent } from '../../domain/oidcClient/events.ts';
import {
  type OidcClient,
  type OidcClientCommand,
  oidcClientDecider,
} from '../../domain/oidcClient/oidcClient.ts';
import {
  type Aggregate,
  type AggregateDependencies,
  type CommandContext,
  createAggregate,
  createJournal,
  type JournalDependencies,
} from '../handleCommand.ts';

/** The clients of the OpenID Connect provider, bound to their store. */
export type OidcClients = Aggregate<OidcClient, OidcClientCommand, OidcClientEvent>;

export function createOidcClients(dependencies: AggregateDependencies<OidcClient>): OidcClients {
  return createAggregate('oidcClient', oidcClientDecider, dependencies);
}

/** Citizens' consents, bound to their store; an id is made by `consentId`. */
export type Consents = Aggregate<Consent, ConsentCommand, ConsentEvent>;

export function createConsents(dependencies: AggregateDependencies<Consent>): Consents {
  return createAggregate('consent', consentDecider, dependencies);
}

/** Records events at the provider for the audit. Resolved means durable. */
export type OidcAccessLog = (event: OidcAccessEvent, context: CommandContext) => Promise<void>;

/** Appends to the stream of the day. */
export function createOidcAccessLog(dependencies: JournalDependencies): OidcAccessLog {
  const journal = createJournal<OidcAccessEvent>('oidcAccess', dependencies);
  return async (event, context) => {
    const day = dependencies.clock.now().toISOString().slice(0, 10);
    await journal.record(day, event, context);
  };
}
