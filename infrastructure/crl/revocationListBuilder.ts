import { createHash, type Hash } from 'node:crypto';
import type { KeyVault, VaultKeyType } from '../../application/ports/keyVault.ts';
import type { RevocationListBuilder } from '../../application/certificate/ports/revocationLists.ts';
import { certificateFields } from '../pki/certificateFields.ts';
import {
  derBitString,
  derExplicit,
  derHeader,
  derOid,
  derPrimitive,
  derSequence,
  derTime,
  derUnsigned,
} from '../pki/der.ts';
import { readDer, derTag } from '../pki/derReader.ts';
import { rawExtension } from '../pki/extensions.ts';
import { oid } from '../pki/oids.ts';
import { signatureSuites } from '../pki/profiles.ts';
import { createEntries } from './entries.ts';

/** The issuing CA of the list. */
export interface ListSigner {
  /** DER. */
  readonly certificate: Buffer;
  /** Label in the key vault. */
  readonly keyLabel: string;
  readonly keyType: VaultKeyType;
}

const version2 = derUnsigned(Buffer.from([1]));

/** Bytes copied and hashed between two checks of the clock. */
const SLICE_BYTES = 512 * 1024;

/** Longest uninterrupted work on the event loop, milliseconds. */
const TURN_MS = 5;

/**
 * Builds the list of one CA (RFC 5280 §5): concatenates the encoded entries, hashes while copying, signs the hash. The
 * generators of X.509 libraries take time quadratic in the number of entries.
 */
export function createRevocationListBuilder(
  signer: ListSigner,
  vault: Pick<KeyVault, 'signDigest'>,
): RevocationListBuilder {
  const { hash, algorithm } = signatureSuites[signer.keyType];
  const { subject, extensions } = certificateFields(signer.certificate);
  const algorithmIdentifier = derSequence(derOid(algorithm));
  const authorityKey = rawExtension(
    oid.authorityKeyIdentifier,
    derSequence(derPrimitive(0, keyIdentifierIn(extensions))),
  );
  const entries = createEntries();

  return {
    load: (state) => entries.load(state),
    apply: (state) => entries.apply(state),
    dropEndedBefore: (time) => entries.dropEndedBefore(time),
    get size() {
      return entries.size;
    },
    async sign({ number, thisUpdate, nextUpdate }) {
      const runs = entries.runs();
      const before = Buffer.concat([
        version2,
        algorithmIdentifier,
        subject,
        derTime(thisUpdate),
        derTime(nextUpdate),
      ]);
      const listNumber = rawExtension(oid.crlNumber, derUnsigned(bigEndian(number)));
      const after = derExplicit(0, derSequence(authorityKey, listNumber));
      const assembled = await assemble(before, runs, after, createHash(hash));
      const signature = await vault.signDigest(signer.keyLabel, assembled.digest);
      return assembled.finish(algorithmIdentifier, derBitString(signature));
    },
  };
}

/** Bytes reserved before the signed part for the outer header: a tag, a length of up to five bytes. */
const HEADER_ROOM = 6;

/** Copies the signed part into one buffer with capacity for the signature. */
async function assemble(before: Buffer, runs: readonly Buffer[], after: Buffer, hash: Hash) {
  const entryBytes = runs.reduce((sum, run) => sum + run.length, 0);
  // An empty list omits revokedCertificates (§5.1.2.6).
  const listHeader = entryBytes === 0 ? Buffer.alloc(0) : derHeader(derTag.sequence, entryBytes);
  const content = before.length + listHeader.length + entryBytes + after.length;
  const parts = [derHeader(derTag.sequence, content), before, listHeader, ...runs, after];
  const signedBytes = parts.reduce((sum, part) => sum + part.length, 0);
  const whole = Buffer.allocUnsafeSlow(HEADER_ROOM + signedBytes + SIGNATURE_ROOM);
  let offset = HEADER_ROOM;
  let turnStarted = performance.now();
  for (const part of parts) {
    for (let start = 0; start < part.length; start += SLICE_BYTES) {
      const slice = part.subarray(start, start + SLICE_BYTES);
      whole.set(slice, offset);
      offset += slice.length;
      hash.update(slice);
      if (performance.now() - turnStarted > TURN_MS) {
        await new Promise(setImmediate);
        turnStarted = performance.now();
      }
    }
  }

  function finish(...trailer: readonly Buffer[]): Buffer {
    let end = offset;
    for (const part of trailer) end += part.copy(whole, end);
    const header = derHeader(derTag.sequence, end - HEADER_ROOM);
    const start = HEADER_ROOM - header.length;
    header.copy(whole, start);
    return whole.subarray(start, end);
  }
  return { digest: hash.digest(), finish };
}

/** Bytes reserved for algorithm and signature; the strongest CA key, P-384, needs some 125. */
const SIGNATURE_ROOM = 256;

/** The CA's subject key identifier, as in its certificate (RFC 5280 §5.2.1). */
function keyIdentifierIn(extensions: ReadonlyMap<string, { readonly value: Buffer }>): Buffer {
  const value = extensions.get(oid.subjectKeyIdentifier)?.value;
  if (value === undefined) throw new Error('The CA certificate has no key identifier.');
  return readDer(value, derTag.octetString).content;
}

function bigEndian(number: bigint): Buffer {
  const digits = number.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}
