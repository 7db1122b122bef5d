import {
  type OrganizationChanges,
  type Registration,
  registerTaken,
} from '../../domain/organization/organization.ts';
import type { RightTerms } from '../../domain/representation/events.ts';
import { type PersonIdentifier, readRegister } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { CitizenFact, CitizenFacts } from '../ports/facts.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import { readable } from '../readable.ts';
import type { Organizations, Representations } from './organizations.ts';

export interface AdministrationDependencies {
  readonly organizations: Organizations;
  readonly representations: Representations;
  readonly facts: CitizenFacts;
  readonly clock: Clock;
  /** Waits until the change can be read. */
  readonly progress: ProjectionProgress;
}

/** @throws Refusal ORG_NOT_FOUND for what cannot be a register */
export function registerIn(text: string): string {
  const register = readRegister(text);
  if (register === null) throw new Refusal('ORG_NOT_FOUND');
  return register;
}

/** @throws Refusal INVALID_REQUEST for what cannot be a register */
export function newRegisterIn(text: string): string {
  const register = readRegister(text);
  if (register !== null) return register;
  const detail = 'A register has 3 to 20 letters and digits.';
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/orgRegister', detail }] });
}

/** @throws Refusal SIGNER_NOT_ENROLLED */
export async function expectEnrolled(
  facts: CitizenFacts,
  identifier: PersonIdentifier,
): Promise<CitizenFact> {
  const citizen = await facts.citizen(identifier);
  if (citizen === null) throw new Refusal('SIGNER_NOT_ENROLLED');
  return citizen;
}

/**
 * Registers an organization; the same one again does nothing.
 *
 * @returns its register, and whether it is new
 * @throws Refusal INVALID_REQUEST, CONFLICT when the register is another organization's
 */
export async function registerOrganization(
  { organizations, clock, progress }: AdministrationDependencies,
  wanted: Registration,
  context: CommandContext,
): Promise<{ readonly register: string; readonly isNew: boolean }> {
  const register = newRegisterIn(wanted.register);
  const registration = { ...wanted, register, name: wanted.name.trim() };
  const now = clock.now().toISOString();
  const command = { type: 'RegisterOrganization', registration, now } as const;
  const { events } = await readable(progress, organizations.handle(register, command, context));
  return { register, isNew: events.length > 0 };
}

/** A person and the right they are to get. */
export interface Representative {
  readonly person: PersonIdentifier;
  readonly wish: RightWish;
}

/**
 * Registers an organization there is not yet, with its first administrator when one is named.
 *
 * @returns its register
 * @throws Refusal INVALID_REQUEST, CONFLICT when the register is taken, SIGNER_NOT_ENROLLED before anything is done
 */
export async function createOrganization(
  dependencies: AdministrationDependencies,
  wanted: Registration,
  firstAdmin: Representative | null,
  context: CommandContext,
): Promise<string> {
  if (firstAdmin !== null) await expectEnrolled(dependencies.facts, firstAdmin.person);
  const { register, isNew } = await registerOrganization(dependencies, wanted, context);
  if (!isNew) throw registerTaken();
  if (firstAdmin !== null) {
    const { person, wish } = firstAdmin;
    await grantRight(dependencies, { register, person }, wish, context);
  }
  return register;
}

/**
 * Changes an organization's name and status, both or nothing.
 *
 * @throws Refusal ORG_NOT_FOUND, INVALID_REQUEST, ORG_NOT_ACTIVE for the name of a revoked one, CONFLICT naming the
 *   statuses it may have next
 */
export async function editOrganization(
  { organizations, clock, progress }: AdministrationDependencies,
  register: string,
  changes: OrganizationChanges,
  context: CommandContext,
): Promise<void> {
  const command = { type: 'EditOrganization', changes, now: clock.now().toISOString() } as const;
  await readable(progress, organizations.handle(registerIn(register), command, context));
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
  await readable(progress, organizations.handle(registerIn(register), command, context));
}

/** What a right is to consist of; a beginning not named is now. */
export type RightWish = Omit<RightTerms, 'civilId' | 'validFrom'> & { readonly validFrom?: string };

/** @throws Refusal ORG_NOT_FOUND, SIGNER_NOT_ENROLLED, LAST_ADMIN, INVALID_REQUEST */
export async function grantRight(
  { organizations, representations, facts, clock, progress }: AdministrationDependencies,
  { register: text, person }: { readonly register: string; readonly person: PersonIdentifier },
  wish: RightWish,
  context: CommandContext,
): Promise<void> {
  const register = registerIn(text);
  const { state } = await organizations.load(register);
  if (state.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
  const { civilId } = await expectEnrolled(facts, person);
  const now = clock.now().toISOString();
  const terms = { ...wish, civilId, validFrom: wish.validFrom ?? now };
  const command = { type: 'GrantRight', register, civilId, terms, now } as const;
  await readable(progress, representations.handle(register, command, context));
}

/** @throws Refusal LAST_ADMIN */
export async function withdrawRight(
  { representations, clock, progress }: AdministrationDependencies,
  { register: text, civilId }: { readonly register: string; readonly civilId: string },
  context: CommandContext,
): Promise<void> {
  const register = registerIn(text);
  const now = clock.now().toISOString();
  const command = { type: 'WithdrawRight', register, civilId, now } as const;
  await readable(progress, representations.handle(register, command, context));
}

/**
 * Withdraws the right of somebody who has or had one.
 *
 * @param who.person civil id, or the registration number of somebody enrolled
 * @throws Refusal ORG_NOT_FOUND, REPRESENTATIVE_NOT_FOUND, LAST_ADMIN
 */
export async function removeRepresentative(
  dependencies: AdministrationDependencies,
  who: { readonly register: string; readonly person: PersonIdentifier },
  context: CommandContext,
): Promise<void> {
  const { organizations, representations, facts } = dependencies;
  const register = registerIn(who.register);
  const [organization, { state }] = await Promise.all([
    organizations.load(register),
    representations.load(register),
  ]);
  if (organization.state.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
  const { person } = who;
  const civilId =
    person.type === 'civilId' ? person.civilId : (await facts.citizen(person))?.civilId;
  if (civilId === undefined || !state.rights.has(civilId)) {
    throw new Refusal('REPRESENTATIVE_NOT_FOUND');
  }
  await withdrawRight(dependencies, { register, civilId }, context);
}
