import { canonicalLatinName } from '../../domain/organization/latinName.ts';
import { isAdmin } from '../../domain/representation/representation.ts';
import { parsePersonIdentifier, type PersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { OrganizationReferenceData, RightData } from '../ports/referenceData.ts';
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
  readonly referenceData: AdministrationDependencies['referenceData'] & OrganizationReferenceData;
  readonly accessLog: AccessLog;
}

/** Organizations a person may represent. */
export interface PersonRights {
  /** Null: not enrolled. */
  readonly civilId: string | null;
  readonly rights: readonly RightData[];
}

/** Looks up the organizations a person may represent now; the look-up is recorded for the audit first. */
export async function lookUpRights(
  { referenceData, accessLog, clock }: RepresentationsDependencies,
  person: PersonIdentifier,
  context: CommandContext,
): Promise<PersonRights> {
  const now = clock.now();
  const citizen = await referenceData.citizen(person);
  const civilId = citizen?.civilId ?? null;
  const rights = civilId === null ? [] : await referenceData.rightsOf(civilId, now);
  const registers = rights.map(({ organization }) => organization.register);
  const data = { civilId, registers, lookedUpAt: now.toISOString() };
  await accessLog({ type: 'RightsLookedUp', data }, context);
  return { civilId, rights };
}

/** Excerpt of the business registry, as read by the relying party. */
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
 * Makes a person, one of the organization's affiliates, its ADMIN; registers a new organization. Repeatable after an
 * interruption.
 *
 * @param evidenceRef source of the excerpt
 * @throws Refusal PERSON_NOT_FOUND, REPRESENTATION_DENIED when the person is no affiliate, ORG_NOT_ACTIVE,
 * INVALID_REQUEST
 */
export async function linkOrganization(
  dependencies: RepresentationsDependencies,
  { person, link }: { readonly person: PersonIdentifier; readonly link: OrganizationLink },
  evidenceRef: string,
  context: CommandContext,
): Promise<PersonRights> {
  const { referenceData, organizations } = dependencies;
  const citizen = await referenceData.citizen(person);
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
      rightType: 'ADMIN',
      role: affiliate.role ?? affiliate.kind,
      source: 'MANUAL',
      evidenceRef,
      validTo: null,
    },
    context,
  );
  return { civilId, rights: await referenceData.rightsOf(civilId, dependencies.clock.now()) };
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
  const { referenceData, representations, clock } = dependencies;
  const citizen = await referenceData.citizen(parsePersonIdentifier(person));
  if (citizen === null) throw new Refusal('PERSON_NOT_FOUND');
  const { civilId } = citizen;
  const register = registerIn(text);
  const { state } = await representations.load(register);
  const isOver = state.rights.get(civilId)?.status === 'WITHDRAWN';
  if (!isOver && !isAdmin(state, civilId, clock.now().toISOString())) {
    throw new Refusal('NOT_ORG_ADMIN');
  }
  await withdrawRight(dependencies, { register, civilId }, context);
  return { civilId, rights: await referenceData.rightsOf(civilId, clock.now()) };
}
