import { eventBatches } from '../../application/ports/eventBatches.ts';
import type { EventLog, LoggedEvent } from '../../application/ports/eventLog.ts';
import type { StoredEvent } from '../../domain/merkle/hashTree.ts';
import { eventLine } from './eventLines.ts';
import { type ExportedLine, readExport } from './exportFile.ts';
import { createStreamOrder, type OrderFault } from './streamOrder.ts';

/** A fault in one line of an export. */
export interface ExportFault {
  /** From 1. */
  readonly line: number;
  /** A sentence that does not quote the line. */
  readonly text: string;
}

export interface ExportCheck {
  readonly events: number;
  /** Position of the last event; null when there is none. */
  readonly last: bigint | null;
  readonly faultCount: number;
  /** The first faults. */
  readonly faults: readonly ExportFault[];
}

const SHOWN_FAULTS = 20;

/** Compares an export with its log: every event once, in order, byte for byte; in the same memory for any length. */
export async function checkExport(
  path: string,
  log: Pick<EventLog, 'subscribe' | 'head'>,
): Promise<ExportCheck> {
  const faults: ExportFault[] = [];
  const running = oneByOne(eventBatches(log));
  let stored = await running.next();
  const order = createStreamOrder();
  let faultCount = 0;
  let events = 0;
  let last: bigint | null = null;

  function fault(line: number, text: string): void {
    faultCount += 1;
    if (faults.length < SHOWN_FAULTS) faults.push({ line, text });
  }

  function checkOrder(line: number, { position, stream, revision }: StoredEvent): void {
    if (last !== null && position <= last) {
      fault(line, `Position ${position.toString()} is not greater than the position before it.`);
    }
    order.add(line, stream, revision);
  }

  async function checkStored(
    line: number,
    text: string | null,
    { position }: StoredEvent,
  ): Promise<void> {
    while (stored.done !== true && stored.value.position < position) {
      fault(
        line,
        `The event at position ${stored.value.position.toString()} is missing before it.`,
      );
      stored = await running.next();
    }
    if (stored.done === true || stored.value.position > position) {
      fault(line, `The log has no event at position ${position.toString()}.`);
      return;
    }
    if (eventLine(stored.value) !== text) {
      fault(
        line,
        `The event at position ${position.toString()} differs from the event in the log.`,
      );
    }
    stored = await running.next();
  }

  async function check(exported: ExportedLine): Promise<void> {
    const { number, text, event } = exported;
    if (event === null) {
      fault(number, exported.fault);
      return;
    }
    checkOrder(number, event);
    await checkStored(number, text, event);
    events += 1;
    last = last === null || event.position > last ? event.position : last;
  }

  try {
    for await (const lines of readExport(path)) {
      for (const line of lines) await check(line);
    }
    const disordered = order.faults(SHOWN_FAULTS);
    return {
      events,
      last,
      faultCount: faultCount + disordered.count,
      faults: [...faults, ...disordered.first.map(disorder)]
        .sort((one, other) => one.line - other.line)
        .slice(0, SHOWN_FAULTS),
    };
  } finally {
    order.close();
    await running.return(undefined);
  }
}

function disorder({ line, revision, expected }: OrderFault): ExportFault {
  const text = `Revision ${revision.toString()} follows ${(expected - 1n).toString()} in its stream.`;
  return { line, text };
}

async function* oneByOne(
  batches: AsyncIterable<readonly LoggedEvent[]>,
): AsyncGenerator<LoggedEvent, undefined> {
  for await (const batch of batches) yield* batch;
  return undefined;
}
