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
