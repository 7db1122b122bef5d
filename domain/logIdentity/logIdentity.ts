import type { Decider } from '../shared/decider.ts';
import type {
  LogEstablished,
  LogIdentityEvent,
  LogMoved,
  LogRetired,
  RestoredLogAccepted,
  UpgradeFinished,
} from './events.ts';

/** The aggregate's identifier: a log has one identity. */
export const LOG_IDENTITY = 'identity';

/** Installation of the log, and its epoch. */
export type LogIdentity = LogEstablished['data'];

/** Identity of a log; null: none yet. */
export type LogState =
  | (LogIdentity & {
      /** Set when another log replaced it. */
      readonly retired: LogRetired['data'] | null;
      /** Level that the last finished upgrade led to; absent before the first. */
      readonly level?: number;
    })
  | null;

export interface Establish {
  readonly type: 'Establish';
  readonly identity: LogIdentity;
}

/** Retires this log: nothing more is appended, another log replaces it. */
export interface Retire {
  readonly type: 'Retire';
  readonly retirement: LogRetired['data'];
}

/** Declares this copy of a retired log its successor. */
export interface Move {
  readonly type: 'Move';
  readonly move: LogMoved['data'];
}

/** Puts a log that was restored from a backup in use again. */
export interface AcceptRestored {
  readonly type: 'AcceptRestored';
  readonly acceptance: RestoredLogAccepted['data'];
}

/** Records that the installation was raised to a level; once for each. */
export interface FinishUpgrade {
  readonly type: 'FinishUpgrade';
  readonly upgrade: UpgradeFinished['data'];
}

export type LogIdentityCommand = Establish | Retire | Move | AcceptRestored | FinishUpgrade;

function evolve(state: LogState, event: LogIdentityEvent): LogState {
  switch (event.type) {
    case 'LogEstablished':
      return { ...event.data, retired: null };
    case 'LogMoved': {
      const { installationId, epoch } = event.data;
      return state === null ? null : { ...state, installationId, epoch, retired: null };
    }
    case 'LogRetired':
      return state === null ? null : { ...state, retired: event.data };
    case 'RestoredLogAccepted':
      return state;
    case 'UpgradeFinished':
      return state === null ? null : { ...state, level: event.data.level };
  }
}

const hasSuccessor = (state: LogState) => state !== null && state.retired !== null;

const levelOf = (state: LogState) => state?.level ?? 1;

function decide(command: LogIdentityCommand, state: LogState): readonly LogIdentityEvent[] {
  const isRetired = hasSuccessor(state);
  switch (command.type) {
    case 'Establish':
      return state === null ? [{ type: 'LogEstablished', data: command.identity }] : [];
    case 'Retire':
      return state === null || isRetired ? [] : [{ type: 'LogRetired', data: command.retirement }];
    case 'Move':
      return isRetired ? [{ type: 'LogMoved', data: command.move }] : [];
    case 'AcceptRestored':
      return [{ type: 'RestoredLogAccepted', data: command.acceptance }];
    case 'FinishUpgrade':
      return isRetired || levelOf(state) >= command.upgrade.level
        ? []
        : [{ type: 'UpgradeFinished', data: command.upgrade }];
  }
}

/** Identity of a log: written once, and again in each log its events are moved to or restored in. Stream `log-identity`. */
export const logIdentityDecider: Decider<LogState, LogIdentityCommand, LogIdentityEvent> = {
  initial: null,
  evolve,
  decide,
};
