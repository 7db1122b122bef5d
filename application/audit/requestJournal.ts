import type { AccessLog } from '../organization/accessLog.ts';
import type { Clock } from '../ports/clock.ts';
import type { Actor } from '../ports/eventStore.ts';
import type { RefusedCommand } from './refusedCommand.ts';
import { strangersShown } from './strangers.ts';

/** An operator is about to be shown what is kept about persons. */
export type Disclosure = Omit<RefusedCommand, 'code' | 'actor'> & { readonly actor: Actor };

/** Records what requests asked for that leaves no other event. */
export interface RequestJournal {
  /** In the background: it neither waits nor fails. */
  refused(command: RefusedCommand): void;
  /** Resolved means durable: what cannot be recorded is not shown. @throws Unavailable, Overloaded */
  disclosing(disclosure: Disclosure): Promise<void>;
  /** Resolves when everything told so far is durable or has failed; nothing is told after. */
  settle(): Promise<void>;
}

export interface RequestJournalDependencies {
  readonly accessLog: AccessLog;
  readonly clock: Clock;
  /** An event could not be appended. */
  readonly onFailure: (cause: unknown) => void;
}

/** Refusals of known callers being appended at most; beyond it they are counted together, as strangers' are. */
const PENDING = 1000;
const MINUTE_MS = 60_000;

const nobody: Actor = { kind: 'unknown', id: '-' };

/**
 * Who is known has a line for every refusal. What nobody in particular asked for is told the first time in a minute, by
 * address, operation and code; the others of that minute are one line with their number at its end. Addresses beyond a
 * bound share one, so a stranger writes no more than a fixed number of lines a minute, however many addresses they have.
 */
export function createRequestJournal(dependencies: RequestJournalDependencies): RequestJournal {
  const { accessLog, clock, onFailure } = dependencies;
  const pending = new Set<Promise<void>>();
  const strangers = strangersShown();
  let timer: NodeJS.Timeout | undefined;

  const now = () => clock.now().toISOString();

  function append(
    { operation, code, capability, subject, actor, requestId, ip }: Recorded,
    { count, since, deniedAt }: { count: number; since: string; deniedAt: string },
  ): void {
    const data = { operation, code, capability, subject, count, since, deniedAt };
    const causationId = requestId ?? 'many';
    const context = {
      ...{ actor: actor ?? nobody, correlationId: causationId, causationId, requestId, ip },
    };
    const recording = accessLog({ type: 'CommandDenied', data }, context)
      .catch(onFailure)
      .finally(() => pending.delete(recording));
    pending.add(recording);
  }

  function tellCounted(): void {
    for (const { first, count, since, until } of strangers.take()) {
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
      const told = strangers.count(command, time);
      if (told !== null) append(told, { count: 1, since: time, deniedAt: time });
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

/** As it is written down: of many, no request and no address is the one. */
type Recorded = Omit<RefusedCommand, 'requestId' | 'ip'> & {
  readonly requestId: string | null;
  readonly ip: string | null;
};
