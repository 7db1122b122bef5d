import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createDocuments } from '../../application/document/documents.ts';
import { createDocumentErasure } from '../../application/document/eraseDocuments.ts';
import { tenantOfCitizen } from '../../application/ports/platformTokens.ts';
import { createMemoryFileStore } from '../support/doubles/memoryFileStore.ts';
import { causedBy, givenInMemory } from '../support/given/inMemory.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';

const [bat, dorj] = ['110000000001', '110000000002'] as const;
const now = '2026-01-01T00:00:00.000Z';
const context = causedBy('system', 'test');

describe('F12: documents of a person who is forgotten', () => {
  const { stores, vault } = givenInMemory({ clock: () => manualClock(now) });
  const store = createMemoryFileStore();
  const documents = createDocuments(stores);
  const made: string[] = [];
  const erasure = createDocumentErasure({
    documents,
    store,
    vault,
    documentsOfPerson: { documentsOf: () => Promise.resolve(made) },
  });

  beforeEach(() => {
    made.length = 0;
  });

  /** A document with a file. @param signed by whom */
  async function document(tenantId: string, signers: readonly string[], signed: readonly string[]) {
    const documentId = randomUUID();
    made.push(documentId);
    const created = {
      documentId,
      tenantId,
      signers,
      title: 'x',
      docType: 'CONTRACT' as const,
      owner: signers[0] ?? null,
      clientId: null,
      createdAt: now,
    };
    await documents.handleNew(documentId, { type: 'CreateDocument', created }, context);
    const file = {
      fileId: randomUUID(),
      sha256: 'ab',
      sizeBytes: 1,
      fileName: 'a.txt',
      contentType: 'text/plain',
      warnings: null,
    };
    await documents.handle(documentId, { type: 'AttachFile', file, now }, context);
    for (const civilId of signed) {
      const about = {
        sessionId: randomUUID(),
        civilId,
        rail: 'EID',
        format: 'detached',
        coveredDigest: 'ab',
      } as const;
      const signing = { ...about, preparedId: null, startedAt: now, endsAt: now };
      await documents.handle(
        documentId,
        { type: 'StartSigning', signing, fileId: file.fileId, requiresNamedSigner: false },
        context,
      );
      const signature = {
        ...about,
        proof: 'eid_signature',
        certificateSerial: '0a',
        certificateLevel: 'QUALIFIED',
        signatureAlgorithm: 'x',
        signature: '',
        evidence: null,
        signedFile: null,
        signedAt: now,
      } as const;
      await documents.handle(documentId, { type: 'RecordSignature', signature }, context);
    }
    return documentId;
  }

  const own = tenantOfCitizen(bat);

  it('lose their file when unsigned, whoever else is named or created it', async () => {
    const ids = [
      await document(own, [bat], []),
      await document(own, [bat, dorj], []),
      await document('default', [bat], []),
    ];
    expect(await erasure.foresee(bat)).to.deep.equal({ kept: [], erased: ids });
  });

  it('stay when they are signed and the organization or another person is a party', async () => {
    const organizations = await document('default', [bat], [bat]);
    const others = await document(tenantOfCitizen(dorj), [bat], [bat]);
    const both = await document(own, [dorj], [dorj]);
    const alone = await document(own, [bat], [bat]);
    expect(await erasure.foresee(bat)).to.deep.equal({
      kept: [
        { documentId: organizations, reason: 'SIGNED_FOR_ORGANIZATION' },
        { documentId: others, reason: 'SIGNED_WITH_OTHERS' },
        { documentId: both, reason: 'SIGNED_WITH_OTHERS' },
      ],
      erased: [alone],
    });
  });

  it('of citizens go with the last of them, key and file', async () => {
    const id = await document(own, [bat, dorj], [bat, dorj]);
    await vault.forget(bat);
    expect((await erasure.erase(bat)).kept).to.have.length(1);
    expect(await vault.isForgotten(`document:${id}`)).to.equal(false);
    await vault.forget(dorj);
    expect((await erasure.erase(dorj)).erased).to.deep.equal([id]);
    expect(await vault.isForgotten(`document:${id}`)).to.equal(true);
  });
});
