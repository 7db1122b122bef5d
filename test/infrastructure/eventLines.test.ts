import { expect } from 'chai';
import { eventBatches } from '../../application/ports/eventBatches.ts';
import type { EventLog, LoggedEvent } from '../../application/ports/eventLog.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import { createMemoryEventLog } from '../support/doubles/memoryEventLog.ts';
import { BadEventLine, eventLine, parseEventLine } from '../../infrastructure/export/eventLines.ts';
import { linesOf, type NumberedLine } from '../../infrastructure/export/lines.ts';
import { recordable } from '../support/events/exampleEvents.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { sampleEvents } from '../support/events/sampleEvents.ts';
import { testVault } from '../support/doubles/vault.ts';

async function logOfEveryType(): Promise<EventLog> {
  const log = createMemoryEventLog();
  const store = createEventLog({ store: log, vault: testVault() });
  for (const [type, event] of Object.entries(sampleEvents)) {
    await store.append(`session-${type}`, [recordable(event)], 'none');
  }
  return log;
}

async function all(log: EventLog, after?: bigint): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for await (const batch of eventBatches(log, after)) events.push(...batch);
  return events;
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

async function readLines(bytes: Buffer, chunk: number): Promise<NumberedLine[]> {
  const lines: NumberedLine[] = [];
  for await (const batch of linesOf(inChunks(bytes, chunk))) lines.push(...batch);
  return lines;
}

describe('the lines of exported events', () => {
  it('give every stored event back, byte for byte', async () => {
    const events = await all(await logOfEveryType());
    const stored = ({ position, stream, revision, id, type, data, metadata }: LoggedEvent) => ({
      position,
      stream,
      revision,
      id,
      type,
      data,
      metadata,
    });
    expect(events.length).to.equal(Object.keys(sampleEvents).length);
    for (const event of events) {
      expect(parseEventLine(eventLine(event))).to.deep.equal(stored(event));
    }
  });

  it('hold positions and revisions beyond 53 bits, and text of every script', () => {
    const event: LoggedEvent = {
      position: 2n ** 63n - 1n,
      stream: 'organization-1',
      revision: 2n ** 60n,
      id: '6f9619ff-0000-4000-8000-000000000001',
      type: 'OrganizationRegistered',
      data: '{"name":"Өргөө \\"ХХК\\" \u2028 😀\\u0000"}',
      metadata: '{"time":"2026-01-01T00:00:00.000Z","schemaVersion":12}',
    };
    const line = eventLine(event);
    expect(line).to.not.include('\n');
    expect(line).to.include('"schemaVersion":12,');
    expect(parseEventLine(line)).to.deep.equal(event);
  });

  it('are refused when anything in them was changed that an export would have written otherwise', async () => {
    const [event] = await all(await logOfEveryType());
    const line = eventLine(event as LoggedEvent);
    const changed = [
      '',
      'null',
      line.slice(0, -1),
      `${line} `,
      line.replace('"schemaVersion":', '"schemaVersion": '),
      line.replace(/"schemaVersion":\d+/, '"schemaVersion":99'),
      line.replace('"position":"1"', '"position":1'),
      line.replace('"position":"1"', '"position":"01"'),
      line.replace('"position":"1"', '"position":"-1"'),
      line.replace('"type":', '"extra":1,"type":'),
      line.replace(/"data":"(?:[^"\\]|\\.)*"/, '"data":null'),
    ];
    for (const text of changed) {
      expect(text).to.not.equal(line);
      expect(() => parseEventLine(text), text).to.throw(BadEventLine);
    }
  });

  it('are found again whatever the chunks, with the last one though it was cut off', async () => {
    const text = 'first\n\nӨргөө 😀\nlast without its en';
    for (const chunk of [1, 2, 3, 7, 1000]) {
      const lines = await readLines(Buffer.from(text), chunk);
      expect(lines.map((line) => line.text)).to.deep.equal(text.split('\n'));
      expect(lines.map((line) => line.number)).to.deep.equal([1, 2, 3, 4]);
    }
    expect((await readLines(Buffer.from(`${text}d\n`), 5)).length).to.equal(4);
  });

  it('are found though one of them is not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('Өргөө\na'), Buffer.of(0xff), Buffer.from('\n\nend')]);
    for (const chunk of [1, 2, 3, 1000]) {
      const lines = await readLines(bytes, chunk);
      expect(lines.map(({ text }) => text)).to.deep.equal(['Өргөө', null, '', 'end']);
    }
  });
});

describe('the whole log, batch by batch', () => {
  it('comes in order, from a position on, and ends where the log ended when it was asked for', async () => {
    const log = await logOfEveryType();
    const count = BigInt(Object.keys(sampleEvents).length);
    const reading = eventBatches(log);
    const first = await reading.next();
    if (first.done === true) throw new Error('The log is empty.');
    await log.append(
      'session-late',
      [{ id: '6f9619ff-0000-4000-8000-00000000000a', type: 'X', data: '{}', metadata: '{}' }],
      'none',
    );
    const rest: LoggedEvent[] = [...first.value];
    for await (const batch of reading) rest.push(...batch);
    expect(rest.map(({ position }) => position)).to.deep.equal(
      Array.from({ length: Number(count) }, (_, index) => BigInt(index) + 1n),
    );
    expect((await all(log, count)).map(({ stream }) => stream)).to.deep.equal(['session-late']);
    expect(await all(log, count + 1n)).to.deep.equal([]);
    expect(await all(createMemoryEventLog())).to.deep.equal([]);
  });

  it('reads no further than it is taken, and ends when the reader leaves', async () => {
    const log = await logOfEveryType();
    let subscriptions = 0;
    const watched = {
      head: () => log.head(),
      subscribe: (options: Parameters<EventLog['subscribe']>[0]) => {
        const subscription = log.subscribe({ ...options, maxBatch: 1 });
        subscriptions += 1;
        return {
          stop: async () => {
            await subscription.stop();
            subscriptions -= 1;
          },
        };
      },
    };
    for await (const batch of eventBatches(watched)) {
      expect(batch.length).to.equal(1);
      break;
    }
    expect(subscriptions).to.equal(0);
  });

  it('fails when the log fails', async () => {
    const log = await logOfEveryType();
    const failing = {
      head: () => log.head(),
      subscribe: ({ onStopped }: Parameters<EventLog['subscribe']>[0]) => {
        setImmediate(() => onStopped?.(new Error('gone for good')));
        return { stop: () => Promise.resolve() };
      },
    };
    expect(await rejection(all(failing as unknown as EventLog))).to.have.property(
      'message',
      'gone for good',
    );
  });
});
