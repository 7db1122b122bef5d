import type { RegisteredOrganization } from '../../domain/organization/organization.ts';
import { forgottenIdentity, type Identity } from '../../domain/citizen/events.ts';
import {
  expectAdmin,
  isRightInForce,
  pendingOf,
  type Representation,
  type RepresentationCommand,
  representationDecider,
  type Right,
} from '../../domain/representation/representation.ts';
import {
  organizationEtsi,
  parsePersonIdentifier,
  personEtsi,
  type PersonIdentifier,
} from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { awaitProjection, type CommandContext } from '../handleCommand.ts';
import type { CitizenData, DeviceReferenceData, RelyingPartyData } from '../ports/referenceData.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { StartSession } from '../session/startSession.ts';
import type { AccessLog } from './accessLog.ts';
import { askByPush, expectAskable, findAskableAdmin, type ShownText } from './askByPush.ts';
import { type AdministrationDependencies, expectEnrolled, registerIn } from './administration.ts';

export interface SignerDependencies extends AdministrationDependencies {
  readonly referenceData: AdministrationDependencies['referenceData'] & DeviceReferenceData;
  readonly randomness: Randomness;
  readonly startSession: StartSession;
  readonly accessLog: AccessLog;
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

/**
 * Lists the organization's signers for a relying party it trusts; the look-up is recorded for the audit first.
 *
 * @throws Refusal PERMISSION_DENIED for any other relying party; as {@link expectActingAdmin}
 */
export async function listSigners(
  dependencies: SignerDependencies,
  { relyingParty, ...acting }: ActingFor & { readonly relyingParty: RelyingPartyData },
  context: CommandContext,
): Promise<Signers> {
  const { representations, clock } = dependencies;
  const register = registerIn(acting.register);
  const { state } = await representations.load(register);
  // First: a stranger must not find out who the ADMINs are either.
  if (!isTrusted(state, { relyingParty, register }, clock.now().toISOString())) {
    throw new Refusal('PERMISSION_DENIED', {
      detail:
        'The organization is not linked to this relying party. Link one of its affiliates, or invite a signer. ' +
        'Its signers are listed once an ADMIN of the organization has confirmed.',
    });
  }
  const { organization, representation, civilId } = await expectActingAdmin(dependencies, acting);
  const shown = { organization, representation, acting: civilId, asked: null };
  return present(dependencies, { ...shown, relyingParty }, context);
}

/** True for the relying party of a right in force, or one that two operators let seal for the organization. */
function isTrusted(
  representation: Representation,
  {
    relyingParty: { relyingPartyId, sealsFor },
    register,
  }: { readonly relyingParty: RelyingPartyData; readonly register: string },
  now: string,
): boolean {
  return (
    sealsFor.includes(register) ||
    [...representation.rights.values()].some(
      (right) => right.linkedBy === relyingPartyId && isRightInForce(right, now),
    )
  );
}

/** Signers as the relying party may see them: all, or without trust those it invited or linked. */
async function present(
  { referenceData, accessLog, clock }: SignerDependencies,
  {
    representation,
    relyingParty,
    ...others
  }: Omit<Signers, 'signers'> & {
    readonly representation: Representation;
    readonly relyingParty: RelyingPartyData;
  },
  context: CommandContext,
): Promise<Signers> {
  const now = clock.now().toISOString();
  const { organization, acting: civilId } = others;
  const { register } = organization;
  const { rights, requests } = representation;
  const isShownAll = isTrusted(representation, { relyingParty, register }, now);
  const shown = [...rights.values(), ...requests.values()]
    .filter(
      (right) => isRightInForce(right, now) || right === pendingOf(representation, right.civilId),
    )
    .filter(({ linkedBy }) => isShownAll || linkedBy === relyingParty.relyingPartyId)
    .sort((left, right) => (left.civilId < right.civilId ? -1 : 1));
  const signers = shown.map((right) => right.civilId);
  const data = { register, civilId, signers, lookedUpAt: now };
  await accessLog({ type: 'SignersLookedUp', data }, context);
  return {
    ...others,
    signers: await Promise.all(
      shown.map(async (right) => {
        const citizen = await referenceData.citizen({ type: 'civilId', civilId: right.civilId });
        return { right, identity: citizen?.identity ?? forgottenIdentity };
      }),
    ),
  };
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
 * of the calling relying party. A pending invitation is not repeated, unless requested. It is recorded once the ADMIN's
 * push is let through; if the other session fails to start, the same request starts it.
 *
 * @throws Refusal as {@link expectActingAdmin}; SIGNER_NOT_ENROLLED, NO_SUITABLE_CERTIFICATE, RATE_LIMITED; CONFLICT for
 * a present signer, and without an ADMIN who can be asked; NOT_FOUND without an invitation to repeat
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
  const adminSessionId = randomness.timeOrderedUuid();
  const command: RepresentationCommand = {
    type: wish.isAgain ? 'InviteSignerAgain' : 'InviteSigner',
    register,
    civilId,
    linkedBy: wish.relyingParty.relyingPartyId,
    invitedBy: acting.civilId,
    role: wish.role,
    sessionId,
    adminSessionId,
    now,
  };
  const events = representationDecider.decide(command, representation);
  await expectAskable(referenceData, civilId, now);
  const preferred = { representation, preferred: acting.civilId };
  const admin = await findAskableAdmin(referenceData, preferred, now);
  const asking = { wish, organization, signer, acting: acting.civilId, admin };
  // A push that is refused must leave nothing behind that others are notified of.
  if (events.length > 0) {
    const asked = { civilId, sessionId, adminSessionId };
    await askAdmin(dependencies, { ...asking, ...asked }, contextOf);
  }
  const { state } = await representations.handle(register, command, contextOf(sessionId));
  const asked = invitationOf(state, civilId);
  // Existing sessions are kept; an interrupted start is completed here.
  if (asked !== null) {
    if (asked.adminSessionId !== adminSessionId) {
      await askAdmin(dependencies, { ...asking, ...asked }, contextOf);
    }
    await askSigner(dependencies, { ...asking, ...asked }, contextOf);
  }
  const { relyingParty } = wish;
  const shown = { organization, representation: state, acting: acting.civilId, asked };
  return present(dependencies, { ...shown, relyingParty }, contextOf(register));
}

function invitationOf({ rights }: Representation, civilId: string): Asked | null {
  const right = rights.get(civilId);
  if (right?.status !== 'PENDING') return null;
  const [sessionId, adminSessionId] = [right.sessionIds.at(-1), right.adminSessionIds.at(-1)];
  if (sessionId === undefined || adminSessionId === undefined) return null;
  return { civilId, sessionId, adminSessionId };
}

interface Asking extends Asked {
  readonly wish: InvitationWish;
  readonly organization: RegisteredOrganization;
  readonly signer: CitizenData;
  /** Civil id of the ADMIN who invites. */
  readonly acting: string;
  /** Civil id of the ADMIN who is asked. */
  readonly admin: string;
}

type ContextOf = (sessionId: string) => CommandContext;

/** The ADMIN first: where that is refused, the other is not troubled. */
async function askAdmin(
  { startSession }: SignerDependencies,
  asking: Asking,
  contextOf: ContextOf,
) {
  const { wish, organization, signer, admin: civilId, adminSessionId: sessionId } = asking;
  const { relyingParty } = wish;
  const lines = questionLines('SIGNER BY ADMIN', asking, sessionId);
  const shown: ShownText = (text) =>
    text`Гарын үсэг зурагч: ${fullName(signer)}, ${organization.name}`;
  await askByPush(startSession, { relyingParty, civilId, sessionId, lines, shown }, contextOf);
}

async function askSigner(
  { startSession }: SignerDependencies,
  asking: Asking,
  contextOf: ContextOf,
) {
  const { wish, organization, civilId, sessionId } = asking;
  const { relyingParty } = wish;
  const lines = questionLines('SIGNER CONFIRMATION', asking, sessionId);
  const shown: ShownText = (text) => text`Гарын үсэг зурах эрх: ${organization.name}`;
  await askByPush(startSession, { relyingParty, civilId, sessionId, lines, shown }, contextOf);
}

function questionLines(
  title: string,
  { organization: { register, name }, civilId, acting }: Asking,
  sessionId: string,
): readonly string[] {
  return [
    ...[title, organizationEtsi(register), name, personEtsi(civilId), personEtsi(acting)],
    sessionId,
  ];
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
    relyingParty,
    ...acting
  }: ActingFor & { readonly signer: PersonIdentifier; readonly relyingParty: RelyingPartyData },
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
  const { relyingPartyId: endedBy } = relyingParty;
  const command = { type: 'RemoveSigner', register, civilId, endedBy, removedBy, now } as const;
  const { state } = await awaitProjection(
    progress,
    representations.handle(register, command, context),
  );
  const shown = { organization, representation: state, acting: removedBy, asked: null };
  return present(dependencies, { ...shown, relyingParty }, context);
}
