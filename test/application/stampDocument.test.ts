import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { EventStore } from '../../application/ports/eventStore.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { SignedSession } from '../../application/ports/pdfStamping.ts';
import { createStampDocument } from '../../application/stamp/stampDocument.ts';
import { createMadeDocuments } from '../../application/stamp/madeDocuments.ts';
import { createStamps } from '../../application/aggregates.ts';
import {
  confirmedBatch,
  recordable,
  sessionConfirmed,
  sessionStarted,
} from '../support/events/exampleEvents.ts';
import { uuidFrom } from '../../domain/shared/digest.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { causedBy, givenInMemory } from '../support/given/inMemory.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';

const context = causedBy('system', 'test');

/** The log, out of reach once for appends to `stream`. */
function failingOnce(eventStore: EventStore, stream: string): EventStore {
  let fails = true;
  return {
    ...eventStore,
    append(target, ...rest) {
      if (target !== stream || !fails) return eventStore.append(target, ...rest);
      fails = false;
      return Promise.reject(new Unavailable('eventStore'));
    },
  };
}

describe('stampDocument', () => {
  const [sessionId, preparedId] = ['session', 'prepared'].map(() => randomUUID()) as [
    string,
    string,
  ];
  const digest = createHash('sha256').update('attributes').digest();
  /** A document prepared for another certificate. */
  const ofOther = randomUUID();

  /** A session in which a prepared document was signed; its documents are made of air. */
  async function world(
    broken: string,
    registeredName: string | null = null,
    batch: readonly Buffer[] | null = null,
  ) {
    const parts = givenInMemory({ clock: () => manualClock(null) });
    const { clock, eventStore: log } = parts;
    const namesStamped: string[] = [];
    const started = sessionStarted(sessionId, {
      digest: digest.toString('base64'),
      hashType: 'SHA256',
      registeredName,
    });
    const confirmed = sessionConfirmed({ signature: 'AAAA' });
    const { certificateSerial, civilId } = confirmed.data;
    const digests = batch?.map((each) => each.toString('base64'));
    const signed =
      batch === null
        ? [started, confirmed]
        : confirmedBatch(sessionId, { registeredName }, digests);
    await log.append(
      `session-${sessionId}`,
      signed.map((event) => recordable(event)),
      'any',
    );
    const eventStore = failingOnce(log, `stamp-${broken}`);
    const stores = { ...parts.stores, eventStore };
    const { relyingPartyId } = started.data;
    const pdf = {
      bytes: Buffer.alloc(0),
      attributes: Buffer.alloc(0),
      contentsAt: 0,
      contentsBytes: 0,
    };
    const stampDocument = createStampDocument({
      sessions: parts.sessions,
      stamps: createStamps(stores),
      madeDocuments: createMadeDocuments(parts.stores),
      referenceData: {
        citizen: () => Promise.resolve({ civilId, identity: {} } as never),
        certificate: () => Promise.resolve({ certificate: 'AAAA' } as never),
      },
      stamping: {
        complete: (_: unknown, session: SignedSession) => {
          namesStamped.push(session.relyingPartyName);
          return Promise.resolve(Buffer.from('%PDF-'));
        },
      } as never,
      preparedDocuments: {
        find: (_, which) =>
          Promise.resolve({
            preparedId,
            relyingPartyId,
            civilId,
            certificateSerial:
              'preparedId' in which && which.preparedId === ofOther ? 'ff' : certificateSerial,
            pdf,
            hash: 'SHA256',
            digest: digest.toString('hex'),
            fileName: null,
            documentDigest: '5d'.repeat(32),
            warnings: [],
            expiresAt: started.data.readableUntil,
          }),
        warningsOf: () => Promise.resolve(new Map()),
        keep: () => Promise.resolve(true),
        removeExpired: () => Promise.resolve(),
      },
      timestamping: { timestamp: () => Promise.resolve(Buffer.from('token')) },
      clock,
    });
    const request = { sessionId, relyingPartyId, document: Buffer.alloc(0), fileName: null };
    return {
      log,
      namesStamped,
      stamp: (which: string | null = null) =>
        stampDocument({ ...request, preparedId: which }, context),
    };
  }

  it('F3: stamps the registered name before another that was sent', async () => {
    const { stamp, namesStamped } = await world('none', 'Small Shop');
    await stamp();
    expect(namesStamped).to.deep.equal(['Small Shop («Demo bank»)']);
  });

  describe('of several signatures', () => {
    const other = createHash('sha256').update('others').digest();

    it('completes the prepared document that is named, with the signature over it', async () => {
      const { stamp, log } = await world('none', null, [digest, other]);
      await stamp(preparedId);
      const recorded = log.events.filter(({ event }) => event.type === 'DocumentStamped');
      const id = uuidFrom(Buffer.from(`batch ${sessionId} 1`));
      expect(recorded.map(({ stream }) => stream)).to.deep.equal([
        `stamp-${preparedId}`,
        `stamp-${id}`,
      ]);
    });

    it('wants to know which prepared document is meant', async () => {
      const { stamp } = await world('none', null, [other, digest]);
      const refusal = await rejection(stamp());
      expect(refusal).to.include({ code: 'INVALID_REQUEST' });
      expect(refusal).to.have.nested.property('errors[0].pointer', '#/query/preparedId');
    });

    it('says that one was prepared for another signer, or for another session', async () => {
      const { stamp } = await world('none', null, [other, digest]);
      expect(await rejection(stamp(ofOther))).to.include({ code: 'PREPARED_FOR_OTHER_SIGNER' });
      const elsewhere = await world('none', null, [other, Buffer.alloc(32, 7)]);
      expect(await rejection(elsewhere.stamp(preparedId))).to.include({
        code: 'PREPARED_DOCUMENT_NOT_FOUND',
      });
    });
  });

  for (const [what, broken] of [
    ['the session', sessionId],
    ['the prepared document', preparedId],
  ] as const) {
    it(`records what an interrupted stamp left unrecorded of ${what}, when it is repeated`, async () => {
      const { log, stamp } = await world(broken);
      expect(await rejection(stamp())).to.be.instanceOf(Unavailable);
      await stamp();
      const recorded = log.events.filter(({ event }) => event.type === 'DocumentStamped');
      expect(recorded.map(({ stream }) => stream)).to.have.members([
        `stamp-${sessionId}`,
        `stamp-${preparedId}`,
      ]);
    });
  }
});
