import { expect } from 'chai';
import {
  approvalRecord,
  currentFile,
  type DocumentCommand,
  documentDecider,
  type DocumentRecord,
  type DocumentSignature,
  expectTurn,
  filesOf,
  formatOf,
  mostChanges,
  type Signing,
} from '../../domain/document/document.ts';
import type { AttachedFile, DocumentEvent } from '../../domain/document/events.ts';
import { documentPolicyDecider } from '../../domain/documentPolicy/documentPolicy.ts';
import { fold } from '../../domain/shared/decider.ts';
import { given } from '../support/assertions/deciderSpecification.ts';

const now = '2026-01-01T00:00:00.000Z';
const later = '2026-01-01T01:00:00.000Z';
const documentId = '7c1e9a52-3b0d-4f68-9a17-2d4c6e8f0b31';
const bat = '110000000001';
const dorj = '110000000002';
const digest = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const created = (...signers: readonly (string | null)[]): DocumentEvent => ({
  type: 'DocumentCreated',
  data: {
    documentId,
    tenantId: 'default',
    title: 'Гэрээ',
    docType: 'CONTRACT',
    signers,
    owner: null,
    clientId: null,
    createdAt: now,
  },
});
const file: AttachedFile = {
  fileId: 'f1',
  sha256: digest,
  sizeBytes: 3,
  fileName: 'a.pdf',
  contentType: 'application/pdf',
  warnings: ['HIDDEN_LAYERS'],
};
const attached: DocumentEvent = {
  type: 'DocumentFileAttached',
  data: { ...file, documentId, owner: null, attachedAt: now },
};
const signingBy = (civilId: string): Omit<Signing, 'documentId'> => ({
  sessionId: `of ${civilId}`,
  civilId,
  rail: 'EID',
  format: 'approval',
  coveredDigest: digest,
  preparedId: null,
  startedAt: now,
  endsAt: '2026-01-01T00:03:00.000Z',
});
const started = (civilId: string): DocumentEvent => ({
  type: 'DocumentSigningStarted',
  data: { documentId, ...signingBy(civilId) },
});
const signatureBy = (civilId: string): Omit<DocumentSignature, 'documentId'> => ({
  sessionId: `of ${civilId}`,
  civilId,
  rail: 'EID',
  format: 'approval',
  coveredDigest: digest,
  proof: 'eid_signature',
  certificateSerial: '0a',
  certificateLevel: 'QUALIFIED',
  signatureAlgorithm: 'ecdsa-with-SHA256',
  signature: 'MEUC',
  evidence: null,
  signedFile: null,
  signedAt: now,
});
const signed = (civilId: string): DocumentEvent => ({
  type: 'DocumentSigned',
  data: { documentId, ...signatureBy(civilId) },
});
const endedFor = (civilId: string, endResult: string, isRejection: boolean): DocumentEvent => ({
  type: 'DocumentSigningEnded',
  data: {
    documentId,
    sessionId: `of ${civilId}`,
    civilId,
    rail: 'EID',
    endResult,
    isRejection,
    endedAt: now,
  },
});
const start = (
  civilId: string,
  options: { readonly fileId?: string; readonly requiresNamedSigner?: boolean } = {},
): DocumentCommand => ({
  type: 'StartSigning',
  signing: signingBy(civilId),
  fileId: null,
  requiresNamedSigner: false,
  ...options,
});
const recordOf = (...events: readonly DocumentEvent[]) =>
  fold(documentDecider, events) as DocumentRecord;

describe('A document', () => {
  const document = given(documentDecider);
  const attach: DocumentCommand = { type: 'AttachFile', file, now };

  it('is made once', () => {
    const { data } = created(null) as Extract<DocumentEvent, { type: 'DocumentCreated' }>;
    const create = { type: 'CreateDocument', created: data } as const;
    document([])
      .when(create)
      .then([created(null)]);
    document([created(null)])
      .when(create)
      .thenRefuses('CONFLICT');
  });

  it('takes a file, and another in its place, until the first signature', () => {
    document([created(null)])
      .when(attach)
      .then([attached]);
    document([created(null), attached])
      .when(attach)
      .then([attached]);
    document([created(null, null), started(bat)])
      .when(attach)
      .thenRefuses('SIGNING_UNDER_WAY');
    document([created(null, null), started(bat), signed(bat)])
      .when(attach)
      .thenRefuses('DOCUMENT_FROZEN');
    document([]).when(attach).thenRefuses('NOT_FOUND');
  });

  it('is signed in order, by whom it names', () => {
    const past = [created(bat, null)];
    document(past).when(start(dorj)).thenRefuses('NOT_THE_SIGNER');
    document(past)
      .when(start(bat))
      .then([started(bat)]);
    document([...past, started(bat)])
      .when(start(bat))
      .thenRefuses('SIGNING_UNDER_WAY');
    const once = [...past, started(bat), signed(bat)];
    document(once).when(start(bat)).thenRefuses('ALREADY_SIGNED');
    document(once)
      .when(start(dorj))
      .then([started(dorj)]);
    document(once)
      .when(start(dorj, { requiresNamedSigner: true }))
      .thenRefuses('SIGNER_NOT_NAMED');
    const twice = [...once, started(dorj), signed(dorj)];
    document(twice).when(start(bat)).thenRefuses('DOCUMENT_FROZEN');
    expect([past, once, twice].map((events) => recordOf(...events).status)).to.deep.equal([
      ...['DRAFT', 'PENDING_APPROVAL', 'APPROVED'],
    ]);
  });

  it('is signed as it was when it was prepared', () => {
    document([created(null), attached])
      .when(start(bat))
      .thenRefuses('CONFLICT');
    document([created(null), attached])
      .when(start(bat, { fileId: 'f1' }))
      .then([started(bat)]);
  });

  it('records a signature once, and only one it asked for', () => {
    const record = { type: 'RecordSignature', signature: signatureBy(bat) } as const;
    document([created(null), started(bat)])
      .when(record)
      .then([signed(bat)]);
    document([created(null, null), started(bat), signed(bat)])
      .when(record)
      .then([]);
    document([created(null)])
      .when(record)
      .thenRefuses('CONFLICT');
    document([created(null), started(dorj)])
      .when(record)
      .thenRefuses('CONFLICT');
    // The file was replaced since: a late answer is about what is gone.
    document([created(null), started(bat), endedFor(bat, 'TIMEOUT', false), attached])
      .when(record)
      .thenRefuses('CONFLICT');
    for (const another of [
      { coveredDigest: digest.replaceAll('9', '8') },
      { civilId: dorj },
      { sessionId: 'of nobody' },
    ]) {
      document([created(null), started(bat)])
        .when({ type: 'RecordSignature', signature: { ...signatureBy(bat), ...another } })
        .thenRefuses('CONFLICT');
    }
  });

  it('keeps an open place from who is named further on, and gives it to anybody else', () => {
    // Signing there as well they could not: nobody signs twice, and nobody could take their place.
    document([created(null, bat)])
      .when(start(bat))
      .thenRefuses('NOT_THE_SIGNER');
    document([created(null, bat)])
      .when(start(dorj))
      .then([started(dorj)]);
  });

  it('asks another, or takes another file, once it is known how asking one has ended', () => {
    const late = { ...signingBy(dorj), startedAt: later, endsAt: later };
    const asking: DocumentCommand = {
      type: 'StartSigning',
      signing: late,
      fileId: null,
      requiresNamedSigner: false,
    };
    // Their time is over, but they may have signed: nothing of that is thrown away.
    const asked = [created(null), started(bat)];
    document(asked).when(asking).thenRefuses('SIGNING_UNDER_WAY');
    document(asked)
      .when({ ...attach, now: later })
      .thenRefuses('SIGNING_UNDER_WAY');
    const ended = [...asked, endedFor(bat, 'TIMEOUT', false)];
    document(ended)
      .when(asking)
      .then([{ type: 'DocumentSigningStarted', data: { documentId, ...late } }]);
    document(ended).when(attach).then([attached]);
    expect(recordOf(...ended)).to.deep.include({ status: 'PENDING_APPROVAL', signing: null });
    expect(recordOf(...ended).endings.get(`of ${bat}`)).to.equal('TIMEOUT');
  });

  it('N1: takes so many files and signings, since all of them are read each time', () => {
    const full = [created(null), ...Array<DocumentEvent>(mostChanges).fill(attached)];
    document(full.slice(0, -1)).when(attach).then([attached]);
    document(full).when(attach).thenRefuses('DOCUMENT_FROZEN');
    const asked = Array.from({ length: mostChanges }, () => [
      started(bat),
      endedFor(bat, 'TIMEOUT', false),
    ]).flat();
    document([created(null), ...asked])
      .when(attach)
      .thenRefuses('DOCUMENT_FROZEN');
    expect(() =>
      expectTurn(recordOf(...full), { civilId: bat, requiresNamedSigner: false }),
    ).to.throw('A document allows 500 files and signings');
  });

  it('is rejected by a named signer, not by one of many', () => {
    const refused = (sessionId: string, endResult = 'USER_REFUSED') =>
      ({ type: 'EndSigning', sessionId, endResult, now }) as const;
    const ended = (endResult: string, isRejection: boolean) =>
      endedFor(bat, endResult, isRejection);
    const named = [created(bat), started(bat)];
    const mine = `of ${bat}`;
    document(named)
      .when(refused(mine))
      .then([ended('USER_REFUSED', true)]);
    document(named)
      .when(refused(mine, 'USER_REFUSED_VC_CHOICE'))
      .then([ended('USER_REFUSED_VC_CHOICE', true)]);
    document(named)
      .when(refused(mine, 'TIMEOUT'))
      .then([ended('TIMEOUT', false)]);
    document(named).when(refused('another')).then([]);
    document([created(null), started(bat)])
      .when(refused(mine))
      .then([ended('USER_REFUSED', false)]);
    const rejected = [...named, ended('USER_REFUSED', true)];
    document(rejected).when(start(bat)).thenRefuses('DOCUMENT_FROZEN');
    document(rejected).when(attach).thenRefuses('DOCUMENT_FROZEN');
  });

  it('is signed as what it carries: pades, detached, approval', () => {
    const text = { ...attached.data, contentType: 'text/plain' } as typeof attached.data;
    expect(formatOf(recordOf(created(null)))).to.equal('approval');
    expect(formatOf(recordOf(created(null), attached))).to.equal('pades');
    const plain = { type: 'DocumentFileAttached', data: text } as DocumentEvent;
    expect(formatOf(recordOf(created(null), plain))).to.equal('detached');
  });

  it('gives out the copy that was signed last, and keeps every one', () => {
    const copyBy = (civilId: string, fileId: string): DocumentEvent => ({
      type: 'DocumentSigned',
      data: {
        documentId,
        ...signatureBy(civilId),
        signedFile: { fileId, sha256: digest, sizeBytes: 9 },
      },
    });
    const once = [created(null, null), attached, started(bat), copyBy(bat, 's1')];
    const twice = recordOf(...once, started(dorj), copyBy(dorj, 's2'));
    expect(currentFile(recordOf(created(null), attached))?.fileId).to.equal('f1');
    expect(currentFile(recordOf(...once))?.fileId).to.equal('s1');
    expect(currentFile(twice)?.fileId).to.equal('s2');
    expect(filesOf(twice)).to.deep.equal(['f1', 's1', 's2']);
  });

  it('says in an approval who it is about, with its keys in order', () => {
    expect(approvalRecord(recordOf(created(bat, null)))).to.equal(
      `{"created_at":"${now}","doc_type":"CONTRACT","id":"${documentId}",` +
        `"signers":["PNOMN-${bat}",null],"tenant_id":"default","title":"Гэрээ"}`,
    );
  });
});

describe('The policies of an organization', () => {
  const policies = given(documentPolicyDecider);
  const terms = { allowEid: true, allowDan: false, requireNamedSigner: true };
  const change = { type: 'ChangePolicies', tenantId: 't', docTypes: ['REQUEST'], now } as const;

  it('change once, for the types that are not so yet', () => {
    const data = { tenantId: 't', docType: 'REQUEST', ...terms, changedAt: now } as const;
    const changed = { type: 'DocumentPolicyChanged', data } as const;
    policies([])
      .when({ ...change, terms })
      .then([changed]);
    policies([changed])
      .when({ ...change, terms })
      .then([]);
    const usual = { allowEid: true, allowDan: true, requireNamedSigner: false };
    policies([])
      .when({ ...change, terms: usual })
      .then([]);
  });

  it('leave a way to sign', () => {
    const none = { ...terms, allowEid: false };
    policies([])
      .when({ ...change, terms: none })
      .thenRefuses('INVALID_REQUEST');
  });
});
