import type { IssuingAuthority } from '../../domain/certificate/events.ts';

/**
 * Tells waiting requests that something they wait for may have changed. Topics: `session:<id>` (it completed) and
 * `inbox:<civil id>` (a push session for this citizen began). A wake means "read again", nothing more; waiters must
 * read after registering and again after waking, so that no change is missed.
 */
export interface Wake {
  /** Registers before reading. `changed` resolves on the next wake of the topic, or when all are woken (reconnect). */
  listen(topic: string): WakeListener;
}

export interface WakeListener {
  readonly changed: Promise<void>;
  /** Must be called when the waiting is over, whatever ended it. */
  cancel(): void;
}

/** The sending side, used in-process right after a durable append. */
export interface WakeSender {
  wake(topics: readonly string[]): void;
}

/** Lets caches hear every topic. */
export interface WakeFeed {
  /** Calls back with the topics woken, or `'all'` when some may have been missed. Returns how to unsubscribe. */
  subscribe(onWake: (topics: readonly string[] | 'all') => void): () => void;
}

/** The wake topic of a session's completion. */
export function sessionTopic(sessionId: string): string {
  return `session:${sessionId}`;
}

/** The wake topic of a citizen's inbox. */
export function inboxTopic(civilId: string): string {
  return `inbox:${civilId}`;
}

/** Reference data that projections announce as changed, for fact caches to drop. */
export type FactKind = 'rp' | 'citizen' | 'device' | 'certificate' | 'organization';

/** The wake topic of changed reference data, for example `rp:<id>`. */
export function factTopic(kind: FactKind, id: string): string {
  return `${kind}:${id}`;
}

/** The wake topic of a CA's newly published revocation list. */
export function revocationListTopic(authority: IssuingAuthority): string {
  return `crl:${authority}`;
}

/** The wake topic of a change of an approval. */
export function approvalTopic(approvalId: string): string {
  return `approval:${approvalId}`;
}

/** The wake topic of the assistant's prompts. */
export const promptsTopic = 'assistant:prompts';

/** The wake topic of the knowledge base: articles changed, or vectors of them came. */
export const knowledgeTopic = 'assistant:knowledge';
