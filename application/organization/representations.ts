import { canonicalLatinName } from '../../domain/organization/latinName.ts';
import { expectOrganizationName } from '../../domain/organization/organization.ts';
import type { OrganizationSettings } from '../../domain/organization/settings.ts';
import type { RightTerms } from '../../domain/representation/events.ts';
import {
  isAdmin,
  type Representation,
  type RepresentationCommand,
  representationDecider,
} from '../../domain/representation/representation.ts';
import {
  organizationEtsi,
  parsePersonIdentifier,
  personEtsi,
  type PersonIdentifier,
} from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { awaitProjection, type CommandContext } from '../handleCommand.ts';
import type {
  CitizenData,
  OrganizationReferenceData,
  RelyingPartyData,
  RightData,
} from '../ports/referenceData.ts';
import type { Sessions } from '../session/sessions.ts';
import { askByPush, findAskableAdmin, type ShownText } from './askByPush.ts';
import {
  newRegisterIn,
  registerIn,
  registerOrganization,
  withdrawRight,
} from './administration.ts';
import { fullName, type SignerDependencies } from './signers.ts';

export interface RepresentationsDependencies extends SignerDependencies {
  readonly referenceData: SignerDependencies['referenceData'] & OrganizationReferenceData;
  readonly sessions: Pick<Sessions, 'load'>;
  /**
   * Asks the registry of legal entities if a person is one of the organization's affiliates; null: it does not say.
   *
   * @throws Refusal DIRECTORY_FAILED
   * @throws Unavailable
   */
  readonly isAffiliate: (register: string, registrationNumber: string) => Promise<boolean | null>;
  /** True: where the registry does not say, the relying party's excerpt is believed. */
  readonly linksUnlisted: boolean;
}

/** Organizations a person may represent. */
export interface PersonRights {
  /** Null: not enrolled. */
  readonly civilId: string | null;
  readonly rights: readonly RightData[];
}

/** A link that an ADMIN of the organization has yet to confirm. */
export interface PendingLink {
  readonly register: string;
  readonly name: string;
  readonly person: CitizenData;
  /** In which the ADMIN is asked. */
  readonly sessionId: string;
}

/** Looks up the organizations a person may represent now; the look-up is recorded for the audit first. */
export async function lookUpRights(
  dependencies: RepresentationsDependencies,
  person: PersonIdentifier,
  context: CommandContext,
): Promise<PersonRights> {
  return readRights(dependencies, await dependencies.referenceData.citizen(person), context);
}

async function readRights(
  { referenceData, accessLog, clock }: RepresentationsDependencies,
  citizen: Pick<CitizenData, 'civilId'> | null,
  context: CommandContext,
): Promise<PersonRights> {
  const now = clock.now();
  const civilId = citizen?.civilId ?? null;
  const rights = civilId === null ? [] : await referenceData.rightsOf(civilId, now);
  const registers = rights.map(({ organization }) => organization.register);
  const data = { civilId, registers, lookedUpAt: now.toISOString() };
  await accessLog({ type: 'RightsLookedUp', data }, context);
  return { civilId, rights };
}

/** Excerpt of the business registry, as read by the relying party. */
export interface OrganizationLink extends OrganizationSettings {
  readonly register: string;
  readonly affiliates: readonly {
    readonly regNo: string;
    readonly role: string | null;
    readonly kind: string | null;
  }[];
}

/** A link that a relying party asks for. */
export interface LinkWish {
  readonly relyingParty: RelyingPartyData;
  readonly person: PersonIdentifier;
  readonly link: OrganizationLink;
}

/**
 * Makes a person, one of the organization's affiliates, its ADMIN; registers a new organization. Where there is an
 * ADMIN already, one of them is asked by push, and the right is pending until then. Repeatable after an interruption,
 * and to ask again.
 *
 * @throws Refusal PERSON_NOT_FOUND, REPRESENTATION_DENIED when the person is no affiliate, ORG_NOT_ACTIVE,
 * INVALID_REQUEST; CONFLICT without an ADMIN who can be asked, and for a name that looks like another organization's
 */
export async function linkOrganization(
  dependencies: RepresentationsDependencies,
  { relyingParty, person, link }: LinkWish,
  contextOf: (correlationId: string) => CommandContext,
): Promise<PersonRights & { readonly pending: PendingLink | null }> {
  const { referenceData, organizations, representations, clock, progress } = dependencies;
  const citizen = await referenceData.citizen(person);
  if (citizen === null) throw new Refusal('PERSON_NOT_FOUND');
  const register = newRegisterIn(link.register);
  const affiliate = await expectAffiliate(dependencies, register, { citizen, link });
  const { state } = await organizations.load(register);
  if (state.status === 'NONE') {
    expectOrganizationName(link.name, '/orgName');
    const nameLatin = link.nameLatin && canonicalLatinName(link.nameLatin, '/orgNameEn');
    const registration = { ...link, nameLatin, activate: true };
    await registerOrganization(dependencies, registration, contextOf(register));
  } else if (state.status !== 'ACTIVE') throw new Refusal('ORG_NOT_ACTIVE');
  const { civilId } = citizen;
  const now = clock.now().toISOString();
  const { relyingPartyId } = relyingParty;
  const terms: RightTerms = {
    civilId,
    rightType: 'ADMIN',
    role: affiliate.role ?? affiliate.kind,
    source: 'MANUAL',
    evidenceRef: `relying party ${relyingPartyId}`,
    validFrom: now,
    validTo: null,
  };
  const before = (await representations.load(register)).state;
  const sessionId = dependencies.randomness.timeOrderedUuid();
  const linked: RepresentationCommand = {
    type: 'LinkAdmin',
    register,
    civilId,
    terms,
    linkedBy: relyingPartyId,
    now,
    sessionId,
    after: await endedSession(dependencies, before, civilId),
  };
  const name = state.status === 'NONE' ? link.name : state.name;
  const asking = { relyingParty, register, name, citizen };
  const [event] = representationDecider.decide(linked, before);
  // A push that is refused must leave nothing behind that others are notified of.
  if (event?.type === 'RightRequested') {
    await askAdmin(dependencies, { ...asking, representation: before, sessionId }, contextOf);
  }
  const { state: after } = await awaitProjection(
    progress,
    representations.handle(register, linked, contextOf(register)),
  );
  const asked = after.requests.get(civilId)?.adminSessionIds.at(-1);
  let pending: PendingLink | null = null;
  if (asked !== undefined) {
    // Existing sessions are kept; an interrupted start is completed here.
    await askAdmin(dependencies, { ...asking, representation: after, sessionId: asked }, contextOf);
    pending = { register, name, person: citizen, sessionId: asked };
  }
  const rights = await readRights(dependencies, citizen, contextOf(register));
  return { ...rights, pending };
}

/** The relying party's excerpt says so, and the registry does. @throws Refusal REPRESENTATION_DENIED */
async function expectAffiliate(
  { isAffiliate, linksUnlisted }: RepresentationsDependencies,
  register: string,
  { citizen, link }: { readonly citizen: CitizenData; readonly link: OrganizationLink },
): Promise<OrganizationLink['affiliates'][number]> {
  const { registrationNumber } = citizen.identity;
  const own = folded(registrationNumber);
  const affiliate = link.affiliates.find(({ regNo }) => folded(regNo) === own);
  if (affiliate === undefined) throw new Refusal('REPRESENTATION_DENIED');
  const isListed = (await isAffiliate(register, own)) ?? linksUnlisted;
  if (isListed) return affiliate;
  throw new Refusal('REPRESENTATION_DENIED', {
    detail:
      'The registry of legal entities does not name the person among those of the organization.',
  });
}

/** The last session in which an ADMIN was asked, when it is over; null: it runs, was never started, or there is none. */
async function endedSession(
  { sessions, clock }: RepresentationsDependencies,
  { requests }: Representation,
  civilId: string,
): Promise<string | null> {
  const last = requests.get(civilId)?.adminSessionIds.at(-1);
  if (last === undefined) return null;
  const { state } = await sessions.load(last);
  if (state.status === 'NONE') return null;
  const isOver =
    state.status === 'COMPLETE' || state.started.answerBefore <= clock.now().toISOString();
  return isOver ? last : null;
}

/** Asks an ADMIN; a session that was started already is kept. */
async function askAdmin(
  { referenceData, clock, startSession, sessions }: RepresentationsDependencies,
  asking: Omit<PendingLink, 'person'> & {
    readonly relyingParty: RelyingPartyData;
    readonly citizen: CitizenData;
    readonly representation: Representation;
  },
  contextOf: (correlationId: string) => CommandContext,
): Promise<void> {
  const { relyingParty, citizen, register, name, representation, sessionId } = asking;
  if ((await sessions.load(sessionId)).state.status !== 'NONE') return;
  const now = clock.now().toISOString();
  const admin = await findAskableAdmin(referenceData, { representation, preferred: null }, now);
  const lines = [
    ...['ADMIN BY ADMIN', organizationEtsi(register), name, personEtsi(citizen.civilId)],
    ...[relyingParty.relyingPartyId, sessionId],
  ];
  const shown: ShownText = (text) => text`Администратор болгох: ${fullName(citizen)}, ${name}`;
  const question = { relyingParty, civilId: admin, sessionId, lines, shown };
  await askByPush(startSession, question, contextOf);
}

function folded(regNo: string): string {
  return regNo.normalize('NFC').trim().toLowerCase();
}

/**
 * Ends a person's link to an organization, or the wait for an ADMIN; only of the relying party that linked.
 *
 * @throws Refusal PERSON_NOT_FOUND, NOT_ORG_ADMIN, LAST_ADMIN, PERMISSION_DENIED
 */
export async function unlinkOrganization(
  dependencies: RepresentationsDependencies,
  {
    person,
    register: text,
    endedBy,
  }: { readonly person: string; readonly register: string; readonly endedBy: string },
  context: CommandContext,
): Promise<PersonRights> {
  const { referenceData, representations, clock } = dependencies;
  const citizen = await referenceData.citizen(parsePersonIdentifier(person));
  if (citizen === null) throw new Refusal('PERSON_NOT_FOUND');
  const { civilId } = citizen;
  const register = registerIn(text);
  const { state } = await representations.load(register);
  const isOver = state.rights.get(civilId)?.status === 'WITHDRAWN';
  const isPending = state.requests.has(civilId);
  if (!isOver && !isPending && !isAdmin(state, civilId, clock.now().toISOString())) {
    throw new Refusal('NOT_ORG_ADMIN');
  }
  await withdrawRight(dependencies, { register, civilId, endedBy }, context);
  return readRights(dependencies, citizen, context);
}
