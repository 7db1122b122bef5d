import { type Decider, unreachable } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import type { RelyingPartyEvent, RelyingPartyRegistered } from './events.ts';

// State

export type RelyingParty =
  | { readonly status: 'NONE' }
  | {
      readonly status: 'ACTIVE' | 'DEACTIVATED';
      readonly registered: RelyingPartyRegistered['data'];
      readonly secretHash: string;
      readonly subsystems: readonly string[];
    };

const initial: RelyingParty = { status: 'NONE' };

function evolve(party: RelyingParty, event: RelyingPartyEvent): RelyingParty {
  if (event.type === 'RelyingPartyRegistered') {
    return {
      status: 'ACTIVE',
      registered: event.data,
      secretHash: event.data.secretHash,
      subsystems: [],
    };
  }
  if (party.status === 'NONE') return party;
  switch (event.type) {
    case 'SecretRotated':
      return { ...party, secretHash: event.data.secretHash };
    case 'RelyingPartyDeactivated':
      return { ...party, status: 'DEACTIVATED' };
    case 'SubsystemSeen':
      return { ...party, subsystems: [...party.subsystems, event.data.subsystem] };
    default:
      return unreachable(event);
  }
}

// Commands

export type RelyingPartyCommand =
  | { readonly type: 'RegisterRelyingParty'; readonly registered: RelyingPartyRegistered['data'] }
  | { readonly type: 'RotateSecret'; readonly secretHash: string; readonly now: string }
  | { readonly type: 'DeactivateRelyingParty'; readonly now: string }
  | { readonly type: 'NoteSubsystem'; readonly subsystem: string; readonly now: string };

// Decisions

/** Longest registered name in bytes of UTF-8 (specification, Limits). */
export const relyingPartyNameBytes = 32;

/** Subsystems a relying party may have: what registers itself needs an end. */
export const maxSubsystems = 1000;

function tooManySubsystems(): Refusal {
  const detail = `No more than ${maxSubsystems} subsystems register themselves.`;
  return new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/rp_app', detail }] });
}

function decide(command: RelyingPartyCommand, party: RelyingParty): readonly RelyingPartyEvent[] {
  if (command.type === 'RegisterRelyingParty') return register(command.registered, party);
  if (party.status === 'NONE') throw new Refusal('RELYING_PARTY_NOT_FOUND');
  const { relyingPartyId } = party.registered;
  switch (command.type) {
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
    case 'NoteSubsystem':
      if (party.subsystems.includes(command.subsystem)) return [];
      if (party.subsystems.length >= maxSubsystems) throw tooManySubsystems();
      return [
        {
          type: 'SubsystemSeen',
          data: { relyingPartyId, subsystem: command.subsystem, seenAt: command.now },
        },
      ];
    default:
      return unreachable(command);
  }
}

function register(registered: RelyingPartyRegistered['data'], party: RelyingParty) {
  if (party.status !== 'NONE') {
    if (party.registered.secretHash === registered.secretHash) return [];
    throw new Refusal('CONFLICT', { detail: 'A relying party with this UUID exists already.' });
  }
  const nameBytes = new TextEncoder().encode(registered.name).length;
  if (nameBytes === 0 || nameBytes > relyingPartyNameBytes) {
    throw new Refusal('INVALID_REQUEST', {
      detail: `The name must have 1 to ${relyingPartyNameBytes} bytes of UTF-8; this one has ${nameBytes}.`,
      errors: [{ pointer: '/name', detail: `1 to ${relyingPartyNameBytes} bytes of UTF-8.` }],
    });
  }
  return [{ type: 'RelyingPartyRegistered', data: registered } satisfies RelyingPartyEvent];
}

/** The relying-party aggregate: secret, permissions, subsystems. Stream `relyingParty-<uuid>`. */
export const relyingPartyDecider: Decider<RelyingParty, RelyingPartyCommand, RelyingPartyEvent> = {
  initial,
  evolve,
  decide,
};
