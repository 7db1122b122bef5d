import type { Decider } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import type { HeldNameEvent, NameScope } from './events.ts';

/** The last taking of a name; null: never taken. */
export type HeldName = HeldNameEvent['data'] | null;

export interface HeldNameCommand {
  readonly type: 'TakeName';
  readonly scope: NameScope;
  readonly holder: string;
  readonly folded: string;
  /** Holder who is known not to use it any more, in whose place this one, or the same anew, takes it; null: none. */
  readonly insteadOf: string | null;
  readonly now: string;
}

/** A name that looks like no other of its scope: held by one. Stream `heldName-<SHA-256 of scope and folded name>`. */
export const heldNameDecider: Decider<HeldName, HeldNameCommand, HeldNameEvent> = {
  initial: null,
  evolve: (_, event) => event.data,
  decide: ({ scope, holder, folded, insteadOf, now }, held) => {
    if (held?.holder === holder && insteadOf === null) return [];
    if (held !== null && held.holder !== insteadOf) throw nameTaken(scope);
    return [{ type: 'NameTaken', data: { scope, holder, folded, takenAt: now } }];
  },
};

const taken: Readonly<Record<NameScope, string>> = {
  RELYING_PARTY: 'Another has this name, or one that looks the same. Choose another name.',
  ORGANIZATION: 'Another has this name, or one that looks the same. Choose another name.',
  AUDIENCE: 'Another API has this audience, or one that looks the same. Choose another audience.',
  SECTOR:
    'This sector, or one that looks the same, belongs to another relying party. Choose another sector.',
};

export function nameTaken(scope: NameScope): Refusal {
  return new Refusal('CONFLICT', { detail: taken[scope] });
}
