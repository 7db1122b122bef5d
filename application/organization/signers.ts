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
import type { DeviceFacts, RelyingPartyFact } from '../ports/facts.ts';
import type { Randomness } from '../ports/randomness.ts';
import { findOwner } from '../session/sessionOwner.ts';
import type { StartSession } from '../session/startSession.ts';
import { readable } from '../readable.ts';
import { type AdministrationDependencies, expectEnrolled, registerIn } from './administration.ts';

export interface SignerDependencies extends AdministrationDependencies {
  readonly facts: AdministrationDependencies['facts'] & DeviceFacts;
  readonly randomness: Randomness;
  readonly startSession: StartSession;
}

/** One who signs for the organization, or was asked to. */
export interface Signer {
  readonly right: Right;
  readonly identity: Identity;
}

export interface Signers {
  readonly organization: RegisteredOrganization;
  /** Civil id of who asks. */
  readonly acting: string;
  /** Confirmed or asked, by civil id. */
  readonly signers: readonly Signer[];
  /** Who was asked by this very request, and the session in which. */
  readonly asked: { readonly civilId: string; readonly sessionId: string } | null;
}

/** Whose signers, and who asks: as in the address. */
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
  { organizations, representations, facts, clock }: AdministrationDependencies,
  { register: text, actingPerson }: ActingFor,
): Promise<Acting> {
  const person = parsePersonIdentifier(actingPerson, '#/path/actingPersonEtsi');
  const register = registerIn(text);
  const [{ state: organization }, { state: representation }, citizen] = await Promise.all([
    organizations.load(register),
    representations.load(register),
    facts.citizen(person),
  ]);
  if (organization.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
  if (citizen === null) throw new Refusal('NOT_ORG_ADMIN');
  expectAdmin(representation, citizen.civilId, clock.now().toISOString());
  if (organization.status !== 'ACTIVE') throw new Refusal('ORG_NOT_ACTIVE');
  return { organization, representation, register, civilId: citizen.civilId };
}

/** Who signs for the organization. @throws Refusal as {@link expectActingAdmin} */
export async function listSigners(
  dependencies: SignerDependencies,
  acting: ActingFor,
): Promise<Signers> {
  const { organization, representation, civilId } = await expectActingAdmin(dependencies, acting);
  return present(dependencies, { organization, representation, acting: civilId, asked: null });
}

async function present(
  { facts, clock }: SignerDependencies,
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
      const citizen = await facts.citizen({ type: 'civilId', civilId: right.civilId });
      return { right, identity: citizen?.identity ?? forgottenIdentity };
    }),
  );
  return { ...others, signers };
}

/** Whom to ask, and anew or again. */
export interface InvitationWish extends ActingFor {
  readonly relyingParty: RelyingPartyFact;
  readonly signer: PersonIdentifier;
  /** Title of a new signer. */
  readonly role: string | null;
  readonly isAgain: boolean;
}

/**
 * Asks a person to sign for the organization: a signature session, by push, in the name of the relying party that calls.
 * Who was asked and has not answered is not asked twice, unless again. The invitation is recorded first; should the
 * session not come about, the same request begins it.
 *
 * @throws Refusal as {@link expectActingAdmin}; SIGNER_NOT_ENROLLED, NO_SUITABLE_CERTIFICATE; CONFLICT when the person signs
 *   already; NOT_FOUND when there is nobody to ask again
 */
export async function inviteSigner(
  dependencies: SignerDependencies,
  wish: InvitationWish,
  contextOf: (correlationId: string) => CommandContext,
): Promise<Signers> {
  const { facts, representations, randomness, clock } = dependencies;
  const { organization, register, civilId: acting } = await expectActingAdmin(dependencies, wish);
  const { civilId } = await expectEnrolled(facts, wish.signer);
  const now = clock.now().toISOString();
  const sessionId = randomness.uuid();
  const command: RepresentationCommand = {
    type: wish.isAgain ? 'InviteSignerAgain' : 'InviteSigner',
    ...{ register, civilId, invitedBy: acting, role: wish.role, sessionId, now },
  };
  await findOwner(facts, { ...confirmation, target: personOf(civilId) }, now);
  const { state } = await representations.handle(register, command, contextOf(sessionId));
  const right = state.rights.get(civilId);
  const last = right?.status === 'PENDING' ? right.sessionIds.at(-1) : undefined;
  const asked = last === undefined ? null : { civilId, sessionId: last };
  // A session there is already stays as it is: what was interrupted before it began is finished here.
  if (asked !== null) {
    await askBySession(dependencies, { wish, organization, acting, ...asked }, contextOf);
  }
  return present(dependencies, { organization, representation: state, acting, asked });
}

const confirmation = { kind: 'SIGNATURE', certificateLevel: 'QUALIFIED' } as const;

function personOf(civilId: string) {
  return { type: 'person', identifier: { type: 'civilId', civilId } } as const;
}

/** The person signs the digest of this; the session's id makes it another text each time. */
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
      ...{ vcType: null, callbackUrl: null, fileName: null, subsystem: null, onBehalfOf: null },
      sessionId,
    },
    contextOf,
  );
}

/** Ends a signer's right, or takes an invitation back. @throws Refusal as {@link expectActingAdmin}; CONFLICT for an ADMIN */
export async function removeSigner(
  dependencies: SignerDependencies,
  { signer, ...acting }: ActingFor & { readonly signer: PersonIdentifier },
  context: CommandContext,
): Promise<Signers> {
  const { representations, facts, clock, progress } = dependencies;
  const {
    organization,
    representation,
    register,
    civilId: removedBy,
  } = await expectActingAdmin(dependencies, acting);
  // Who was forgotten can still be removed.
  const isKnown = signer.type === 'civilId' && representation.rights.has(signer.civilId);
  const { civilId } = isKnown ? signer : await expectEnrolled(facts, signer);
  const now = clock.now().toISOString();
  const command = { type: 'RemoveSigner', register, civilId, removedBy, now } as const;
  const { state } = await readable(progress, representations.handle(register, command, context));
  return present(dependencies, {
    ...{ organization, representation: state, acting: removedBy, asked: null },
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
  await readable(progress, organizations.handle(register, command, context));
  return { civilId };
}
