import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { issueCertificate } from '../../application/certificate/issueCertificate.ts';
import type { CertificateAuthority } from '../../application/ports/certificateAuthority.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { startTestAuthority, type TestAuthority } from '../support/doubles/memoryPki.ts';
import { ecKey } from '../support/pki/pkiFixtures.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { causedBy, givenInMemory } from '../support/given/inMemory.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';

describe('Issuing a certificate', () => {
  let test: TestAuthority;
  const { publicKey } = ecKey();
  const context = causedBy('device', 'D-1');
  const application = {
    type: 'SIGN',
    level: 'QUALIFIED',
    keyType: 'P-256',
    civilId: '123456789012',
    documentNumber: 'D-1',
    givenName: 'Бат',
    surname: 'Дорж',
    publicKey,
  } as const;

  before(async () => {
    test = await startTestAuthority();
  });

  after(() => test.stop());

  function setUp(authority: CertificateAuthority = test.authority, now = new Date()) {
    const { certificates, clock, eventStore, randomness } = givenInMemory({
      clock: () => manualClock(now.toISOString()),
    });
    return { eventStore, dependencies: { certificates, authority, clock, randomness } };
  }

  it('records the intent, then the certificate, in its own stream', async () => {
    const now = new Date(Date.now() + 1234);
    const { eventStore, dependencies } = setUp(test.authority, now);

    const issued = await issueCertificate(dependencies, application, context);

    const x509 = new X509Certificate(issued.certificate);
    expect(x509.serialNumber.toLowerCase()).to.equal(issued.serial);
    expect(issued.serial).to.match(/^[4-7][0-9a-f]{31}$/);
    expect(eventStore.events.map(({ stream, event }) => [stream, event.type])).to.deep.equal([
      [`certificate-${issued.serial}`, 'CertificateRequested'],
      [`certificate-${issued.serial}`, 'CertificateIssued'],
    ]);
    const [requested, recorded] = eventStore.events.map(({ event }) => event.data);
    const notBefore = new Date(Math.floor(now.getTime() / 1000) * 1000);
    expect(requested).to.include({
      authority: 'personal',
      issuer: test.authority.issuer('personal').name,
      publicKey: publicKey.toString('base64'),
      notBefore: notBefore.toISOString(),
      requestedAt: now.toISOString(),
    });
    expect(requested).to.have.deep.property('holder', {
      kind: 'citizen',
      civilId: '123456789012',
      documentNumber: 'D-1',
    });
    expect(new Date(x509.validFrom)).to.deep.equal(notBefore);
    expect(new Date(x509.validTo).getUTCFullYear()).to.equal(notBefore.getUTCFullYear() + 3);
    expect(requested).to.have.property('notAfter', new Date(x509.validTo).toISOString());
    expect(recorded).to.deep.equal({
      serial: issued.serial,
      civilId: '123456789012',
      certificate: issued.certificate.toString('base64'),
      fingerprint: sha256Hex(issued.certificate),
      issuedAt: now.toISOString(),
    });
    expect(issued.position).to.equal(eventStore.events.at(-1)?.position);
  });

  it('leaves the request when nothing could be signed', async () => {
    const { eventStore, dependencies } = setUp({
      ...test.authority,
      issue: () => Promise.reject(new Unavailable('keyVault')),
    });

    const error = await rejection(issueCertificate(dependencies, application, context));

    expect(error).to.be.instanceOf(Unavailable);
    expect(eventStore.events.map(({ event }) => event.type)).to.deep.equal([
      'CertificateRequested',
    ]);
  });

  it('ends a certificate where its issuer ends', async () => {
    const { dependencies } = setUp();
    const { certificate } = await issueCertificate(
      { ...dependencies, validityYears: 3 },
      application,
      context,
    );
    const short = await startTestAuthority({ issuingYears: 1 });
    const cut = await issueCertificate(setUp(short.authority).dependencies, application, context);
    expect(new Date(new X509Certificate(cut.certificate).validTo)).to.deep.equal(
      short.authority.issuer('personal').notAfter,
    );
    expect(new Date(new X509Certificate(certificate).validTo) > new Date()).to.equal(true);
    await short.stop();
  });

  it('gives every certificate a serial of its own', async () => {
    const { dependencies } = setUp();
    const issued = await Promise.all(
      Array.from({ length: 20 }, () => issueCertificate(dependencies, application, context)),
    );
    expect(new Set(issued.map(({ serial }) => serial)).size).to.equal(20);
  });
});
