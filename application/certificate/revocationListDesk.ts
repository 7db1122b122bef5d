import type { IssuingAuthority } from '../../domain/certificate/events.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  RevocationList,
  RevocationListBuilder,
  RevocationListStore,
  RevocationState,
} from '../ports/revocationLists.ts';

export interface RevocationListDeskOptions {
  readonly authority: IssuingAuthority;
  readonly builder: RevocationListBuilder;
  readonly lists: RevocationListStore;
  readonly clock: Clock;
  /** From thisUpdate to nextUpdate, ms; a list is published anew after a quarter of it. */
  readonly validityMs: number;
  readonly onPublished: (list: RevocationList, entries: number, tookMs: number) => void;
}

/** One CA's list in the making. */
export interface RevocationListDesk {
  readonly authority: IssuingAuthority;
  /** Takes in what a certificate was at the beginning. */
  load(state: RevocationState): void;
  /** Takes in what a certificate has become; a list that shows it is due soon. */
  apply(state: RevocationState): void;
  isDue(): boolean;
  /** @throws ListSuperseded, Unavailable(keyVault, database), Overloaded; the list is due still */
  publish(): Promise<void>;
}

/** Another process published a newer list: what this one knows may be out of date. */
export class ListSuperseded extends Error {
  override readonly name = 'ListSuperseded';

  constructor() {
    super('Another process published a newer list.');
  }
}

/** Revocations that come together go into one list: this long is waited after the first, ms. */
const SETTLE_MS = 500;

/** A list that takes long to make is not made all the time, but no revocation waits longer than this, ms. */
const LONGEST_GAP_MS = 5000;

/**
 * RFC 5280 §3.3: an entry stays until it was on one list published after the certificate ended. A week is many lists,
 * and lasts over an outage.
 */
const KEPT_AFTER_END_MS = 7 * 86_400_000;

/** Certificates that ended before this are on no list any more. */
export function oldestListed(now: Date): Date {
  return new Date(now.getTime() - KEPT_AFTER_END_MS);
}

/** Decides when the list of one CA is due, numbers it, has it signed and keeps it. */
export function createRevocationListDesk(options: RevocationListDeskOptions): RevocationListDesk {
  const { authority, builder, lists, clock, validityMs, onPublished } = options;
  /** When the first change came that no list shows yet, epoch ms; null: all are shown. */
  let changedAt: number | null = null;
  let publishedAt: number | null = null;
  let tookMs = 0;

  /** A number never seen: the next, and no lower than the time, should the table be an old backup. */
  async function nextNumber(now: number): Promise<bigint> {
    const next = ((await lists.newestNumber(authority)) ?? 0n) + 1n;
    const seconds = BigInt(Math.floor(now / 1000));
    return next > seconds ? next : seconds;
  }

  async function makeList(now: number): Promise<RevocationList> {
    const number = await nextNumber(now);
    const thisUpdate = new Date(Math.floor(now / 1000) * 1000);
    const nextUpdate = new Date(thisUpdate.getTime() + validityMs);
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
      return now >= Math.max(changedAt + SETTLE_MS, publishedAt + gap);
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
        onPublished(list, builder.size, tookMs);
      } catch (error) {
        changedAt = unshown ?? changedAt;
        throw error;
      }
    },
  };
}
