import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type CountryAuthorities,
  readCountryAuthorities,
} from '../../infrastructure/passport/countryAuthorities.ts';
import { noRevocations } from '../../infrastructure/passport/countryRevocations.ts';
import { zoneOfDataGroup1 } from '../../infrastructure/passport/dataGroups.ts';
import { PassportRejected } from '../../infrastructure/passport/rejection.ts';
import { readSecurityObject } from '../../infrastructure/passport/securityObject.ts';
import { isDigestOf } from '../../infrastructure/passport/signedContent.ts';
import {
  verifyPassport,
  type VerifiedPassport,
} from '../../infrastructure/passport/verifyPassport.ts';
import {
  derExtension,
  derPrintable,
  derSequence,
  derSet,
  derUnsigned,
} from '../../infrastructure/pki/kernel/der.ts';
import { readDer } from '../../infrastructure/pki/kernel/derReader.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
import { readSignedData } from '../../infrastructure/pki/signedData.ts';
import { certificatePem } from '../../infrastructure/pki/trustFiles.ts';
import { openssl, skipWithoutOpenssl } from '../support/programs/openssl.ts';
import { dataGroup1 } from '../../infrastructure/passport/demo/passportPage.ts';
import {
  type CertificateOptions,
  createCountryAuthority,
  createDocumentSigner,
  dataGroup11,
  dataGroup2,
  type KeyKind,
  ldsSecurityObject,
  linkCertificate,
  masterList,
  securityObject,
  type SecurityObjectOptions,
  signedData,
  type Signer,
  specimen,
  specimenDay,
} from '../support/passport/passports.ts';

interface Given {
  readonly zone?: string;
  /** The page was not read. */
  readonly isUntyped?: boolean;
  /** Zone in the chip, where it differs from the printed page. */
  readonly chipZone?: string;
  readonly dataGroups?: ReadonlyMap<number, Buffer>;
  readonly sent?: ReadonlyMap<number, Buffer>;
  readonly signer?: Signer;
  readonly object?: Buffer;
  readonly options?: SecurityObjectOptions;
  readonly authorities?: CountryAuthorities;
  readonly now?: Date;
}

const authority = createCountryAuthority();
const signer = createDocumentSigner(authority);
const trust = (...authorities: readonly Signer[]): CountryAuthorities =>
  readCountryAuthorities(
    Buffer.from(authorities.map(({ certificate }) => certificatePem(certificate)).join('')),
  );
const utopia = trust(authority);

function verified(given: Given = {}): VerifiedPassport {
  const { zone = specimen.TD3, chipZone = zone } = given;
  const dataGroups =
    given.dataGroups ??
    new Map([
      [1, dataGroup1(chipZone)],
      [2, dataGroup2],
    ]);
  return verifyPassport({
    zone: given.isUntyped ? null : zone,
    files: {
      securityObject:
        given.object ?? securityObject(given.signer ?? signer, dataGroups, given.options),
      dataGroups: given.sent ?? dataGroups,
      chipSignature: null,
    },
    authorities: given.authorities ?? utopia,
    revocations: noRevocations,
    challenge: Buffer.alloc(8),
    chipProof: 'offered',
    now: given.now ?? specimenDay,
  });
}

function reason(given: Given): string {
  try {
    verified(given);
    return 'accepted';
  } catch (error) {
    if (error instanceof PassportRejected) return error.message;
    throw error;
  }
}

/** A passport whose signer's certificate is like that. */
function signedWith(certificate: CertificateOptions, by = authority): Given {
  return { signer: createDocumentSigner(by, certificate) };
}

/** DocumentTypeList of Doc 9303-12 §7.1.1. */
function forDocuments(...types: readonly string[]): CertificateOptions {
  const list = derSequence(derUnsigned(Buffer.from([0])), derSet(...types.map(derPrintable)));
  return { further: [derExtension(oid.documentTypeList, list)] };
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

describe('passive authentication of a travel document (ICAO Doc 9303-10, -11 and -12)', () => {
  it('accepts the specimen of the standard, signed by its State', () => {
    const { zone, dataGroups, hash, personalNumber } = verified();
    expect(zone).to.include({ documentNumber: 'L898902C3', primaryIdentifier: 'ERIKSSON' });
    expect([...dataGroups.keys()]).to.deep.equal([1, 2]);
    expect([hash, personalNumber]).to.deep.equal(['sha256', null]);
  });

  for (const format of ['TD1', 'TD2'] as const) {
    it(`accepts the specimen card of format ${format}`, () => {
      expect(verified({ zone: specimen[format] }).zone.format).to.equal(format);
    });
  }

  it("follows an authority to its new key by a link certificate on the list, by no passport's", () => {
    const renewed = createCountryAuthority();
    const link = linkCertificate(authority, renewed);
    const given = signedWith({}, renewed);
    expect(reason(given), 'not on the list').to.equal('COUNTRY_AUTHORITY_UNKNOWN');
    expect(reason({ ...given, authorities: trust(authority, link) })).to.equal('accepted');
    expect(reason({ ...given, authorities: trust(link) }), 'alone').to.equal('accepted');
  });

  it('accepts a signer of documents of this kind', () => {
    expect(reason(signedWith(forDocuments('ID', 'P')))).to.equal('accepted');
  });

  it('takes the zone in the chip where the page was not read', () => {
    expect(verified({ isUntyped: true }).zone.documentNumber).to.equal('L898902C3');
  });

  it('reads the personal number in data group 11', () => {
    const dataGroups = new Map([
      [1, dataGroup1(specimen.TD3)],
      [11, dataGroup11('УБ88112233')],
    ]);
    expect(verified({ dataGroups }).personalNumber).to.equal('УБ88112233');
  });

  for (const kind of [
    ...([
      'P-256',
      'P-384',
      'P-521',
      'brainpoolP256r1',
      'P-256 explicit',
      'RSA',
      'RSA-PSS',
    ] as const),
  ] satisfies readonly KeyKind[]) {
    for (const hash of ['sha256', 'sha512'] as const) {
      it(`verifies authority and signer with ${kind} keys and ${hash}`, () => {
        const csca = createCountryAuthority({ kind, hash });
        const given = {
          ...signedWith({ kind, hash }, csca),
          authorities: trust(csca),
          options: { hash },
        };
        expect(verified(given).hash).to.equal(hash);
        const other = trust(createCountryAuthority({ kind, hash }));
        expect(reason({ ...given, authorities: other })).to.match(
          /COUNTRY_AUTHORITY_UNKNOWN|FORGED/,
        );
      });
    }
  }

  for (const { what, options } of [
    { what: 'version 1 with its version numbers', options: { version: 1 } },
    { what: 'hashes of SHA-224', options: { hash: 'sha224' } },
    { what: 'hashes of SHA-384', options: { hash: 'sha384' } },
    { what: 'a signer named by its key', options: { isByKeyIdentifier: true } },
    { what: 'the time of signing', options: { signedAt: new Date('2007-04-15T10:00:00Z') } },
  ] satisfies readonly { what: string; options: SecurityObjectOptions }[]) {
    it(`accepts a security object with ${what}`, () => {
      expect(reason({ options })).to.equal('accepted');
    });
  }

  describe('refuses, with a reason of its own,', () => {
    const groups = new Map([
      [1, dataGroup1(specimen.TD3)],
      [2, dataGroup2],
    ]);
    const genuine = securityObject(signer, groups);
    const impostor = createCountryAuthority();

    for (const [what, given, expected] of [
      [
        'a zone that is not the one in the chip',
        { chipZone: specimen.TD3.replace('ANNA', 'ANNE') },
        'MRZ_MISMATCH',
      ],
      [
        'a zone with a wrong check digit',
        { zone: `${specimen.TD3.slice(0, -1)}1` },
        'MRZ_CHECK_DIGIT: composite',
      ],
      [
        'data group 1 altered',
        { object: genuine, sent: new Map([[1, flipped(dataGroup1(specimen.TD3), 40)]]) },
        'DATA_GROUP_ALTERED: DG1',
      ],
      [
        'data group 2 altered',
        { object: genuine, sent: new Map([...groups, [2, flipped(dataGroup2, 90)]]) },
        'DATA_GROUP_ALTERED: DG2',
      ],
      [
        'a data group nobody signed',
        { object: genuine, sent: new Map([...groups, [11, dataGroup11('1')]]) },
        'DATA_GROUP_NOT_SIGNED: DG11',
      ],
      [
        'data group 1 left out',
        { object: genuine, sent: new Map([[2, dataGroup2]]) },
        'DATA_GROUP_MISSING: DG1',
      ],
      [
        'something else signed as data group 1',
        { dataGroups: new Map([[1, dataGroup2]]) },
        'DATA_GROUP_MALFORMED: DG1',
      ],
      ['no security object', { object: Buffer.alloc(0) }, 'SECURITY_OBJECT_MALFORMED'],
      [
        'a security object cut off',
        { object: genuine.subarray(0, -1) },
        'SECURITY_OBJECT_MALFORMED',
      ],
      ['files that are too large', { object: Buffer.alloc(40_000) }, 'FILE_TOO_LARGE: SOD'],
      [
        'another thing signed',
        { options: { contentType: '1.2.840.113549.1.7.1' } },
        'SECURITY_OBJECT_TYPE',
      ],
      [
        'a signed attribute about another type',
        { options: { attributeType: '1.2.840.113549.1.7.1' } },
        'SIGNED_ATTRIBUTES',
      ],
      [
        'a signature without attributes',
        { options: { isWithoutAttributes: true } },
        'SIGNED_ATTRIBUTES',
      ],
      [
        'a digest of something else',
        { options: { messageDigest: Buffer.alloc(32) } },
        'SIGNED_CONTENT_ALTERED',
      ],
      ['a version to come', { options: { version: 2 } }, 'SECURITY_OBJECT_VERSION'],
      ['hashes of SHA-1', { options: { hash: 'sha1' } }, 'HASH_ALGORITHM'],
      ['a signature with SHA-1', signedWith({ hash: 'sha1' }), 'HASH_ALGORITHM'],
      ['a key of RSA-1024', signedWith({ kind: 'RSA-1024' }), 'DOCUMENT_SIGNATURE_INVALID'],
      [
        'the signature altered',
        { object: flipped(genuine, genuine.length - 3) },
        'DOCUMENT_SIGNATURE_INVALID',
      ],
      ['no certificate', { options: { isWithoutCertificate: true } }, 'SIGNER_CERTIFICATE_MISSING'],
      [
        'a certificate that is not for signing',
        signedWith({ keyUsage: 0x20 }),
        'SIGNER_CERTIFICATE_USAGE',
      ],
      [
        'a certificate without key usage',
        signedWith({ keyUsage: null }),
        'SIGNER_CERTIFICATE_USAGE',
      ],
      [
        'a certificate for master lists',
        signedWith({ extendedKeyUsage: '2.23.136.1.1.3' }),
        'SIGNER_CERTIFICATE_USAGE',
      ],
      [
        'a certificate for documents of another kind',
        signedWith(forDocuments('ID', 'A')),
        'SIGNER_CERTIFICATE_USAGE',
      ],
      [
        'a certificate with something critical nobody understands',
        signedWith({ further: [derExtension('1.2.3.4', derSequence(), true)] }),
        'SIGNER_CERTIFICATE_USAGE',
      ],
      ['an authority that signed itself', { signer: authority }, 'SIGNER_CERTIFICATE_USAGE'],
      [
        'an authority nobody knows',
        { authorities: trust(createCountryAuthority({ name: 'Elsewhere' })) },
        'COUNTRY_AUTHORITY_UNKNOWN',
      ],
      [
        'no authority at all',
        { authorities: { certificates: [], unreadable: 0 } },
        'COUNTRY_AUTHORITY_UNKNOWN',
      ],
      [
        'an authority of the same name',
        { ...signedWith({}, impostor) },
        'COUNTRY_AUTHORITY_UNKNOWN',
      ],
      [
        'a certificate signed with SHA-1',
        signedWith({}, { ...authority, hash: 'sha1' }),
        'SIGNER_CERTIFICATE_ALGORITHM',
      ],
      [
        'a certificate not in force any more',
        signedWith({ notAfter: '2010-05-31T00:00:00Z' }),
        'SIGNER_CERTIFICATE_NOT_IN_FORCE',
      ],
      [
        'a certificate not yet in force',
        signedWith({ notBefore: '2010-06-02T00:00:00Z' }),
        'SIGNER_CERTIFICATE_NOT_IN_FORCE',
      ],
      [
        'signed before the certificate was in force',
        { options: { signedAt: new Date('2005-06-01') } },
        'SIGNER_CERTIFICATE_NOT_IN_FORCE',
      ],
      ['signed in the future', { options: { signedAt: new Date('2010-06-05') } }, 'SIGNING_TIME'],
      ['a signer of another country', signedWith({ country: 'MN' }), 'COUNTRY_MISMATCH'],
      ['a document that ran out', { now: new Date('2012-04-17T00:00:00Z') }, 'DOCUMENT_EXPIRED'],
    ] satisfies readonly (readonly [string, Given, string])[]) {
      it(what, () => {
        expect(reason(given)).to.equal(expected);
      });
    }

    it('an authority that was not in force', () => {
      const csca = createCountryAuthority({ notAfter: '2009-01-01T00:00:00Z' });
      expect(reason({ ...signedWith({}, csca), authorities: trust(csca) })).to.equal(
        'COUNTRY_AUTHORITY_NOT_IN_FORCE',
      );
    });

    it('an authority of another country', () => {
      const csca = createCountryAuthority({ country: 'MN' });
      expect(reason({ ...signedWith({}, csca), authorities: trust(csca) })).to.equal(
        'COUNTRY_MISMATCH',
      );
    });

    it("a certificate with the authority's key named but not used", () => {
      const forged = createDocumentSigner(authority);
      const certificate = flipped(forged.certificate, forged.certificate.length - 3);
      expect(reason({ signer: { ...forged, certificate } })).to.equal('SIGNER_CERTIFICATE_FORGED');
    });

    it('every cut, and every bit but those of the envelope that nobody signs', () => {
      const { content, certificates, signers } = readSignedData(readDer(genuine, 0x77).content);
      const parts = [content, ...certificates, signers[0]?.attributes, signers[0]?.signature];
      const isSigned = (at: number) =>
        parts.some((part) => {
          const from = genuine.indexOf(part ?? 'missing');
          return at >= from && at < from + (part?.length ?? 0);
        });
      for (let at = 0; at < genuine.length; at += 1) {
        const cut = reason({ object: genuine.subarray(0, at), sent: groups });
        expect(cut, `cut at ${at}`).not.to.equal('accepted');
        const changed = reason({ object: flipped(genuine, at), sent: groups });
        if (isSigned(at)) expect(changed, `byte ${at}`).not.to.equal('accepted');
      }
      const file = dataGroup1(specimen.TD3);
      for (let at = 0; at < file.length; at += 1) {
        const given = { object: genuine, sent: new Map([[1, flipped(file, at)]]) };
        expect(reason(given), `DG1 byte ${at}`).to.equal('DATA_GROUP_ALTERED: DG1');
        // Without the page beside it, the chip's own zone is read first.
        expect(reason({ ...given, isUntyped: true }), `DG1 byte ${at}`).not.to.equal('accepted');
      }
    });

    it('whatever is sent: bytes of any kind', () => {
      fc.assert(
        fc.property(
          fc.uint8Array({ maxLength: 300 }),
          fc.uint8Array({ maxLength: 200 }),
          (object, file) => {
            const dataGroups = new Map([[1, Buffer.from(file)]]);
            expect(reason({ object: Buffer.from(object), sent: dataGroups })).not.to.equal(
              'accepted',
            );
            // Signed by the State, and nonsense all the same.
            expect(reason({ dataGroups })).to.match(/DATA_GROUP_MALFORMED|MRZ_MISMATCH/);
          },
        ),
        { numRuns: 50 },
      );
    });
  });

  it('reads the reference passport of BSI TR-03105-5, whose signature is RSASSA-PSS', async () => {
    const path = new URL('../../../test/fixtures/passports/bsi-tr-03105-5.json', import.meta.url);
    const reference = JSON.parse(await readFile(path, 'utf8')) as { sod: string; dg1: string };
    const [object, file] = [Buffer.from(reference.sod, 'hex'), Buffer.from(reference.dg1, 'hex')];
    const { hash, digests, certificate } = readSecurityObject(object);
    expect(certificate.subject).to.include('CN=HJP PB DS');
    expect(isDigestOf(hash, file, digests.get(1) ?? Buffer.alloc(0))).to.equal(true);
    const zone = zoneOfDataGroup1(file);
    const given = { zone, sent: new Map([[1, file]]), now: new Date('2014-06-01') };
    // All there is to check but the authority, whose certificate is not published with it.
    expect(reason({ ...given, object })).to.equal('COUNTRY_AUTHORITY_UNKNOWN');
    expect(reason({ ...given, object: flipped(object, object.length - 1) })).to.equal(
      'DOCUMENT_SIGNATURE_INVALID',
    );
  });

  describe('a list of country authorities', () => {
    const listed = [authority.certificate, createCountryAuthority({ name: 'Other' }).certificate];
    const listSigner = createDocumentSigner(authority, { extendedKeyUsage: '2.23.136.1.1.3' });

    it('is a master list (Doc 9303-12 §8) whose signature is verified', () => {
      const list = masterList(listSigner, listed);
      const authorities = readCountryAuthorities(list);
      expect(authorities.certificates).to.have.length(2);
      expect(reason({ authorities })).to.equal('accepted');
      expect(() => readCountryAuthorities(flipped(list, 200))).to.throw(PassportRejected);
    });

    it('leaves out what cannot be read, and counts it', () => {
      const broken = Buffer.from('3003020101', 'hex');
      expect(
        readCountryAuthorities(masterList(listSigner, [...listed, broken])).unreadable,
      ).to.equal(1);
    });

    it('is a file of certificates as PEM, never an empty one', () => {
      expect(() => readCountryAuthorities(Buffer.from('nothing'))).to.throw(
        'neither PEM certificates',
      );
    });
  });

  describe('beside OpenSSL', () => {
    let directory = '';
    before(async function () {
      await skipWithoutOpenssl(this);
      directory = await mkdtemp(join(tmpdir(), 'passport-'));
    });
    after(() => rm(directory, { recursive: true, force: true }));

    for (const kind of ['P-256', 'RSA', 'RSA-PSS'] as const) {
      it(`the security objects of these tests verify (${kind})`, async () => {
        const csca = createCountryAuthority({ kind, hash: 'sha256' });
        const groups = new Map([[1, dataGroup1(specimen.TD3)]]);
        const object = signedData(createDocumentSigner(csca, { kind }), ldsSecurityObject(groups));
        const [path, anchor] = [join(directory, `${kind}.der`), join(directory, `${kind}.pem`)];
        await writeFile(path, object);
        await writeFile(anchor, certificatePem(csca.certificate));
        const printed = await openssl(
          ...['cms', '-verify', '-inform', 'DER', '-in', path, '-CAfile', anchor],
          ...['-purpose', 'any', '-binary', '-out', join(directory, 'content')],
        );
        expect(printed).to.include('CMS Verification successful');
      });
    }
  });
});
