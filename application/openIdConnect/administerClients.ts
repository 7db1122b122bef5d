import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { expectSecret, hasSecret, oidcClientDecider } from '../../domain/oidcClient/oidcClient.ts';
import { nameTaken } from '../../domain/heldName/heldName.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import type { HandOver, OpenedLink } from '../../domain/shared/handOver.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { awaitProjection, type CommandContext } from '../handleCommand.ts';
import type { NamesWish, TakeNames } from '../names/takeName.ts';
import type { Clock } from '../ports/clock.ts';
import type { RelyingPartyReferenceData } from '../ports/referenceData.ts';
import type { OidcState } from './ports/oidcState.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { Randomness } from '../ports/randomness.ts';
import { newOffer, type Offer } from '../relyingParty/offers.ts';
import type { OidcClients } from './aggregates.ts';

export interface ClientAdministrationDependencies {
  readonly clients: OidcClients;
  readonly takeNames: TakeNames;
  readonly referenceData: Pick<RelyingPartyReferenceData, 'relyingParty'>;
  readonly state: Pick<OidcState, 'removeOfClient'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Waits until lists show a change. */
  readonly progress: ProjectionProgress;
  /** True to allow http for loopback addresses. */
  readonly allowsLoopback: boolean;
  /** Address of the provider. */
  readonly issuer: () => string;
}

/** A secret returned once. */
export interface IssuedClientSecret {
  readonly clientId: string;
  /** `oidc_sk_…`; only its SHA-256 is stored. Null: the client has none. */
  readonly clientSecret: string | null;
}

const SECRET_BYTES = 32;

/** Prefix of client secrets, recognised by scanners for leaked secrets. */
const secretPrefix = 'oidc_sk_';

function newSecret(randomness: Randomness) {
  const clientSecret = secretPrefix + randomness.bytes(SECRET_BYTES).toString('base64url');
  return { clientSecret, secretHash: sha256Hex(clientSecret) };
}

/** A client that is to be registered. */
export type WishedClient = OidcClientSettings & {
  readonly clientId: string;
  readonly relyingPartyId: string;
};

/**
 * Registers a client of a relying party.
 *
 * @throws Refusal RELYING_PARTY_NOT_FOUND, INVALID_REQUEST with every fault of the settings, CONFLICT for a name that
 * looks like one of another relying party, and for another's sector
 */
export async function registerOidcClient(
  dependencies: ClientAdministrationDependencies,
  wished: WishedClient,
  context: CommandContext,
): Promise<IssuedClientSecret> {
  const { clientSecret, secretHash } = hasSecret(wished)
    ? newSecret(dependencies.randomness)
    : { clientSecret: null, secretHash: null };
  await register(dependencies, { ...wished, secretHash }, context);
  return { clientId: wished.clientId, clientSecret };
}

/**
 * Registers a client whose first secret is made for whoever opens a link: nobody knows the one it begins with.
 *
 * @throws Refusal as {@link registerOidcClient}, and CONFLICT when it has none
 */
export async function registerOidcClientByLink(
  dependencies: ClientAdministrationDependencies,
  wished: WishedClient,
  context: CommandContext,
): Promise<Offer> {
  expectSecret(wished);
  const { secretHash } = newSecret(dependencies.randomness);
  const { offer, handOver } = newOffer(dependencies, 'oidc', wished.clientId);
  await register(dependencies, { ...wished, secretHash }, context, handOver);
  return offer;
}

async function register(
  dependencies: ClientAdministrationDependencies,
  wished: WishedClient & { readonly secretHash: string | null },
  context: CommandContext,
  handOver?: HandOver,
): Promise<void> {
  const { clients, takeNames, clock, allowsLoopback, progress } = dependencies;
  for (const wish of await expectRegistrable(dependencies, wished)) await takeNames(wish, context);
  const command = {
    type: 'RegisterOidcClient',
    registered: { ...wished, registeredAt: clock.now().toISOString() },
    ...(handOver && { handOver }),
    allowsLoopback,
  } as const;
  await awaitProjection(progress, clients.handleNew(wished.clientId, command, context));
}

/**
 * Checks that a client could be registered.
 *
 * @returns names that it takes, by their scopes
 * @throws Refusal as {@link registerOidcClient}, without CONFLICT for names
 */
export async function expectRegistrable(
  { referenceData, clock, allowsLoopback, issuer }: Omit<ClientAdministrationDependencies, 'state'>,
  wished: WishedClient,
): Promise<readonly NamesWish[]> {
  const { relyingPartyId } = wished;
  const party = await referenceData.relyingParty(relyingPartyId);
  if (party?.active !== true) throw new Refusal('RELYING_PARTY_NOT_FOUND');
  const registered = { ...wished, secretHash: null, registeredAt: clock.now().toISOString() };
  const command = { type: 'RegisterOidcClient', registered, allowsLoopback } as const;
  oidcClientDecider.decide(command, oidcClientDecider.initial);
  expectForeignAudience(wished, issuer());
  await expectOwnSector({ referenceData }, wished, relyingPartyId);
  return wishesOf(wished, wished);
}

/** @throws Refusal INVALID_REQUEST for an audience at the provider's own address: its tokens are for UserInfo and the platform */
function expectForeignAudience(
  { audience }: Partial<Pick<OidcClientSettings, 'audience'>>,
  issuer: string,
): void {
  const isOwn =
    typeof audience === 'string' &&
    URL.canParse(audience) &&
    new URL(audience).origin === new URL(issuer).origin;
  if (!isOwn) return;
  const detail = 'Must not be an address of the provider.';
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/audience', detail }] });
}

/**
 * Without a name for it, clients are in the sector that is called like their relying party: it is nobody else's, even
 * before the first of them.
 *
 * @throws Refusal CONFLICT for the id of another relying party
 */
async function expectOwnSector(
  { referenceData }: Pick<ClientAdministrationDependencies, 'referenceData'>,
  { sector }: Pick<OidcClientSettings, 'sector'>,
  relyingPartyId: string,
): Promise<void> {
  if (sector === relyingPartyId) return;
  if ((await referenceData.relyingParty(sector)) !== null) throw nameTaken('SECTOR');
}

/**
 * Names that settings take. A client's are its relying party's: several clients of one may have the same. A sector is one
 * relying party's, too: another would learn who a citizen is there. An audience is one API's: who has two APIs' tokens
 * for the asking could give those of one to the other.
 */
function wishesOf(
  { clientId, relyingPartyId }: { readonly clientId: string; readonly relyingPartyId: string },
  { name, nameEn, audience, sector }: Partial<OidcClientSettings>,
): readonly NamesWish[] {
  const given = (each: string | null | undefined) => typeof each === 'string';
  const named = sector === relyingPartyId ? null : sector;
  return [
    { scope: 'RELYING_PARTY', holder: relyingPartyId, names: [name, nameEn].filter(given) },
    { scope: 'SECTOR', holder: relyingPartyId, names: [named].filter(given) },
    { scope: 'AUDIENCE', holder: clientId, names: [audience].filter(given) },
  ];
}

/**
 * Checks that an edit could be made.
 *
 * @returns names that it takes, by their scopes
 * @throws Refusal OIDC_CLIENT_NOT_FOUND, INVALID_REQUEST
 */
export async function expectEditable(
  { clients, clock, allowsLoopback, issuer }: ClientAdministrationDependencies,
  clientId: string,
  changes: Partial<OidcClientSettings>,
): Promise<readonly NamesWish[]> {
  const { state } = await clients.load(clientId);
  const now = clock.now().toISOString();
  oidcClientDecider.decide({ type: 'EditOidcClient', changes, now, allowsLoopback }, state);
  if (state.status === 'NONE') throw new Refusal('OIDC_CLIENT_NOT_FOUND');
  expectForeignAudience(changes, issuer());
  const own = wishesOf(state, state.settings);
  const has = (scope: NamesWish['scope'], name: string) =>
    own.some((each) => each.scope === scope && each.names.includes(name));
  return wishesOf(state, changes).map(({ names, ...wish }) => ({
    ...wish,
    names: names.filter((name) => !has(wish.scope, name)),
  }));
}

/**
 * Changes the given settings. Another security profile ends codes and tokens: they were given under less, or more.
 *
 * @throws Refusal OIDC_CLIENT_NOT_FOUND, INVALID_REQUEST
 */
export async function editOidcClient(
  dependencies: ClientAdministrationDependencies,
  {
    clientId,
    changes,
  }: { readonly clientId: string; readonly changes: Partial<OidcClientSettings> },
  context: CommandContext,
): Promise<void> {
  const { clients, takeNames, clock, progress, allowsLoopback, state: provider } = dependencies;
  const wishes = await expectEditable(dependencies, clientId, changes);
  for (const wish of wishes) await takeNames(wish, context);
  const now = clock.now().toISOString();
  const command = { type: 'EditOidcClient', changes, now, allowsLoopback } as const;
  const { state } = await clients.load(clientId);
  const { securityProfile: profile } = changes;
  const isOther =
    profile !== undefined && state.status !== 'NONE' && profile !== state.settings.securityProfile;
  const change = () => awaitProjection(progress, clients.handle(clientId, command, context));
  await (isOther ? endingTokens(() => provider.removeOfClient(clientId, null), change) : change());
}

/**
 * Ends tokens with a change. Before it already, since an approved one is not made again by a process that dies right
 * after it; and after it, since tokens are made until then.
 */
async function endingTokens(end: () => Promise<void>, change: () => Promise<unknown>) {
  await end();
  await change();
  await end();
}

/**
 * Replaces the secret; the old one ends at once, and what the client got for itself with it. Tokens of citizens stay:
 * they are bound to their consent.
 *
 * @param openedBy link that was opened; omitted: an operator rotates
 * @throws Refusal OIDC_CLIENT_NOT_FOUND, CONFLICT when it has none, NOT_FOUND for a link that opens nothing any more
 */
export async function rotateOidcClientSecret(
  { clients, clock, randomness, progress, state: provider }: ClientAdministrationDependencies,
  clientId: string,
  context: CommandContext,
  openedBy?: OpenedLink,
): Promise<IssuedClientSecret> {
  const { clientSecret, secretHash } = newSecret(randomness);
  const command = {
    type: 'RotateOidcClientSecret',
    secretHash,
    ...(openedBy && { openedBy }),
    now: clock.now().toISOString(),
  } as const;
  const { state } = await clients.load(clientId);
  oidcClientDecider.decide(command, state);
  await endingTokens(
    () => provider.removeOfClient(clientId, null, 'ClientCredentials'),
    () => awaitProjection(progress, clients.handle(clientId, command, context)),
  );
  return { clientId, clientSecret };
}

/** Offers a new secret to whoever opens a link. @throws Refusal OIDC_CLIENT_NOT_FOUND, CONFLICT when it has none */
export async function offerOidcClientSecret(
  { clients, clock, randomness, progress }: ClientAdministrationDependencies,
  clientId: string,
  context: CommandContext,
): Promise<Offer> {
  const { offer, handOver } = newOffer({ clock, randomness }, 'oidc', clientId);
  const now = clock.now().toISOString();
  const command = { type: 'OfferOidcClientSecret', ...handOver, now } as const;
  await awaitProjection(progress, clients.handle(clientId, command, context));
  return offer;
}

/** Refuses the client from now on, and ends its codes and tokens. @throws Refusal OIDC_CLIENT_NOT_FOUND */
export async function deactivateOidcClient(
  { clients, state, clock, progress }: ClientAdministrationDependencies,
  clientId: string,
  context: CommandContext,
): Promise<void> {
  const command = { type: 'DeactivateOidcClient', now: clock.now().toISOString() } as const;
  await awaitProjection(progress, clients.handle(clientId, command, context));
  await state.removeOfClient(clientId, null);
}

/** @throws Refusal OIDC_CLIENT_NOT_FOUND */
export async function reactivateOidcClient(
  { clients, clock, progress }: ClientAdministrationDependencies,
  clientId: string,
  context: CommandContext,
): Promise<void> {
  const command = { type: 'ReactivateOidcClient', now: clock.now().toISOString() } as const;
  await awaitProjection(progress, clients.handle(clientId, command, context));
}
