import type { SignInEvent, SignInStep } from '../../domain/operator/signInEvents.ts';
import type { OperatorSession } from './operators.ts';
import { type CommandContext, createJournal, type JournalDependencies } from '../handleCommand.ts';

/** Events that anonymous callers can cause, per minute and process. */
const ANONYMOUS_PER_MINUTE = 60;
/** Deduplication keys stored at most. */
const REMEMBERED = 10_000;

type Failure = Extract<SignInEvent, { type: 'SignInFailed' }>['data'];

export interface SignInJournalDependencies extends JournalDependencies {
  /** Called when an event could not be appended. */
  readonly onFailure: (cause: unknown) => void;
}

/**
 * Audit of login attempts. Events only an operator can cause are always recorded. Those of anonymous callers are
 * recorded up to a limit, and the omitted ones counted in the next event: the log cannot be flooded without a password.
 */
export interface SignInJournal {
  /** Resolved means durable. */
  record(event: SignInEvent, context: CommandContext): Promise<void>;
  /** Recorded in the background, so that the duration does not reveal whether the operator exists. */
  failed(failure: Pick<Failure, 'operatorId' | 'step' | 'reason'>, context: CommandContext): void;
  /** Recorded once while `key` is throttled. */
  throttled(
    attempt: { readonly operatorId: string | null; readonly step: SignInStep },
    refused: { readonly key: string; readonly seconds: number },
    context: CommandContext,
  ): void;
  signedOut(session: OperatorSession, context: CommandContext): Promise<void>;
  /** Resolved means that a use by this address was made durable within the last minute. */
  breakGlassUsed(context: CommandContext): Promise<void>;
  breakGlassRefused(context: CommandContext): void;
  /** Resolves when everything recorded so far is durable or has failed. */
  settle(): Promise<void>;
}

export function createSignInJournal(dependencies: SignInJournalDependencies): SignInJournal {
  const { clock, onFailure } = dependencies;
  const journal = createJournal<SignInEvent>('operatorAccess', dependencies);
  const pending = new Set<Promise<void>>();
  const said = new Map<string, number>();
  /** Uses of the break-glass key that are not durable yet. */
  const uses = new Map<string, Promise<void>>();
  let minute = 0;
  let recorded = 0;
  let omitted = 0;

  const now = () => clock.now().toISOString();

  async function record(event: SignInEvent, context: CommandContext): Promise<void> {
    await journal.record(now().slice(0, 10), event, context);
  }

  function inBackground(event: SignInEvent, context: CommandContext): void {
    const recording = record(event, context)
      .catch(onFailure)
      .finally(() => pending.delete(recording));
    pending.add(recording);
  }

  function mayRecord(): boolean {
    const current = Math.floor(clock.now().getTime() / 60_000);
    if (current !== minute) recorded = 0;
    minute = current;
    if (recorded >= ANONYMOUS_PER_MINUTE) {
      omitted += 1;
      return false;
    }
    recorded += 1;
    return true;
  }

  function takeOmitted(): number {
    const count = omitted;
    omitted = 0;
    return count;
  }

  /** True when the key was not recorded within that time. */
  function isNew(key: string, seconds: number): boolean {
    const time = clock.now().getTime();
    if ((said.get(key) ?? 0) > time) return false;
    if (said.size >= REMEMBERED) said.clear();
    said.set(key, time + seconds * 1000);
    return true;
  }

  return {
    record,
    failed(failure, context) {
      // Throttling limits the failures of a known operator.
      if (failure.operatorId === null && !mayRecord()) return;
      const data = { ...failure, omitted: takeOmitted(), failedAt: now() };
      inBackground({ type: 'SignInFailed', data }, context);
    },
    throttled(attempt, { key, seconds }, context) {
      if (!isNew(key, seconds) || !mayRecord()) return;
      const data = { ...attempt, omitted: takeOmitted(), throttledAt: now() };
      inBackground({ type: 'SignInThrottled', data }, context);
    },
    async signedOut({ sessionId, operator: { operatorId } }, context) {
      const data = { operatorId, sessionId, signedOutAt: now() };
      await record({ type: 'OperatorSignedOut', data }, context);
    },
    async breakGlassUsed(context) {
      const key = `break-glass ${context.ip ?? ''}`;
      const underWay = uses.get(key);
      if (underWay !== undefined) return underWay;
      if (!isNew(key, 60)) return;
      const recording = record({ type: 'BreakGlassKeyUsed', data: { usedAt: now() } }, context);
      uses.set(key, recording);
      try {
        await recording;
      } catch (error) {
        said.delete(key);
        throw error;
      } finally {
        uses.delete(key);
      }
    },
    breakGlassRefused(context) {
      if (!mayRecord()) return;
      const data = { omitted: takeOmitted(), refusedAt: now() };
      inBackground({ type: 'BreakGlassKeyRefused', data }, context);
    },
    settle: async () => {
      await Promise.all(pending);
    },
  };
}
