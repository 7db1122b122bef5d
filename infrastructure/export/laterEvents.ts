import { eventLeafHash, type StoredEvent } from '../../domain/merkle/hashTree.ts';
import { createFrontier } from '../../domain/merkle/frontier.ts';
import { readExport } from './exportFile.ts';

/**
 * Events of an export after those of a restored log, which it has to begin with.
 *
 * @param restored number of events of the log, and the Merkle tree root over them in base64
 * @throws Error when the export is of another log, ends before, or has a line that holds no event
 */
export async function* laterEvents(
  path: string,
  restored: { readonly events: number; readonly root: string },
): AsyncGenerator<StoredEvent> {
  const tree = createFrontier();
  const expectSame = () => {
    if (tree.root().toString('base64') === restored.root) return;
    throw new Error(`${path} is not an export of the restored log: its Merkle root differs.`);
  };
  if (restored.events === 0) expectSame();
  for await (const lines of readExport(path)) {
    for (const line of lines) {
      if (line.event === null) throw new Error(`${path}, line ${line.number}: ${line.fault}`);
      if (tree.size >= restored.events) {
        yield line.event;
        continue;
      }
      tree.append(eventLeafHash(line.event));
      if (tree.size === restored.events) expectSame();
    }
  }
  if (tree.size < restored.events) {
    throw new Error(
      `${path} is older than the backup: it has ${tree.size} of its ${restored.events} events.`,
    );
  }
}
