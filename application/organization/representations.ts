import { canonicalLatinName } from '../../domain/organization/latinName.ts';
import { isAdmin } from '../../domain/representation/representation.ts';
import { parsePersonIdentifier, type PersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { OrganizationFacts, RightFact } from '../ports/facts.ts';
import type { AccessLog } from './accessLog.ts';
import {
  type AdministrationDependencies,
  grantRight,
  newRegisterIn,
  registerIn,
  registerOrganization,
  withdrawRight,
} from './administration.ts';

export interface RepresentationsDependencies extends AdministrationDependencies {
  readonly facts: AdministrationDependencies['facts'] & OrganizationFacts;
  readonly accessLog: AccessLog;
}

/** Whom a person may represent. */
export interface PersonRights {
  /** Null: nobody enrolled has the identifier. */
  readonly civilId: string | null;
  readonly rights: readonly RightFact[];
}

/** Whom a person may represent now; that it was asked is recorded for the audit first. */
export async function lookUpRights(
  { facts, accessLog, clock }: RepresentationsDependencies,
  person: PersonIdentifier,
  context: CommandContext,
): Promise<PersonRights> {
  const now = clock.now();
  const citizen = await facts.citizen(person);
  const civilId = citizen?.civilId ?? null;
  const rights = civilId === null ? [] : await facts.rightsOf(civilId, now);
  const registers = rights.map(({ organization }) => organization.register);
  const data = { civilId, registers, lookedUpAt: now.toISOString() };
  await accessLog({ type: 'RightsLookedUp', data }, context);
  return { civilId, rights };
}

/** What the business registry says of an organization, as the relying party read it there. */
export interface OrganizationLink {
  readonly register: string;
  readonly name: string;
  readonly nameLatin: string | null;
  readonly affiliates: readonly {
    readonly regNo: string;
    readonly role: string | null;
    readonly kind: string | null;
  }[];
}

/**
 * Makes a person, being one of the organization's affiliates, its ADMIN; registers the organization when it is new.
 * Interrupted between the two, it is finished by repeating it.
 *
 * @param evidenceRef who vouches for it
 * @throws Refusal PERSON_NOT_FOUND, REPRESENTATION_DENIED when the person is no affiliate, ORG_NOT_ACTIVE, INVALID_REQUEST
 */
export async function linkOrganization(
  dependencies: RepresentationsDependencies,
  { person, link }: { readonly person: PersonIdentifier; readonly link: OrganizationLink },
  evidenceRef: string,
  context: CommandContext,
): Promise<PersonRights> {
  const { facts, organizations } = dependencies;
  const citizen = await facts.citizen(person);
  if (citizen === null) throw new Refusal('PERSON_NOT_FOUND');
  const { civilId, identity } = citizen;
  const own = folded(identity.registrationNumber);
  const affiliate = link.affiliates.find(({ regNo }) => folded(regNo) === own);
  if (affiliate === undefined) throw new Refusal('REPRESENTATION_DENIED');
  const { state } = await organizations.load(newRegisterIn(link.register));
  if (state.status === 'NONE') {
    const nameLatin = link.nameLatin && canonicalLatinName(link.nameLatin, '/orgNameEn');
    await registerOrganization(dependencies, { ...link, nameLatin, activate: true }, context);
  } else if (state.status !== 'ACTIVE') throw new Refusal('ORG_NOT_ACTIVE');
  await grantRight(
    dependencies,
    { register: link.register, person: { type: 'civilId', civilId } },
    {
      ...{ rightType: 'ADMIN', role: affiliate.role ?? affiliate.kind, source: 'MANUAL' },
      ...{ evidenceRef, validTo: null },
    },
    context,
  );
  return { civilId, rights: await facts.rightsOf(civilId, dependencies.clock.now()) };
}

function folded(regNo: string): string {
  return regNo.normalize('NFC').trim().toLowerCase();
}

/**
 * Ends a person's own link to an organization.
 *
 * @throws Refusal PERSON_NOT_FOUND, NOT_ORG_ADMIN, LAST_ADMIN
 */
export async function unlinkOrganization(
  dependencies: RepresentationsDependencies,
  { person, register: text }: { readonly person: string; readonly register: string },
  context: CommandContext,
): Promise<PersonRights> {
  const { facts, representations, clock } = dependencies;
  const citizen = await facts.citizen(parsePersonIdentifier(person));
  if (citizen === null) throw new Refusal('PERSON_NOT_FOUND');
  const { civilId } = citizen;
  const register = registerIn(text);
  const { state } = await representations.load(register);
  const isOver = state.rights.get(civilId)?.status === 'WITHDRAWN';
  if (!isOver && !isAdmin(state, civilId, clock.now().toISOString())) {
    throw new Refusal('NOT_ORG_ADMIN');
  }
  await withdrawRight(dependencies, { register, civilId }, context);
  return { civilId, rights: await facts.rightsOf(civilId, clock.now()) };
}
