import type { Decider } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import type { RelyingPartyEvent, RelyingPartyRegistered, RelyingPartySettings } from './events.ts';
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
  | {
      readonly status: 'ACTIVE' | 'DEACTIVATED';
      readonly relyingPartyId: string;
      readonly settings: RelyingPartySettings;
      readonly secretHash: string;
      /** ISO 8601. */
      readonly registeredAt: string;
      /** In the order in which they were first seen. */
      readonly subsystems: readonly Subsystem[];
    };

export type RegisteredRelyingParty = Exclude<RelyingParty, { status: 'NONE' }>;

const initial: RelyingParty = { status: 'NONE' };

function evolve(party: RelyingParty, event: RelyingPartyEvent): RelyingParty {
  if (event.type === 'RelyingPartyRegistered') {
    const { relyingPartyId, secretHash, registeredAt } = event.data;
    const settings = settingsIn(event.data);
    const known = { relyingPartyId, settings, secretHash, registeredAt };
    return { ...known, status: 'ACTIVE', subsystems: [] };
  }
  if (party.status === 'NONE') return party;
  switch (event.type) {
    case 'RelyingPartyEdited':
      return { ...party, settings: settingsIn(event.data) };
    case 'SecretRotated':
      return { ...party, secretHash: event.data.secretHash };
    case 'RelyingPartyDeactivated':
      return { ...party, status: 'DEACTIVATED' };
    case 'RelyingPartyReactivated':
      return { ...party, status: 'ACTIVE' };
    default:
      return { ...party, subsystems: evolveSubsystems(party.subsystems, event) };
  }
}

function settingsIn(data: RelyingPartySettings): RelyingPartySettings {
  const { name, callbackHosts, ipAllowlist, clientCertificates, permissions } = data;
  const { firstParty, requestsPerMinute, smartIdStatuses } = data;
  return {
    ...{ name, callbackHosts, ipAllowlist, clientCertificates, permissions },
    ...{ firstParty, requestsPerMinute, smartIdStatuses },
  };
}

// Commands

export type RelyingPartyCommand =
  | { readonly type: 'RegisterRelyingParty'; readonly registered: RelyingPartyRegistered['data'] }
  | {
      readonly type: 'EditRelyingParty';
      /** What is to be different; the rest stays. */
      readonly changes: Partial<RelyingPartySettings>;
      readonly now: string;
    }
  | { readonly type: 'RotateSecret'; readonly secretHash: string; readonly now: string }
  | { readonly type: 'DeactivateRelyingParty' | 'ReactivateRelyingParty'; readonly now: string }
  | { readonly type: 'NoteSubsystem'; readonly subsystem: string; readonly now: string }
  | ChangeSubsystem;

// Decisions

/** Longest registered name in bytes of UTF-8 (specification, Limits). */
export const relyingPartyNameBytes = 32;

function decide(command: RelyingPartyCommand, party: RelyingParty): readonly RelyingPartyEvent[] {
  if (command.type === 'RegisterRelyingParty') return register(command.registered, party);
  if (party.status === 'NONE') throw new Refusal('RELYING_PARTY_NOT_FOUND');
  const { relyingPartyId, subsystems } = party;
  switch (command.type) {
    case 'EditRelyingParty':
      return edit(command, party);
    case 'RotateSecret':
      if (party.secretHash === command.secretHash) return [];
      return [
        {
          type: 'SecretRotated',
          data: { relyingPartyId, secretHash: command.secretHash, rotatedAt: command.now },
        },
      ];
    case 'DeactivateRelyingParty':
      if (party.status === 'DEACTIVATED') return [];
      return [
        { type: 'RelyingPartyDeactivated', data: { relyingPartyId, deactivatedAt: command.now } },
      ];
    case 'ReactivateRelyingParty':
      if (party.status === 'ACTIVE') return [];
      return [
        { type: 'RelyingPartyReactivated', data: { relyingPartyId, reactivatedAt: command.now } },
      ];
    case 'NoteSubsystem':
      return noteSubsystem(command, relyingPartyId, subsystems);
    default:
      return changeSubsystem(command, relyingPartyId, subsystems);
  }
}

function register(registered: RelyingPartyRegistered['data'], party: RelyingParty) {
  if (party.status !== 'NONE') {
    if (party.secretHash === registered.secretHash) return [];
    throw new Refusal('CONFLICT', { detail: 'A relying party with this UUID exists already.' });
  }
  expectName(registered.name);
  return [{ type: 'RelyingPartyRegistered', data: registered } satisfies RelyingPartyEvent];
}

function edit(
  { changes, now }: Extract<RelyingPartyCommand, { type: 'EditRelyingParty' }>,
  { relyingPartyId, settings }: RegisteredRelyingParty,
): readonly RelyingPartyEvent[] {
  const edited = { ...settings, ...changes };
  expectName(edited.name);
  if (isSame(settings, edited)) return [];
  return [{ type: 'RelyingPartyEdited', data: { ...edited, relyingPartyId, editedAt: now } }];
}

function isSame(settings: RelyingPartySettings, edited: RelyingPartySettings): boolean {
  return JSON.stringify(settingsIn(settings)) === JSON.stringify(settingsIn(edited));
}

function expectName(name: string): void {
  const nameBytes = new TextEncoder().encode(name).length;
  if (nameBytes > 0 && nameBytes <= relyingPartyNameBytes) return;
  throw new Refusal('INVALID_REQUEST', {
    detail: `The name must have 1 to ${relyingPartyNameBytes} bytes of UTF-8; this one has ${nameBytes}.`,
    errors: [
      { pointer: '/relyingPartyName', detail: `1 to ${relyingPartyNameBytes} bytes of UTF-8.` },
    ],
  });
}

/** The relying-party aggregate: secret, settings, subsystems. Stream `relyingParty-<uuid>`. */
export const relyingPartyDecider: Decider<RelyingParty, RelyingPartyCommand, RelyingPartyEvent> = {
  initial,
  evolve,
  decide,
};
