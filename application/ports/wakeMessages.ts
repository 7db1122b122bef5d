// How processes sharing a database wake each other: the format of its notifications.

/** The channel all processes listen on: topics, one a line, or {@link wakeAll}. */
export const wakeChannel = 'tamga_wake';

/** A notification that wakes every waiter and clears every cache. */
export const wakeAll = '*';

/** PostgreSQL takes less than 8000 bytes. */
const payloadBytes = 7900;
const payloadsAtMost = 16;

/** Topics packed into as few notifications as they fit in; too many become one that wakes all. */
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
  return payloads.length > payloadsAtMost ? [wakeAll] : payloads;
}
