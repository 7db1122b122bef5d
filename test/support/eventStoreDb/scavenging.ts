import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { scavengeNodes } from '../../../infrastructure/eventstore/eventStoreDb/scavenge.ts';
import type { Settings } from '../installation/serviceProcess.ts';

/** Below the largest append a server takes by default. */
const FILLER_BYTES = 1_000_000;
const FILLERS = 64;
/** Appends at once: more bytes would not be written before the server times them out. */
const AT_ONCE = 4;

/** Settings of a service that archives from the servers, in entries of few events. */
export function archivedFromEventStoreDb(url: string): Settings {
  return { SVC_EVENTSTORE_ARCHIVE_URL: url, SVC_ARCHIVE_ENTRY_EVENTS: '10' };
}

/**
 * Scavenges the servers. To be repeated: it passes over the newest file of the log, 256 MiB by default, which
 * is filled up a part at a time.
 */
export async function scavengeServers(url: string): Promise<void> {
  const client = EventStoreDBClient.connectionString(url);
  const data = { filler: 'x'.repeat(FILLER_BYTES) };
  const fill = () => client.appendToStream('$filler', jsonEvent({ type: '$filler', data }));
  try {
    for (let n = 0; n < FILLERS; n += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, fill));
    }
  } finally {
    await client.dispose();
  }
  await scavengeNodes(url);
}
