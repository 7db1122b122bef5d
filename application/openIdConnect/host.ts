import { consentId } from '../../domain/consent/consent.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { OidcHost } from '../ports/oidcHost.ts';
import { claimsOf, type FindAccount, readAccountId } from './accounts.ts';
import type { Consents, OidcAccessLog } from './aggregates.ts';
import type { EmailOf } from './emailOf.ts';
import { contextClasses, satisfies } from './levels.ts';
import { ownClientId } from './ownClient.ts';
import type { FindClient } from './servedClients.ts';

export interface OidcHostDependencies {
  readonly findClient: FindClient;
  readonly consents: Consents;
  readonly findAccount: FindAccount;
  readonly emailOf: EmailOf;
  readonly accessLog: OidcAccessLog;
  readonly clock: Clock;
  /** What was refused could not be recorded. */
  readonly onFailure: (cause: unknown) => void;
}

/** Refusals of one kind and client that are recorded a minute: whoever knows a client_id can cause them. */
const RECORDED_PER_MINUTE = 20;
const MINUTE = 60_000;

/** Counts by minute; what is over the limit is not worth another event. */
function createQuota(most: number) {
  let minute = 0;
  let counts = new Map<string, number>();
  return {
    admits(kind: string, now: Date): boolean {
      const present = Math.floor(now.getTime() / MINUTE);
      if (present !== minute) {
        minute = present;
        counts = new Map();
      }
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return count <= most;
    },
  };
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
  const { findClient, consents, findAccount, accessLog, clock, onFailure } = dependencies;
  const recorded = createQuota(RECORDED_PER_MINUTE);
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
      // Whoever looks at their own consents agreed to being logged in.
      if (clientId === ownClientId) return ['openid'];
      const { civilId } = readAccountId(accountId);
      return (await consents.load(consentId(civilId, clientId))).state.scopes;
    },
    registerIn: readRegister,
    contextClasses,
    satisfies,
    refused({ clientId, accountId, reason }) {
      if (!recorded.admits(`${clientId} ${reason}`, clock.now())) return;
      const civilId = accountId === null ? null : readAccountId(accountId).civilId;
      const refusedAt = clock.now().toISOString();
      const data = { clientId, civilId, reason, refusedAt };
      accessLog({ type: 'CredentialRefused', data }, byClient(clientId)).catch(onFailure);
    },
  };
}
