import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type {
  EncodedEvent,
  EventLog,
  ExpectedRevision,
  LoggedEvent,
  SubscriptionOptions,
} from '../../application/ports/eventLog.ts';
import { RevisionConflict } from '../../application/ports/faults.ts';
import { categoryOf } from '../../domain/shared/streams.ts';
import { signal, until } from '../support/assertions/waiting.ts';

/** One log under test, and as many further processes' views of it as the adapter can give. */
export interface LogUnderTest {
  /** Started; several stand for several processes that share one log. */
  readonly logs: readonly [EventLog, ...EventLog[]];
  readonly stop: () => Promise<void>;
}

/** A new event with recognisable content. */
export function anEvent(content: unknown = {}, type = 'Tested'): EncodedEvent {
  return { id: randomUUID(), type, data: JSON.stringify(content), metadata: '{"test":true}' };
}

/** All events of a stream. */
export async function readAll(
  log: EventLog,
  stream: string,
  from?: bigint,
): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for await (const event of log.read(stream, from)) events.push(event);
  return events;
}

/** Subscribes and keeps what comes. */
export function collect(log: EventLog, options: Partial<SubscriptionOptions<LoggedEvent>> = {}) {
  const events: LoggedEvent[] = [];
  const checkpoints: bigint[] = [];
  const caughtUp = signal();
  const subscription = log.subscribe({
    after: null,
    onBatch: (batch, position) => {
      events.push(...batch);
      checkpoints.push(position);
      return Promise.resolve();
    },
    onCaughtUp: caughtUp.raise,
    ...options,
  });
  return { events, checkpoints, caughtUp: caughtUp.raised, stop: () => subscription.stop() };
}

/** Random but repeatable names, so that suites on a shared server do not meet each other's streams. */
function aStream(category = 'session'): string {
  return `${category}-${randomUUID()}`;
}

/** Contract of every event log. Each test gets streams of its own; the log is shared by the suite. */
export function eventLogContract(
  name: string,
  open: () => Promise<LogUnderTest>,
  // Pages and batches are full many times over; more would only measure the log.
  { volume = 20_000 } = {},
): void {
  describe(`event log contract: ${name}`, () => {
    let under: LogUnderTest;
    let log: EventLog;

    before(async function () {
      this.timeout(60_000);
      under = await open();
      log = under.logs[0];
    });

    after(async () => {
      await under.stop();
    });

    describe('append', () => {
      it('starts a stream at revision 0 and counts on from there', async () => {
        const stream = aStream();

        const first = await log.append(stream, [anEvent()], 'none');
        const second = await log.append(stream, [anEvent(), anEvent()], 0n);
        const third = await log.append(stream, [anEvent()], 'any');

        expect([first.revision, second.revision, third.revision]).to.deep.equal([0n, 2n, 3n]);
        expect(second.position > first.position && third.position > second.position).to.equal(true);
      });

      const refused: [string, number, ExpectedRevision][] = [
        ['expecting no stream where there is one', 1, 'none'],
        ['expecting a stream where there is none', 0, 0n],
        ['expecting an older revision', 3, 1n],
        ['expecting a revision not reached yet', 3, 5n],
      ];
      for (const [what, existing, expected] of refused) {
        it(`refuses an append ${what}`, async () => {
          const stream = aStream();
          const events = Array.from({ length: existing }, () => anEvent());
          if (existing > 0) await log.append(stream, events, 'none');

          const outcome = await log.append(stream, [anEvent()], expected).catch((e: unknown) => e);

          expect(outcome).to.be.instanceOf(RevisionConflict);
          expect((await readAll(log, stream)).map(({ id }) => id)).to.deep.equal(
            events.map(({ id }) => id),
          );
        });
      }

      it('creates a stream that any revision is expected of', async () => {
        const stream = aStream();
        expect((await log.append(stream, [anEvent()], 'any')).revision).to.equal(0n);
      });

      it('refuses to append nothing', async () => {
        const outcome = await log.append(aStream(), [], 'any').catch((e: unknown) => e);
        expect(outcome).to.be.instanceOf(TypeError);
      });

      it('stores all events of a refused append, or none', async () => {
        const stream = aStream();
        await log.append(stream, [anEvent({ winner: true })], 'none');

        await Promise.allSettled([
          log.append(stream, [anEvent(), anEvent(), anEvent()], 'none'),
          log.append(stream, [anEvent(), anEvent()], 7n),
        ]);

        expect(await readAll(log, stream)).to.have.lengthOf(1);
      });

      it('accepts exactly one of many concurrent appends and answers the others with the conflict', async () => {
        const stream = aStream();
        await log.append(stream, [anEvent()], 'none');

        const outcomes = await Promise.allSettled(
          Array.from({ length: 30 }, (_, writer) => {
            const own = under.logs[writer % under.logs.length] ?? log;
            return own.append(stream, [anEvent({ writer }), anEvent({ writer })], 0n);
          }),
        );

        const winners = outcomes.filter(({ status }) => status === 'fulfilled');
        const losers = outcomes.flatMap((o) =>
          o.status === 'rejected' ? [o.reason as unknown] : [],
        );
        expect(winners).to.have.lengthOf(1);
        expect(losers.every((reason) => reason instanceof RevisionConflict)).to.equal(true);
        expect(losers).to.have.lengthOf(29);
        expect((await readAll(log, stream)).map(({ revision }) => revision)).to.deep.equal([
          0n,
          1n,
          2n,
        ]);
      });

      it('keeps concurrent appends at any revision all, each in one piece', async () => {
        const stream = aStream();

        const answers = await Promise.all(
          Array.from({ length: 40 }, (_, writer) =>
            log.append(stream, [anEvent({ writer }), anEvent({ writer })], 'any'),
          ),
        );

        const events = await readAll(log, stream);
        expect(events.map(({ revision }) => revision)).to.deep.equal(
          Array.from({ length: 80 }, (_, revision) => BigInt(revision)),
        );
        for (const [writer, answer] of answers.entries()) {
          const last = Number(answer.revision);
          const pair = events.slice(last - 1, last + 1).map(({ data }) => data);
          expect(pair).to.deep.equal([`{"writer":${writer}}`, `{"writer":${writer}}`]);
        }
      });

      it('fails only the appends in conflict when many streams are written at once', async () => {
        const streams = Array.from({ length: 50 }, () => aStream());
        await Promise.all(
          streams
            .filter((_, at) => at % 5 === 0)
            .map((stream) => log.append(stream, [anEvent()], 'none')),
        );

        const outcomes = await Promise.allSettled(
          streams.map((stream) => log.append(stream, [anEvent()], 'none')),
        );

        expect(outcomes.map(({ status }) => status)).to.deep.equal(
          streams.map((_, at) => (at % 5 === 0 ? 'rejected' : 'fulfilled')),
        );
      });

      it('answers an append sent twice with the same event ids like the first time', async () => {
        const stream = aStream();
        const events = [anEvent(), anEvent()];
        const first = await log.append(stream, events, 'none');
        await log.append(stream, [anEvent()], first.revision);

        const again = await log.append(stream, events, 'none');

        expect(again.revision).to.equal(first.revision);
        expect(await readAll(log, stream)).to.have.lengthOf(3);
      });
    });

    describe('read', () => {
      it('gives nothing for a stream that does not exist', async () => {
        expect(await readAll(log, aStream())).to.deep.equal([]);
      });

      it('gives the events from the revision asked for', async () => {
        const stream = aStream();
        const events = Array.from({ length: 5 }, (_, n) => anEvent({ n }));
        await log.append(stream, events, 'none');

        const read = await readAll(log, stream, 3n);

        expect(read.map(({ revision, data }) => [revision, data])).to.deep.equal([
          [3n, '{"n":3}'],
          [4n, '{"n":4}'],
        ]);
        expect(await readAll(log, stream, 5n)).to.deep.equal([]);
      });

      it('reads streams longer than any page', async () => {
        const stream = aStream();
        const events = Array.from({ length: 1201 }, (_, n) => anEvent({ n }));
        await log.append(stream, events, 'none');

        const read = await readAll(log, stream);

        expect(read.map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id));
      });

      it('returns what was appended byte for byte', async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.json(),
            fc.json(),
            fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((t) => `T${t}`),
            async (data, metadata, type) => {
              const stream = aStream();
              const event = { id: randomUUID(), type: type.replaceAll('\0', ''), data, metadata };
              const { revision, position } = await log.append(stream, [event], 'none');
              const read = await readAll(log, stream);
              expect(read).to.deep.equal([{ ...event, stream, revision, position }]);
            },
          ),
          { numRuns: 50 },
        );
      });

      const texts = {
        'Cyrillic and Mongolian script': '{"нэр":"Болд","ᠮᠣᠩᠭᠣᠯ":"ᠪᠣᠯᠳ"}',
        'spaces and order of keys': '{ "b" : 1,\n\t"a": [ 1.0, 1e3 ,-0 ] }',
        'escapes as written': '{"a":"\\u0041\\n\\\\\\"\\/\\ud83d\\ude00","b":"😀 \' $1 {,}"}',
        'repeated keys': '{"a":1,"a":2}',
        'numbers beyond doubles': '{"n":12345678901234567890.123456789}',
        'line separators': '{"a":"\u2028\u2029\u0085\u007f"}',
        'the empty object': '{}',
      };
      for (const [what, text] of Object.entries(texts)) {
        it(`keeps ${what}`, async () => {
          const stream = aStream();
          await log.append(stream, [{ ...anEvent(), data: text, metadata: text }], 'none');
          const [read] = await readAll(log, stream);
          expect([read?.data, read?.metadata]).to.deep.equal([text, text]);
        });
      }
    });

    describe('head', () => {
      it('has every event before it or at it, and is passed by subscriptions', async () => {
        const before = await log.append(aStream(), [anEvent()], 'none');
        const head = (await log.head()) ?? 0n;
        const after = await log.append(aStream(), [anEvent()], 'none');
        expect(head >= before.position && head < after.position).to.equal(true);

        const seen = collect(log, { after: before.position });
        await until(() => (seen.checkpoints.at(-1) ?? 0n) >= after.position);
        await seen.stop();
      });

      it('ends a subscription whose checkpoint lies behind it', async () => {
        const head = (await log.head()) ?? 0n;
        const stopped = signal();
        const causes: unknown[] = [];
        const subscription = log.subscribe({
          after: head + 1_000_000n,
          onBatch: () => Promise.resolve(),
          onStopped: (cause) => {
            causes.push(cause);
            stopped.raise();
          },
        });
        await stopped.raised;
        await subscription.stop();
        expect(String(causes[0])).to.contain('before the checkpoint');
      });

      it('is not before a position that a subscription reported', async () => {
        // More than EventStoreDB looks through between two checkpoints.
        for (let n = 0; n < 40; n += 1) await log.append(aStream('other'), [anEvent()], 'none');
        const seen = collect(log, { categories: ['session'] });
        await seen.caughtUp;
        await seen.stop();
        const head = (await log.head()) ?? 0n;
        expect(seen.checkpoints.filter((position) => position > head)).to.deep.equal([]);
        expect(seen.checkpoints).to.not.deep.equal([]);
      });

      it('is not before a position that a subscription reported', async () => {
        const after = await log.head();
        // More than EventStoreDB looks through between two checkpoints.
        for (let n = 0; n < 40; n += 1) await log.append(aStream('other'), [anEvent()], 'none');
        const seen = collect(log, { after, categories: ['session'] });
        await seen.caughtUp;
        await seen.stop();
        const head = (await log.head()) ?? 0n;
        expect(seen.checkpoints.filter((position) => position > head)).to.deep.equal([]);
        expect(seen.checkpoints).to.not.deep.equal([]);
      });
    });

    describe('subscribe', () => {
      it('delivers stored events, then new ones, in order', async () => {
        const stream = aStream();
        const after = await log.head();
        await log.append(stream, [anEvent({ n: 0 }), anEvent({ n: 1 })], 'none');

        const seen = collect(log, { after });
        await seen.caughtUp;
        await log.append(stream, [anEvent({ n: 2 })], 1n);
        await until(() => seen.events.length === 3);
        await seen.stop();

        expect(seen.events).to.deep.equal(await readAll(log, stream));
      });

      it('delivers what another process appends', async () => {
        const other = under.logs.at(-1) ?? log;
        const seen = collect(log, { after: await log.head() });
        await seen.caughtUp;

        const { position } = await other.append(aStream(), [anEvent()], 'none');
        await until(() => seen.events.length === 1);
        await seen.stop();

        expect(seen.events[0]?.position).to.equal(position);
      });

      it('delivers only the categories asked for, and moves the checkpoint over the others', async () => {
        const after = await log.head();
        const wanted = aStream('citizen');
        await log.append(aStream('session'), [anEvent()], 'none');
        await log.append(wanted, [anEvent({ n: 1 })], 'none');
        const early = await log.append(aStream('sessionless'), [anEvent()], 'none');

        const seen = collect(log, { after, categories: ['citizen', 'device'] });
        await seen.caughtUp;
        expect(seen.checkpoints.at(-1)).to.equal(early.position);
        await log.append(aStream('session'), [anEvent()], 'none');
        await log.append(wanted, [anEvent({ n: 2 })], 0n);
        await until(() => seen.events.length === 2);
        const late = await log.append(aStream('session'), [anEvent()], 'none');
        await until(() => (seen.checkpoints.at(-1) ?? 0n) >= late.position);
        await seen.stop();

        expect(seen.events.map(({ stream, data }) => [categoryOf(stream), data])).to.deep.equal([
          ['citizen', '{"n":1}'],
          ['citizen', '{"n":2}'],
        ]);
      });

      it('asks which streams are wanted when an event is committed, whoever committed it', async () => {
        const other = under.logs.at(-1) ?? log;
        const [kept, passed] = [aStream(), aStream()];
        const wanted = new Set([kept]);
        const after = await log.head();
        await other.append(kept, [anEvent({ n: 1 })], 'none');
        await other.append(passed, [anEvent({ n: 2 })], 'none');
        const wants = (stream: string) => wanted.has(stream);
        const seen = collect(log, { after, categories: ['session'], wants });
        await seen.caughtUp;
        await log.append(passed, [anEvent({ n: 3 })], 0n);
        await other.append(passed, [anEvent({ n: 4 })], 1n);
        await other.append(kept, [anEvent({ n: 5 })], 0n);
        const { position } = await other.append(passed, [anEvent({ n: 6 })], 2n);
        await until(() => (seen.checkpoints.at(-1) ?? 0n) >= position);
        wanted.add(passed);
        await other.append(passed, [anEvent({ n: 7 })], 3n);
        await log.append(passed, [anEvent({ n: 8 })], 4n);
        await until(() => seen.events.length === 4);
        await seen.stop();

        expect(seen.events.map(({ data }) => (JSON.parse(data) as { n: number }).n)).to.deep.equal([
          1, 5, 7, 8,
        ]);
      });

      it('reports positions of other events as rarely as it is asked to, wanted ones at once', async () => {
        const after = await log.head();
        const options = { after, categories: ['citizen'], reportEveryMs: 600_000 };
        const seen = collect(log, options);
        await seen.caughtUp;
        const begun = seen.checkpoints.length;
        for (let turn = 0; turn < 10; turn += 1) {
          await log.append(aStream('other'), [anEvent()], 'none');
          await new Promise((resolve) => setTimeout(resolve, 15));
        }
        const { position } = await log.append(aStream('citizen'), [anEvent()], 'none');
        await until(() => seen.checkpoints.at(-1) === position);
        await seen.stop();
        // The first may be due, as nothing was reported before.
        expect(seen.checkpoints.length - begun).to.be.at.most(2);
      });

      it('passes over a log that holds nothing of the categories asked for', async () => {
        await log.append(aStream('other'), [anEvent()], 'none');
        const head = (await log.head()) ?? 0n;
        const seen = collect(log, { categories: ['nobodys'] });
        await seen.caughtUp;
        const { position } = await log.append(aStream('other'), [anEvent()], 'none');
        await until(() => (seen.checkpoints.at(-1) ?? 0n) >= position);
        await seen.stop();

        expect(seen.events).to.deep.equal([]);
        expect((seen.checkpoints[0] ?? 0n) <= position).to.equal(true);
        expect(seen.checkpoints.some((checkpoint) => checkpoint >= head)).to.equal(true);
      });

      it('never calls onBatch twice at a time and never exceeds the batch asked for', async () => {
        const stream = aStream();
        const after = await log.head();
        await log.append(
          stream,
          Array.from({ length: 25 }, () => anEvent()),
          'none',
        );
        let running = 0;
        let most = 0;
        const sizes: number[] = [];
        const caughtUp = signal();

        const subscription = log.subscribe({
          after,
          maxBatch: 7,
          onBatch: async (events) => {
            running += 1;
            most = Math.max(most, running);
            sizes.push(events.length);
            await new Promise(setImmediate);
            running -= 1;
          },
          onCaughtUp: caughtUp.raise,
        });
        await caughtUp.raised;
        await subscription.stop();

        expect(most).to.equal(1);
        expect(Math.max(...sizes)).to.be.at.most(7);
        expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(25);
      });

      it('stops when onBatch fails, says why once and delivers no more', async () => {
        const after = await log.head();
        await log.append(aStream(), [anEvent(), anEvent()], 'none');
        const failure = new Error('projection failed');
        const causes: unknown[] = [];
        let calls = 0;

        const stopped = signal();
        const subscription = log.subscribe({
          after,
          maxBatch: 1,
          onBatch: () => {
            calls += 1;
            return Promise.reject(failure);
          },
          onStopped: (cause) => {
            causes.push(cause);
            stopped.raise();
          },
        });
        await stopped.raised;
        await log.append(aStream(), [anEvent()], 'none');
        await subscription.stop();

        expect(causes).to.deep.equal([failure]);
        expect(calls).to.equal(1);
      });

      it('resolves stop only after the last onBatch returned, and calls none after it', async () => {
        const entered = signal();
        const release = signal();
        let finished = 0;
        let started = 0;
        const after = await log.head();
        await log.append(aStream(), [anEvent(), anEvent(), anEvent()], 'none');
        const subscription = log.subscribe({
          after,
          maxBatch: 1,
          onBatch: async () => {
            started += 1;
            entered.raise();
            await release.raised;
            finished += 1;
          },
        });
        await entered.raised;

        let isStopped = false;
        const stopping = subscription.stop().then(() => {
          isStopped = true;
        });
        // A round trip to the log: time enough for a stop that does not wait.
        await log.append(aStream(), [anEvent()], 'none');
        expect(isStopped).to.equal(false);
        release.raise();
        await stopping;
        expect(finished).to.equal(1);
        await log.append(aStream(), [anEvent()], 'none');

        expect([started, finished]).to.deep.equal([1, 1]);
      });

      it('goes on from a checkpoint after a restart without repeating or leaving out an event', async () => {
        const after = await log.head();
        const stream = aStream();
        let revision: ExpectedRevision = 'none';
        const write = async (n: number) => {
          ({ revision } = await log.append(stream, [anEvent({ n })], revision));
        };
        for (let n = 0; n < 10; n += 1) await write(n);

        const seen: LoggedEvent[] = [];
        let checkpoint = after;
        for (let restart = 0; restart < 5; restart += 1) {
          const enough = signal();
          const subscription = log.subscribe({
            after: checkpoint,
            maxBatch: 3,
            onBatch: (events, position) => {
              seen.push(...events);
              checkpoint = position;
              if (events.length > 0) enough.raise();
              return Promise.resolve();
            },
          });
          await write(10 + restart);
          await enough.raised;
          await subscription.stop();
        }
        const rest = collect(log, { after: checkpoint });
        await until(() => seen.length + rest.events.length >= 15);
        await rest.stop();

        expect([...seen, ...rest.events]).to.deep.equal(await readAll(log, stream));
      });

      it('meets live without gap or duplicate, however many write and however slow it is', async function () {
        this.timeout(120_000);
        await fc.assert(
          fc.asyncProperty(
            fc.record({
              writers: fc.integer({ min: 2, max: 24 }),
              rounds: fc.integer({ min: 5, max: 25 }),
              sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 8 }),
              maxBatch: fc.constantFrom(1, 3, 50, 1000),
              /** Turns of the event loop that each batch takes. */
              slowness: fc.integer({ min: 0, max: 12 }),
              subscribeAfter: fc.integer({ min: 0, max: 60 }),
            }),
            async ({ writers, rounds, sizes, maxBatch, slowness, subscribeAfter }) => {
              const after = await log.head();
              const acknowledged: { id: string; position: bigint }[] = [];
              const seen: LoggedEvent[] = [];
              let subscription: ReturnType<EventLog['subscribe']> | undefined;
              const maybeSubscribe = (threshold = subscribeAfter) => {
                if (subscription !== undefined || acknowledged.length < threshold) return;
                subscription = log.subscribe({
                  after,
                  maxBatch,
                  onBatch: async (events) => {
                    seen.push(...events);
                    for (let turn = 0; turn < slowness; turn += 1) await new Promise(setImmediate);
                  },
                });
              };
              const write = async (writer: number) => {
                const own = under.logs[writer % under.logs.length] ?? log;
                const stream = aStream();
                let expected: ExpectedRevision = 'none';
                for (let round = 0; round < rounds; round += 1) {
                  const size = sizes[(writer + round) % sizes.length] ?? 1;
                  const events = Array.from({ length: size }, () => anEvent());
                  const { revision, position } = await own.append(stream, events, expected);
                  expected = revision;
                  events.forEach(({ id }) => acknowledged.push({ id, position }));
                  maybeSubscribe();
                }
              };
              maybeSubscribe();

              await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
              maybeSubscribe(0);
              await until(() => seen.length >= acknowledged.length, 20_000);
              await subscription?.stop();

              expect(seen).to.have.lengthOf(acknowledged.length);
              expect(new Set(seen.map(({ id }) => id))).to.deep.equal(
                new Set(acknowledged.map(({ id }) => id)),
              );
              seen.reduce((before, event) => {
                expect(event.position > before.position).to.equal(true);
                return event;
              });
            },
          ),
          { numRuns: 12, endOnFailure: true },
        );
      });
    });

    it(`gives ${volume.toLocaleString('en')} events back equal`, async function () {
      this.timeout(120_000);
      const after = await log.head();
      const total = volume;
      const written = new Map<string, string>();
      const streams = Array.from({ length: 100 }, () => aStream());
      // Two appends a stream at least: the second follows on the first.
      const perAppend = total / streams.length / 2;

      await Promise.all(
        streams.map(async (stream, at) => {
          const hash = createHash('sha256');
          let expected: ExpectedRevision = 'none';
          for (let sent = 0; sent < total / streams.length; sent += perAppend) {
            const events = Array.from({ length: perAppend }, (_, n) =>
              anEvent({ stream: at, n: sent + n, text: `Бат ${sent * n} 😀` }),
            );
            for (const event of events) hash.update(fingerprint(event));
            expected = (await log.append(stream, events, expected)).revision;
          }
          written.set(stream, hash.digest('hex'));
        }),
      );

      const read = new Map(streams.map((stream) => [stream, createHash('sha256')]));
      let count = 0;
      const enough = signal();
      const subscription = log.subscribe({
        after,
        onBatch: (events) => {
          for (const event of events) read.get(event.stream)?.update(fingerprint(event));
          count += events.length;
          if (count >= total) enough.raise();
          return Promise.resolve();
        },
      });
      await enough.raised;
      await subscription.stop();

      expect(count).to.equal(total);
      for (const [stream, hash] of read) {
        expect(hash.digest('hex')).to.equal(written.get(stream));
      }
    });
  });
}

function fingerprint({ id, type, data, metadata }: EncodedEvent): string {
  return [id, type, data, metadata, ''].join('\n');
}
