import 'reflect-metadata';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { expect } from 'chai';
import type { RevocationState } from '../../application/certificate/ports/revocationLists.ts';
import { createRevocationListBuilder } from '../../infrastructure/crl/revocationListBuilder.ts';
import {
  createTestVault,
  startTestAuthority,
  type TestAuthority,
} from '../support/doubles/memoryPki.ts';
import { openssl, printedError, skipWithoutOpenssl } from '../support/programs/openssl.ts';
import { ecKey, newSerial, order } from '../support/pki/pkiFixtures.ts';

const heading = (number = 1n) => ({
  number,
  thisUpdate: new Date(Math.floor(Date.now() / 1000) * 1000),
  nextUpdate: new Date(Math.floor(Date.now() / 1000) * 1000 + 86_400_000),
});

function revoked(changes: Partial<RevocationState> = {}): RevocationState {
  return {
    serial: newSerial(),
    authority: 'personal',
    state: 'revoked',
    reason: 1,
    revokedAt: '2026-05-06T07:08:09.123Z',
    notAfter: '2029-01-01T00:00:00Z',
    ...changes,
  };
}

describe('A revocation list', function () {
  this.timeout(60_000);
  let test: TestAuthority & { readonly vault: ReturnType<typeof createTestVault>['vault'] };
  let stop: () => Promise<void>;

  before(async () => {
    const { vault, ecdsaDigests } = createTestVault();
    const started = await startTestAuthority({ vault });
    test = { ...started, vault };
    stop = async () => {
      await started.stop();
      await ecdsaDigests.stop();
    };
  });

  after(() => stop());

  const newBuilder = (authority: 'root' | 'personal' | 'organization' = 'personal') =>
    createRevocationListBuilder(test.authority.issuer(authority), test.vault);

  /** The list as the X.509 library reads it. */
  async function read(der: Buffer) {
    const list = new x509.X509Crl(der);
    const issuer = new x509.X509Certificate(test.authority.issuer('personal').certificate);
    expect(await list.verify({ publicKey: issuer })).to.equal(true);
    return list;
  }

  it('says what is revoked, when and why', async () => {
    const builder = newBuilder();
    const states = [0, 1, 2, 3, 4, 5, 9, 10].map((reason) => revoked({ reason }));
    for (const state of states) builder.load(state);
    const list = await read(await builder.sign(heading()));
    expect(
      list.entries.map(({ serialNumber, reason, revocationDate }) => ({
        serial: serialNumber,
        reason: reason ?? 0,
        date: revocationDate.toISOString(),
      })),
    ).to.deep.equal(
      states.map(({ serial, reason }) => ({ serial, reason, date: '2026-05-06T07:08:09.000Z' })),
    );
    expect(list.entries[0]?.extensions, 'none for unspecified').to.deep.equal([]);
  });

  it('names its CA, number and times, and has nothing else', async () => {
    const given = heading(0x80fffn);
    const list = await read(await newBuilder().sign(given));
    const { certificate } = test.authority.issuer('personal');
    expect(list.issuerName.toString()).to.equal(new x509.X509Certificate(certificate).subject);
    expect(list.thisUpdate).to.deep.equal(given.thisUpdate);
    expect(list.nextUpdate).to.deep.equal(given.nextUpdate);
    expect(list.entries).to.deep.equal([]);
    const values = list.extensions.map(({ type, critical, value }) => ({
      type,
      critical,
      value: Buffer.from(value).toString('hex'),
    }));
    const keyIdentifier = new x509.X509Certificate(certificate).getExtension(
      x509.SubjectKeyIdentifierExtension,
    )?.keyId;
    expect(values).to.deep.equal([
      { type: '2.5.29.35', critical: false, value: `30168014${String(keyIdentifier)}` },
      { type: '2.5.29.20', critical: false, value: '0203080fff' },
    ]);
  });

  it('writes times from 2050 on and serial numbers of any length as DER wants them', async () => {
    const builder = newBuilder();
    const serials = ['01', '7f', '80', 'ff00', 'f0'.repeat(20)];
    for (const serial of serials) {
      builder.load(revoked({ serial, revokedAt: '2050-01-02T03:04:05.000Z' }));
    }
    const { entries } = await read(await builder.sign(heading()));
    expect(entries.map(({ serialNumber }) => serialNumber)).to.deep.equal(serials);
    expect(entries[0]?.revocationDate.toISOString()).to.equal('2050-01-02T03:04:05.000Z');
    for (const serial of ['', '00', 'xyzz', 'f'.repeat(42)]) {
      expect(() => newBuilder().load(revoked({ serial })), serial).to.throw(RangeError);
    }
  });

  it('takes a certificate off hold, and keeps one that was revoked after it', async () => {
    const builder = newBuilder();
    const [reinstated, final] = [newSerial(), newSerial()];
    for (const serial of [reinstated, final]) {
      builder.apply(revoked({ serial, state: 'held', reason: 6 }));
    }
    expect((await read(await builder.sign(heading()))).entries).to.have.length(2);
    builder.apply(revoked({ serial: reinstated, state: 'clear' }));
    builder.apply(revoked({ serial: final, reason: 4 }));
    const { entries } = await read(await builder.sign(heading()));
    expect(entries.map(({ serialNumber, reason }) => [serialNumber, reason])).to.deep.equal([
      [final, 4],
    ]);
  });

  it('shows a certificate once, however often it is told', async () => {
    const builder = newBuilder();
    const once = revoked();
    for (let count = 0; count < 3; count += 1) builder.apply(once);
    expect((await read(await builder.sign(heading()))).entries).to.have.length(1);
    expect(builder.size).to.equal(1);
  });

  it('drops certificates that ended before a day, final or on hold', async () => {
    const builder = newBuilder();
    const kept = revoked({ notAfter: '2026-03-01T00:00:00Z' });
    for (const notAfter of ['2026-02-28T23:59:59Z', '2025-01-01T00:00:00Z']) {
      builder.load(revoked({ notAfter }));
      builder.load(revoked({ notAfter, state: 'held' }));
    }
    builder.load(kept);
    builder.dropEndedBefore(new Date('2026-03-01T12:00:00Z'));
    const { entries } = await read(await builder.sign(heading()));
    expect(entries.map(({ serialNumber }) => serialNumber)).to.deep.equal([kept.serial]);
    expect(builder.size).to.equal(1);
  });

  it('is not changed by revocations during its signing', async () => {
    const builder = newBuilder();
    for (let count = 0; count < 200; count += 1) builder.load(revoked());
    const signing = builder.sign(heading());
    for (let count = 0; count < 200; count += 1) builder.apply(revoked());
    expect((await read(await signing)).entries).to.have.length(200);
    expect((await read(await builder.sign(heading()))).entries).to.have.length(400);
  });

  it('of a million entries lets the event loop turn while it is signed', async () => {
    const builder = newBuilder();
    const state = revoked();
    for (let count = 0; count < 1_000_000; count += 1) {
      builder.load({ ...state, serial: (2 ** 40 + count).toString(16).padStart(12, '1') });
    }
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    const der = await builder.sign(heading());
    isDone = true;
    expect(der.length).to.be.above(30_000_000);
    expect(turns).to.be.above(3);
  });

  describe('before OpenSSL', () => {
    let directory: string;
    const path = (name: string) => join(directory, name);

    before(async function () {
      directory = await mkdtemp(join(tmpdir(), 'tamga-crl-'));
      await skipWithoutOpenssl(this);
    });

    after(() => rm(directory, { recursive: true, force: true }));

    async function write(name: string, authority: 'root' | 'personal', serials: string[]) {
      const builder = newBuilder(authority);
      for (const serial of serials) builder.load(revoked({ serial, authority }));
      await writeFile(path('der'), await builder.sign(heading()));
      await openssl('crl', '-inform', 'der', '-in', path('der'), '-out', path(name));
    }

    for (const authority of ['root', 'personal', 'organization'] as const) {
      it(`the list of the ${authority} CA verifies`, async () => {
        const { certificate } = test.authority.issuer(authority);
        await writeFile(path('ca.pem'), new X509Certificate(certificate).toString());
        const builder = newBuilder(authority);
        for (let count = 0; count < 5000; count += 1) builder.load(revoked({ reason: count % 6 }));
        await writeFile(path('list'), await builder.sign(heading()));
        const outcome = await openssl(
          ...['crl', '-inform', 'der', '-in', path('list'), '-CAfile', path('ca.pem')],
          ...['-noout', '-text'],
        );
        expect(outcome).to.contain('verify OK');
        expect(outcome.match(/Serial Number/g)).to.have.length(5000);
      });
    }

    it('decides whether a certificate is accepted', async () => {
      const { certificates } = test.authority;
      const pem = (der: Buffer) => new X509Certificate(der).toString();
      await writeFile(path('root.pem'), pem(certificates.root));
      await writeFile(path('issuing.pem'), certificates.issuing.map(pem).join(''));
      const serial = newSerial();
      const certificate = await test.authority.issue(order(ecKey().publicKey, { serial }));
      await writeFile(path('cert.pem'), pem(certificate));
      const verify = async () => {
        const parameters = [
          ...['verify', '-crl_check_all', '-x509_strict', '-CAfile', path('root.pem')],
          ...['-untrusted', path('issuing.pem'), '-CRLfile', path('personal.crl')],
          ...['-CRLfile', path('root.crl'), path('cert.pem')],
        ];
        return openssl(...parameters).catch(printedError);
      };
      await write('root.crl', 'root', []);
      await write('personal.crl', 'personal', [newSerial()]);
      expect(await verify()).to.contain('cert.pem: OK');
      await write('personal.crl', 'personal', [newSerial(), serial, newSerial()]);
      expect(await verify()).to.contain('certificate revoked');
    });
  });
});
