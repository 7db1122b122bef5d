import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { batchContent, documentsOf, signaturesIn } from '../../domain/session/batch.ts';
import type { SessionEvent } from '../../domain/session/events.ts';
import { type SessionCommand, sessionDecider } from '../../domain/session/session.ts';
import { fold } from '../../domain/shared/decider.ts';
import { verificationCode } from '../../domain/shared/digest.ts';
import { given } from '../support/assertions/deciderSpecification.ts';
import { sessionConfirmed, sessionStarted } from '../support/events/exampleEvents.ts';

const civilId = '110000000001';
const by = { documentNumber: 'd1', civilId };
const now = '2026-01-01T00:01:00.000Z';
const documents = [
  { digest: Buffer.alloc(32, 1).toString('base64'), hashType: 'SHA256' as const },
  { digest: Buffer.alloc(64, 2).toString('base64'), hashType: 'SHA512' as const },
];
const documentTexts = [
  { displayText60: 'Lease', fileName: 'lease.pdf' },
  { displayText60: 'Annex', fileName: null },
];
const begun = sessionStarted('6f9619ff-8b86-4d01-b42d-00cf4fc964ff', {
  kind: 'SIGNATURE',
  civilId,
  rpChallenge: null,
  verificationCode: '0123',
  answerBefore: '2026-01-01T00:02:30.000Z',
  documents,
  documentTexts,
});
const signatures = [
  { value: 'Zmlyc3Q=', signatureAlgorithm: 'ecdsa-with-SHA256' },
  { value: 'c2Vjb25k', signatureAlgorithm: 'ecdsa-with-SHA512' },
];
const confirm: SessionCommand = {
  type: 'ConfirmSession',
  by,
  verificationCode: '0123',
  signature: 'Zmlyc3Q=',
  signatureAlgorithm: 'ecdsa-with-SHA256',
  documents: signatures,
  certificateSerial: '0a',
  certificateLevel: 'QUALIFIED',
  interactionTypeUsed: 'displayTextAndPIN',
  nested: null,
  now,
};
const signed = (position: 1 | 2): SessionEvent => ({
  type: 'BatchDocumentSigned',
  data: {
    ...by,
    position,
    ...(documents[position - 1] ?? documents[0]),
    ...(documentTexts[position - 1] ?? documentTexts[0]),
    signature: signatures[position - 1]?.value ?? '',
    signatureAlgorithm: signatures[position - 1]?.signatureAlgorithm ?? '',
    certificateSerial: '0a',
    signedAt: now,
  } as Extract<SessionEvent, { type: 'BatchDocumentSigned' }>['data'],
});
const confirmed = sessionConfirmed({
  ...by,
  signature: 'Zmlyc3Q=',
  signatureAlgorithm: 'ecdsa-with-SHA256',
  certificateSerial: '0a',
  certificateLevel: 'QUALIFIED',
  interactionTypeUsed: 'displayTextAndPIN',
  nested: null,
  completedAt: now,
});
const session = given(sessionDecider);

describe('A session of several documents', () => {
  it('records each document with its own signature, and then its end', () => {
    session([begun])
      .when(confirm)
      .then([signed(1), signed(2), confirmed]);
  });

  it('records nothing unless there is one signature for each document', () => {
    for (const given of [[], signatures.slice(1), [...signatures, ...signatures]]) {
      session([begun])
        .when({ ...confirm, documents: given })
        .thenRefuses('INVALID_REQUEST');
    }
  });

  it('takes no list of signatures where one document was to be signed', () => {
    const alone = sessionStarted('6f9619ff-8b86-4d01-b42d-00cf4fc964ff', {
      ...begun.data,
      documents: null,
      documentTexts: null,
    });
    session([alone]).when(confirm).thenRefuses('INVALID_REQUEST');
  });

  it('is refused as one, and fails as one when the codes differ', () => {
    const refuse = { type: 'RefuseSession', by, endResult: 'USER_REFUSED', interaction: null, now };
    session([begun])
      .when(refuse as SessionCommand)
      .then([
        {
          type: 'SessionRefused',
          data: {
            documentNumber: 'd1',
            endResult: 'USER_REFUSED',
            interaction: null,
            completedAt: now,
          },
        },
      ]);
    session([begun])
      .when({ ...confirm, verificationCode: '9999' })
      .then([
        {
          type: 'SessionFailed',
          data: { documentNumber: 'd1', endResult: 'WRONG_VC', completedAt: now },
        },
      ]);
  });

  it('takes a repeated confirmation as already done', () => {
    session([begun, signed(1), signed(2), confirmed])
      .when(confirm)
      .then([]);
  });

  it('gives each signature as if it had been asked for alone, under an id of its own', () => {
    const state = fold(sessionDecider, [begun, signed(1), signed(2), confirmed]);
    if (state.status !== 'COMPLETE') throw new Error('The session is not complete.');
    const singles = signaturesIn(state);
    expect(singles.map(({ started }) => [started.digest, started.hashType])).to.deep.equal(
      documents.map(({ digest, hashType }) => [digest, hashType]),
    );
    expect(singles.map(({ confirmation }) => confirmation.signature)).to.deep.equal(
      signatures.map(({ value }) => value),
    );
    expect(new Set([...singles.map(({ id }) => id), begun.data.sessionId]).size).to.equal(3);
  });

  it('keeps the digests of a person who was forgotten, without the texts', () => {
    expect(documentsOf({ documents, documentTexts: null })).to.deep.equal(
      documents.map((each) => ({ ...each, displayText60: '', fileName: null })),
    );
  });

  it('has a code over all digests in their order, each behind its length', () => {
    const length = (bytes: number) => Buffer.from([0, 0, 0, bytes]);
    const content = [length(32), Buffer.alloc(32, 1), length(64), Buffer.alloc(64, 2)];
    const hash = createHash('sha256').update(Buffer.concat(content)).digest();
    const code = String(hash.readUInt16BE(30) % 10_000).padStart(4, '0');
    expect(verificationCode(batchContent(documents))).to.equal(code);
  });
});
