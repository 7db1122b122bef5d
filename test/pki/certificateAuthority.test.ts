import { execFile } from 'node:child_process';
import { sign, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { caKindFor } from '../../application/ports/certificateAuthority.ts';
import { certificateLevels } from '../../domain/shared/certificateLevel.ts';
import { certificatePem, writeTrustFiles } from '../../infrastructure/pki/trustFiles.ts';
import {
  createMemoryCaCertificates,
  createTestVault,
  startTestAuthority,
  type TestAuthority,
} from '../support/doubles/memoryPki.ts';
import {
  compressedKey,
  ecKey,
  newSerial,
  order,
  rsaKey,
  rsaPublicKey4095,
  sealOrder,
} from '../support/pki/pkiFixtures.ts';
import { rejection } from '../support/assertions/rejection.ts';

const run = promisify(execFile);

describe('Certificate authority', () => {
  let test: TestAuthority;
  let directory: string;
  let trust: { readonly anchorsPem: string; readonly intermediatesPem: string };
  const ec = ecKey();
  const rsa = rsaKey();

  before(async () => {
    test = await startTestAuthority();
    directory = await mkdtemp(join(tmpdir(), 'tamga-pki-'));
    trust = await writeTrustFiles(directory, test.authority.certificates);
  });

  after(async () => {
    await test.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('F18: lets certificates begin earlier than they are made, never before their CA', async () => {
    let now = Date.parse('2026-06-01T00:00:00.500Z');
    const slow = await startTestAuthority({
      clock: { now: () => new Date(now) },
      clockSlackMs: 300_000,
    });
    const { authority } = slow;
    const names = ['root', 'personal', 'organization'] as const;
    const created = new Date('2026-05-31T23:55:00Z');
    for (const name of names) {
      expect(authority.issuer(name).notBefore, name).to.deep.equal(created);
      expect(authority.beginOfValidity(name, new Date(now)), name).to.deep.equal(created);
    }
    now += 60_000;
    for (const name of names) {
      const begin = authority.beginOfValidity(name, new Date(now));
      expect(begin, name).to.deep.equal(new Date('2026-05-31T23:56:00Z'));
    }
    now -= 120_000;
    for (const name of names) {
      expect(authority.beginOfValidity(name, new Date(now)), name).to.deep.equal(created);
    }
    await slow.stop();
  });

  async function pemFile(name: string, der: Buffer): Promise<string> {
    const path = join(directory, name);
    await writeFile(path, certificatePem(der));
    return path;
  }

  async function text(der: Buffer): Promise<string> {
    const path = await pemFile(`${newSerial()}.pem`, der);
    return (await run('openssl', ['x509', '-in', path, '-noout', '-text', '-nameopt', 'utf8']))
      .stdout;
  }

  for (const type of ['AUTH', 'SIGN'] as const) {
    for (const level of certificateLevels) {
      for (const keyType of ['P-256', 'RSA'] as const) {
        it(`issues a ${type} ${level} certificate for ${keyType} that openssl verifies`, async () => {
          const { publicKey } = keyType === 'RSA' ? rsa : ec;
          const der = await test.authority.issue(order(publicKey, { type, level, keyType }));

          const path = await pemFile(`${type}-${level}-${keyType}.pem`, der);
          const { stdout } = await run('openssl', [
            'verify',
            '-x509_strict',
            ...['-CAfile', trust.anchorsPem],
            ...['-untrusted', trust.intermediatesPem],
            path,
          ]);
          expect(stdout.trim()).to.equal(`${path}: OK`);
        });
      }
    }
  }

  it('writes what openssl reads back in a qualified signing certificate', async () => {
    const wanted = order(ec.publicKey);
    const shown = await text(await test.authority.issue(wanted));

    expect(shown).to.match(/Version: 3 /);
    expect(shown).to.include(wanted.serial.match(/../g)?.join(':'));
    expect(shown).to.match(/Signature Algorithm: ecdsa-with-SHA256/);
    expect(shown).to.match(
      /Issuer: C=MN, O=Tamga, organizationIdentifier=NTRMN-0000000, CN=Tamga Personal Issuing CA/,
    );
    expect(shown).to.match(
      /Subject: C=MN, SN=Дорж, GN=Бат, serialNumber=PNOMN-123456789012, CN=Дорж Бат/,
    );
    expect(shown).to.match(/X509v3 Key Usage: critical\n\s+Non Repudiation\n/);
    expect(shown).not.to.include('Extended Key Usage');
    expect(shown).not.to.include('Basic Constraints');
    expect(shown).to.include('Policy: 0.4.0.194112.1.0');
    expect(shown).to.match(/Policy: 1\.3\.6\.1\.4\.1\.32473\.1\.1\.2\.2\n/);
    expect(shown).to.include('OCSP - URI:http://pki.test/ocsp');
    expect(shown).to.include('CA Issuers - URI:http://pki.test/ca/personal.cer');
    expect(shown).to.include('URI:http://pki.test/crl\n');
    expect(shown).to.include('qcStatements');
  });

  it('writes an authentication certificate for client authentication without any claim of being qualified', async () => {
    const der = await test.authority.issue(order(ec.publicKey, { type: 'AUTH' }));
    const shown = await text(der);

    expect(shown).to.match(/X509v3 Key Usage: critical\n\s+Digital Signature\n/);
    expect(shown).to.include('TLS Web Client Authentication');
    expect(shown).to.include('Policy: 0.4.0.2042.1.1');
    expect(der.includes(Buffer.from('0604008e460101', 'hex')), 'QcCompliance').to.equal(false);
  });

  it('states QcSSCD and the QSCD policy at level QSCD alone', async () => {
    const qcSscd = Buffer.from('04008e460104', 'hex');
    for (const level of certificateLevels) {
      const der = await test.authority.issue(order(ec.publicKey, { level }));
      expect(der.includes(qcSscd), level).to.equal(level === 'QSCD');
      expect((await text(der)).includes('0.4.0.194112.1.2'), level).to.equal(level === 'QSCD');
    }
  });

  for (const [level, policy, own] of [
    ['QUALIFIED', '0.4.0.194112.1.1', '2.2'],
    ['QSCD', '0.4.0.194112.1.3', '2.3'],
  ] as const) {
    it(`writes what openssl reads back in a seal certificate of level ${level}`, async () => {
      const der = await test.authority.issue(sealOrder(ec.publicKey, { level }));
      const shown = await text(der);

      expect(shown).to.match(/Issuer: .*CN=Tamga Organization Issuing CA\n/);
      expect(shown).to.match(
        /Subject: C=MN, O=TAMGA TEST LLC, organizationIdentifier=NTRMN-5123456, serialNumber=5123456, CN=TAMGA TEST LLC\n/,
      );
      expect(shown).to.match(/X509v3 Key Usage: critical\n\s+Non Repudiation\n/);
      expect(shown).not.to.include('Extended Key Usage');
      expect(shown.match(/Policy: .*/g)).to.deep.equal([
        `Policy: ${policy}`,
        `Policy: 1.3.6.1.4.1.32473.1.${own}`,
      ]);
      expect(shown).to.include('URI:http://pki.test/crl/org\n');
      const states = (id: string) => der.includes(Buffer.from(id, 'hex'));
      expect(states('06060400' + '8e460101'), 'QcCompliance').to.equal(true);
      expect(states('06070400' + '8e46010602'), 'QcType eseal').to.equal(true);
      expect(states('06070400' + '8e46010601'), 'QcType esign').to.equal(false);
      expect(states('06060400' + '8e460104'), 'QcSSCD').to.equal(level === 'QSCD');
    });
  }

  it('issues no seal certificate whose registration number Latin letters cannot write', async () => {
    const organization = { etsi: 'NTRMN-ҐБ12345', name: 'TAMGA TEST LLC' };
    const refused = await rejection(
      test.authority.issue(sealOrder(ec.publicKey, { organization })),
    );
    expect(String(refused)).to.match(/subject-encoding/);
  });

  it('chains leaf, issuing CAs and root as Node sees them', async () => {
    const leaf = new X509Certificate(await test.authority.issue(order(ec.publicKey)));
    const root = new X509Certificate(test.authority.certificates.root);
    const [personal, organization] = test.authority.certificates.issuing.map(
      (der) => new X509Certificate(der),
    );

    expect(personal && leaf.checkIssued(personal) && leaf.verify(personal.publicKey)).to.equal(
      true,
    );
    expect(organization && leaf.checkIssued(organization)).to.equal(false);
    for (const ca of [personal, organization, root]) {
      expect(ca?.ca).to.equal(true);
      expect(ca?.checkIssued(root) === true && ca.verify(root.publicKey)).to.equal(true);
    }
    expect(root.publicKey.asymmetricKeyDetails?.namedCurve).to.equal('secp384r1');
    expect(personal?.publicKey.asymmetricKeyDetails?.namedCurve).to.equal('prime256v1');
  });

  it('names the issuing CA of a subject in RFC 4514 form', () => {
    const nameFor = (etsi: string) => test.authority.issuer(caKindFor(etsi)).name;
    expect(nameFor('PNOMN-123456789012')).to.equal(
      'CN=Tamga Personal Issuing CA,organizationIdentifier=NTRMN-0000000,O=Tamga,C=MN',
    );
    expect(nameFor('NTRMN-1234567')).to.include('CN=Tamga Organization Issuing CA');
    expect(() => nameFor('VATMN-1')).to.throw('No issuing CA');
  });

  it('gives a key whose certificate verifies signatures under openssl', async () => {
    const path = await pemFile('signer.pem', await test.authority.issue(order(ec.publicKey)));
    const { stdout: publicKey } = await run('openssl', ['x509', '-in', path, '-noout', '-pubkey']);
    await writeFile(join(directory, 'signer.pub'), publicKey);
    await writeFile(join(directory, 'message'), 'hello');
    await writeFile(
      join(directory, 'signature'),
      sign('sha256', Buffer.from('hello'), ec.privateKey),
    );

    const { stdout } = await run(
      'openssl',
      ['dgst', '-sha256', '-verify', 'signer.pub', '-signature', 'signature', 'message'],
      { cwd: directory },
    );
    expect(stdout.trim()).to.equal('Verified OK');
  });

  it('accepts an RSA key with a modulus of 4095 bits', async () => {
    const der = await test.authority.issue(order(rsaPublicKey4095(), { keyType: 'RSA' }));
    expect(new X509Certificate(der).publicKey.asymmetricKeyDetails?.modulusLength).to.equal(4095);
  });

  for (const [what, changes, rule] of [
    ['a P-384 key of a citizen', { publicKey: ecKey('P-384').publicKey }, 'public-key'],
    ['a compressed point', { publicKey: compressedKey() }, 'public-key'],
    ['a key of another type than ordered', { keyType: 'RSA' as const }, 'public-key'],
    [
      'an empty name',
      { subject: { etsi: 'PNOMN-123456789012', givenName: '', surname: 'Дорж' } },
      'subject-attributes',
    ],
    [
      'a civil id that is none',
      { subject: { etsi: 'PNOMN-12', givenName: 'Бат', surname: 'Дорж' } },
      'subject-identifier',
    ],
    ['a short serial', { serial: '0102' }, 'serial-number'],
    [
      'a validity beyond the issuer',
      { notAfter: new Date('2090-01-01T00:00:00Z') },
      'validity-within-issuer',
    ],
  ] as const) {
    it(`refuses ${what} before signing`, async () => {
      const error = await rejection(test.authority.issue(order(ec.publicKey, changes)));
      expect(error).to.have.property('message').that.includes(rule);
    });
  }

  it('cuts a common name that would be too long and keeps the full names beside it', async () => {
    const subject = {
      etsi: 'PNOMN-123456789012',
      givenName: 'Ё'.repeat(50),
      surname: 'Ө'.repeat(40),
    };
    const shown = await text(await test.authority.issue(order(ec.publicKey, { subject })));
    expect(shown).to.include(`CN=${'Ө'.repeat(40)} ${'Ё'.repeat(23)}\n`);
    expect(shown).to.include(`GN=${'Ё'.repeat(50)},`);
  });

  it('starts a second time with the same certificates', async () => {
    const certificates = createMemoryCaCertificates();
    const { vault } = createTestVault();
    const first = await startTestAuthority({ certificates, vault });
    const second = await startTestAuthority({ certificates, vault });
    expect(second.authority.certificates).to.deep.equal(first.authority.certificates);
  });

  it('refuses addresses that certificates must not point to', async () => {
    for (const baseUrl of ['https://pki.test', 'http://pki.test/', 'pki.test', '']) {
      const error = await rejection(startTestAuthority({ baseUrl }));
      expect(error).to.have.property('message').that.includes('must begin with http://');
    }
  });

  it('refuses to start when the vault has another key than the certificate', async () => {
    const certificates = createMemoryCaCertificates();
    await startTestAuthority({ certificates });
    const error = await rejection(startTestAuthority({ certificates }));
    expect(error).to.have.property('message').that.includes('does not belong to the key');
  });

  it('writes GeneralizedTime from 2050 on', async () => {
    const { authority } = await startTestAuthority({ rootYears: 35 });
    const root = new X509Certificate(authority.certificates.root);
    expect(new Date(root.validTo).getUTCFullYear()).to.equal(new Date().getUTCFullYear() + 35);
    expect(
      authority.certificates.root.includes(Buffer.from(`${new Date().getUTCFullYear() + 35}`)),
    ).to.equal(true);
  });
});
