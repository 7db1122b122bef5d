import { expect } from 'chai';
import { encodeStaticExtensions, type StaticContent } from '../../infrastructure/pki/extensions.ts';
import type { LintExpectation } from '../../infrastructure/pki/lintRule.ts';
import { lintRules } from '../../infrastructure/pki/lintRules.ts';
import { encodeName } from '../../infrastructure/pki/kernel/name.ts';
import { legalPersonName, personName } from '../../infrastructure/pki/names.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
import { createProfileGuard, rulesAboutProfile } from '../../infrastructure/pki/profileGuard.ts';
import { citizenProfileOf } from '../../infrastructure/pki/profiles.ts';
import {
  createTbsEncoder,
  type VariableContent,
} from '../../infrastructure/pki/kernel/tbsCertificate.ts';
import { compressedKey, ecKey, newSerial, rsaKey } from '../support/pki/pkiFixtures.ts';

describe('The profile guard', () => {
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
  const issuer: LintExpectation['issuer'] = {
    name: encodeName(
      legalPersonName('Test CA', { name: 'Test', etsi: 'NTRMN-0000000', country: 'MN' }),
    ),
    signatureAlgorithm: oid.ecdsaWithSha256,
    notBefore: new Date('2026-01-01T00:00:00Z'),
    notAfter: new Date('2036-01-01T00:00:00Z'),
  };
  const encode = (changes: Partial<VariableContent> = {}, asContent = content) =>
    createTbsEncoder({
      issuer: issuer.name,
      signatureAlgorithm: issuer.signatureAlgorithm,
      staticExtensions: encodeStaticExtensions(profile, asContent),
    })({
      serial: Buffer.from(newSerial(), 'hex'),
      subject: encodeName(
        personName({ etsi: 'PNOMN-123456789012', givenName: 'Бат', surname: 'Дорж' }),
      ),
      publicKey: ecKey().publicKey,
      notBefore: new Date('2026-02-01T00:00:00Z'),
      notAfter: new Date('2029-01-31T00:00:00Z'),
      ...changes,
    });

  /** A guard that has let one certificate pass. */
  function experiencedGuard() {
    const guard = createProfileGuard({ profile, content, issuer });
    guard(encode(), 'P-256');
    return guard;
  }

  it('knows every rule it leaves to the first certificate', () => {
    const names = lintRules.map(({ name }) => name);
    expect(names).to.include.members([...rulesAboutProfile]);
  });

  it('lets pass what keeps the profile, of whatever kind of key', () => {
    const guard = experiencedGuard();
    guard(encode(), 'P-256');
    guard(encode({ publicKey: rsaKey().publicKey }), 'RSA');
    guard(encode({ notAfter: new Date('2029-02-03T04:05:06Z') }), 'P-256');
  });

  const wrong: Readonly<Record<string, [Partial<VariableContent>, string]>> = {
    'a serial number too short': [{ serial: Buffer.from('41', 'hex') }, 'serial-number'],
    'a validity turned round': [{ notAfter: new Date('2026-01-31T00:00:00Z') }, 'validity-order'],
    'a validity longer than the issuer’s': [
      { notAfter: new Date('2037-01-01T00:00:00Z') },
      'validity-within-issuer',
    ],
    'a subject without an identifier': [
      { subject: encodeName([{ type: oid.commonName, value: 'Бат' }]) },
      'subject-attributes',
    ],
    'a control character in a name': [
      {
        subject: encodeName(
          personName({ etsi: 'PNOMN-123456789012', givenName: 'Ба\u0007т', surname: 'Дорж' }),
        ),
      },
      'subject-name-length',
    ],
    'an identifier of another country': [
      {
        subject: encodeName(personName({ etsi: 'PNOMN-1', givenName: 'Бат', surname: 'Дорж' })),
      },
      'subject-identifier',
    ],
    'a compressed point': [{ publicKey: compressedKey() }, 'public-key'],
    'a key of another curve': [{ publicKey: ecKey('P-384').publicKey }, 'public-key'],
    'a point that is not on the curve': [{ publicKey: offTheCurve() }, 'public-key'],
  };

  function offTheCurve(): Buffer {
    const { publicKey } = ecKey();
    const changed = Buffer.from(publicKey);
    changed[90] = (changed[90] ?? 0) ^ 1;
    return changed;
  }

  for (const [title, [changes, rule]] of Object.entries(wrong)) {
    it(`refuses ${title}, in the first certificate and in a later one`, () => {
      const fresh = createProfileGuard({ profile, content, issuer });
      for (const guard of [fresh, experiencedGuard()]) {
        expect(() => guard(encode(changes), 'P-256')).to.throw(rule);
      }
    });
  }

  it('lints whole what differs from the first certificate anywhere else', () => {
    const guard = experiencedGuard();
    const crlUrl = 'http://elsewhere.test/crl';
    expect(() => guard(encode({}, { ...content, crlUrl }), 'P-256')).to.throw(
      'crl-distribution-points',
    );
    const tbs = encode();
    const identifier = tbs.indexOf(Buffer.from('0603551d0e', 'hex'));
    const changed = Buffer.from(tbs);
    changed[identifier + 12] = (changed[identifier + 12] ?? 0) ^ 1;
    expect(() => guard(changed, 'P-256')).to.throw('subject-key-identifier');
    expect(() => guard(Buffer.concat([tbs, Buffer.of(0)]), 'P-256')).to.throw();
    expect(() => guard(tbs.subarray(0, -1), 'P-256')).to.throw('well-formed');
    guard(tbs, 'P-256');
  });
});
