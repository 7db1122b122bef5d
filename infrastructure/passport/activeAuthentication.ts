import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { derReader, derTag, readDer, readOid, readSmallInteger } from '../pki/kernel/derReader.ts';
import { isSignedWithRecovery } from '../pki/messageRecovery.ts';
import { oid } from '../pki/kernel/oids.ts';
import { readTemplate } from './dataObjects.ts';
import { orRejected, PassportRejected } from './rejection.ts';

/** Tags of EF.DG14 and EF.DG15 (Doc 9303-10 §4.7.14 and §4.7.15). */
const tag = { dg14: 0x6e, dg15: 0x6f } as const;

/** Hash of ECDSA signatures as plain r ‖ s (BSI TR-03111 §5.2.1), by the OID in DG14. */
const plainEcdsa: Readonly<Record<string, string>> = {
  '0.4.0.127.0.7.1.1.4.1.1': 'sha1',
  '0.4.0.127.0.7.1.1.4.1.2': 'sha224',
  '0.4.0.127.0.7.1.1.4.1.3': 'sha256',
  '0.4.0.127.0.7.1.1.4.1.4': 'sha384',
  '0.4.0.127.0.7.1.1.4.1.5': 'sha512',
};

/** Bytes of the challenge a chip signs, `RND.IFD`. */
export const CHALLENGE_BYTES = 8;

/**
 * Active authentication (Doc 9303-11 §6.1): the chip holds the private key to data group 15, which a copy of its files
 * does not. The caller must have verified the State's signature over the files.
 *
 * @param files EF.DG15, and EF.DG14 for an elliptic curve key, by number
 * @param signature answer to INTERNAL AUTHENTICATE
 * @throws PassportRejected ACTIVE_AUTHENTICATION_FAILED, DATA_GROUP_MISSING and _MALFORMED
 */
export function verifyActiveAuthentication(
  files: ReadonlyMap<number, Buffer>,
  challenge: Buffer,
  signature: Buffer,
): void {
  const key = publicKeyIn(fileOf(files, 15));
  const isRight =
    key.asymmetricKeyType === 'ec'
      ? isEcdsa(key, hashIn(fileOf(files, 14)), { challenge, signature })
      : isSignedWithRecovery(key, challenge, signature);
  if (!isRight) throw new PassportRejected('ACTIVE_AUTHENTICATION_FAILED');
}

function fileOf(files: ReadonlyMap<number, Buffer>, number: number): Buffer {
  const file = files.get(number);
  if (file === undefined) throw new PassportRejected('DATA_GROUP_MISSING', `DG${number}`);
  return file;
}

function publicKeyIn(dataGroup15: Buffer): KeyObject {
  return orRejected('DATA_GROUP_MALFORMED', 'DG15', () =>
    createPublicKey({ key: readTemplate(dataGroup15, tag.dg15), format: 'der', type: 'spki' }),
  );
}

/** Hash named by ActiveAuthenticationInfo in EF.DG14. */
function hashIn(dataGroup14: Buffer): string {
  return orRejected('DATA_GROUP_MALFORMED', 'DG14', () => {
    const infos = derReader(readDer(readTemplate(dataGroup14, tag.dg14), derTag.set).content);
    while (!infos.atEnd) {
      const info = infos.enter(derTag.sequence);
      if (readOid(info.element(derTag.oid)) !== oid.activeAuthentication) continue;
      const version = readSmallInteger(info.element(derTag.integer));
      const hash = plainEcdsa[readOid(info.element(derTag.oid))];
      if (version === 1 && hash !== undefined) return hash;
    }
    throw new PassportRejected('DATA_GROUP_MALFORMED', 'DG14');
  });
}

function isEcdsa(
  key: KeyObject,
  hash: string,
  { challenge, signature }: { readonly challenge: Buffer; readonly signature: Buffer },
): boolean {
  try {
    return verify(hash, challenge, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
}
