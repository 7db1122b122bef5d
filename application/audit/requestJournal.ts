import type { AccessLog } from '../organization/accessLog.ts';
import type { Clock } from '../ports/clock.ts';
import type { Actor } from '../ports/eventStore.ts';
import type { RefusedCommand } from './refusedCommand.ts';
import { createAnonymousRefusals } from './anonymousRefusals.ts';

/** A request of an operator for personal data, recorded before the data is shown. */
export type Disclosure = Omit<RefusedCommand, 'code' | 'actor'> & { readonly actor: Actor };

/** Records requests that cause no other event. */
export interface RequestJournal {
  /** Records in the background, without waiting or failing. */
  refused(command: RefusedCommand): void;
  /** Resolved means durable: data is not shown unless the request is recorded. @throws Unavailable, Overloaded */
  disclosing(disclosure: Disclosure): Promise<void>;
  /** Resolves when everything recorded so far is durable or has failed; rejects later records. */
  settle(): Promise<void>;
}

export interface RequestJournalDependencies {
  readonly accessLog: AccessLog;
  readonly clock: Clock;
  /** Called when an event could not be appended. */
  readonly onFailure: (cause: unknown) => void;
}

/** Pending refusals of known callers at most; beyond it they are aggregated like those of anonymous callers. */
const PENDING = 1000;
const MINUTE_MS = 60_000;

const nobody: Actor = { kind: 'unknown', id: '-' };

/**
 * Every refusal of a known caller is recorded. Of anonymous callers the first of a minute is recorded by address,
 * operation and code; the others of that minute are aggregated into one line with their number at its end. Addresses
 * beyond a bound share one line, so that anonymous callers cause a bounded number of lines a minute, from however many
 * addresses.
 */
export function createRequestJournal(dependencies: RequestJournalDependencies): RequestJournal {
  const { accessLog, clock, onFailure } = dependencies;
  const pending = new Set<Promise<void>>();
  const anonymous = createAnonymousRefusals();
  let timer: NodeJS.Timeout | undefined;

  const now = () => clock.now().toISOString();

  function append(
    { operation, code, capability, subject, actor, requestId, ip }: Recorded,
    { count, since, deniedAt }: { count: number; since: string; deniedAt: string },
  ): void {
    const data = { operation, code, capability, subject, count, since, deniedAt };
    const causationId = requestId ?? 'many';
    const context = {
      actor: actor ?? nobody,
      correlationId: causationId,
      causationId,
      requestId,
      ip,
    };
    const recording = accessLog({ type: 'CommandDenied', data }, context)
      .catch(onFailure)
      .finally(() => pending.delete(recording));
    pending.add(recording);
  }

  function tellCounted(): void {
    for (const { first, count, since, until } of anonymous.take()) {
      append({ ...first, subject: null, requestId: null }, { count, since, deniedAt: until });
    }
  }

  return {
    refused(command) {
      const time = now();
      if (command.actor !== null && pending.size < PENDING) {
        append(command, { count: 1, since: time, deniedAt: time });
        return;
      }
      timer ??= setInterval(tellCounted, MINUTE_MS).unref();
      const recorded = anonymous.count(command, time);
      if (recorded !== null) append(recorded, { count: 1, since: time, deniedAt: time });
    },
    async disclosing({ operation, capability, subject, actor, requestId, ip }) {
      await accessLog(
        { type: 'OperatorRead', data: { operation, capability, subject, readAt: now() } },
        { actor, correlationId: requestId, causationId: requestId, requestId, ip },
      );
    },
    async settle() {
      clearInterval(timer);
      timer = undefined;
      tellCounted();
      await Promise.all(pending);
    },
  };
}

/** Recorded form: an aggregate has no single request or address. */
type Recorded = Omit<RefusedCommand, 'requestId' | 'ip'> & {
  readonly requestId: string | null;
  readonly ip: string | null;
};
