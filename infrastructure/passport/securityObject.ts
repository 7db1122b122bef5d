import {
  derReader,
  type DerReader,
  derTag,
  readDer,
  readSmallInteger,
} from '../pki/kernel/derReader.ts';
import { oid } from '../pki/kernel/oids.ts';
import { statedHash, type StatedHash } from '../pki/kernel/statedSignature.ts';
import { orRejected, PassportRejected } from './rejection.ts';
import { readSignedContent, type SignedContent } from './signedContent.ts';

/** The document security object: signed digests of the chip's files (Doc 9303-10 §4.6.2). */
export interface SecurityObject extends Omit<SignedContent, 'content'> {
  readonly hash: StatedHash;
  /** By number of the data group, 1 to 16. */
  readonly digests: ReadonlyMap<number, Buffer>;
}

/** Of EF.SOD (Doc 9303-10 table 36). */
const SECURITY_OBJECT_TAG = 0x77;

const MOST_DATA_GROUPS = 16;

/**
 * Reads EF.SOD and verifies the State's signature over it; the caller verifies the signer's certificate.
 *
 * @throws PassportRejected as {@link readSignedContent}, and SECURITY_OBJECT_VERSION
 */
export function readSecurityObject(file: Buffer): SecurityObject {
  const signedData = orRejected(
    'SECURITY_OBJECT_MALFORMED',
    null,
    () => readDer(file, SECURITY_OBJECT_TAG).content,
  );
  const { content, certificate, signedAt } = readSignedContent(signedData, oid.ldsSecurityObject);
  return { certificate, signedAt, ...readContent(content) };
}

function readContent(content: Buffer): Pick<SecurityObject, 'hash' | 'digests'> {
  return orRejected('SECURITY_OBJECT_MALFORMED', null, () => {
    const object = derReader(readDer(content, derTag.sequence).content);
    const version = readSmallInteger(object.element(derTag.integer));
    if (version > 1) throw new PassportRejected('SECURITY_OBJECT_VERSION');
    const hash = statedHash(object.element(derTag.sequence).bytes);
    if (hash === null) throw new PassportRejected('HASH_ALGORITHM');
    const digests = readDigests(object.enter(derTag.sequence));
    const versionInfo = object.optional(derTag.sequence);
    object.end();
    // Doc 9303-10 §4.6.2.3: version 1 and version information occur together only.
    if ((versionInfo !== null) !== (version === 1)) {
      throw new PassportRejected('SECURITY_OBJECT_VERSION');
    }
    return { hash, digests };
  });
}

function readDigests(list: DerReader): ReadonlyMap<number, Buffer> {
  const digests = new Map<number, Buffer>();
  while (!list.atEnd) {
    const entry = list.enter(derTag.sequence);
    const number = readSmallInteger(entry.element(derTag.integer));
    if (number < 1 || number > MOST_DATA_GROUPS || digests.has(number)) {
      throw new PassportRejected('SECURITY_OBJECT_MALFORMED');
    }
    digests.set(number, entry.element(derTag.octetString).content);
    entry.end();
  }
  return digests;
}
