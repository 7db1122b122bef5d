import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signedExport } from '../../../application/audit/signedExport.ts';
import { exportLog } from '../../../main/cli/exportLog.ts';
import { anEvent } from '../../contracts/eventLogContract.ts';
import { createAuditTreeWorld } from '../worlds/auditTreeWorld.ts';
import { migratedDatabase, startPostgresEventLog } from './eventLogs.ts';

/** A log whose tree grows, and a directory for its exports. */
export async function startExportableLog() {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-audit-'));
  const path = join(directory, 'log.jsonl');
  const url = await migratedDatabase();
  const log = await startPostgresEventLog({ url });
  const world = await createAuditTreeWorld(url, log);
  const process = world.process();
  process.grower.start();
  return {
    directory,
    /** Path that the log is exported to. */
    path,
    log,
    world,
    process,
    /** Appends events, ten a stream; a head is signed after 200, too, where there are as many. */
    async append(count: number): Promise<void> {
      for (let stored = 0; stored < count; stored += 10) {
        const events = Array.from({ length: 10 }, (_, n) =>
          anEvent({ n: stored + n, name: 'Бат' }),
        );
        await log.append(`session-${randomUUID()}`, events, 'none');
        if (stored === 200) await process.trees.signNow();
      }
    },
    async export(): Promise<void> {
      await exportLog(
        {
          auditKeys: () => process.keys.all(),
          withSignedExport: async (use) => use(await signedExport({ eventLog: log, ...process })),
        },
        path,
      );
    },
    async stop(): Promise<void> {
      await process.grower.stop();
      await log.stop();
      await world.stop();
      await rm(directory, { recursive: true });
    },
  };
}

export type ExportableLog = Awaited<ReturnType<typeof startExportableLog>>;

/** Lines of a text, each of which ends with a line feed. */
export const linesIn = (text: string) => text.split('\n').slice(0, -1);
