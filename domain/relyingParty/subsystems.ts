import { unreachable } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import type { SubsystemEvent, SubsystemSeen } from './events.ts';

// State

/** A part of a relying party, named in its sessions (`rp_app`). */
export interface Subsystem {
  /** Name in sessions; unique within the relying party. */
  readonly name: string;
  /** Display name set by operators; null: none. */
  readonly displayName: string | null;
  readonly status: 'ACTIVE' | 'DEACTIVATED' | 'MERGED';
  /** Name of the subsystem that a MERGED one was merged into. */
  readonly mergedInto: string | null;
  /** ISO 8601. */
  readonly firstSeenAt: string;
}

/** The relying party's subsystems, in the order of first use, after one more event. */
export function evolveSubsystems(
  subsystems: readonly Subsystem[],
  event: SubsystemSeen | SubsystemEvent,
): readonly Subsystem[] {
  if (event.type === 'SubsystemSeen') {
    const { subsystem: name, seenAt: firstSeenAt } = event.data;
    const seen = { name, displayName: null, mergedInto: null, firstSeenAt };
    return [...subsystems, { ...seen, status: 'ACTIVE' }];
  }
  const { subsystem: changed } = event.data;
  return subsystems.map((each) => (each.name === changed ? evolve(each, event) : each));
}

function evolve(subsystem: Subsystem, event: SubsystemEvent): Subsystem {
  switch (event.type) {
    case 'SubsystemDeactivated':
      return { ...subsystem, status: 'DEACTIVATED' };
    case 'SubsystemActivated':
      return { ...subsystem, status: 'ACTIVE' };
    case 'SubsystemRenamed':
      return { ...subsystem, displayName: event.data.displayName };
    case 'SubsystemMerged':
      return { ...subsystem, status: 'MERGED', mergedInto: event.data.into };
    default:
      return unreachable(event);
  }
}

/** Number of a subsystem in addresses, which cannot contain every name: its index in the order of first use, from 1. */
export function subsystemNumber(subsystems: readonly Subsystem[], name: string): number {
  return subsystems.findIndex((each) => each.name === name) + 1;
}

/** Follows merges to the effective subsystem. */
function lastingSubsystem(subsystems: readonly Subsystem[], subsystem: Subsystem): Subsystem {
  let lasting = subsystem;
  // Merges are acyclic, so there are fewer steps than subsystems.
  for (let steps = 0; steps < subsystems.length; steps += 1) {
    const { mergedInto } = lasting;
    const next = subsystems.find(({ name }) => name === mergedInto);
    if (next === undefined) break;
    lasting = next;
  }
  return lasting;
}

/**
 * Subsystem of a new session by its name, after merges. An unknown one is itself.
 *
 * @throws Refusal SUBSYSTEM_NOT_ACTIVE
 */
export function subsystemOfSession(subsystems: readonly Subsystem[], name: string): string {
  const named = subsystems.find((each) => each.name === name);
  if (named === undefined) return name;
  const lasting = lastingSubsystem(subsystems, named);
  if (lasting.status !== 'ACTIVE') throw new Refusal('SUBSYSTEM_NOT_ACTIVE');
  return lasting.name;
}

// Commands

/** Changes of a subsystem by operators. */
export type SubsystemChange =
  | { readonly type: 'deactivate' | 'activate' }
  | { readonly type: 'rename'; readonly displayName: string | null }
  | {
      readonly type: 'merge';
      /** Number of the subsystem to merge into. */
      readonly into: number;
    };

export interface ChangeSubsystem {
  readonly type: 'ChangeSubsystem';
  /** See {@link subsystemNumber}. */
  readonly number: number;
  readonly change: SubsystemChange;
  readonly now: string;
}

// Decisions

/** Subsystems per relying party at most: they register themselves, which needs a bound. */
export const maxSubsystems = 1000;

export function noteSubsystem(
  { subsystem, now }: { readonly subsystem: string; readonly now: string },
  relyingPartyId: string,
  subsystems: readonly Subsystem[],
): readonly SubsystemSeen[] {
  if (subsystems.some(({ name }) => name === subsystem)) return [];
  if (subsystems.length >= maxSubsystems) {
    const detail = `At most ${maxSubsystems} subsystems can register themselves.`;
    throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/rp_app', detail }] });
  }
  return [{ type: 'SubsystemSeen', data: { relyingPartyId, subsystem, seenAt: now } }];
}

export function changeSubsystem(
  { number, change, now }: ChangeSubsystem,
  relyingPartyId: string,
  subsystems: readonly Subsystem[],
): readonly SubsystemEvent[] {
  const subsystem = numbered(subsystems, number);
  const of = { relyingPartyId, subsystem: subsystem.name };
  switch (change.type) {
    case 'deactivate':
      if (expectUnmerged(subsystem).status === 'DEACTIVATED') return [];
      return [{ type: 'SubsystemDeactivated', data: { ...of, deactivatedAt: now } }];
    case 'activate':
      if (expectUnmerged(subsystem).status === 'ACTIVE') return [];
      return [{ type: 'SubsystemActivated', data: { ...of, activatedAt: now } }];
    case 'rename': {
      const { displayName } = change;
      if (subsystem.displayName === displayName) return [];
      return [{ type: 'SubsystemRenamed', data: { ...of, displayName, renamedAt: now } }];
    }
    case 'merge': {
      const into = mergeTarget(subsystems, subsystem, change.into);
      if (subsystem.mergedInto === into.name) return [];
      expectUnmerged(subsystem);
      return [{ type: 'SubsystemMerged', data: { ...of, into: into.name, mergedAt: now } }];
    }
    default:
      return unreachable(change);
  }
}

/** Effective target of a merge, following earlier merges. */
function mergeTarget(subsystems: readonly Subsystem[], subsystem: Subsystem, number: number) {
  const named = numbered(subsystems, number);
  const lasting = lastingSubsystem(subsystems, named);
  if (lasting.name === subsystem.name) {
    throw new Refusal('CONFLICT', {
      detail:
        named === subsystem
          ? 'A subsystem cannot be merged into itself.'
          : 'The other subsystem was merged into this one.',
    });
  }
  if (lasting.status === 'DEACTIVATED') {
    throw new Refusal('CONFLICT', {
      detail: 'The other subsystem is deactivated. Activate it first.',
    });
  }
  return lasting;
}

function numbered(subsystems: readonly Subsystem[], number: number): Subsystem {
  const subsystem = subsystems[number - 1];
  if (subsystem === undefined) throw new Refusal('SUBSYSTEM_NOT_FOUND');
  return subsystem;
}

function expectUnmerged(subsystem: Subsystem): Subsystem {
  if (subsystem.status !== 'MERGED') return subsystem;
  throw new Refusal('CONFLICT', { detail: 'The subsystem was permanently merged into another.' });
}
