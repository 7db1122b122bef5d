import type { IssuingAuthority } from '../../domain/certificate/events.ts';
import { Unavailable } from '../ports/faults.ts';
import type { RevocationList, RevocationListStore } from './ports/revocationLists.ts';
import { revocationListTopic, type NotificationFeed } from '../ports/notifications.ts';

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

const authorities: readonly IssuingAuthority[] = ['root', 'personal', 'organization'];

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
  const served = new Map<IssuingAuthority, Served>(
    authorities.map((each) => [each, { list: null, loading: null, announced: 1, read: 0 }]),
  );

  function entryOf(authority: IssuingAuthority): Served {
    const entry = served.get(authority);
    if (entry === undefined) throw new Error('There is no such CA.');
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
    for (const authority of authorities) {
      if (topics !== 'all' && !topics.includes(revocationListTopic(authority))) continue;
      const entry = entryOf(authority);
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
