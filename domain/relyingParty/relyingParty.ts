import type { Decider } from '../shared/decider.ts';
import {
  expectOpen,
  type HandOver,
  type OfferedLink,
  type OpenedLink,
} from '../shared/handOver.ts';
import { Refusal } from '../shared/refusal.ts';
import type { RelyingPartyEvent, RelyingPartyRegistered, SealingEvent } from './events.ts';
import { expectAliases, expectName, type RelyingPartyNames } from './names.ts';
import { type RelyingPartySettings, settingsIn } from './settings.ts';
import {
  type ChangeSubsystem,
  changeSubsystem,
  evolveSubsystems,
  noteSubsystem,
  type Subsystem,
} from './subsystems.ts';

// State

export type RelyingParty =
  | { readonly status: 'NONE' }
  | ({
      readonly status: 'ACTIVE' | 'DEACTIVATED';
      readonly relyingPartyId: string;
      readonly settings: RelyingPartySettings;
      readonly secretHash: string;
      /** Null: none is open. */
      readonly handOver: OfferedLink | null;
      /** ISO 8601. */
      readonly registeredAt: string;
      /** In the order of first use. */
      readonly subsystems: readonly Subsystem[];
      /** Registers of the organizations it may seal for. */
      readonly sealsFor: readonly string[];
    } & RelyingPartyNames);

export type RegisteredRelyingParty = Exclude<RelyingParty, { status: 'NONE' }>;

const initial: RelyingParty = { status: 'NONE' };

function evolve(party: RelyingParty, event: RelyingPartyEvent): RelyingParty {
  if (event.type === 'RelyingPartyRegistered') {
    const { relyingPartyId, secretHash, registeredAt, otherNames } = event.data;
    const settings = settingsIn(event.data);
    const known = { relyingPartyId, settings, secretHash, registeredAt, otherNames };
    const nothing = { handOver: null, subsystems: [], sealsFor: [], aliases: [] };
    return { ...known, ...nothing, status: 'ACTIVE' };
  }
  if (party.status === 'NONE') return party;
  switch (event.type) {
    case 'RelyingPartyEdited':
      return { ...party, settings: settingsIn(event.data) };
    case 'SecretRotated':
      return { ...party, secretHash: event.data.secretHash, handOver: null };
    case 'SecretOffered': {
      const { tokenHash, until, offeredAt } = event.data;
      return { ...party, handOver: { tokenHash, until, offeredAt } };
    }
    case 'RelyingPartyDeactivated':
      return { ...party, status: 'DEACTIVATED', handOver: null };
    case 'RelyingPartyReactivated':
      return { ...party, status: 'ACTIVE' };
    case 'RelyingPartyNamesSet': {
      const { aliases, otherNames } = event.data;
      return { ...party, aliases, otherNames };
    }
    case 'SealingAllowed':
    case 'SealingWithdrawn':
      return { ...party, sealsFor: evolveSealsFor(party.sealsFor, event) };
    default:
      return { ...party, subsystems: evolveSubsystems(party.subsystems, event) };
  }
}

/** Registers of the organizations a relying party may seal for, after one more event. */
export function evolveSealsFor(
  sealsFor: readonly string[],
  { type, data: { register } }: SealingEvent,
): readonly string[] {
  const others = sealsFor.filter((each) => each !== register);
  return type === 'SealingAllowed' ? [...others, register] : others;
}

// Commands

export type RelyingPartyCommand =
  | {
      readonly type: 'RegisterRelyingParty';
      readonly registered: RelyingPartyRegistered['data'];
      /** Link to its first secret; omitted: the requester gets it. */
      readonly handOver?: HandOver;
    }
  | {
      readonly type: 'EditRelyingParty';
      /** Changed settings; others stay. */
      readonly changes: Partial<RelyingPartySettings>;
      readonly now: string;
    }
  | ({ readonly type: 'SetNames'; readonly now: string } & RelyingPartyNames)
  | {
      readonly type: 'RotateSecret';
      readonly secretHash: string;
      /** Hash of the token of the link that was opened; omitted: an operator rotates. */
      readonly openedBy?: OpenedLink;
      readonly now: string;
    }
  | ({ readonly type: 'OfferSecret'; readonly now: string } & HandOver)
  | { readonly type: 'DeactivateRelyingParty' | 'ReactivateRelyingParty'; readonly now: string }
  | {
      readonly type: 'AllowSealing' | 'WithdrawSealing';
      readonly register: string;
      readonly now: string;
    }
  | { readonly type: 'NoteSubsystem'; readonly subsystem: string; readonly now: string }
  | ChangeSubsystem;

// Decisions

function decide(command: RelyingPartyCommand, party: RelyingParty): readonly RelyingPartyEvent[] {
  if (command.type === 'RegisterRelyingParty') return register(command, party);
  if (party.status === 'NONE') throw new Refusal('RELYING_PARTY_NOT_FOUND');
  const { relyingPartyId, subsystems } = party;
  switch (command.type) {
    case 'EditRelyingParty':
      return edit(command, party);
    case 'SetNames':
      return setNames(command, party);
    case 'RotateSecret':
      return rotate(command, party);
    case 'OfferSecret':
      return offer(command, party);
    case 'DeactivateRelyingParty':
    case 'ReactivateRelyingParty':
      return changeStatus(command, party);
    case 'AllowSealing':
    case 'WithdrawSealing':
      return changeSealing(command, party);
    case 'NoteSubsystem':
      return noteSubsystem(command, relyingPartyId, subsystems);
    default:
      return changeSubsystem(command, relyingPartyId, subsystems);
  }
}

function register(
  { registered, handOver }: Extract<RelyingPartyCommand, { type: 'RegisterRelyingParty' }>,
  party: RelyingParty,
): readonly RelyingPartyEvent[] {
  if (party.status !== 'NONE') {
    if (party.secretHash === registered.secretHash) return [];
    throw new Refusal('CONFLICT', { detail: 'A relying party with this UUID already exists.' });
  }
  expectName(registered.name, '/relyingPartyName');
  const { relyingPartyId, registeredAt: offeredAt } = registered;
  const registration: RelyingPartyEvent = { type: 'RelyingPartyRegistered', data: registered };
  if (handOver === undefined) return [registration];
  return [
    registration,
    { type: 'SecretOffered', data: { relyingPartyId, ...handOver, offeredAt } },
  ];
}

function edit(
  { changes, now }: Extract<RelyingPartyCommand, { type: 'EditRelyingParty' }>,
  { relyingPartyId, settings }: RegisteredRelyingParty,
): readonly RelyingPartyEvent[] {
  const edited = { ...settings, ...changes };
  expectName(edited.name, '/relyingPartyName');
  if (isSame(settings, edited)) return [];
  return [{ type: 'RelyingPartyEdited', data: { ...edited, relyingPartyId, editedAt: now } }];
}

function setNames(
  { aliases: named, otherNames, now }: Extract<RelyingPartyCommand, { type: 'SetNames' }>,
  { relyingPartyId, ...party }: RegisteredRelyingParty,
): readonly RelyingPartyEvent[] {
  const aliases = [...new Set(named)];
  expectAliases(aliases);
  if (otherNames === party.otherNames && isSameSet(aliases, party.aliases)) return [];
  const data = { relyingPartyId, aliases, otherNames, setAt: now };
  return [{ type: 'RelyingPartyNamesSet', data }];
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each) => others.includes(each));
}

function rotate(
  { secretHash, openedBy, now }: Extract<RelyingPartyCommand, { type: 'RotateSecret' }>,
  { relyingPartyId, secretHash: present, handOver }: RegisteredRelyingParty,
): readonly RelyingPartyEvent[] {
  if (present === secretHash) return [];
  if (openedBy !== undefined) expectOpen(handOver, openedBy, now);
  return [{ type: 'SecretRotated', data: { relyingPartyId, secretHash, rotatedAt: now } }];
}

function offer(
  { tokenHash, until, now }: Extract<RelyingPartyCommand, { type: 'OfferSecret' }>,
  { relyingPartyId, status }: RegisteredRelyingParty,
): readonly RelyingPartyEvent[] {
  if (status === 'DEACTIVATED') {
    throw new Refusal('CONFLICT', { detail: 'Reactivate the relying party first.' });
  }
  const data = { relyingPartyId, tokenHash, until, offeredAt: now };
  return [{ type: 'SecretOffered', data }];
}

function changeStatus(
  {
    type,
    now,
  }: Extract<RelyingPartyCommand, { type: 'DeactivateRelyingParty' | 'ReactivateRelyingParty' }>,
  { relyingPartyId, status }: RegisteredRelyingParty,
): readonly RelyingPartyEvent[] {
  if (type === 'DeactivateRelyingParty') {
    if (status === 'DEACTIVATED') return [];
    return [{ type: 'RelyingPartyDeactivated', data: { relyingPartyId, deactivatedAt: now } }];
  }
  if (status === 'ACTIVE') return [];
  return [{ type: 'RelyingPartyReactivated', data: { relyingPartyId, reactivatedAt: now } }];
}

function changeSealing(
  {
    type,
    register,
    now,
  }: Extract<RelyingPartyCommand, { type: 'AllowSealing' | 'WithdrawSealing' }>,
  { relyingPartyId, sealsFor }: RegisteredRelyingParty,
): readonly RelyingPartyEvent[] {
  const of = { relyingPartyId, register };
  const isAllowed = sealsFor.includes(register);
  if (type === 'WithdrawSealing') {
    return isAllowed ? [{ type: 'SealingWithdrawn', data: { ...of, withdrawnAt: now } }] : [];
  }
  return isAllowed ? [] : [{ type: 'SealingAllowed', data: { ...of, allowedAt: now } }];
}

function isSame(settings: RelyingPartySettings, edited: RelyingPartySettings): boolean {
  return JSON.stringify(settingsIn(settings)) === JSON.stringify(settingsIn(edited));
}

/** The relying-party aggregate: secret, settings, subsystems. Stream `relyingParty-<uuid>`. */
export const relyingPartyDecider: Decider<RelyingParty, RelyingPartyCommand, RelyingPartyEvent> = {
  initial,
  evolve,
  decide,
};
