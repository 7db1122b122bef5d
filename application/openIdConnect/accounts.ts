import type { Identity } from '../../domain/citizen/events.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import { organizationEtsi } from '../../domain/shared/etsi.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import type {
  ExpectRepresentation,
  RepresentationRight,
} from '../organization/expectRepresentation.ts';
import type { Clock } from '../ports/clock.ts';
import type { CitizenReferenceData, DeviceReferenceData } from '../ports/referenceData.ts';
import { isInForce } from '../session/sessions.ts';
import { consentId } from '../../domain/consent/consent.ts';
import type { LoginsEnded } from '../../domain/oidcAccess/events.ts';
import { awaitProjection, type CommandContext } from '../handleCommand.ts';
import type { OidcEngine } from './ports/oidcEngine.ts';
import type { OidcState } from './ports/oidcState.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { Consents, OidcAccessLog } from './aggregates.ts';
import type { Certificates } from '../aggregates.ts';
import type { PlatformEvent } from '../../domain/events.ts';
import {
  asReactor,
  type Concern,
  createReactor,
  type Reactor,
  type ReactorDependencies,
  type RecordedOf,
} from '../reactors/reactor.ts';

/** A logged-in citizen, for themselves or for an organization. */
export interface AccountKey {
  readonly civilId: string;
  /** Null: no organization. */
  readonly register: string | null;
}

/** Account id in the provider's sessions and tokens. */
export function accountIdOf({ civilId, register }: AccountKey): string {
  return register === null ? civilId : `${civilId}/${register}`;
}

export function readAccountId(accountId: string): AccountKey {
  const [civilId = '', register = null] = accountId.split('/');
  return { civilId, register };
}

/** An account that may be used now. */
export interface Account extends AccountKey {
  readonly identity: Identity;
  /** Right by which the citizen acts for the organization; null: no organization. */
  readonly representation: RepresentationRight | null;
}

export interface AccountDependencies {
  readonly referenceData: CitizenReferenceData & DeviceReferenceData;
  readonly expectRepresentation: ExpectRepresentation;
  readonly clock: Clock;
}

/**
 * Finds a usable account: the citizen is not forgotten and has a valid authentication certificate, and the right to
 * represent the organization is in force. Null otherwise.
 */
export type FindAccount = (accountId: string) => Promise<Account | null>;

export function createAccounts({
  referenceData,
  expectRepresentation,
  clock,
}: AccountDependencies): FindAccount {
  async function representation(
    register: string,
    civilId: string,
  ): Promise<RepresentationRight | null> {
    try {
      return await expectRepresentation(register, civilId, clock.now());
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }

  return async (accountId) => {
    const { civilId, register } = readAccountId(accountId);
    const [citizen, devices] = await Promise.all([
      referenceData.citizen({ type: 'civilId', civilId }),
      referenceData.activeDevicesOf(civilId),
    ]);
    const now = clock.now().toISOString();
    const isUsable = devices.some(({ authentication }) => isInForce(authentication, now));
    if (citizen === null || !isUsable) return null;
    const account = { civilId, register, identity: citizen.identity };
    if (register === null) return { ...account, representation: null };
    const found = await representation(register, civilId);
    return found === null ? null : { ...account, representation: found };
  };
}

const genders = { M: 'male', F: 'female', X: 'other' } as const;

/** All claims of an account; scopes decide which a client receives (OpenID Connect Core §5.1). */
export function claimsOf({
  identity,
  representation,
}: Pick<Account, 'identity' | 'representation'>): Readonly<Record<string, unknown>> {
  const { givenName, surname, birthDate, gender, geId } = identity;
  return {
    // Father's name first, as is customary in Mongolia and in certificates.
    name: `${surname} ${givenName}`.trim(),
    given_name: givenName,
    family_name: surname,
    birthdate: birthDate,
    gender: genders[gender],
    ...(geId !== null && { ge_id: geId }),
    ...(representation !== null && organizationClaims(representation)),
  };
}

function organizationClaims({ organization, right }: RepresentationRight) {
  return {
    org_id: organizationEtsi(organization.register),
    org_name: organization.name,
    org_right: right.rightType,
    ...(right.role !== null && { org_role: right.role }),
  };
}

interface EndLoginsDependencies {
  readonly state: OidcState;
  readonly engine: Pick<OidcEngine, 'announceLogout'>;
  readonly accessLog: OidcAccessLog;
  readonly clock: Clock;
}

/**
 * Ends a citizen's browser sessions, grants, codes and tokens. Clients registered for back-channel logout are notified
 * where reachable and while the citizen's data can be read. Idempotent.
 *
 * @returns false when there was nothing to end
 */
async function endLogins(
  { state, engine, accessLog, clock }: EndLoginsDependencies,
  { civilId, reason }: Pick<LoginsEnded['data'], 'civilId' | 'reason'>,
  context: CommandContext,
): Promise<boolean> {
  const sessions = await state.sessionsOf(civilId, clock.now());
  if (!(await state.removeOfCitizen(civilId))) return false;
  const endedAt = clock.now().toISOString();
  await accessLog({ type: 'LoginsEnded', data: { civilId, reason, endedAt } }, context);
  await engine.announceLogout(sessions);
  return true;
}

export interface WithdrawConsentDependencies {
  readonly consents: Consents;
  readonly state: Pick<OidcState, 'removeOfClient'>;
  readonly clock: Clock;
  readonly progress: ProjectionProgress;
}

/** Withdraws a citizen's consent to a client and ends the client's grants, codes and tokens. Idempotent. */
export async function withdrawConsent(
  { consents, state, clock, progress }: WithdrawConsentDependencies,
  { civilId, clientId }: { readonly civilId: string; readonly clientId: string },
  context: CommandContext,
): Promise<void> {
  const now = clock.now().toISOString();
  const command = { type: 'WithdrawConsent', civilId, clientId, now } as const;
  await awaitProjection(progress, consents.handle(consentId(civilId, clientId), command, context));
  await state.removeOfClient(clientId, civilId);
}

export interface EndLoginsReactorOptions extends ReactorDependencies, EndLoginsDependencies {
  readonly certificates: Certificates;
  /** From the tables as they are, not from memory. */
  readonly findAccount: FindAccount;
  readonly progress: ProjectionProgress;
  /** The client_ids of a relying party. */
  readonly clientsOf: (relyingPartyId: string) => Promise<readonly string[]>;
}

/** True when somebody else may have logged in with the phone: its other certificates do not make those logins good. */
function isKeyCompromised(
  event: RecordedOf<'CertificateRevoked' | 'CertificateSuspended'>['event'],
): boolean {
  return (
    event.type === 'CertificateRevoked' && event.data.reason === revocationReasons.keyCompromise
  );
}

type React<Type extends PlatformEvent['type']> = (recorded: RecordedOf<Type>) => Promise<void>;

/**
 * Ends logins whose certificate, consent or client is no longer valid: the citizen has no usable certificate, lost one
 * to somebody else or is forgotten, the consent is withdrawn, or the client or its relying party is deactivated. The provider refuses them
 * already; this notifies the clients and deletes grants and tokens.
 */
export function createLoginEndingReactors(options: EndLoginsReactorOptions): readonly Reactor[] {
  const { state, certificates, clientsOf, findAccount, progress } = options;

  const reactor = <const Type extends PlatformEvent['type']>(
    concern: Concern<Type>,
    react: (name: string) => React<Type>,
  ) => createReactor(concern, react(concern.name), options);

  const whenUnusable =
    (name: string): React<'CertificateRevoked' | 'CertificateSuspended'> =>
    async ({ id, event, position }) => {
      const { state: certificate } = await certificates.load(event.data.serial);
      if (certificate.status === 'NONE') return;
      const { holder } = certificate.requested;
      if (holder.kind !== 'citizen') return;
      const { civilId } = holder;
      await progress.untilProjected(position);
      if (!isKeyCompromised(event) && (await findAccount(civilId)) !== null) return;
      const ending = { civilId, reason: 'IDENTITY_UNUSABLE' } as const;
      await endLogins(options, ending, asReactor(name, civilId, id));
    };

  const whenForgotten =
    (name: string): React<'PersonForgotten'> =>
    async ({ id, event }) => {
      const { civilId } = event.data;
      const ending = { civilId, reason: 'PERSON_FORGOTTEN' } as const;
      await endLogins(options, ending, asReactor(name, civilId, id));
    };

  const whenWithdrawn =
    (): React<'ConsentWithdrawn'> =>
    async ({ event: { data } }) => {
      await state.removeOfClient(data.clientId, data.civilId);
    };

  const whenDeactivated =
    (): React<'OidcClientDeactivated'> =>
    async ({ event }) => {
      await state.removeOfClient(event.data.clientId, null);
    };

  const whenPartyDeactivated =
    (): React<'RelyingPartyDeactivated'> =>
    async ({ event, position }) => {
      await progress.untilProjected(position);
      const theirs = await clientsOf(event.data.relyingPartyId);
      for (const clientId of theirs) await state.removeOfClient(clientId, null);
    };

  return [
    reactor(
      {
        name: 'endLoginsOfUnusableIdentity',
        category: 'certificate',
        types: ['CertificateRevoked', 'CertificateSuspended'],
      },
      whenUnusable,
    ),
    reactor(
      { name: 'endLoginsOfForgottenPerson', category: 'access', types: ['PersonForgotten'] },
      whenForgotten,
    ),
    reactor(
      { name: 'endTokensOfWithdrawnConsent', category: 'consent', types: ['ConsentWithdrawn'] },
      whenWithdrawn,
    ),
    reactor(
      {
        name: 'endTokensOfDeactivatedClient',
        category: 'oidcClient',
        types: ['OidcClientDeactivated'],
      },
      whenDeactivated,
    ),
    reactor(
      {
        name: 'endTokensOfDeactivatedParty',
        category: 'relyingParty',
        types: ['RelyingPartyDeactivated'],
      },
      whenPartyDeactivated,
    ),
  ];
}
