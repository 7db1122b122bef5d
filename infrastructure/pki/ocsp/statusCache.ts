import { LRUCache } from 'lru-cache';
import { atMost } from '../../system.ts';
import type { CertificateStatuses } from '../../../application/certificate/ports/certificateStatuses.ts';
import {
  referenceDataTopic,
  type NotificationFeed,
} from '../../../application/ports/notifications.ts';
import { Unavailable } from '../../../application/ports/faults.ts';
import type { IssuingAuthority } from '../../../domain/certificate/events.ts';
import { derStatus } from './response.ts';

/** Status of one issued certificate at the time it was read. */
export interface KnownStatus {
  readonly authority: IssuingAuthority;
  /** CertStatus, DER. */
  readonly encoded: Buffer;
}

export interface StatusCache {
  /** True while no change was announced since reading. */
  isCurrent(status: KnownStatus): boolean;
  /** The cached status; undefined when it must be read. */
  recall(serial: string): KnownStatus | undefined;
  /** Reads the status; null when no such certificate was issued. @throws Unavailable */
  find(serial: string): Promise<KnownStatus | null>;
  stop(): void;
}

export interface StatusCacheOptions {
  readonly statuses: CertificateStatuses;
  /** Notifies of changed certificates. */
  readonly feed: NotificationFeed;
  /** True while notifications arrive; otherwise the cache is not used. */
  readonly isListening: () => boolean;
  /** Statuses cached at most; default 200,000 (some 200 bytes each). */
  readonly max?: number;
}

/** Serials per query at most. */
const BATCH = 500;

/** Prefix of certificate topics; the serial follows. */
const TOPIC = referenceDataTopic('certificate', '');

interface Entry extends KnownStatus {
  /** Generation of invalidations it was checked against. */
  generation: number;
  isDropped: boolean;
}

interface Question {
  readonly serial: string;
  readonly answer: Promise<KnownStatus | null>;
  readonly resolve: (status: KnownStatus | null) => void;
  readonly reject: (cause: unknown) => void;
  /** Set when the certificate changed during the query: the result is returned, but not cached. */
  isOvertaken: boolean;
}

/**
 * Caches statuses until a projection announces a change. After a gap in notifications everything is read again before
 * use, and unchanged statuses keep their object identity. Queries of one turn of the event loop are batched.
 */
export function createStatusCache({
  statuses,
  feed,
  isListening,
  max = 200_000,
}: StatusCacheOptions): StatusCache {
  const entries = new LRUCache<string, Entry>({
    ...atMost(max),
    dispose: (entry) => {
      entry.isDropped = true;
    },
  });
  const questions = new Map<string, Question>();
  let waiting: Question[] = [];
  let generation = 0;

  const stop = feed.subscribe(['certificate'], (topics) => {
    if (topics === 'all') {
      generation += 1;
      for (const question of questions.values()) question.isOvertaken = true;
      return;
    }
    for (const topic of topics) {
      const serial = topic.slice(TOPIC.length);
      entries.delete(serial);
      const question = questions.get(serial);
      if (question !== undefined) question.isOvertaken = true;
    }
  });

  const isValid = (entry: Entry) => entry.generation === generation && isListening();

  /** Returns the cached entry that a fresh status confirms, or stores a new one. */
  function remember(serial: string, read: KnownStatus): KnownStatus {
    const known = entries.peek(serial);
    if (known?.authority === read.authority && known.encoded.equals(read.encoded)) {
      known.generation = generation;
      return known;
    }
    const entry = { ...read, generation, isDropped: false };
    entries.set(serial, entry);
    return entry;
  }

  async function ask(asked: readonly Question[]): Promise<void> {
    try {
      const found = new Map<string, KnownStatus | Unavailable>();
      for (const status of await statuses.statuses(asked.map(({ serial }) => serial))) {
        if ('unavailable' in status) found.set(status.serial, status.unavailable);
        else {
          const { serial, authority } = status;
          found.set(serial, { authority, encoded: derStatus(status) });
        }
      }
      for (const question of asked) {
        const { serial, isOvertaken } = question;
        forget(question);
        const read = found.get(serial) ?? null;
        if (read instanceof Unavailable) question.reject(read);
        else question.resolve(read === null || isOvertaken ? read : remember(serial, read));
      }
    } catch (error) {
      for (const question of asked) {
        forget(question);
        question.reject(error);
      }
    }
  }

  function forget(question: Question): void {
    if (questions.get(question.serial) === question) questions.delete(question.serial);
  }

  function askAll(): void {
    const asked = waiting;
    waiting = [];
    for (let first = 0; first < asked.length; first += BATCH) {
      void ask(asked.slice(first, first + BATCH));
    }
  }

  return {
    isCurrent: (status) => !(status as Entry).isDropped && isValid(status as Entry),
    recall(serial) {
      const entry = entries.get(serial);
      return entry !== undefined && isValid(entry) ? entry : undefined;
    },
    find(serial) {
      const known = questions.get(serial);
      if (known?.isOvertaken === false) return known.answer;
      const question = newQuestion(serial);
      questions.set(serial, question);
      if (waiting.length === 0) setImmediate(askAll);
      waiting.push(question);
      return question.answer;
    },
    stop,
  };
}

function newQuestion(serial: string): Question {
  let resolve: Question['resolve'] = () => undefined;
  let reject: Question['reject'] = () => undefined;
  const answer = new Promise<KnownStatus | null>((onRead, onFailed) => {
    resolve = onRead;
    reject = onFailed;
  });
  return { serial, answer, resolve, reject, isOvertaken: false };
}
