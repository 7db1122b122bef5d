import { type Kysely, sql } from 'kysely';
import { toPayloads, wakeChannel } from '../application/ports/wakeMessages.ts';
import type { Database } from './database.ts';

/** Announces topics to every process when the surrounding transaction commits. */
export async function notifyTopics(
  database: Kysely<Database>,
  topics: readonly string[],
): Promise<void> {
  const payloads = toPayloads(topics);
  if (payloads.length === 0) return;
  await sql`
    select pg_notify(${wakeChannel}, payload) from unnest(${payloads}::text[]) as payload
  `.execute(database);
}
