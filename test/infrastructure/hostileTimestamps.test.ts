import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import { derSequence, derUnsigned, derValue } from '../../infrastructure/pki/kernel/der.ts';
import { createTimestampClient } from '../../infrastructure/timestamping/timestampClient.ts';
import {
  decodeTimestampRequest,
  grantingResponse,
} from '../../infrastructure/timestamping/timestampMessages.ts';
import {
  createTokenMaker,
  type TimestampStatement,
} from '../../infrastructure/timestamping/timestampAuthority.ts';
import { answer, type HostilePeer, startHostilePeer } from '../support/doubles/hostilePeer.ts';
import {
  startTestTimestampAuthority,
  type TestTimestampAuthority,
} from '../support/pki/timestampAuthority.ts';
import { systemRandomness, systemClock } from '../../infrastructure/system.ts';

describe('N19: numbers and dates of a time-stamping authority', () => {
  const digest = createHash('sha256').update('content').digest();
  let test: TestTimestampAuthority;
  let peer: HostilePeer;
  let aside: number[];

  before(async () => {
    test = await startTestTimestampAuthority();
    peer = await startHostilePeer();
  });
  after(() => Promise.all([test.stop(), peer.stop()]));

  const stamped = (clock = systemClock) => {
    aside = [];
    return peer.boundedly(() =>
      createTimestampClient({
        urls: [peer.origin],
        trust: { anchors: [test.root] },
        policy: null,
        clock,
        randomness: systemRandomness,
        timeoutMs: 10_000,
        onPutAside: (_, seconds) => aside.push(seconds),
      }).timestamp(digest, 'SHA256'),
    );
  };
  const reply = (bytes: (request: Buffer) => Promise<Buffer> | Buffer) => {
    peer.script = async (socket, _, request) =>
      answer(socket, await bytes(request), { type: 'application/timestamp-reply' });
  };
  /** Answers with a token that states something else than it should. */
  const stating = (changes: Partial<TimestampStatement>, chain = test.identity.chain) =>
    reply(async (request) => {
      const { nonce } = decodeTimestampRequest(request);
      const maker = createTokenMaker({ ...test.identity, chain }, test.sign);
      const statement = {
        policy: '1.2.3',
        hash: 'SHA256' as const,
        digest,
        serial: Buffer.from([1]),
        time: new Date(),
        accuracySeconds: 1,
        nonce,
        ...changes,
      };
      return grantingResponse(await maker.make(statement, true));
    });

  it('is believed with a time that is right within a minute', async () => {
    stating({ accuracySeconds: 60 });
    expect(await stamped()).to.be.instanceOf(Buffer);
  });

  const written = (text: string) => ({ toISOString: () => text }) as Date;
  for (const time of [
    '9999-12-31T23:59:59.000Z',
    '0000-01-01T00:00:00.000Z',
    '-000001-01-01T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '1970-01-05T15:06:40.000Z',
  ]) {
    it(`is not believed that it is ${time}`, async () => {
      stating({ time: written(time) });
      expect(await stamped()).to.be.instanceOf(Unavailable);
    });
  }

  for (const [day, next] of [
    ['2026-02-31T00:00:00.000Z', '2026-03-03T00:00:00Z'],
    ['2026-02-28T24:00:00.000Z', '2026-03-01T00:00:00Z'],
  ] as const) {
    it(`has no other day for ${day}`, async () => {
      stating({ time: written(day) });
      expect(String(reasonOf(await stamped({ now: () => new Date(next) })))).to.include(
        'There is no such time.',
      );
    });
  }

  it('is not believed with a time that may be another', async () => {
    // Either alone would do: four minutes of accuracy, and two minutes of difference.
    stating({ accuracySeconds: 240, time: new Date(Date.now() - 120_000) });
    expect(String(reasonOf(await stamped()))).to.include('time');
  });

  it('may send no hundreds of certificates', async () => {
    const [issuing = Buffer.alloc(0)] = test.identity.chain;
    stating({}, [Buffer.concat(Array<Buffer>(500).fill(issuing))]);
    expect(String(reasonOf(await stamped()))).to.include(
      'no certification path to a trusted authority',
    );
  });

  it('refuses with any status', async () => {
    for (const status of [[2], [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff], [0xff], Array(20).fill(1)]) {
      const bits = derValue(0x03, Buffer.alloc(100_000, 0xff));
      reply(() => derSequence(derSequence(derValue(0x02, Buffer.from(status)), bits)));
      expect(await stamped()).to.be.instanceOf(Unavailable);
    }
    reply(() => derSequence(derSequence(derUnsigned(Buffer.from([0])))));
    expect(await stamped()).to.be.instanceOf(Unavailable);
  });

  for (const after of [
    '-1',
    'NaN',
    '1e308',
    '4e8',
    '9'.repeat(400),
    '0',
    ' ',
    'Fri, 31 Dec 9999 23:59:59 GMT',
    '-271821-04-20T00:00:00Z',
  ]) {
    it(`is left alone for an hour at most: Retry-After ${after.slice(0, 30)}`, async () => {
      peer.script = (socket) =>
        answer(socket, '', { status: 429, headers: `retry-after: ${after}\r\n` });
      expect(await stamped()).to.be.instanceOf(Unavailable);
      expect(aside).to.have.length(1);
      expect(aside[0]).to.be.within(1, 3600);
    });
  }
});

/** Cause of the failure at the one authority. */
function reasonOf(outcome: unknown): unknown {
  return ((outcome as Unavailable).cause as AggregateError).errors[0];
}
