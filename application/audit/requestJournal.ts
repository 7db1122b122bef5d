import type { AccessLog } from '../organization/accessLog.ts';
import type { Clock } from '../ports/clock.ts';
import type { Actor } from '../ports/eventStore.ts';
import type { RefusedCommand } from './refusedCommand.ts';
import { networkOf } from '../attempts.ts';

/** A request of an operator for personal data, recorded before the data is shown. */
export type Disclosure = Omit<RefusedCommand, 'code' | 'actor'> & {
  readonly actor: Actor;
  /** Target of a request that a waiting page repeats every few seconds; omitted: each request is recorded. */
  readonly polled?: string;
};

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
/** ms in which what a page polls is recorded once for a caller: every console asks for the inbox all day. */
const POLLED_MS = 5 * MINUTE_MS;
/** Polled targets kept in memory at most; beyond it they are recorded again. */
const POLLED = 10_000;

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

  /** Time at which a caller's polled request was recorded, ms. */
  const polling = new Map<string, number>();

  const now = () => clock.now().toISOString();

  function isRecorded(key: string): boolean {
    const age = clock.now().getTime() - (polling.get(key) ?? -Infinity);
    return age >= 0 && age < POLLED_MS;
  }

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
    async disclosing({ operation, capability, subject, actor, requestId, ip, polled }) {
      const key = JSON.stringify([actor.kind, actor.id, operation, subject, polled]);
      if (polled !== undefined && isRecorded(key)) return;
      await accessLog(
        { type: 'OperatorRead', data: { operation, capability, subject, readAt: now() } },
        { actor, correlationId: requestId, causationId: requestId, requestId, ip },
      );
      if (polled === undefined) return;
      if (polling.size >= POLLED) polling.clear();
      polling.set(key, clock.now().getTime());
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

/** Distinct refusals recorded at once, and as many aggregates, per minute and process. */
const SHOWN = 500;

type Shown = Omit<RefusedCommand, 'ip'> & { readonly ip: string | null };

/** Repetitions of a recorded refusal. */
export interface Counted {
  readonly first: Shown;
  readonly count: number;
  /** Times of the first and the last repetition, ISO. */
  readonly since: string;
  readonly until: string;
}

/** Aggregates refusals of anonymous callers per minute, by the caller's network, operation and code. */
function createAnonymousRefusals() {
  let kinds = new Map<string, Omit<Counted, 'since'> & { readonly since: string | null }>();

  return {
    /** @returns the refusal to record at once; null when it is aggregated */
    count(command: RefusedCommand, time: string): Shown | null {
      const { operation, code, actor } = command;
      const ip = networkOf(command.ip);
      const own = JSON.stringify([ip, operation, code, actor?.kind, actor?.id]);
      const isOver = !kinds.has(own) && kinds.size >= SHOWN;
      const key = isOver ? `others ${code}` : own;
      const known = kinds.get(key);
      if (known !== undefined) {
        const since = known.since ?? time;
        kinds.set(key, { ...known, count: known.count + 1, since, until: time });
        return null;
      }
      const first = isOver ? { ...command, ...others } : { ...command, ip };
      kinds.set(key, { first, count: 0, since: null, until: time });
      return first;
    },
    /** Returns the aggregates since the last call and clears them. */
    take(): readonly Counted[] {
      const counted = [...kinds.values()];
      kinds = new Map();
      return counted.flatMap(({ since, ...rest }) => (since === null ? [] : [{ ...rest, since }]));
    },
  };
}

/** Aggregate of refusals beyond the bound on addresses. */
const others = { operation: 'many', capability: null, subject: null, actor: null, ip: null };
