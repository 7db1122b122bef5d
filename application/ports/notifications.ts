// Format of PostgreSQL notifications between processes sharing a database.

/** The channel of all processes: topics, one per line, or {@link everyTopic}. */
export const notificationChannel = 'tamga_wake';

/** Notifies every waiter and clears every cache. */
export const everyTopic = '*';

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
