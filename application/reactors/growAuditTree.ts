import {
  createGrowingTree,
  eventLeafHash,
  growingTiles,
  type GrowingTree,
} from '../../domain/merkle/hashTree.ts';
import type { TreeHeads } from '../audit/treeHeads.ts';
import type { AuditTreeState, AuditTreeStore } from '../audit/ports/auditTree.ts';
import type { EventLog, LoggedEvent } from '../ports/eventLog.ts';
import { backOff, follow, pause } from '../ports/follow.ts';
import type { LeaderLock } from '../ports/leaderLock.ts';
import { type Reactor, type ReactorStatus, whileHolding } from './reactor.ts';

export interface AuditTreeGrowerOptions {
  /** The log itself: what is hashed is what it stores. */
  readonly eventLog: Pick<EventLog, 'subscribe'>;
  readonly store: Pick<AuditTreeStore, 'state' | 'grow' | 'tiles'>;
  readonly heads: Pick<TreeHeads, 'signIfDue'>;
  readonly leaderLock: LeaderLock;
  /** A head is signed when the last one is older and the tree has grown, ms. */
  readonly signEveryMs: number;
  /** Something failed and is tried again; called once until it succeeds. */
  readonly onFailure: (name: string, cause: unknown) => void;
}

const name = 'growAuditTree';

/** Events of one transaction at most. */
const MOST_EVENTS = 4000;

/** Events hashed before the event loop turns: about a millisecond. */
const SLICE = 200;

/** Once caught up, this long is waited after a batch for more to gather, ms: a transaction for each event would be dear. */
const GATHER_MS = 200;

/** Shortest and longest interval of the check for a due tree head, ms. */
const SOONEST_LOOK_MS = 50;
const LATEST_LOOK_MS = 5000;

/** Grows the tree over the log behind it and has it signed regularly. One process at a time does it. */
export function createAuditTreeGrower(options: AuditTreeGrowerOptions): Reactor {
  const { eventLog, store, heads, leaderLock, signEveryMs, onFailure } = options;
  let state: ReactorStatus['state'] = 'STANDBY';
  let position: bigint | null = null;

  async function load(): Promise<{ from: AuditTreeState; tree: GrowingTree }> {
    const from = await store.state();
    const names = growingTiles(from.size);
    const hashes = await store.tiles(names);
    const edge = names.map((tile, index) => ({
      ...tile,
      hashes: hashes[index] ?? Buffer.alloc(0),
    }));
    return { from, tree: createGrowingTree(from.size, edge) };
  }

  async function grow(signal: AbortSignal, onProgress: () => void): Promise<void> {
    const { from, tree } = await load();
    let reached: AuditTreeState = from;
    let isCaughtUp = false;
    position = from.position;

    async function takeIn(events: readonly LoggedEvent[]): Promise<void> {
      for (const [at, event] of events.entries()) {
        tree.append(eventLeafHash(event));
        if (at % SLICE === SLICE - 1) await turn();
      }
      const to = { size: tree.size, position: events.at(-1)?.position ?? reached.position };
      const eventIds = events.map(({ id }) => id);
      const tiles = tree.takeChanged();
      if (!(await store.grow({ from: reached, to, tiles, eventIds }))) {
        throw new Error('Another process has grown the audit tree.');
      }
      reached = to;
      position = to.position;
      onProgress();
    }

    /** Advances the checkpoint past positions without audited events. */
    async function passOver(upTo: bigint): Promise<void> {
      if (reached.position !== null && upTo <= reached.position) return;
      const to = { size: reached.size, position: upTo };
      if (await store.grow({ from: reached, to, tiles: [], eventIds: [] })) {
        reached = to;
        position = upTo;
      }
    }

    const onBatch = async (events: readonly LoggedEvent[], upTo: bigint) => {
      if (events.length === 0) {
        await passOver(upTo);
        return;
      }
      const isLive = isCaughtUp;
      isCaughtUp = false;
      await takeIn(events);
      if (isLive) await pause(GATHER_MS, signal);
    };
    const onCaughtUp = () => {
      isCaughtUp = true;
    };
    const subscription = { after: from.position, maxBatch: MOST_EVENTS, onBatch, onCaughtUp };
    await follow(eventLog, subscription, signal);
  }

  /** Retries until the signal aborts, each time from the stored state. */
  async function persist(
    work: (signal: AbortSignal, onProgress: () => void) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    let tries = 0;
    const onProgress = () => {
      tries = 0;
      state = 'RUNNING';
    };
    while (!signal.aborted) {
      try {
        await work(signal, onProgress);
      } catch (error) {
        if (tries === 0) onFailure(name, error);
        tries += 1;
        state = 'RETRYING';
        await pause(backOff(tries), signal);
      }
    }
  }

  async function signWhenDue(signal: AbortSignal, onProgress: () => void): Promise<void> {
    const every = Math.min(Math.max(signEveryMs / 10, SOONEST_LOOK_MS), LATEST_LOOK_MS);
    await heads.signIfDue(signEveryMs);
    onProgress();
    await pause(every, signal);
  }

  async function run(signal: AbortSignal): Promise<void> {
    state = 'RUNNING';
    try {
      await Promise.all([persist(grow, signal), persist(signWhenDue, signal)]);
    } finally {
      state = 'STANDBY';
      position = null;
    }
  }

  return {
    ...whileHolding(leaderLock, name, run),
    status: () => ({ name, state, position }),
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
