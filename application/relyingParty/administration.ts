import { type RelyingPartySettings, usableSettings } from '../../domain/relyingParty/settings.ts';
import {
  expectAliases,
  expectName,
  type RelyingPartyNames,
} from '../../domain/relyingParty/names.ts';
import type { RelyingPartyCommand } from '../../domain/relyingParty/relyingParty.ts';
import type { SubsystemChange } from '../../domain/relyingParty/subsystems.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import type { HandOver, OpenedLink } from '../../domain/shared/handOver.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { awaitProjection, type CommandContext } from '../handleCommand.ts';
import type { NamesWish as HeldNamesWish, TakeNames } from '../names/takeName.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { RelyingParties } from '../aggregates.ts';
import { newOffer, type Offer } from './offers.ts';

export interface RelyingPartyDependencies {
  readonly relyingParties: RelyingParties;
  readonly takeNames: TakeNames;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Waits until read models show the change. */
  readonly progress: ProjectionProgress;
}

/** A secret returned once. */
export interface IssuedSecret {
  readonly relyingPartyId: string;
  /** `rp_sk_…`; only its SHA-256 is stored. */
  readonly apiSecret: string;
}

/**
 * Registers a relying party under a new UUID, or the given one.
 *
 * @throws Refusal INVALID_REQUEST when the name is too long or a setting is invalid, CONFLICT when the UUID is taken, or
 * the name or one that looks the same is another's
 */
export async function registerRelyingParty(
  dependencies: RelyingPartyDependencies,
  settings: RelyingPartySettings & { readonly relyingPartyId?: string },
  context: CommandContext,
): Promise<IssuedSecret> {
  const { randomness } = dependencies;
  const relyingPartyId = settings.relyingPartyId?.toLowerCase() ?? randomness.uuid();
  const { apiSecret, secretHash } = newApiSecret(randomness);
  await register(dependencies, { ...settings, relyingPartyId, secretHash }, context);
  return { relyingPartyId, apiSecret };
}

/**
 * Registers a relying party whose first secret is made for whoever opens a link: nobody knows the one it begins with.
 *
 * @throws Refusal as {@link registerRelyingParty}
 */
export async function registerByLink(
  dependencies: RelyingPartyDependencies,
  settings: RelyingPartySettings & { readonly relyingPartyId?: string },
  context: CommandContext,
): Promise<Offer> {
  const { randomness } = dependencies;
  const relyingPartyId = settings.relyingPartyId?.toLowerCase() ?? randomness.uuid();
  const { secretHash } = newApiSecret(randomness);
  const { offer, handOver } = newOffer(dependencies, 'rp', relyingPartyId);
  await register(dependencies, { ...settings, relyingPartyId, secretHash }, context, handOver);
  return offer;
}

async function register(
  { relyingParties, takeNames, clock, progress }: RelyingPartyDependencies,
  {
    relyingPartyId,
    secretHash,
    ...settings
  }: RelyingPartySettings & { readonly relyingPartyId: string; readonly secretHash: string },
  context: CommandContext,
  handOver?: HandOver,
): Promise<void> {
  const registered = {
    ...usableSettings(settings),
    otherNames: false,
    relyingPartyId,
    secretHash,
    registeredAt: clock.now().toISOString(),
  };
  const { name } = registered;
  expectName(name, '/relyingPartyName');
  await takeNames({ scope: 'RELYING_PARTY', holder: relyingPartyId, names: [name] }, context);
  const command = {
    type: 'RegisterRelyingParty',
    registered,
    ...(handOver && { handOver }),
  } as const;
  await awaitProjection(progress, relyingParties.handleNew(relyingPartyId, command, context));
}

type Changing = Omit<RelyingPartyDependencies, 'randomness'>;
type Untimed<Command> = Command extends { readonly now: string } ? Omit<Command, 'now'> : never;

async function change(
  { relyingParties, clock, progress }: Changing,
  relyingPartyId: string,
  command: Untimed<RelyingPartyCommand>,
  context: CommandContext,
): Promise<void> {
  const timed = { ...command, now: clock.now().toISOString() };
  await awaitProjection(progress, relyingParties.handle(relyingPartyId, timed, context));
}

/**
 * Replaces a relying party's secret; the old one stops working.
 *
 * @param openedBy link that was opened; omitted: an operator rotates
 * @throws Refusal RELYING_PARTY_NOT_FOUND, NOT_FOUND for a link that opens nothing any more
 */
export async function rotateSecret(
  dependencies: RelyingPartyDependencies,
  relyingPartyId: string,
  context: CommandContext,
  openedBy?: OpenedLink,
): Promise<IssuedSecret> {
  const { apiSecret, secretHash } = newApiSecret(dependencies.randomness);
  const command = { type: 'RotateSecret', secretHash, ...(openedBy && { openedBy }) } as const;
  await change(dependencies, relyingPartyId, command, context);
  return { relyingPartyId, apiSecret };
}

/** Offers a new secret to whoever opens a link. @throws Refusal RELYING_PARTY_NOT_FOUND, CONFLICT while deactivated */
export async function offerSecret(
  dependencies: RelyingPartyDependencies,
  relyingPartyId: string,
  context: CommandContext,
): Promise<Offer> {
  const { offer, handOver } = newOffer(dependencies, 'rp', relyingPartyId);
  await change(dependencies, relyingPartyId, { type: 'OfferSecret', ...handOver }, context);
  return offer;
}

/**
 * Changes the given settings; concurrent changes of others are kept.
 *
 * @throws Refusal RELYING_PARTY_NOT_FOUND, INVALID_REQUEST when the name is too long or a setting is invalid, CONFLICT
 * for a name that looks like another's
 */
export async function editRelyingParty(
  dependencies: Changing,
  relyingPartyId: string,
  wanted: Partial<RelyingPartySettings>,
  context: CommandContext,
): Promise<void> {
  const changes = usableSettings(wanted);
  if (changes.name !== undefined) {
    const wish = await newNames(dependencies, relyingPartyId, [changes.name]);
    await dependencies.takeNames(wish, context);
  }
  await change(dependencies, relyingPartyId, { type: 'EditRelyingParty', changes }, context);
}

/** Deactivates a relying party: its secret is no longer accepted. @throws Refusal RELYING_PARTY_NOT_FOUND */
export function deactivateRelyingParty(
  dependencies: Changing,
  relyingPartyId: string,
  context: CommandContext,
): Promise<void> {
  return change(dependencies, relyingPartyId, { type: 'DeactivateRelyingParty' }, context);
}

/** Reactivates a relying party: its secret is accepted again. @throws Refusal RELYING_PARTY_NOT_FOUND */
export function reactivateRelyingParty(
  dependencies: Changing,
  relyingPartyId: string,
  context: CommandContext,
): Promise<void> {
  return change(dependencies, relyingPartyId, { type: 'ReactivateRelyingParty' }, context);
}

/** Change of the names a relying party may show citizens besides its registered one. */
export interface NamesWish extends RelyingPartyNames {
  readonly relyingPartyId: string;
}

/**
 * Finds the names it does not have yet: those that look like another's from before stay as they are.
 *
 * @throws Refusal RELYING_PARTY_NOT_FOUND, INVALID_REQUEST for one that cannot be used
 */
export async function newNames(
  { relyingParties }: Pick<Changing, 'relyingParties'>,
  relyingPartyId: string,
  names: readonly string[],
): Promise<HeldNamesWish> {
  const { state } = await relyingParties.load(relyingPartyId);
  if (state.status === 'NONE') throw new Refusal('RELYING_PARTY_NOT_FOUND');
  const own = [state.settings.name, ...state.aliases];
  const others = names.filter((name) => !own.includes(name));
  for (const name of others) expectName(name, '/relyingPartyName');
  return { scope: 'RELYING_PARTY', holder: relyingPartyId, names: others };
}

/**
 * Sets the other names of a relying party.
 *
 * @throws Refusal RELYING_PARTY_NOT_FOUND, INVALID_REQUEST for one that cannot be used, CONFLICT for one that looks like
 * another's
 */
export async function setNames(
  dependencies: Changing,
  { relyingPartyId, aliases, otherNames }: NamesWish,
  context: CommandContext,
): Promise<void> {
  const command = { type: 'SetNames', aliases, otherNames } as const;
  expectAliases(aliases);
  const wish = await newNames(dependencies, relyingPartyId, aliases);
  await dependencies.takeNames(wish, context);
  await change(dependencies, relyingPartyId, command, context);
}

/** Change of the organization a relying party may seal for. */
export interface SealingWish {
  readonly relyingPartyId: string;
  /** In normal form. */
  readonly register: string;
}

/** Lets a relying party seal for an organization. @throws Refusal RELYING_PARTY_NOT_FOUND */
export function allowSealing(
  dependencies: Changing,
  { relyingPartyId, register }: SealingWish,
  context: CommandContext,
): Promise<void> {
  return change(dependencies, relyingPartyId, { type: 'AllowSealing', register }, context);
}

/** Ends it at once. @throws Refusal RELYING_PARTY_NOT_FOUND */
export function withdrawSealing(
  dependencies: Changing,
  { relyingPartyId, register }: SealingWish,
  context: CommandContext,
): Promise<void> {
  return change(dependencies, relyingPartyId, { type: 'WithdrawSealing', register }, context);
}

/**
 * Deactivates, activates, renames a subsystem or merges it into another.
 *
 * @throws Refusal RELYING_PARTY_NOT_FOUND, SUBSYSTEM_NOT_FOUND, CONFLICT when it was merged already or cannot be
 */
export function administerSubsystem(
  dependencies: Changing,
  relyingPartyId: string,
  wish: { readonly number: number; readonly change: SubsystemChange },
  context: CommandContext,
): Promise<void> {
  return change(dependencies, relyingPartyId, { type: 'ChangeSubsystem', ...wish }, context);
}

/** Prefix of every API secret (specification, RP registration). */
export const apiSecretPrefix = 'rp_sk_';

const SECRET_BYTES = 32;

/** A new API secret and its stored hash. 256 random bits: a plain hash resists search. */
export function newApiSecret(randomness: Randomness): {
  readonly apiSecret: string;
  readonly secretHash: string;
} {
  const apiSecret = apiSecretPrefix + randomness.bytes(SECRET_BYTES).toString('base64url');
  return { apiSecret, secretHash: sha256Hex(apiSecret) };
}
