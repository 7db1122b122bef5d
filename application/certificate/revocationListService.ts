import type { IssuingAuthority } from '../../domain/certificate/events.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  RevocationList,
  RevocationListBuilder,
  RevocationListStore,
  RevocationState,
} from './ports/revocationLists.ts';
import { Unavailable } from '../ports/faults.ts';
import type { Log } from '../ports/log.ts';
import { revocationListTopic } from '../../domain/shared/streams.ts';
import { type NotificationFeed } from '../ports/notifications.ts';

export interface RevocationListServiceOptions {
  readonly authority: IssuingAuthority;
  readonly builder: RevocationListBuilder;
  readonly lists: Omit<RevocationListStore, 'nextUpdates'>;
  readonly clock: Clock;
  /** From thisUpdate to nextUpdate, ms; the next list is published after a quarter of it. */
  readonly validityMs: number;
  /** Time by which lists are dated earlier than now, for readers whose clock is behind, ms; default 0. */
  readonly clockSlackMs?: number;
  readonly log: Pick<Log, 'info'>;
}

/** Publisher of one CA's list. */
export interface RevocationListService {
  readonly authority: IssuingAuthority;
  /** Loads the initial state of a certificate. */
  load(state: RevocationState): void;
  /** Applies a change of a certificate; the next list is then due soon. */
  apply(state: RevocationState): void;
  isDue(): boolean;
  /** @throws ListSuperseded, Unavailable(keyVault, database), Overloaded; the list remains due */
  publish(): Promise<void>;
}

/** Another process published a newer list: the state here may be out of date. */
export class ListSuperseded extends Error {
  override readonly name = 'ListSuperseded';

  constructor() {
    super('Another process published a newer list.');
  }
}

/** Delay after the first revocation, so that simultaneous ones share a list, ms. */
const SETTLE_MS = 500;

/** Lead of a last list's date that clocks which are right can have, seconds. */
const MOST_AHEAD_SECONDS = 60;

/** Longest wait of a revocation while lists that take long to build are spaced out, ms. */
const LONGEST_GAP_MS = 5000;

/**
 * RFC 5280 §3.3: an entry remains until one list published after the certificate's expiry. A week covers many lists,
 * and an outage.
 */
const KEPT_AFTER_END_MS = 7 * 86_400_000;

/** End of validity before which certificates are on no list any more. */
export function oldestListed(now: Date): Date {
  return new Date(now.getTime() - KEPT_AFTER_END_MS);
}

function secondOf(time: number): number {
  return Math.floor(time / 1000);
}

function greater(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** Schedules, numbers, signs and stores the lists of one CA. */
export function createRevocationListService(
  options: RevocationListServiceOptions,
): RevocationListService {
  const { authority, builder, lists, clock, validityMs, log } = options;
  const slackSeconds = Math.floor((options.clockSlackMs ?? 0) / 1000);
  /** Time of the first unpublished change, epoch ms; null: none. */
  let changedAt: number | null = null;
  let publishedAt: number | null = null;
  let tookMs = 0;

  async function makeList(now: number): Promise<RevocationList> {
    const last = await lists.newestHead(authority);
    // No lower than the time, in case the table was restored from a backup.
    const number = greater((last?.number ?? 0n) + 1n, BigInt(secondOf(now)));
    // Later than the last list, though the clocks of two processes differ: a reader who has that one would be told that
    // nothing changed since. Nobody has one that is dated further ahead: it is not valid yet.
    const lastAt = last === null ? 0 : secondOf(last.thisUpdate.getTime());
    const earliest = lastAt > secondOf(now) + MOST_AHEAD_SECONDS ? 0 : lastAt + 1;
    const thisUpdate = new Date(Math.max(secondOf(now) - slackSeconds, earliest) * 1000);
    const nextUpdate = new Date(secondOf(now) * 1000 + validityMs);
    builder.dropEndedBefore(oldestListed(new Date(now)));
    const der = await builder.sign({ number, thisUpdate, nextUpdate });
    return { authority, number, thisUpdate, nextUpdate, der };
  }

  return {
    authority,
    load: (state) => builder.load(state),
    apply(state) {
      builder.apply(state);
      changedAt ??= clock.now().getTime();
    },
    isDue() {
      const now = clock.now().getTime();
      if (publishedAt === null || now >= publishedAt + validityMs / 4) return true;
      if (changedAt === null) return false;
      const gap = Math.min(LONGEST_GAP_MS, Math.max(SETTLE_MS, 5 * tookMs));
      const settled = Math.max(changedAt + SETTLE_MS, publishedAt + gap);
      return now >= settled && secondOf(now) > secondOf(publishedAt);
    },
    async publish() {
      const started = performance.now();
      const now = clock.now().getTime();
      const unshown = changedAt;
      changedAt = null;
      try {
        const list = await makeList(now);
        if (!(await lists.keep(list))) throw new ListSuperseded();
        publishedAt = now;
        tookMs = performance.now() - started;
        const { number, der } = list;
        const entries = builder.size;
        const told = { authority, number: String(number), entries, bytes: der.length };
        log.info({ ...told, tookMs: Math.round(tookMs) }, 'A revocation list was published.');
      } catch (error) {
        changedAt = unshown ?? changedAt;
        throw error;
      }
    },
  };
}

/** Newest revocation lists, in the memory of this process. */
export interface ServedRevocationLists {
  /** @throws Unavailable(revocationLists) before the first was published; Unavailable(database) */
  newest(authority: IssuingAuthority): Promise<RevocationList>;
  stop(): void;
}

interface Served {
  list: RevocationList | null;
  loading: Promise<void> | null;
  /** Incremented by every announcement: lists read before the last one are outdated. */
  announced: number;
  read: number;
}

/**
 * Serves each CA's newest list from memory. An announcement triggers a background read of the next; the previous one is
 * served until it is read.
 */
export function createServedRevocationLists({
  store,
  feed,
}: {
  readonly store: Pick<RevocationListStore, 'newest'>;
  readonly feed: NotificationFeed;
}): ServedRevocationLists {
  const served = new Map<IssuingAuthority, Served>();

  function entryOf(authority: IssuingAuthority): Served {
    const entry = served.get(authority) ?? { list: null, loading: null, announced: 1, read: 0 };
    served.set(authority, entry);
    return entry;
  }

  async function load(authority: IssuingAuthority, entry: Served): Promise<void> {
    while (entry.read < entry.announced) {
      const { announced } = entry;
      entry.list = await store.newest(authority);
      entry.read = announced;
    }
  }

  /** Loads the announced list; concurrent callers share the read. */
  function refresh(authority: IssuingAuthority): Promise<void> {
    const entry = entryOf(authority);
    entry.loading ??= load(authority, entry).finally(() => {
      entry.loading = null;
    });
    return entry.loading;
  }

  const unsubscribe = feed.subscribe(['crl'], (topics) => {
    for (const [authority, entry] of served) {
      if (topics !== 'all' && !topics.includes(revocationListTopic(authority))) continue;
      entry.announced += 1;
      // Only requested lists are cached; the next request repeats a failed read.
      if (entry.list !== null) refresh(authority).catch(() => undefined);
    }
  });

  return {
    async newest(authority) {
      const entry = entryOf(authority);
      if (entry.list === null) {
        if (entry.loading === null) entry.announced += 1;
        await refresh(authority);
      } else if (entry.read < entry.announced && entry.loading === null) {
        refresh(authority).catch(() => undefined);
      }
      if (entry.list === null) throw new Unavailable('revocationLists');
      return entry.list;
    },
    stop: unsubscribe,
  };
}
