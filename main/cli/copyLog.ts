import { once } from 'node:events';
import { copyLog as copy } from '../composition/logCopy.ts';
import { redactedAddress } from '../../infrastructure/config/redactedAddress.ts';
import { commandConfig } from './openService.ts';
import { say } from './say.ts';
import { commandPatience } from './waiting.ts';

export interface CopyLogOptions {
  readonly from?: string;
  readonly to: string;
  readonly oneByOne: boolean;
  readonly switch: boolean;
  /** Timeout, s. */
  readonly wait: number;
}

/** Interval of progress reports, ms. */
const PROGRESS_INTERVAL_MS = 2000;

/** Runs `./tamga log copy`. */
export async function copyLog(options: CopyLogOptions): Promise<void> {
  const { from, to, oneByOne, switch: isSwitch, wait } = options;
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    void once(process, signal).then(() =>
      ending.abort(new Error('Interrupted. Run the command again to continue.')),
    );
  }
  const switching = {
    stopTimeoutMs: wait * 1000,
    onWaiting: (processes: number) =>
      tell(`Copied. ${processes} processes of the service are still running. Stop them.`),
  };
  const config = commandConfig({ SVC_LOG_LEVEL: 'error' });
  const { copied, identity } = await copy(config, {
    patience: commandPatience(config, ending.signal),
    ...(from !== undefined && { from }),
    to,
    oneByOne,
    ...(isSwitch && { switching }),
    onProgress: progressReporter(tell),
    onInterrupted: () => tell('One of the logs is unavailable, retrying …'),
    signal: ending.signal,
  });
  if (copied !== null) {
    const [here, there] = [copied.sourceRoot, copied.destinationRoot].map((root) =>
      root.toString('base64'),
    );
    say(
      `Equal: ${copied.records} events. Merkle root of the source ${here}, of the destination ${there}.`,
    );
  }
  if (identity === null) {
    say('Caught up. To copy later events, run `log copy` again.');
    return;
  }
  say(
    `Switched: the database follows the log of epoch ${identity.epoch}, ${redactedAddress(to)}. No read model is rebuilt. ` +
      `${/^(?:postgres|database$)/u.test(to) ? 'Start the service without SVC_EVENTSTORE_URL' : 'Start the service with this address as SVC_EVENTSTORE_URL'}.`,
  );
}

/** Reports progress every two seconds: events copied and total, events per second, time left. */
export function progressReporter(
  write: (text: string) => void,
  now: () => number = Date.now,
): (records: number, position: bigint, head: bigint) => void {
  let first:
    { readonly records: number; readonly position: bigint; readonly at: number } | undefined;
  let reportedAt = now();
  return (records, position, head) => {
    first ??= { records, position, at: now() };
    if (now() < reportedAt + PROGRESS_INTERVAL_MS || records === first.records) return;
    reportedAt = now();
    const done = records - first.records;
    const perSecond = Math.round((done * 1000) / (reportedAt - first.at));
    const left = Math.round((done * Number(head - position)) / Number(position - first.position));
    write(
      `${records} of some ${records + left} events, ${perSecond} a second, ${Math.ceil(left / perSecond)} s left`,
    );
  };
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
