import type { AppendOutcome } from './clusterNode.ts';

/** Faults of an append. Nothing is stored unless the name says so. */
export type AppendFault =
  /** The server answers that. */
  | 'accessDenied'
  | 'badRequest'
  | 'maximumAppendSizeExceeded'
  | 'notReady'
  | 'streamDeleted'
  | 'tooBusy'
  | 'unknown'
  | 'timeoutStored'
  | 'timeoutNotStored'
  /** The connection breaks, with the answer or before the request was worked on. */
  | 'answerLost'
  | 'requestLost'
  /** Another node becomes the leader before the answer: the old one says timeout, the new one has the events or not. */
  | 'leaderChangeStored'
  | 'leaderChangeNotStored'
  /** Nothing comes back, ever. */
  | 'silenceStored'
  | 'silenceNotStored'
  /** Answered without a position. */
  | 'noPosition';

/** The faults that wait for appends, oldest first. */
export function createAppendFaults(changeLeader: () => void) {
  const waiting: AppendFault[] = [];

  async function meet(
    fault: AppendFault,
    store: () => Promise<AppendOutcome>,
  ): Promise<AppendOutcome> {
    const outcome = isStored(fault) ? await store() : null;
    if (fault === 'noPosition' && outcome?.kind === 'success')
      return { ...outcome, position: null };
    if (outcome !== null && isRefusal(outcome)) return outcome;
    if (fault.startsWith('leaderChange')) changeLeader();
    return outcomes[fault];
  }

  return {
    add(fault: AppendFault, times: number): void {
      for (let n = 0; n < times; n += 1) waiting.push(fault);
    },
    /** Stores the events unless a fault waits for this append. */
    around(store: () => Promise<AppendOutcome>): Promise<AppendOutcome> {
      const fault = waiting.shift();
      return fault === undefined ? store() : meet(fault, store);
    },
  };
}

const commitTimeout = { kind: 'timeout', why: 'Commit phase timeout.' } as const;
const canceled = { kind: 'timeout', why: 'Request canceled by server' } as const;

const outcomes: Readonly<Record<AppendFault, AppendOutcome>> = {
  accessDenied: { kind: 'accessDenied' },
  badRequest: { kind: 'badRequest' },
  maximumAppendSizeExceeded: { kind: 'maximumAppendSizeExceeded' },
  notReady: { kind: 'notReady' },
  streamDeleted: { kind: 'streamDeleted' },
  tooBusy: { kind: 'tooBusy' },
  unknown: { kind: 'unknown' },
  timeoutStored: commitTimeout,
  timeoutNotStored: commitTimeout,
  answerLost: { kind: 'disconnected' },
  requestLost: { kind: 'disconnected' },
  leaderChangeStored: canceled,
  leaderChangeNotStored: canceled,
  silenceStored: { kind: 'silent' },
  silenceNotStored: { kind: 'silent' },
  noPosition: { kind: 'unknown' },
};

function isStored(fault: AppendFault): boolean {
  if (fault === 'answerLost' || fault === 'noPosition') return true;
  return fault.endsWith('Stored') && !fault.endsWith('NotStored');
}

/** An append that the log refuses meets no fault of storing it. */
function isRefusal({ kind }: AppendOutcome): boolean {
  return kind === 'wrongExpectedVersion' || kind === 'streamDeleted';
}
