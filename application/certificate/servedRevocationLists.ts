import type { IssuingAuthority } from '../../domain/certificate/events.ts';
import { Unavailable } from '../ports/faults.ts';
import type { RevocationList, RevocationListStore } from '../ports/revocationLists.ts';
import { revocationListTopic, type WakeFeed } from '../ports/wake.ts';

/** The newest lists, in the memory of this process. */
export interface ServedRevocationLists {
  /** @throws Unavailable(revocationLists) before the first was published; Unavailable(database) */
  newest(authority: IssuingAuthority): Promise<RevocationList>;
  stop(): void;
}

interface Served {
  list: RevocationList | null;
  loading: Promise<void> | null;
  /** Grows with every announcement: what was read before the last one is not the newest. */
  announced: number;
  read: number;
}

const authorities: readonly IssuingAuthority[] = ['root', 'personal', 'organization'];

/**
 * Serves each CA's newest list from memory. An announcement has the next one read at once in the background; until it is
 * there the former is served.
 */
export function createServedRevocationLists({
  store,
  feed,
}: {
  readonly store: Pick<RevocationListStore, 'newest'>;
  readonly feed: WakeFeed;
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

  /** Loads what was announced; whoever comes meanwhile waits for the same reading. */
  function refresh(authority: IssuingAuthority): Promise<void> {
    const entry = entryOf(authority);
    entry.loading ??= load(authority, entry).finally(() => {
      entry.loading = null;
    });
    return entry.loading;
  }

  const unsubscribe = feed.subscribe((topics) => {
    for (const authority of authorities) {
      if (topics !== 'all' && !topics.includes(revocationListTopic(authority))) continue;
      const entry = entryOf(authority);
      entry.announced += 1;
      // Only what is asked for is kept in memory; a failed reading is repeated by the next request.
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
