import type { IssuingAuthority } from '../../domain/certificate/events.ts';

// Format of PostgreSQL notifications between processes sharing a database.

/** The channel of all processes: topics, one per line, or {@link everyTopic}. */
export const notificationChannel = 'tamga_wake';

/** Notifies every waiter and clears every cache. */
export const everyTopic = '*';

/** PostgreSQL's limit is below 8000 bytes. */
const payloadBytes = 7900;
const payloadsAtMost = 16;

/** Packs topics into as few notifications as possible; beyond a bound into one for all waiters. */
export function toPayloads(topics: readonly string[]): readonly string[] {
  const payloads: string[] = [];
  let lines: string[] = [];
  let bytes = 0;
  for (const topic of topics) {
    const size = Buffer.byteLength(topic) + 1;
    if (bytes + size > payloadBytes && lines.length > 0) {
      payloads.push(lines.join('\n'));
      lines = [];
      bytes = 0;
    }
    lines.push(topic);
    bytes += size;
  }
  if (lines.length > 0) payloads.push(lines.join('\n'));
  return payloads.length > payloadsAtMost ? [everyTopic] : payloads;
}

/**
 * Notifies waiting requests of changes. Topics: `session:<id>` (it completed) and `inbox:<civil id>` (a push session
 * for this citizen started). A notification means "read again", nothing more; waiters must read after registering and
 * again after each notification, so that no change is missed.
 */
export interface Notifications {
  /**
   * Registers a waiter, before it reads. `changed` resolves on the next notification of the topic, or when all waiters
   * are notified (reconnect).
   */
  listen(topic: string): NotificationListener;
}

export interface NotificationListener {
  readonly changed: Promise<void>;
  /** Must be called at the end of the wait, however it ended. */
  cancel(): void;
}

/** The sending side, called in the same process right after a durable append. */
export interface NotificationSender {
  notify(topics: readonly string[]): void;
}

/** Told the notified topics, or `'all'` when notifications may have been missed. */
export type NotificationSubscriber = (topics: readonly string[] | 'all') => void;

/** Subscription of caches. */
export interface NotificationFeed {
  /**
   * @param kinds topics that are wanted, or what stands before their colon
   * @returns the unregister function
   */
  subscribe(kinds: readonly string[], onNotification: NotificationSubscriber): () => void;
}

/** Topic of a session's completion. */
export function sessionTopic(sessionId: string): string {
  return `session:${sessionId}`;
}

/** Topic of a citizen's inbox. */
export function inboxTopic(civilId: string): string {
  return `inbox:${civilId}`;
}

/** Reference data that projections announce as changed, for caches to invalidate. */
export type ReferenceDataKind =
  'rp' | 'citizen' | 'device' | 'certificate' | 'organization' | 'representation';

/** Topic of changed reference data, for example `rp:<id>`. */
export function referenceDataTopic(kind: ReferenceDataKind, id: string): string {
  return `${kind}:${id}`;
}

/** Topic of a CA's newly published revocation list. */
export function revocationListTopic(authority: IssuingAuthority): string {
  return `crl:${authority}`;
}

/** Topic of a change of an approval. */
export function approvalTopic(approvalId: string): string {
  return `approval:${approvalId}`;
}

/** Topic of the assistant's prompts. */
export const promptsTopic = 'assistant:prompts';

/** Topic of the knowledge base: articles or their vectors changed. */
export const knowledgeTopic = 'assistant:knowledge';
