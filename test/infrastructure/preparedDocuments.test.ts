import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type {
  PreparedDocument,
  PreparedDocuments,
} from '../../application/stamp/ports/preparedDocuments.ts';
import type { WatchingVault } from '../../infrastructure/codec/personalDataVault.ts';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { createPostgresPreparedDocuments } from '../../infrastructure/postgres/preparedDocuments.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { testVault } from '../support/doubles/vault.ts';

describe('Prepared documents', () => {
  let pool: ReturnType<typeof createPool>;
  let vault: WatchingVault;
  let documents: PreparedDocuments;
  // Taken when the tests begin, not when the file is loaded: the database has its own clock.
  let now: Date;

  before(async () => {
    now = new Date();
    pool = createPool({ url: await freshDatabase(), max: 4, queryTimeoutMs: 5000 });
    await migrate(createDatabase(pool));
    vault = testVault();
    documents = createPostgresPreparedDocuments({ pool, vault, maxBytesPerRelyingParty: 100_000 });
  });

  after(() => pool.end());

  function prepared(changes: Partial<PreparedDocument> = {}): PreparedDocument {
    return {
      preparedId: randomUUID(),
      relyingPartyId: randomUUID(),
      civilId: '110000000001',
      certificateSerial: '4a',
      hash: 'SHA256',
      digest: randomBytes(32).toString('hex'),
      fileName: 'Гэрээ.pdf',
      documentDigest: randomBytes(32).toString('hex'),
      warnings: [],
      pdf: {
        bytes: randomBytes(40_000),
        contentsAt: 7,
        contentsBytes: 9,
        attributes: randomBytes(100),
      },
      expiresAt: new Date(now.getTime() + 60_000).toISOString(),
      ...changes,
    };
  }

  const find = ({ relyingPartyId, digest }: PreparedDocument, at = now) =>
    documents.find(relyingPartyId, { digest }, at);

  it('are found by their digest, by whoever prepared them alone, until they expire', async () => {
    const document = prepared();
    expect(await documents.keep(document)).to.equal(true);
    expect(await find(document)).to.deep.equal(document);
    expect(await find({ ...document, relyingPartyId: randomUUID() })).to.equal(null);
    expect(await find(document, new Date(document.expiresAt))).to.equal(null);
  });

  it('are found by their id, too', async () => {
    const document = prepared();
    await documents.keep(document);
    const { relyingPartyId, preparedId } = document;
    expect(await documents.find(relyingPartyId, { preparedId }, now)).to.deep.equal(document);
    expect(await documents.find(randomUUID(), { preparedId }, now)).to.equal(null);
  });

  describe('say what they can do', () => {
    async function kept() {
      const active = prepared({ relyingPartyId: randomUUID(), warnings: ['JAVASCRIPT'] });
      const plain = prepared({ relyingPartyId: active.relyingPartyId });
      for (const each of [active, plain]) await documents.keep(each);
      const digests = [active.digest, plain.digest, 'ff'.repeat(32)];
      const warnings = async (of = active.relyingPartyId, at = now) => [
        ...(await documents.warningsOf(of, digests, at)),
      ];
      const change = (to: string) =>
        pool.query(`update prepared_document set ${to} where relying_party_id = $1`, [
          active.relyingPartyId,
        ]);
      const both = [
        [active.digest, ['JAVASCRIPT']],
        [plain.digest, []],
      ];
      return { active, warnings, change, both };
    }

    it('to whoever prepared them alone, until they expire', async () => {
      const { active, warnings, both } = await kept();
      expect(await warnings()).to.have.deep.members(both);
      expect(await warnings(randomUUID())).to.deep.equal([]);
      expect(await warnings(undefined, new Date(active.expiresAt))).to.deep.equal([]);
    });

    it('without their content being read', async () => {
      const { warnings, change, both } = await kept();
      await change(`content = ''`);
      expect(await warnings()).to.have.deep.members(both);
    });

    it('also when the former release kept them', async () => {
      const { warnings, change, both } = await kept();
      await change('sealed_warnings = null');
      expect(await warnings()).to.have.deep.members(both);
    });

    it('until their signer is forgotten', async () => {
      const forgotten = prepared({ civilId: '110000000003', warnings: ['JAVASCRIPT'] });
      await documents.keep(forgotten);
      await vault.forget('110000000003');
      const { relyingPartyId, digest } = forgotten;
      const found = await documents.warningsOf(relyingPartyId, [digest], now);
      expect(found.get(digest)).to.deep.equal([]);
    });
  });

  it('are unreadable in the database', async () => {
    const document = prepared();
    await documents.keep(document);
    const { rows } = await pool.query<{ content: Buffer; row: string }>(
      `select content, to_jsonb(prepared_document) - 'content' as row from prepared_document
        where prepared_id = $1`,
      [document.preparedId],
    );
    expect(rows[0]?.content.includes(document.pdf.bytes.subarray(0, 16))).to.equal(false);
    expect(JSON.stringify(rows[0]?.row)).not.to.contain('Гэрээ');
  });

  it('of one relying party take only so much room together', async () => {
    const [first, second, third] = [prepared(), prepared(), prepared()];
    const { relyingPartyId } = first;
    expect(await documents.keep(first)).to.equal(true);
    expect(await documents.keep({ ...second, relyingPartyId })).to.equal(true);
    expect(await documents.keep({ ...third, relyingPartyId })).to.equal(false);
    expect(await documents.keep(third)).to.equal(true);
  });

  it('go when they expire, or when their signer is forgotten', async () => {
    const old = prepared({ expiresAt: new Date(now.getTime() - 1000).toISOString() });
    const forgotten = prepared({ civilId: '110000000002' });
    await documents.keep(old);
    await documents.keep(forgotten);
    await documents.removeExpired(now);
    const { rows } = await pool.query('select 1 from prepared_document where prepared_id = $1', [
      old.preparedId,
    ]);
    expect(rows).to.deep.equal([]);
    await vault.forget('110000000002');
    expect(await find(forgotten)).to.equal(null);
  });
});
