import { randomUUID } from 'node:crypto';
import type { StoredLog } from './storedLog.ts';

/** Outcome of a scavenge in the server. */
export type ScavengeResult = 'Success' | 'Errored' | 'Stopped' | 'Interrupted';

export interface StartedScavenge {
  readonly id: string;
  readonly isNew: boolean;
}

/**
 * Scavenges of a cluster, as `StorageScavenger.cs` and `ScavengePointSource` run them: each node does one at a time, and
 * of two nodes that write a scavenge point at once one fails.
 */
export function createScavenges(log: StoredLog, wakeAll: () => void) {
  const running = new Map<number, string>();
  let outcomeOf: (node: number) => ScavengeResult = () => 'Success';
  let lastsMs = 20;

  function write(id: string, type: string, data: object): void {
    const bytes = Buffer.from(JSON.stringify({ scavengeId: id, ...data }));
    log.writeOwn(`$scavenges-${id}`, type, bytes);
    wakeAll();
  }

  return {
    /** @param outcome of the scavenge of each node; @param milliseconds that it lasts */
    end(outcome: typeof outcomeOf, milliseconds = lastsMs): void {
      outcomeOf = outcome;
      lastsMs = milliseconds;
    },
    start(node: number, nodeEndpoint: string): StartedScavenge {
      const underWay = running.get(node);
      if (underWay !== undefined) return { id: underWay, isNew: false };
      const isBesideAnother = running.size > 0;
      const id = randomUUID();
      running.set(node, id);
      write(id, '$scavengeStarted', { nodeEndpoint });
      setTimeout(() => {
        running.delete(node);
        const result = isBesideAnother ? 'Errored' : outcomeOf(node);
        const error = isBesideAnother
          ? 'Failed to write scavenge point: WrongExpectedVersion'
          : `The scavenge: ${result}.`;
        if (result === 'Success') log.scavenge();
        write(id, '$scavengeCompleted', { nodeEndpoint, result, error, spaceSaved: 1000 });
      }, lastsMs);
      return { id, isNew: true };
    },
  };
}
