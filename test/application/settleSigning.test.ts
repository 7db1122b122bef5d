import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createDocuments } from '../../application/document/documents.ts';
import { platformRelyingPartyId } from '../../application/document/platformRelyingParty.ts';
import { createSettleSigning } from '../../application/document/settleSigning.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { CertificateData } from '../../application/ports/referenceData.ts';
import type { DocumentEvent } from '../../domain/document/events.ts';
import type { SessionEvent } from '../../domain/session/events.ts';
import { Refusal, type RefusalCode } from '../../domain/shared/refusal.ts';
import { recordable, sessionConfirmed, sessionStarted } from '../support/events/exampleEvents.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { bold } from '../support/given/persons.ts';
import { givenInMemory } from '../support/given/inMemory.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';

const { civilId } = bold;
const digest = Buffer.alloc(32, 7);

/** A document one citizen has signed in a session, and nobody has recorded that. */
async function signedDocument(
  how: {
    readonly preparedId?: string;
    readonly certificate?: CertificateData['status'];
    readonly stamp?: () => Promise<never>;
    readonly now?: string;
    readonly begun?: boolean;
    readonly isVerified?: boolean;
    readonly sessionDigest?: Buffer;
    readonly answered?: boolean;
  } = {},
) {
  const { preparedId = null, certificate = 'VALID', begun = true, answered = true } = how;
  const [documentId, sessionId] = [randomUUID(), randomUUID()];
  const { clock, eventStore, sessions, stores } = givenInMemory({
    clock: () => manualClock(how.now ?? '2026-06-01T00:01:00.000Z'),
  });
  const documents = createDocuments(stores);
  const append = (stream: string, ...events: readonly (DocumentEvent | SessionEvent)[]) =>
    eventStore.append(
      stream,
      events.map((event) => recordable(event)),
      'any',
    );
  await append(
    `document-${documentId}`,
    {
      type: 'DocumentCreated',
      data: {
        documentId,
        tenantId: 't',
        title: 'x',
        docType: 'CONTRACT',
        signers: [null],
        owner: null,
        clientId: null,
        createdAt: '2026-06-01T00:00:00.000Z',
      },
    },
    {
      type: 'DocumentSigningStarted',
      data: {
        documentId,
        sessionId,
        civilId,
        rail: 'EID',
        preparedId,
        format: preparedId === null ? 'approval' : 'pades',
        coveredDigest: digest.toString('hex'),
        startedAt: '2026-06-01T00:00:00.000Z',
        endsAt: '2026-06-01T00:03:00.000Z',
      },
    },
  );
  const started = sessionStarted(sessionId, { civilId });
  const signature = {
    ...started,
    data: {
      ...started.data,
      relyingPartyId: platformRelyingPartyId,
      kind: 'SIGNATURE' as const,
      digest: (how.sessionDigest ?? digest).toString('base64'),
      hashType: 'SHA256' as const,
    },
  };
  const confirmed = sessionConfirmed({ civilId, completedAt: '2026-06-01T00:00:30.000Z' });
  if (begun) await append(`session-${sessionId}`, signature, ...(answered ? [confirmed] : []));
  const fact = {
    status: certificate,
    certificate: 'AAAA',
    publicKey: 'AAAA',
  } as unknown as CertificateData;
  const settle = createSettleSigning({
    documents,
    sessions,
    clock,
    files: { keepBytes: () => Promise.reject(new Error('Nothing is kept here.')) },
    referenceData: {
      citizen: () => Promise.resolve({ civilId, identity: bold.identity } as never),
      certificate: () => Promise.resolve(fact),
    },
    verifier: { verify: () => Promise.resolve(how.isVerified ?? true) },
    stampDocument: how.stamp ?? (() => Promise.reject(new Error('There is no PDF.'))),
    timestamping: { timestamp: () => Promise.resolve(Buffer.from('token')) },
    detachedSignatures: { encode: () => Promise.resolve(Buffer.from('evidence')) },
  });
  const record = async () => {
    const { state } = await documents.load(documentId);
    if (state.status === 'NONE') throw new Error('There is no document.');
    return state;
  };
  return { settle: async () => settle(await record()), record, sessionId };
}

const refusing = (code: RefusalCode) => () => Promise.reject(new Refusal(code));

describe('What a citizen signed', () => {
  it('is recorded once, by whichever request is first', async () => {
    const { settle, sessionId } = await signedDocument();
    const [one, other] = await Promise.all([settle(), settle()]);
    expect(one.signatures.map((each) => each.sessionId)).to.deep.equal([sessionId]);
    expect(other.signatures).to.deep.equal(one.signatures);
    expect(one.status).to.equal('APPROVED');
  });

  for (const status of ['REVOKED', 'SUSPENDED'] as const) {
    it(`is not recorded with a certificate ${status} since: no timestamp can prove it any more`, async () => {
      const { settle, sessionId } = await signedDocument({ certificate: status });
      const { signatures, signing, endings } = await settle();
      expect([signatures, signing]).to.deep.equal([[], null]);
      expect(endings.get(sessionId)).to.equal('DOCUMENT_UNUSABLE');
    });
  }

  for (const [what, how] of [
    ['does not verify', { isVerified: false }],
    ['is over something else', { sessionDigest: Buffer.alloc(32, 8) }],
  ] as const) {
    it(`is not recorded where the signature ${what}`, async () => {
      const { settle, sessionId } = await signedDocument(how);
      const { signatures, endings } = await settle();
      expect(signatures).to.deep.equal([]);
      expect(endings.get(sessionId)).to.equal('SERVER_ERROR');
    });
  }

  it('counts with a certificate that another has replaced since', async () => {
    const { settle } = await signedDocument({ certificate: 'SUPERSEDED' });
    expect((await settle()).status).to.equal('APPROVED');
  });

  for (const code of [
    'PREPARED_DOCUMENT_NOT_FOUND',
    'PREPARED_FOR_OTHER_SIGNER',
    'SESSION_NOT_FOUND',
  ] as const) {
    it(`ends where it can never be put into its PDF (${code}): the document can be signed again`, async () => {
      const preparedId = randomUUID();
      const { settle, sessionId } = await signedDocument({ preparedId, stamp: refusing(code) });
      const { signing, endings } = await settle();
      expect(signing).to.equal(null);
      expect(endings.get(sessionId)).to.equal('SERVER_ERROR');
    });
  }

  for (const [begun, result] of [
    [true, 'TIMEOUT'],
    [false, 'NOT_STARTED'],
  ] as const) {
    it(`ends as ${result} when the time is over and nobody answered, not before`, async () => {
      const how = { answered: false, begun };
      const early = await signedDocument({ ...how, now: '2026-06-01T00:02:59.999Z' });
      expect((await early.settle()).signing).not.to.equal(null);
      const late = await signedDocument({ ...how, now: '2026-06-01T00:03:00.000Z' });
      const { signing, endings, status } = await late.settle();
      expect([signing, status]).to.deep.equal([null, 'PENDING_APPROVAL']);
      expect(endings.get(late.sessionId)).to.equal(result);
    });
  }

  it('waits while what is needed is down', async () => {
    const stamp = () => Promise.reject(new Unavailable('timestamping'));
    const { settle, record } = await signedDocument({ preparedId: randomUUID(), stamp });
    expect(await rejection(settle())).to.be.instanceOf(Unavailable);
    expect((await record()).signing).not.to.equal(null);
  });
});
