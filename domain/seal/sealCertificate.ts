import type { Decider } from '../shared/decider.ts';
import { type History, remembering } from '../shared/history.ts';
import { Refusal } from '../shared/refusal.ts';
import type {
  SealCertificateEvent,
  SealCertificateIssued,
  SealCertificateRequested,
} from './events.ts';

// State

export interface SealCertificate {
  /** The certificate in use; null: none yet. */
  readonly current: SealCertificateIssued['data'] | null;
  /** The certificate being issued. */
  readonly pending: SealCertificateRequested['data'] | null;
  /** Serials of all requests. */
  readonly serials: History<string>;
  /** Sessions in which ADMINs confirmed requests. */
  readonly confirmations: History<string>;
}

const initial: SealCertificate = {
  current: null,
  pending: null,
  serials: null,
  confirmations: null,
};

function evolve(state: SealCertificate, event: SealCertificateEvent): SealCertificate {
  if (event.type === 'SealCertificateIssued') {
    return { ...state, current: event.data, pending: null };
  }
  const { serial, confirmedIn } = event.data;
  return {
    ...state,
    pending: event.data,
    serials: remembering(state.serials, serial),
    confirmations:
      confirmedIn === null ? state.confirmations : remembering(state.confirmations, confirmedIn),
  };
}

// Commands

export type SealCertificateCommand =
  | {
      readonly type: 'RequestSealCertificate';
      readonly requested: SealCertificateRequested['data'];
      /** Serial of the certificate the decision is based on. */
      readonly after: string | null;
      /** Serial of a pending one that can no longer be completed. */
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
  // A concurrent request succeeded: the caller must decide again.
  if ((current?.serial ?? null) !== after) throw new Refusal('CONFLICT');
  const isResumed =
    pending?.level === requested.level &&
    pending.serial !== insteadOf &&
    // Each confirmation is recorded, so that it counts once.
    [null, pending.confirmedIn].includes(requested.confirmedIn);
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

/** Seal certificate of an organization: one at a time, the newest. Stream `sealCertificate-<register>`. */
export const sealCertificateDecider: Decider<
  SealCertificate,
  SealCertificateCommand,
  SealCertificateEvent
> = { initial, evolve, decide };
