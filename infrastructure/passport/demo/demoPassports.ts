import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { asSent, cmsAttribute, implicitSet } from '../../pki/signedData.ts';
import {
  derBitString,
  derExplicit,
  derExtension,
  derOctetString,
  derOid,
  derPrintable,
  derSequence,
  derSet,
  derTime,
  derTrue,
  derUnsigned,
  derUtf8,
  derValue,
} from '../../pki/kernel/der.ts';
import { derTag } from '../../pki/kernel/derReader.ts';
import { oid } from '../../pki/kernel/oids.ts';
import { dataGroup1, type PassportPage, passportZone } from './passportPage.ts';

// A demo State, with P-256 and SHA-256 throughout. Its keys are discarded once its passports are made.

/** A passport as read by a phone: the body of `POST …/steps/passport`. */
export interface PassportStep {
  /** The machine-readable zone as printed. */
  readonly mrz: string;
  /** EF.SOD, base64. */
  readonly securityObject: string;
  /** EF.DG1, base64. */
  readonly dataGroups: { readonly dg1: string };
}

/** A country authority valid for ten years, and passports signed by its document signer. */
export interface DemoState {
  /** Certificate of the country authority, DER. */
  readonly authority: Buffer;
  readonly passports: readonly PassportStep[];
}

const YEAR_MS = 365 * 86_400_000;
const ecdsa = derSequence(derOid(oid.ecdsaWithSha256));
const sha256 = derSequence(derOid(oid.sha256));

/** Creates a State with the country code `MN`, and issues a passport for each page. */
export function issueDemoPassports(pages: readonly PassportPage[], now: Date): DemoState {
  const validity = derSequence(
    derTime(new Date(now.getTime() - 86_400_000)),
    derTime(new Date(now.getTime() + 10 * YEAR_MS)),
  );
  const authority = newParty('Demo country signing authority');
  const signer = newParty('Demo document signer');
  const certify = (subject: Party, extensions: readonly Buffer[]) =>
    certificate({ subject, issuer: authority, validity, extensions });
  const root = certify(authority, [
    derExtension(oid.basicConstraints, derSequence(derTrue, derUnsigned(Buffer.from([0]))), true),
    keyUsage(KEY_CERT_AND_CRL_SIGN),
  ]);
  const signing = certify(signer, [keyUsage(DIGITAL_SIGNATURE)]);
  return {
    authority: root,
    passports: pages.map((page) => {
      const mrz = passportZone(page);
      const file = dataGroup1(mrz);
      const object = securityObject(signer, signing, file);
      return {
        mrz,
        securityObject: object.toString('base64'),
        dataGroups: { dg1: file.toString('base64') },
      };
    }),
  };
}

interface Party {
  /** Name, DER. */
  readonly name: Buffer;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly serial: Buffer;
}

function newParty(name: string): Party {
  return {
    ...generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
    name: countryName('MN', name),
    serial: Buffer.concat([Buffer.from([0x40]), randomBytes(15)]),
  };
}

/** First byte of KeyUsage (RFC 5280 §4.2.1.3). */
const DIGITAL_SIGNATURE = 0x80;
const KEY_CERT_AND_CRL_SIGN = 0x06;

function keyUsage(bits: number): Buffer {
  return derExtension(oid.keyUsage, derValue(derTag.bitString, Buffer.from([1, bits])), true);
}

/** A name of a country and a common name, DER. */
export function countryName(country: string, name: string): Buffer {
  return derSequence(
    derSet(derSequence(derOid(oid.countryName), derPrintable(country))),
    derSet(derSequence(derOid(oid.commonName), derUtf8(name))),
  );
}

function certificate({
  subject,
  issuer,
  validity,
  extensions,
}: {
  readonly subject: Party;
  readonly issuer: Party;
  readonly validity: Buffer;
  readonly extensions: readonly Buffer[];
}): Buffer {
  const tbs = derSequence(
    derExplicit(0, derUnsigned(Buffer.from([2]))),
    derUnsigned(subject.serial),
    ...[ecdsa, issuer.name, validity, subject.name],
    subject.publicKey.export({ format: 'der', type: 'spki' }),
    derExplicit(3, derSequence(...extensions)),
  );
  return derSequence(tbs, ecdsa, derBitString(sign('sha256', tbs, issuer.privateKey)));
}

/** EF.SOD over EF.DG1 (Doc 9303-10 §4.6.2). */
function securityObject(signer: Party, signing: Buffer, file: Buffer): Buffer {
  const digestOf = (bytes: Buffer) => derOctetString(createHash('sha256').update(bytes).digest());
  const one = derUnsigned(Buffer.from([1]));
  const object = derSequence(
    derUnsigned(Buffer.from([0])),
    sha256,
    derSequence(derSequence(one, digestOf(file))),
  );
  const attributes = derSet(
    cmsAttribute(oid.contentType, derOid(oid.ldsSecurityObject)),
    cmsAttribute(oid.messageDigest, digestOf(object)),
  );
  const signerInfo = derSequence(
    one,
    derSequence(countryName('MN', 'Demo country signing authority'), derUnsigned(signer.serial)),
    ...[sha256, asSent(attributes), ecdsa],
    derOctetString(sign('sha256', attributes, signer.privateKey)),
  );
  const signedData = derSequence(
    derUnsigned(Buffer.from([3])),
    derSet(sha256),
    derSequence(derOid(oid.ldsSecurityObject), derExplicit(0, derOctetString(object))),
    implicitSet(0, signing),
    derSet(signerInfo),
  );
  return derValue(0x77, derSequence(derOid(oid.signedData), derExplicit(0, signedData)));
}
