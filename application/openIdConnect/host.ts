import { consentId } from '../../domain/consent/consent.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { OidcHost } from './ports/oidcHost.ts';
import type { ApisOf } from './ports/servedApis.ts';
import { claimsOf, type FindAccount, readAccountId } from './accounts.ts';
import type { Consents, OidcAccessLog } from './aggregates.ts';
import type { EmailOf } from './emailOf.ts';
import { contextClasses, satisfies } from './levels.ts';
import { ownClientId } from './ownClient.ts';
import type { FindClient } from './servedClients.ts';

export interface OidcHostDependencies {
  readonly findClient: FindClient;
  readonly apisOf: ApisOf;
  readonly consents: Consents;
  readonly findAccount: FindAccount;
  readonly emailOf: EmailOf;
  readonly accessLog: OidcAccessLog;
  /**
   * Counts a refusal of this kind before it is recorded: anyone who knows a client_id can cause
   * them. @throws Refusal RATE_LIMITED: not to be recorded
   */
  readonly admitRecord: (kind: string) => Promise<void>;
  readonly clock: Clock;
  /** Called when a refusal could not be recorded. */
  readonly onFailure: (cause: unknown) => void;
}

const byClient = (clientId: string): CommandContext => ({
  actor: { kind: 'unknown', id: clientId },
  correlationId: clientId,
  causationId: 'OpenID Connect provider',
  requestId: null,
  ip: null,
});

/** Platform callbacks of the OpenID Connect provider, based on the log and reference data. */
export function createOidcHost(dependencies: OidcHostDependencies): OidcHost {
  const { findClient, consents, findAccount, accessLog, clock, onFailure } = dependencies;

  async function record(
    { clientId, accountId, reason }: Parameters<OidcHost['refused']>[0],
    refusedAt: string,
  ): Promise<void> {
    await dependencies.admitRecord(`${clientId} ${reason}`);
    const civilId = accountId === null ? null : readAccountId(accountId).civilId;
    const data = { clientId, civilId, reason, refusedAt };
    await accessLog({ type: 'CredentialRefused', data }, byClient(clientId));
  }

  return {
    async client(clientId) {
      const client = await findClient(clientId);
      if (client === null) return null;
      return { clientId, settings: client.settings, secretHash: client.secretHash };
    },
    async account(accountId) {
      const account = await findAccount(accountId);
      if (account === null) return null;
      const { civilId, register } = account;
      return { person: civilId, register, claims: claimsOf(account) };
    },
    async email(accountId) {
      return dependencies.emailOf(readAccountId(accountId).civilId);
    },
    async consentedScopes(accountId, clientId) {
      // The platform's own consent page needs no consent.
      if (clientId === ownClientId) return ['openid'];
      const { civilId } = readAccountId(accountId);
      return (await consents.load(consentId(civilId, clientId))).state.scopes;
    },
    apisOf: dependencies.apisOf,
    registerIn: readRegister,
    contextClasses,
    satisfies,
    async exchanged({ accountId, ...exchange }) {
      const { civilId } = readAccountId(accountId);
      const data = { ...exchange, civilId, exchangedAt: clock.now().toISOString() };
      await accessLog({ type: 'TokenExchanged', data }, byClient(exchange.clientId));
    },
    async loggedOut({ accountId, clientIds }) {
      const { civilId } = readAccountId(accountId);
      const data = { civilId, clientIds, loggedOutAt: clock.now().toISOString() };
      const actor = { kind: 'citizen', id: civilId } as const;
      await accessLog({ type: 'CitizenLoggedOut', data }, { ...byClient(civilId), actor });
    },
    refused(refusal) {
      record(refusal, clock.now().toISOString()).catch((error: unknown) => {
        if (!isRefusal(error, 'RATE_LIMITED')) onFailure(error);
      });
    },
  };
}
