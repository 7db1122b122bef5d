import type { RegisteredOrganization } from '../../domain/organization/organization.ts';
import { forgottenIdentity, type Identity } from '../../domain/citizen/events.ts';
import {
  expectAdmin,
  isRightInForce,
  type Representation,
  type RepresentationCommand,
  type Right,
} from '../../domain/representation/representation.ts';
import { sha256 } from '../../domain/shared/digest.ts';
import {
  organizationEtsi,
  parsePersonIdentifier,
  personEtsi,
  type PersonIdentifier,
} from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { DeviceReferenceData, RelyingPartyData } from '../ports/referenceData.ts';
import type { Randomness } from '../ports/randomness.ts';
import { findOwner } from '../session/sessionOwner.ts';
import type { StartSession } from '../session/startSession.ts';
import { awaitProjection } from '../awaitProjection.ts';
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
  /** Person invited by this request, and the session. */
  readonly asked: { readonly civilId: string; readonly sessionId: string } | null;
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
  const shown = [...representation.rights.values()]
    .filter((right) => right.status === 'PENDING' || isRightInForce(right, now))
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
 * Invites a person to sign for the organization: a signature session, by push, in the name of the calling relying
 * party. A pending invitation is not repeated, unless requested. The invitation is recorded first; if its session fails
 * to start, the same request starts it.
 *
 * @throws Refusal as {@link expectActingAdmin}; SIGNER_NOT_ENROLLED, NO_SUITABLE_CERTIFICATE; CONFLICT for a present
 * signer; NOT_FOUND without an invitation to repeat
 */
export async function inviteSigner(
  dependencies: SignerDependencies,
  wish: InvitationWish,
  contextOf: (correlationId: string) => CommandContext,
): Promise<Signers> {
  const { referenceData, representations, randomness, clock } = dependencies;
  const { organization, register, civilId: acting } = await expectActingAdmin(dependencies, wish);
  const { civilId } = await expectEnrolled(referenceData, wish.signer);
  const now = clock.now().toISOString();
  const sessionId = randomness.uuid();
  const command: RepresentationCommand = {
    type: wish.isAgain ? 'InviteSignerAgain' : 'InviteSigner',
    register,
    civilId,
    invitedBy: acting,
    role: wish.role,
    sessionId,
    now,
  };
  await findOwner(referenceData, { ...confirmation, target: personOf(civilId) }, now);
  const { state } = await representations.handle(register, command, contextOf(sessionId));
  const right = state.rights.get(civilId);
  const last = right?.status === 'PENDING' ? right.sessionIds.at(-1) : undefined;
  const asked = last === undefined ? null : { civilId, sessionId: last };
  // An existing session is kept; an interrupted start is completed here.
  if (asked !== null) {
    await askBySession(dependencies, { wish, organization, acting, ...asked }, contextOf);
  }
  return present(dependencies, { organization, representation: state, acting, asked });
}

const confirmation = { kind: 'SIGNATURE', certificateLevel: 'QUALIFIED' } as const;

function personOf(civilId: string) {
  return { type: 'person', identifier: { type: 'civilId', civilId } } as const;
}

/** Text whose digest the person signs; the session's id makes it unique. */
function invitationText(
  { register, name }: RegisteredOrganization,
  { civilId, acting, sessionId }: { civilId: string; acting: string; sessionId: string },
): string {
  return [
    'SIGNER CONFIRMATION',
    organizationEtsi(register),
    name,
    personEtsi(civilId),
    personEtsi(acting),
    sessionId,
  ].join('\n');
}

async function askBySession(
  { startSession }: SignerDependencies,
  asking: {
    readonly wish: InvitationWish;
    readonly organization: RegisteredOrganization;
    readonly civilId: string;
    readonly acting: string;
    readonly sessionId: string;
  },
  contextOf: (sessionId: string) => CommandContext,
): Promise<void> {
  const { wish, organization, sessionId, civilId } = asking;
  const digest = sha256(Buffer.from(invitationText(organization, asking)));
  const shown = Array.from(`Гарын үсэг зурах эрх: ${organization.name}`).slice(0, 60).join('');
  await startSession(
    {
      relyingParty: wish.relyingParty,
      generation: 'G1',
      nested: null,
      flow: 'NOTIFICATION',
      target: personOf(civilId),
      content: { kind: 'SIGNATURE', digest: digest.toString('base64'), hashType: 'SHA256' },
      relyingPartyName: wish.relyingParty.name,
      certificateLevel: confirmation.certificateLevel,
      interactions: [{ type: 'displayTextAndPIN', displayText60: shown }],
      vcType: null,
      callbackUrl: null,
      fileName: null,
      subsystem: null,
      onBehalfOf: null,
      sessionId,
    },
    contextOf,
  );
}

/** Withdraws a signer's right, or an invitation. @throws Refusal as {@link expectActingAdmin}; CONFLICT for an ADMIN */
export async function removeSigner(
  dependencies: SignerDependencies,
  { signer, ...acting }: ActingFor & { readonly signer: PersonIdentifier },
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
  const command = { type: 'RemoveSigner', register, civilId, removedBy, now } as const;
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
