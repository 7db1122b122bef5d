import type { Decider } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import type {
  SealCertificateEvent,
  SealCertificateIssued,
  SealCertificateRequested,
} from './events.ts';

// State

export interface SealCertificate {
  /** What the organization seals with; null: nothing yet. */
  readonly current: SealCertificateIssued['data'] | null;
  /** What is being issued. */
  readonly pending: SealCertificateRequested['data'] | null;
  /** Serials of all that were ever asked for, the oldest first. */
  readonly serials: readonly string[];
}

const initial: SealCertificate = { current: null, pending: null, serials: [] };

function evolve(state: SealCertificate, event: SealCertificateEvent): SealCertificate {
  return event.type === 'SealCertificateRequested'
    ? { ...state, pending: event.data, serials: [...state.serials, event.data.serial] }
    : { ...state, current: event.data, pending: null };
}

// Commands

export type SealCertificateCommand =
  | {
      readonly type: 'RequestSealCertificate';
      readonly requested: SealCertificateRequested['data'];
      /** Serial of the certificate this was decided on. */
      readonly after: string | null;
      /** Serial of a pending one that can no longer be finished. */
      readonly insteadOf: string | null;
    }
  | { readonly type: 'RecordSealCertificate'; readonly serial: string; readonly now: string };

// Decisions

function decide(
  command: SealCertificateCommand,
  state: SealCertificate,
): readonly SealCertificateEvent[] {
  return command.type === 'RequestSealCertificate'
    ? request(command, state)
    : record(command, state);
}

function request(
  {
    requested,
    after,
    insteadOf,
  }: Extract<SealCertificateCommand, { type: 'RequestSealCertificate' }>,
  { current, pending }: SealCertificate,
): readonly SealCertificateEvent[] {
  // Somebody else was faster: what to ask for has to be thought over again.
  if ((current?.serial ?? null) !== after) throw new Refusal('CONFLICT');
  const isResumed = pending?.level === requested.level && pending.serial !== insteadOf;
  return isResumed ? [] : [{ type: 'SealCertificateRequested', data: requested }];
}

function record(
  { serial, now }: Extract<SealCertificateCommand, { type: 'RecordSealCertificate' }>,
  { current, pending }: SealCertificate,
): readonly SealCertificateEvent[] {
  if (current?.serial === serial) return [];
  if (pending?.serial !== serial) throw new Refusal('CONFLICT');
  const { register, level, keyLabel } = pending;
  const supersedes = current?.serial ?? null;
  const data = { register, serial, level, keyLabel, supersedes, issuedAt: now };
  return [{ type: 'SealCertificateIssued', data }];
}

/** Which certificate an organization seals with: one at a time, the newest. Stream `sealCertificate-<register>`. */
export const sealCertificateDecider: Decider<
  SealCertificate,
  SealCertificateCommand,
  SealCertificateEvent
> = { initial, evolve, decide };
