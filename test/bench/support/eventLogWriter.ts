import { randomUUID } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { serveChild } from './childServer.ts';
import { openBenchLog } from './eventLog.ts';
import { closedLoop } from './load.ts';
import { sampleEvent } from './sampleEvent.ts';

// A process that appends as fast as possible and records every acknowledged stream in a file, until
// killed.

interface Settings {
  readonly databaseUrl: string;
  /** One acknowledged stream per line; written before the next append of that worker begins. */
  readonly acknowledgedFile: string;
  readonly inFlight: number;
}

await serveChild<Settings>(async ({ databaseUrl, acknowledgedFile, inFlight }) => {
  const log = await openBenchLog(databaseUrl);
  const file = openSync(acknowledgedFile, 'a');
  void closedLoop(inFlight, 60_000, async () => {
    const stream = `session-${randomUUID()}`;
    await log.append(stream, [sampleEvent()], 'none');
    writeSync(file, `${stream}\n`);
  });
  return { port: 0, stop: () => log.stop() };
});
