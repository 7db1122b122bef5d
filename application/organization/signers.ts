import type { RegisteredOrganization } from '../../domain/organization/organization.ts';
import { forgottenIdentity, type Identity } from '../../domain/citizen/events.ts';
import {
  expectAdmin,
  isRightInForce,
  pendingOf,
  type Representation,
  type RepresentationCommand,
  type Right,
} from '../../domain/representation/representation.ts';
import {
  organizationEtsi,
  parsePersonIdentifier,
  personEtsi,
  type PersonIdentifier,
} from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { CitizenData, DeviceReferenceData, RelyingPartyData } from '../ports/referenceData.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { StartSession } from '../session/startSession.ts';
import { awaitProjection } from '../awaitProjection.ts';
import { askByPush, expectAskable, findAskableAdmin } from './askByPush.ts';
import { type AdministrationDependencies, expectEnrolled, registerIn } from './administration.ts';

export interface SignerDependencies extends AdministrationDependencies {
  readonly referenceData: AdministrationDependencies['referenceData'] & DeviceReferenceData;
  readonly randomness: Randomness;
  readonly startSession: StartSession;
}

/** A signer of the organization, or an invited one. */
export interface Signer {
  readonly right: Right;
  readonly identity: Identity;
}

export interface Signers {
  readonly organization: RegisteredOrganization;
  /** Civil id of the caller. */
  readonly acting: string;
  /** Confirmed and invited signers, by civil id. */
  readonly signers: readonly Signer[];
  /** Person invited by this request. */
  readonly asked: Asked | null;
}

/** The sessions of an invitation: the person agrees in one, an ADMIN confirms in the other. */
export interface Asked {
  readonly civilId: string;
  readonly sessionId: string;
  readonly adminSessionId: string;
}

/** Organization and calling administrator, from the address. */
export interface ActingFor {
  readonly register: string;
  readonly actingPerson: string;
}

interface Acting {
  readonly organization: RegisteredOrganization;
  readonly representation: Representation;
  readonly register: string;
  readonly civilId: string;
}

/** @throws Refusal ORG_NOT_FOUND, ORG_NOT_ACTIVE, NOT_ORG_ADMIN */
export async function expectActingAdmin(
  { organizations, representations, referenceData, clock }: AdministrationDependencies,
  { register: text, actingPerson }: ActingFor,
): Promise<Acting> {
  const person = parsePersonIdentifier(actingPerson, '#/path/actingPersonEtsi');
  const register = registerIn(text);
  const [{ state: organization }, { state: representation }, citizen] = await Promise.all([
    organizations.load(register),
    representations.load(register),
    referenceData.citizen(person),
  ]);
  if (organization.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
  if (citizen === null) throw new Refusal('NOT_ORG_ADMIN');
  expectAdmin(representation, citizen.civilId, clock.now().toISOString());
  if (organization.status !== 'ACTIVE') throw new Refusal('ORG_NOT_ACTIVE');
  return { organization, representation, register, civilId: citizen.civilId };
}

/** Lists the organization's signers. @throws Refusal as {@link expectActingAdmin} */
export async function listSigners(
  dependencies: SignerDependencies,
  acting: ActingFor,
): Promise<Signers> {
  const { organization, representation, civilId } = await expectActingAdmin(dependencies, acting);
  return present(dependencies, { organization, representation, acting: civilId, asked: null });
}

async function present(
  { referenceData, clock }: SignerDependencies,
  {
    representation,
    ...others
  }: Omit<Signers, 'signers'> & { readonly representation: Representation },
): Promise<Signers> {
  const now = clock.now().toISOString();
  const { rights, requests } = representation;
  const shown = [...rights.values(), ...requests.values()]
    .filter(
      (right) => isRightInForce(right, now) || right === pendingOf(representation, right.civilId),
    )
    .sort((left, right) => (left.civilId < right.civilId ? -1 : 1));
  const signers = await Promise.all(
    shown.map(async (right) => {
      const citizen = await referenceData.citizen({ type: 'civilId', civilId: right.civilId });
      return { right, identity: citizen?.identity ?? forgottenIdentity };
    }),
  );
  return { ...others, signers };
}

/** An invitation, new or repeated. */
export interface InvitationWish extends ActingFor {
  readonly relyingParty: RelyingPartyData;
  readonly signer: PersonIdentifier;
  /** Title of a new signer. */
  readonly role: string | null;
  readonly isAgain: boolean;
}

/**
 * Invites a person to sign for the organization: signature sessions of that person and of an ADMIN, by push, in the name
 * of the calling relying party. A pending invitation is not repeated, unless requested. The invitation is recorded
 * first; if a session fails to start, the same request starts it.
 *
 * @throws Refusal as {@link expectActingAdmin}; SIGNER_NOT_ENROLLED, NO_SUITABLE_CERTIFICATE; CONFLICT for a present
 * signer, and without an ADMIN who can be asked; NOT_FOUND without an invitation to repeat
 */
export async function inviteSigner(
  dependencies: SignerDependencies,
  wish: InvitationWish,
  contextOf: (correlationId: string) => CommandContext,
): Promise<Signers> {
  const { referenceData, representations, randomness, clock } = dependencies;
  const { organization, representation, ...acting } = await expectActingAdmin(dependencies, wish);
  const { register } = acting;
  const signer = await expectEnrolled(referenceData, wish.signer);
  const { civilId } = signer;
  const now = clock.now().toISOString();
  const sessionId = randomness.timeOrderedUuid();
  const command: RepresentationCommand = {
    type: wish.isAgain ? 'InviteSignerAgain' : 'InviteSigner',
    register,
    civilId,
    linkedBy: wish.relyingParty.relyingPartyId,
    invitedBy: acting.civilId,
    role: wish.role,
    sessionId,
    adminSessionId: randomness.timeOrderedUuid(),
    now,
  };
  await expectAskable(referenceData, civilId, now);
  const preferred = { representation, preferred: acting.civilId };
  const admin = await findAskableAdmin(referenceData, preferred, now);
  const { state } = await representations.handle(register, command, contextOf(sessionId));
  const asked = invitationOf(state, civilId);
  // Existing sessions are kept; an interrupted start is completed here.
  if (asked !== null) {
    const asking = { wish, organization, signer, acting: acting.civilId, admin, ...asked };
    await askBoth(dependencies, asking, contextOf);
  }
  return present(dependencies, {
    organization,
    representation: state,
    acting: acting.civilId,
    asked,
  });
}

function invitationOf({ rights }: Representation, civilId: string): Asked | null {
  const right = rights.get(civilId);
  if (right?.status !== 'PENDING') return null;
  const [sessionId, adminSessionId] = [right.sessionIds.at(-1), right.adminSessionIds.at(-1)];
  if (sessionId === undefined || adminSessionId === undefined) return null;
  return { civilId, sessionId, adminSessionId };
}

/** The ADMIN first: where that is refused, the other is not troubled. */
async function askBoth(
  { startSession }: SignerDependencies,
  asking: Asked & {
    readonly wish: InvitationWish;
    readonly organization: RegisteredOrganization;
    readonly signer: CitizenData;
    /** Civil id of the ADMIN who invites. */
    readonly acting: string;
    /** Civil id of the ADMIN who is asked. */
    readonly admin: string;
  },
  contextOf: (sessionId: string) => CommandContext,
): Promise<void> {
  const { wish, organization, signer, civilId, acting, admin, sessionId, adminSessionId } = asking;
  const { relyingParty } = wish;
  const { register, name } = organization;
  const lines = (title: string, id: string) => [
    ...[title, organizationEtsi(register), name, personEtsi(civilId), personEtsi(acting), id],
  ];
  const toAdmin = {
    relyingParty,
    civilId: admin,
    sessionId: adminSessionId,
    lines: lines('SIGNER BY ADMIN', adminSessionId),
    shown: `Гарын үсэг зурагч: ${fullName(signer)}, ${name}`,
  };
  await askByPush(startSession, toAdmin, contextOf);
  const toSigner = {
    relyingParty,
    civilId,
    sessionId,
    lines: lines('SIGNER CONFIRMATION', sessionId),
    shown: `Гарын үсэг зурах эрх: ${name}`,
  };
  await askByPush(startSession, toSigner, contextOf);
}

/** Father's name and given name. */
export function fullName({ identity }: CitizenData): string {
  return `${identity.surname} ${identity.givenName}`;
}

/**
 * Withdraws a signer's right or invitation that the relying party granted.
 *
 * @throws Refusal as {@link expectActingAdmin}; CONFLICT for an ADMIN, PERMISSION_DENIED for signers of another relying
 * party
 */
export async function removeSigner(
  dependencies: SignerDependencies,
  {
    signer,
    endedBy,
    ...acting
  }: ActingFor & { readonly signer: PersonIdentifier; readonly endedBy: string },
  context: CommandContext,
): Promise<Signers> {
  const { representations, referenceData, clock, progress } = dependencies;
  const {
    organization,
    representation,
    register,
    civilId: removedBy,
  } = await expectActingAdmin(dependencies, acting);
  // A forgotten person can still be removed.
  const isKnown = signer.type === 'civilId' && representation.rights.has(signer.civilId);
  const { civilId } = isKnown ? signer : await expectEnrolled(referenceData, signer);
  const now = clock.now().toISOString();
  const command = { type: 'RemoveSigner', register, civilId, endedBy, removedBy, now } as const;
  const { state } = await awaitProjection(
    progress,
    representations.handle(register, command, context),
  );
  return present(dependencies, {
    organization,
    representation: state,
    acting: removedBy,
    asked: null,
  });
}

/** Changes the organization's Latin name. @throws Refusal as {@link expectActingAdmin}; INVALID_REQUEST */
export async function renameOrganization(
  dependencies: AdministrationDependencies,
  { nameLatin, ...acting }: ActingFor & { readonly nameLatin: string },
  context: CommandContext,
): Promise<{ readonly civilId: string }> {
  const { organizations, clock, progress } = dependencies;
  const { register, civilId } = await expectActingAdmin(dependencies, acting);
  const now = clock.now().toISOString();
  const command = { type: 'RenameOrganization', nameLatin, now } as const;
  await awaitProjection(progress, organizations.handle(register, command, context));
  return { civilId };
}
