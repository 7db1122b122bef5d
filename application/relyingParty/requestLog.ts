import type { FieldFault, RefusalCode } from '../../domain/shared/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import type { Actor } from '../ports/eventStore.ts';
import { pause } from '../ports/follow.ts';
import {
  type NotedFault,
  type NotedRequests,
  type NotedRequestStore,
  REFUSALS_KEPT,
} from './ports/requestLog.ts';

/** A request of a relying party that was answered or refused. */
export interface EndedRequest {
  readonly requestId: string;
  readonly method: string;
  /** The relying party; of anybody else nothing is noted. */
  readonly actor: Actor | null;
  /** Path pattern of the route. */
  readonly served: { readonly path: string };
  /** Null: it was accepted. */
  readonly problem: {
    readonly code: RefusalCode;
    readonly status: number;
    readonly faults: readonly FieldFault[];
  } | null;
}

/** Remembers how requests of relying parties ended, for their developers and for operators. */
export interface RequestLog {
  /** Notes a request; never waits, never fails. */
  readonly ended: (request: EndedRequest) => void;
  /** Resolves when everything noted so far is written or has failed to be. */
  readonly settle: () => Promise<void>;
}

export interface RequestLogDependencies {
  readonly store: Pick<NotedRequestStore, 'add'>;
  readonly clock: Clock;
  /** Called when requests could not be written; they are tried again. */
  readonly onFailure: (cause: unknown) => void;
  /** Time between two writes, ms; default 5,000. */
  readonly writeEveryMs?: number;
}

const WRITE_EVERY_MS = 5000;
/** Faults of one request remembered at most. */
const FAULTS_KEPT = 10;
/** Pointers are made of names of the schema; anything else may be what a caller sent. */
const POINTER = /^#?[/\w.~-]{0,100}$/;

type Counted = NotedRequests['counted'][number];
type Refused = NotedRequests['refused'][number];

/**
 * Collects requests in memory and writes them in batches, off the path of the requests. What is collected is bounded:
 * counts by the operations and codes there are, refusals to the newest {@link REFUSALS_KEPT} of each relying party. A
 * process that is killed loses what it collected since the last write.
 */
export function createRequestLog({
  store,
  clock,
  onFailure,
  writeEveryMs = WRITE_EVERY_MS,
}: RequestLogDependencies): RequestLog {
  const ending = new AbortController();
  let collected = createBatch();
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    const due = collected;
    collected = createBatch();
    try {
      await store.add(due.content());
    } catch (cause) {
      onFailure(cause);
      const { counted, refused } = collected.content();
      for (const each of counted) due.count(each);
      for (const each of refused) due.refuse(each);
      collected = due;
    }
  }

  async function writeWhileThereIsAny(): Promise<void> {
    while (!collected.isEmpty() && !ending.signal.aborted) {
      await pause(writeEveryMs, ending.signal);
      await write();
    }
    writing = null;
  }

  return {
    ended({ requestId, method, actor, served, problem }) {
      if (actor?.kind !== 'relyingParty') return;
      const at = clock.now();
      const operation = `${method} ${served.path}`;
      const code = problem?.code ?? null;
      const relyingPartyId = actor.id;
      const day = at.toISOString().slice(0, 10);
      collected.count({ relyingPartyId, day, operation, code, requests: 1, lastAt: at });
      if (problem !== null) {
        const faults = problem.faults.slice(0, FAULTS_KEPT).flatMap(noted);
        const { code, status } = problem;
        collected.refuse({ relyingPartyId, at, requestId, operation, status, code, faults });
      }
      writing ??= writeWhileThereIsAny();
    },
    async settle() {
      ending.abort();
      await writing;
      if (!collected.isEmpty()) await write();
    },
  };
}

function noted({ pointer, rule }: FieldFault): NotedFault[] {
  return POINTER.test(pointer) ? [{ pointer, rule: rule ?? null }] : [];
}

function createBatch() {
  const counts = new Map<string, Counted>();
  const refusals = new Map<string, Refused[]>();

  return {
    isEmpty: () => counts.size === 0,
    count(each: Counted): void {
      const { relyingPartyId, day, operation, code } = each;
      const key = JSON.stringify([relyingPartyId, day, operation, code]);
      const requests = each.requests + (counts.get(key)?.requests ?? 0);
      counts.set(key, { ...each, requests });
    },
    refuse(each: Refused): void {
      const known = refusals.get(each.relyingPartyId) ?? [];
      known.push(each);
      if (known.length > REFUSALS_KEPT) known.shift();
      refusals.set(each.relyingPartyId, known);
    },
    content: (): NotedRequests => ({
      counted: [...counts.values()],
      refused: [...refusals.values()].flat(),
    }),
  };
}
