import { writeFile } from 'node:fs/promises';
import { treeKeysPem } from '../../api/platform/auditKeys.ts';
import { eventLine } from '../../infrastructure/export/eventLines.ts';
import { headLine, proofLine } from '../../infrastructure/export/proofLines.ts';
import { writeLines } from '../../infrastructure/export/writeLines.ts';
import type { Service } from '../main.ts';
import { withService } from './openService.ts';
import { keysBeside, proofsBeside } from '../../infrastructure/export/exportFile.ts';

/**
 * Writes the whole log as JSON Lines to `path`, its proofs, and the keys with their certificates
 * beside it; auditors should obtain the Root CA's certificate from another source.
 *
 * @returns number of events
 */
export async function exportLog(
  service: Pick<Service, 'withSignedExport' | 'auditKeys'>,
  path: string,
): Promise<number> {
  await writeFile(keysBeside(path), treeKeysPem(await service.auditKeys()));
  return service.withSignedExport(async (signed) => {
    const { head, heads, events, blocks } = signed;
    const lines = async function* () {
      for await (const batch of events()) yield batch.map(eventLine);
    };
    const proofs = async function* () {
      yield heads.map(headLine);
      for await (const block of blocks()) yield [proofLine(block)];
    };
    await writeLines(path, lines());
    await writeLines(proofsBeside(path), proofs());
    return head.size;
  });
}

/** Runs `./tamga audit export`. */
export async function exportCommand(path: string): Promise<void> {
  await withService(
    async (service) => {
      const events = await exportLog(service, path);
      process.stdout.write(
        `${events} events: ${path}\nTheir proofs: ${proofsBeside(path)}\n` +
          `Keys and their certificates, also served at /audit/keys.pem: ${keysBeside(path)}\n`,
      );
    },
    { keys: true },
  );
}
