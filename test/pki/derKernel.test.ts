import { constants, createPublicKey, sign } from 'node:crypto';
import { expect } from 'chai';
import { importKey } from '../../infrastructure/pki/kernel/verificationKey.ts';
import {
  derExplicit,
  derNull,
  derOid,
  derSequence,
  derUnsigned,
  derValue,
} from '../../infrastructure/pki/kernel/der.ts';
import {
  derTag,
  MalformedDer,
  readBitString,
  readBoolean,
  readDer,
  readInteger,
  readOid,
  readTime,
} from '../../infrastructure/pki/kernel/derReader.ts';
import { isSignedByKey } from '../../infrastructure/pki/kernel/authoritySignature.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
import * as stated from '../../infrastructure/pki/kernel/statedSignature.ts';
import { rsaKey } from '../support/pki/pkiFixtures.ts';

const bytes = (hex: string) => Buffer.from(hex, 'hex');
const time = (tag: number, text: string) => readDer(derValue(tag, Buffer.from(text, 'latin1')));

describe('The reader of DER', () => {
  const refused: Readonly<Record<string, () => unknown>> = {
    'a length in two bytes that fits in one': () => readDer(bytes('0481050102030405')),
    'a length with a leading zero': () => readDer(bytes(`04820080${'00'.repeat(128)}`)),
    'an indefinite length': () => readDer(bytes('308002010000')),
    'a length of five bytes': () => readDer(bytes('048500000000010a')),
    'a length cut off': () => readDer(bytes('0482')),
    'a value cut off': () => readDer(bytes('040301')),
    'nothing at all': () => readDer(bytes('')),
    'a second value': () => readDer(bytes('05000500')),
    'a tag of two bytes': () => readDer(bytes('1f8100')),
    'a child that reaches past its parent': () => readDer(bytes('300304030102')).children,
    'an integer that is padded': () => readInteger(readDer(bytes('0202007f'))),
    'a negative integer that is padded': () => readInteger(readDer(bytes('0202ff80'))),
    'an empty integer': () => readInteger(readDer(bytes('0200'))),
    'a boolean of another value': () => readBoolean(readDer(bytes('010101'))),
    'a bit string of seven bits': () => readBitString(readDer(bytes('03020180'))),
    'an identifier cut off': () => readOid(readDer(bytes('06022a86'))),
    'an identifier with a padded arc': () => readOid(readDer(bytes('06032a8001'))),
    'an identifier of 129 bytes': () => readOid(readDer(bytes(`068181${'2a'.repeat(129)}`))),
    'an identifier of another type': () => readOid(readDer(bytes('04012a'))),
    'a time with a fraction': () => readTime(time(derTag.generalizedTime, '20260101000000.5Z')),
    'a time with a zone': () => readTime(time(derTag.utcTime, '260101000000+0800')),
    'a time without seconds': () => readTime(time(derTag.utcTime, '2601010000Z')),
    'the 31st of February': () => readTime(time(derTag.utcTime, '260231000000Z')),
    'midnight at 24:00': () => readTime(time(derTag.generalizedTime, '20260101240000Z')),
  };

  for (const [what, reading] of Object.entries(refused)) {
    it(`refuses ${what}`, () => {
      expect(reading).to.throw(MalformedDer);
    });
  }

  it('reads what is well-formed', () => {
    expect(readDer(bytes(`048180${'00'.repeat(128)}`)).content).to.have.length(128);
    expect(readOid(readDer(derOid('2.25.329800735698586629295641978511506172918')))).to.equal(
      '2.25.329800735698586629295641978511506172918',
    );
    expect(readTime(time(derTag.utcTime, '491231235959Z')).toISOString()).to.match(/^2049-12-31/);
    expect(readTime(time(derTag.utcTime, '500101000000Z')).toISOString()).to.match(/^1950-01-01/);
  });
});

describe('A signature over a certificate, list or answer', () => {
  const { privateKey, publicKey } = rsaKey();
  const signed = Buffer.from('to be signed');
  const key = importKey(publicKey);
  if (key === null) throw new Error('The library takes RSA keys of 2048 bits.');

  const pss = (hash: string, saltLength: number, ...more: readonly Buffer[]) =>
    derSequence(
      derOid(oid.rsassaPss),
      derSequence(
        derExplicit(0, derSequence(derOid(hash), derNull)),
        derExplicit(1, derSequence(derOid(oid.mgf1), derSequence(derOid(hash), derNull))),
        derExplicit(2, derUnsigned(Buffer.from([saltLength]))),
        ...more,
      ),
    );
  const pssSignature = (hash: string, saltLength: number) =>
    sign(hash, signed, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });

  for (const [what, algorithm, signature, ofPassport, ofAuthority] of [
    [
      'RSA-PSS with a salt of the hash',
      pss(oid.sha256, 32),
      pssSignature('sha256', 32),
      true,
      true,
    ],
    ['RSA-PSS with a shorter salt', pss(oid.sha256, 20), pssSignature('sha256', 20), true, false],
    [
      'RSA-PSS that states its trailer',
      pss(oid.sha256, 32, derExplicit(3, derUnsigned(Buffer.from([1])))),
      pssSignature('sha256', 32),
      true,
      false,
    ],
    [
      'RSA with SHA-224',
      derSequence(derOid(oid.sha224WithRsa), derNull),
      sign('sha224', signed, privateKey),
      true,
      false,
    ],
    [
      'RSA with SHA-1',
      derSequence(derOid('1.2.840.113549.1.1.5'), derNull),
      sign('sha1', signed, privateKey),
      false,
      false,
    ],
  ] as const) {
    it(`by ${what} is ${ofPassport ? '' : 'not '}taken of a passport, ${ofAuthority ? '' : 'not '}of an authority`, () => {
      const scheme = stated.signatureScheme(algorithm, null);
      const spki = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
      expect(scheme !== null && stated.isSignedBy(spki, scheme, signed, signature)).to.equal(
        ofPassport,
      );
      expect(isSignedByKey({ signed, algorithm, signature }, key)).to.equal(ofAuthority);
    });
  }
});
