import {
  type OrganizationChanges,
  type Registration,
  registerTaken,
} from '../../domain/organization/organization.ts';
import type { RightTerms } from '../../domain/representation/events.ts';
import { type PersonIdentifier, readRegister } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { awaitProjection, type CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { CitizenData, CitizenReferenceData } from '../ports/referenceData.ts';
import { nameOrganization, type NamingDependencies } from './nameOrganization.ts';
import type { Representations } from './organizations.ts';

export interface AdministrationDependencies extends NamingDependencies {
  readonly representations: Representations;
  readonly referenceData: CitizenReferenceData;
  readonly clock: Clock;
}

/** @throws Refusal ORG_NOT_FOUND for a malformed register number */
export function registerIn(text: string): string {
  const register = readRegister(text);
  if (register === null) throw new Refusal('ORG_NOT_FOUND');
  return register;
}

/** @throws Refusal INVALID_REQUEST for a malformed register number */
export function newRegisterIn(text: string): string {
  const register = readRegister(text);
  if (register !== null) return register;
  const detail = 'Must be 3 to 20 letters and digits.';
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/orgRegister', detail }] });
}

/** @throws Refusal SIGNER_NOT_ENROLLED */
export async function expectEnrolled(
  referenceData: CitizenReferenceData,
  identifier: PersonIdentifier,
): Promise<CitizenData> {
  const citizen = await referenceData.citizen(identifier);
  if (citizen === null) throw new Refusal('SIGNER_NOT_ENROLLED');
  return citizen;
}

/**
 * Registers an organization; idempotent.
 *
 * @returns its register, and if it is new
 * @throws Refusal INVALID_REQUEST, CONFLICT when the register is another organization's, or a name that looks the same
 */
export async function registerOrganization(
  dependencies: AdministrationDependencies,
  wanted: Registration,
  context: CommandContext,
): Promise<{ readonly register: string; readonly isNew: boolean }> {
  const register = newRegisterIn(wanted.register);
  const registration = { ...wanted, register, name: wanted.name.trim() };
  const now = dependencies.clock.now().toISOString();
  const command = { type: 'RegisterOrganization', registration, now } as const;
  const { events } = await nameOrganization(dependencies, register, command, context);
  return { register, isNew: events.length > 0 };
}

/** A person with the right to grant. */
export interface Representative {
  readonly person: PersonIdentifier;
  readonly wish: RightWish;
}

/**
 * Registers a new organization, with its first administrator if named.
 *
 * @returns its register
 * @throws Refusal INVALID_REQUEST, CONFLICT when the register or a name is taken, SIGNER_NOT_ENROLLED before anything is done
 */
export async function createOrganization(
  dependencies: AdministrationDependencies,
  wanted: Registration,
  firstAdmin: Representative | null,
  context: CommandContext,
): Promise<string> {
  if (firstAdmin !== null) await expectEnrolled(dependencies.referenceData, firstAdmin.person);
  const { register, isNew } = await registerOrganization(dependencies, wanted, context);
  if (!isNew) throw registerTaken();
  if (firstAdmin !== null) {
    const { person, wish } = firstAdmin;
    await grantRight(dependencies, { register, person }, wish, context);
  }
  return register;
}

/**
 * Changes an organization's name and status, both or neither.
 *
 * @throws Refusal ORG_NOT_FOUND, INVALID_REQUEST, ORG_NOT_ACTIVE for the name of a revoked one, CONFLICT naming the
 * possible next statuses, or for a name that looks like another organization's
 */
export async function editOrganization(
  dependencies: AdministrationDependencies,
  register: string,
  changes: OrganizationChanges,
  context: CommandContext,
): Promise<void> {
  const now = dependencies.clock.now().toISOString();
  const command = { type: 'EditOrganization', changes, now } as const;
  await nameOrganization(dependencies, registerIn(register), command, context);
}

/** A change of an organization's status. */
export type StatusChange = 'verify' | 'activate' | 'suspend' | 'restore' | 'revoke';

const commands = {
  verify: 'VerifyOrganization',
  activate: 'ActivateOrganization',
  suspend: 'SuspendOrganization',
  restore: 'RestoreOrganization',
  revoke: 'RevokeOrganization',
} as const;

/** @throws Refusal ORG_NOT_FOUND, CONFLICT when the organization's state does not allow it */
export async function changeOrganizationStatus(
  { organizations, clock, progress }: AdministrationDependencies,
  register: string,
  change: StatusChange,
  context: CommandContext,
): Promise<void> {
  const command = { type: commands[change], now: clock.now().toISOString() };
  await awaitProjection(progress, organizations.handle(registerIn(register), command, context));
}

/** Terms of a right; it starts now unless stated. */
export type RightWish = Omit<RightTerms, 'civilId' | 'validFrom'> & { readonly validFrom?: string };

/** @throws Refusal ORG_NOT_FOUND, SIGNER_NOT_ENROLLED, LAST_ADMIN, INVALID_REQUEST */
export async function grantRight(
  { organizations, representations, referenceData, clock, progress }: AdministrationDependencies,
  { register: text, person }: { readonly register: string; readonly person: PersonIdentifier },
  wish: RightWish,
  context: CommandContext,
): Promise<void> {
  const register = registerIn(text);
  const { state } = await organizations.load(register);
  if (state.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
  const { civilId } = await expectEnrolled(referenceData, person);
  const now = clock.now().toISOString();
  const terms = { ...wish, civilId, validFrom: wish.validFrom ?? now };
  const command = { type: 'GrantRight', register, civilId, terms, now } as const;
  await awaitProjection(progress, representations.handle(register, command, context));
}

/** @throws Refusal LAST_ADMIN; PERMISSION_DENIED for a relying party that did not link the person */
export async function withdrawRight(
  { representations, clock, progress }: AdministrationDependencies,
  {
    register: text,
    civilId,
    endedBy,
  }: {
    readonly register: string;
    readonly civilId: string;
    /** Relying party; null: an operator. */
    readonly endedBy: string | null;
  },
  context: CommandContext,
): Promise<void> {
  const register = registerIn(text);
  const now = clock.now().toISOString();
  const command = { type: 'WithdrawRight', register, civilId, endedBy, now } as const;
  await awaitProjection(progress, representations.handle(register, command, context));
}

/**
 * Withdraws a present or former right.
 *
 * @param who.person civil id, or the registration number of an enrolled person
 * @throws Refusal ORG_NOT_FOUND, REPRESENTATIVE_NOT_FOUND, LAST_ADMIN
 */
export async function removeRepresentative(
  dependencies: AdministrationDependencies,
  who: { readonly register: string; readonly person: PersonIdentifier },
  context: CommandContext,
): Promise<void> {
  const { organizations, representations, referenceData } = dependencies;
  const register = registerIn(who.register);
  const [organization, { state }] = await Promise.all([
    organizations.load(register),
    representations.load(register),
  ]);
  if (organization.state.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
  const { person } = who;
  const civilId =
    person.type === 'civilId' ? person.civilId : (await referenceData.citizen(person))?.civilId;
  if (civilId === undefined || !(state.rights.has(civilId) || state.requests.has(civilId))) {
    throw new Refusal('REPRESENTATIVE_NOT_FOUND');
  }
  await withdrawRight(dependencies, { register, civilId, endedBy: null }, context);
}
