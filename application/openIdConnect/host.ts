import { consentId } from '../../domain/consent/consent.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { RelyingPartyFacts } from '../ports/facts.ts';
import type { OidcHost } from '../ports/oidcHost.ts';
import { claimsOf, type FindAccount, readAccountId } from './accounts.ts';
import type { Consents, OidcAccessLog, OidcClients } from './aggregates.ts';
import { contextClasses, satisfies } from './levels.ts';

export interface OidcHostDependencies {
  readonly clients: OidcClients;
  readonly consents: Consents;
  readonly facts: RelyingPartyFacts;
  readonly findAccount: FindAccount;
  readonly accessLog: OidcAccessLog;
  readonly clock: Clock;
  /** What was refused could not be recorded. */
  readonly onFailure: (cause: unknown) => void;
}

const byClient = (clientId: string): CommandContext => ({
  actor: { kind: 'unknown', id: clientId },
  correlationId: clientId,
  causationId: 'OpenID Connect provider',
  requestId: null,
  ip: null,
});

/** What the OpenID Connect provider asks of the platform, answered from the log and the facts. */
export function createOidcHost(dependencies: OidcHostDependencies): OidcHost {
  const { clients, consents, facts, findAccount, accessLog, clock, onFailure } = dependencies;
  return {
    async client(clientId) {
      const { state } = await clients.load(clientId);
      if (state.status !== 'ACTIVE') return null;
      const party = await facts.relyingParty(state.relyingPartyId);
      if (party?.active !== true) return null;
      return { clientId, settings: state.settings, secretHash: state.secretHash };
    },
    async account(accountId) {
      const account = await findAccount(accountId);
      if (account === null) return null;
      const { civilId, register } = account;
      return { person: civilId, register, claims: claimsOf(account) };
    },
    async consentedScopes(accountId, clientId) {
      const { civilId } = readAccountId(accountId);
      return (await consents.load(consentId(civilId, clientId))).state.scopes;
    },
    isOnBehalfOf: (onBehalfOf, register) => readRegister(onBehalfOf) === register,
    contextClasses,
    satisfies,
    refused({ clientId, accountId, reason }) {
      const civilId = accountId === null ? null : readAccountId(accountId).civilId;
      const refusedAt = clock.now().toISOString();
      const data = { clientId, civilId, reason, refusedAt };
      accessLog({ type: 'CredentialRefused', data }, byClient(clientId)).catch(onFailure);
    },
  };
}
