import type pg from 'pg';
import { notificationChannel } from '../../application/ports/notifications.ts';

/** Time that topics are gathered for one statement, ms. */
const GATHERED_MS = 200;
/** Most bytes of a notification (PostgreSQL: below 8000). */
const MOST_BYTES = 7_000;

/**
 * Tells other processes topics that nobody depends on: many in one statement, and lost while the database is away.
 *
 * @returns function that takes a topic, at once
 */
export function createToldTopics(pool: Pick<pg.Pool, 'query'>): (topic: string) => void {
  let waiting: string[] = [];

  function tell(): void {
    const topics = waiting;
    waiting = [];
    for (const payload of payloadsOf(topics)) {
      pool.query('select pg_notify($1, $2)', [notificationChannel, payload]).catch(() => undefined);
    }
  }

  return (topic) => {
    if (waiting.length === 0) setTimeout(tell, GATHERED_MS).unref();
    waiting.push(topic);
  };
}

function payloadsOf(topics: readonly string[]): readonly string[] {
  const payloads: string[] = [];
  for (const topic of topics) {
    const last = payloads.at(-1);
    if (last === undefined || Buffer.byteLength(last) + topic.length > MOST_BYTES)
      payloads.push(topic);
    else payloads[payloads.length - 1] = `${last}\n${topic}`;
  }
  return payloads;
}
