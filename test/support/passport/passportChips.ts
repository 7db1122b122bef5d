import {
  createHash,
  constants,
  generateKeyPairSync,
  type KeyObject,
  privateEncrypt,
  randomBytes,
  sign,
} from 'node:crypto';
import {
  derOid,
  derSequence,
  derSet,
  derUnsigned,
  derValue,
} from '../../../infrastructure/pki/kernel/der.ts';
import { oid } from '../../../infrastructure/pki/kernel/oids.ts';

// Chips that can prove themselves, made by other means than they are verified.

export interface Chip {
  readonly dataGroup15: Buffer;
  /** Null for RSA, whose signatures name their hash themselves. */
  readonly dataGroup14: Buffer | null;
  /** Response of the chip to INTERNAL AUTHENTICATE. */
  answer(challenge: Buffer): Buffer;
}

export type ChipHash = 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

const trailers: Readonly<Record<ChipHash, string>> = {
  sha1: 'bc',
  sha224: '38cc',
  sha256: '34cc',
  sha384: '36cc',
  sha512: '35cc',
};

const dataGroup15 = (publicKey: KeyObject) =>
  derValue(0x6f, publicKey.export({ format: 'der', type: 'spki' }));

/** A chip with an RSA key: ISO/IEC 9796-2 scheme 1 (Doc 9303-11 §6.1.2). */
export function rsaChip(hash: ChipHash = 'sha1', modulusLength = 1024): Chip {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  return {
    dataGroup15: dataGroup15(publicKey),
    dataGroup14: null,
    answer: (challenge) =>
      rawSignature(privateKey, representative(challenge, hash, modulusLength / 8)),
  };
}

/** The RSA operation alone. */
export function rawSignature(privateKey: KeyObject, block: Buffer): Buffer {
  return privateEncrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, block);
}

function representative(challenge: Buffer, hash: ChipHash, length: number): Buffer {
  const trailer = Buffer.from(trailers[hash], 'hex');
  const hashLength = createHash(hash).digest().length;
  const own = randomBytes(length - 1 - hashLength - trailer.length);
  const digest = createHash(hash).update(own).update(challenge).digest();
  return Buffer.concat([Buffer.from([0x6a]), own, digest, trailer]);
}

const plainEcdsa: readonly ChipHash[] = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'];

/** A chip with an elliptic curve key: plain ECDSA (Doc 9303-11 §6.1.2.3). */
export function ecChip(hash: ChipHash = 'sha256', namedCurve = 'prime256v1'): Chip {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  const algorithm = `0.4.0.127.0.7.1.1.4.1.${plainEcdsa.indexOf(hash) + 1}`;
  const other = derSequence(derOid('0.4.0.127.0.7.2.2.3.2.2'), derUnsigned(Buffer.from([1])));
  const info = derSequence(
    derOid(oid.activeAuthentication),
    derUnsigned(Buffer.from([1])),
    derOid(algorithm),
  );
  return {
    dataGroup15: dataGroup15(publicKey),
    dataGroup14: derValue(0x6e, derSet(other, info)),
    answer: (challenge) => sign(hash, challenge, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  };
}
