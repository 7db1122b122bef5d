import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Extension,
  Extensions,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Time,
  Version,
} from '@peculiar/asn1-x509';
import { expect } from 'chai';
import {
  derNull,
  derOid,
  derSequence,
  derUtf8,
  derValue,
} from '../../infrastructure/pki/kernel/der.ts';
import { encodeStaticExtensions, type StaticContent } from '../../infrastructure/pki/extensions.ts';
import { lintFindings, refuseWrongProfile } from '../../infrastructure/pki/lint.ts';
import type { LintExpectation } from '../../infrastructure/pki/lintRule.ts';
import { lintRules } from '../../infrastructure/pki/lintRules.ts';
import { encodeName } from '../../infrastructure/pki/kernel/name.ts';
import { legalPersonName, personName } from '../../infrastructure/pki/names.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
import { type CertificateProfile, citizenProfileOf } from '../../infrastructure/pki/profiles.ts';
import { createTbsEncoder } from '../../infrastructure/pki/kernel/tbsCertificate.ts';
import { ecKey, rsaKey } from '../support/pki/pkiFixtures.ts';

describe('Certificate lint', () => {
  const { publicKey } = ecKey();
  const profile = citizenProfileOf('SIGN', 'QUALIFIED');
  const content: StaticContent = {
    issuerKeyIdentifier: Buffer.alloc(20, 7),
    ocspUrl: 'http://pki.test/ocsp',
    issuerCertificateUrl: 'http://pki.test/ca/personal.cer',
    crlUrl: 'http://pki.test/crl',
    policyArc: '1.3.6.1.4.1.32473.1',
    disclosureStatements: [{ url: 'https://pki.test/pds/en', language: 'en' }],
    legislation: 'MN',
  };
  const issuerName = encodeName(
    legalPersonName('Test CA', { name: 'Test', etsi: 'NTRMN-0000000', country: 'MN' }),
  );
  const expected: LintExpectation = {
    profile,
    content,
    issuer: {
      name: issuerName,
      signatureAlgorithm: oid.ecdsaWithSha256,
      notBefore: new Date('2026-01-01T00:00:00Z'),
      notAfter: new Date('2036-01-01T00:00:00Z'),
    },
    keyType: 'P-256',
  };

  function encode(asProfile: CertificateProfile = profile, asContent = content): Buffer {
    return createTbsEncoder({
      issuer: issuerName,
      signatureAlgorithm: oid.ecdsaWithSha256,
      staticExtensions: encodeStaticExtensions(asProfile, asContent),
    })({
      serial: Buffer.from('4102030405060708090a0b0c0d0e0f10', 'hex'),
      subject: encodeName(
        personName({ etsi: 'PNOMN-123456789012', givenName: 'Бат', surname: 'Дорж' }),
      ),
      publicKey,
      notBefore: new Date('2026-06-01T00:00:00Z'),
      notAfter: new Date('2029-06-01T00:00:00Z'),
    });
  }

  /** The good bytes, changed: read, altered and written again. */
  function changed(change: (tbs: TBSCertificate) => void): Buffer {
    const tbs = AsnConvert.parse(encode(), TBSCertificate);
    change(tbs);
    return Buffer.from(AsnConvert.serialize(tbs));
  }

  function extensionsOf(tbs: TBSCertificate): Extensions {
    tbs.extensions ??= new Extensions();
    return tbs.extensions;
  }

  const buffer = (bytes: Uint8Array) => Uint8Array.from(bytes).buffer;

  function withExtension(id: string, value: Uint8Array, critical = false): Buffer {
    return changed((tbs) => {
      const others = extensionsOf(tbs).filter(({ extnID }) => extnID !== id);
      const extension = new Extension({ extnID: id, critical, extnValue: new OctetString(value) });
      tbs.extensions = new Extensions([...others, extension]);
    });
  }

  const withProfile = (changes: Partial<CertificateProfile>) => encode({ ...profile, ...changes });
  const withContent = (changes: Partial<StaticContent>) =>
    encode(profile, { ...content, ...changes });
  const qc = {
    semantics: 'natural',
    compliance: true,
    sscd: false,
    type: 'esign',
    pds: true,
  } as const;

  function withAttribute(type: string, value: AttributeValue): Buffer {
    return changed((tbs) => {
      for (const attribute of [...tbs.subject].flatMap((rdn) => [...rdn])) {
        if (attribute.type === type) attribute.value = value;
      }
    });
  }

  const utf8 = (utf8String: string) => new AttributeValue({ utf8String });
  const printable = (printableString: string) => new AttributeValue({ printableString });

  /** For each rule the bytes that break it. */
  const broken: Readonly<Record<string, () => Buffer>> = {
    version: () => changed((tbs) => (tbs.version = Version.v2)),
    'serial-number': () => changed((tbs) => (tbs.serialNumber = buffer(Buffer.alloc(16, 0x80)))),
    'signature-algorithm': () =>
      changed(
        (tbs) => (tbs.signature = new AlgorithmIdentifier({ algorithm: oid.ecdsaWithSha384 })),
      ),
    'issuer-name': () => changed((tbs) => (tbs.issuer = tbs.subject)),
    'validity-order': () =>
      changed((tbs) => (tbs.validity.notAfter = new Time(new Date('2026-05-01T00:00:00Z')))),
    'validity-encoding': () =>
      changed((tbs) => {
        const time = new Time(new Date('2029-06-01T00:00:00Z'));
        delete time.utcTime;
        time.generalTime = new Date('2029-06-01T00:00:00Z');
        tbs.validity.notAfter = time;
      }),
    'validity-within-issuer': () =>
      changed((tbs) => (tbs.validity.notBefore = new Time(new Date('2025-12-31T23:59:59Z')))),
    'validity-length': () =>
      changed((tbs) => (tbs.validity.notAfter = new Time(new Date('2035-01-01T00:00:00Z')))),
    'subject-attributes': () =>
      changed((tbs) => {
        const organization = new AttributeTypeAndValue({
          type: oid.organizationName,
          value: utf8('Somebody'),
        });
        tbs.subject.push(new RelativeDistinguishedName([organization]));
      }),
    'subject-encoding': () => withAttribute(oid.serialNumber, utf8('PNOMN-123456789012')),
    'subject-country': () => withAttribute(oid.countryName, printable('EE')),
    'subject-identifier': () => withAttribute(oid.serialNumber, printable('PNOMN-1234')),
    'subject-name-length': () => withAttribute(oid.commonName, utf8('Б'.repeat(65))),
    'public-key': () =>
      changed((tbs) => {
        const other = AsnConvert.parse(rsaKey().publicKey, SubjectPublicKeyInfo);
        tbs.subjectPublicKeyInfo = other;
      }),
    'no-unique-identifiers': () =>
      changed((tbs) => (tbs.subjectUniqueID = buffer(Buffer.from([1])))),
    'no-duplicate-extensions': () =>
      changed((tbs) => {
        const [first] = extensionsOf(tbs);
        if (first !== undefined) extensionsOf(tbs).push(first);
      }),
    'critical-flags': () =>
      changed((tbs) => {
        for (const extension of extensionsOf(tbs)) extension.critical = false;
      }),
    'known-extensions': () => withExtension('2.5.29.17', Buffer.from('3000', 'hex')),
    'key-usage': () => withProfile({ keyUsage: ['digitalSignature', 'nonRepudiation'] }),
    'extended-key-usage': () => withProfile({ extendedKeyUsage: [oid.clientAuth] }),
    'basic-constraints': () =>
      withExtension(
        oid.basicConstraints,
        Buffer.from(AsnConvert.serialize(new BasicConstraints({ cA: true }))),
        true,
      ),
    'certificate-policies': () => withProfile({ policies: [oid.qcpNaturalQscd] }),
    'subject-key-identifier': () =>
      withExtension(oid.subjectKeyIdentifier, derValue(0x04, Buffer.alloc(20, 1))),
    'authority-key-identifier': () => withContent({ issuerKeyIdentifier: Buffer.alloc(20, 8) }),
    'authority-information-access': () => withContent({ ocspUrl: 'https://pki.test/ocsp' }),
    'crl-distribution-points': () => withContent({ crlUrl: 'http://pki.test/crl/org' }),
    'ocsp-no-check': () => withExtension(oid.ocspNoCheck, derNull),
    'qc-statements': () => withProfile({ qcStatements: { ...qc, sscd: true } }),
    'qc-semantics': () =>
      withExtension(
        oid.qcStatements,
        derSequence(
          derSequence(derOid(oid.pkixQcSyntaxV2), derSequence(derOid('0.4.0.194121.1.2'))),
          derSequence(derOid(oid.qcCompliance)),
        ),
      ),
    'qc-type': () =>
      withExtension(
        oid.qcStatements,
        derSequence(derSequence(derOid(oid.qcType), derSequence(derOid('0.4.0.1862.1.6.2')))),
      ),
    'qc-legislation': () => withContent({ legislation: 'EE' }),
    'qc-disclosure-statements': () =>
      withContent({ disclosureStatements: [{ url: 'http://pki.test/pds/en', language: 'en' }] }),
  };

  it('finds nothing in a certificate of its profile', () => {
    expect(lintFindings(encode(), expected)).to.deep.equal([]);
    expect(() => refuseWrongProfile(encode(), expected)).not.to.throw();
  });

  it('has an example against every rule', () => {
    expect(Object.keys(broken).sort()).to.deep.equal(lintRules.map(({ name }) => name).sort());
  });

  for (const { name, clause } of lintRules) {
    it(`finds what breaks ${name} (${clause})`, () => {
      const bytes = broken[name]?.() ?? Buffer.alloc(0);
      expect(lintFindings(bytes, expected)).to.include(name);
    });
  }

  for (const other of ['ADVANCED', 'QSCD'] as const) {
    it(`refuses a certificate of level ${other} in place of a qualified one`, () => {
      const findings = lintFindings(encode(citizenProfileOf('SIGN', other)), expected);
      expect(findings).to.include.members(['qc-statements', 'certificate-policies']);
    });
  }

  it('refuses an authentication certificate in place of a signing one', () => {
    const findings = lintFindings(encode(citizenProfileOf('AUTH', 'QUALIFIED')), expected);
    expect(findings).to.include.members(['key-usage', 'extended-key-usage', 'qc-statements']);
  });

  it('refuses bytes that are no certificate', () => {
    for (const bytes of [Buffer.alloc(0), derUtf8('x'), encode().subarray(0, 100)]) {
      expect(lintFindings(bytes, expected)).to.deep.equal(['well-formed']);
    }
  });

  it('names rule and clause when it refuses', () => {
    expect(() =>
      refuseWrongProfile(withContent({ crlUrl: 'ftp://pki.test/crl' }), expected),
    ).to.throw('citizen SIGN QUALIFIED: crl-distribution-points (RFC 5280 §4.2.1.13');
  });
});
