import { createHash } from 'node:crypto';
import type { HashType } from '../../domain/shared/digest.ts';
import type { ServiceIdentity } from '../../application/certificate/ports/serviceIdentities.ts';
import { certificateFields } from '../pki/kernel/certificateFields.ts';
import { asSent, cmsAttribute, implicitSet } from '../pki/cms.ts';
import {
  derExplicit,
  derGeneralizedTime,
  derOctetString,
  derOid,
  derSequence,
  derSet,
  derUnsigned,
  derValue,
} from '../pki/kernel/der.ts';
import { derTag } from '../pki/kernel/derReader.ts';
import { hashAlgorithm } from '../pki/hashAlgorithms.ts';
import { oid } from '../pki/kernel/oids.ts';
import { signatureSuites } from '../pki/profiles.ts';
import { encodeImprint } from './timestampRequest.ts';

/** Content of a token (RFC 3161 §2.4.2). */
export interface TimestampStatement {
  /** Dotted OID. */
  readonly policy: string;
  readonly hash: HashType;
  readonly digest: Uint8Array;
  /** Big-endian bytes. */
  readonly serial: Uint8Array;
  readonly time: Date;
  /** Accuracy of the time, whole seconds. */
  readonly accuracySeconds: number;
  /** Content of the INTEGER; null: none was sent. */
  readonly nonce: Uint8Array | null;
}

const version1 = derUnsigned(Buffer.from([1]));
const version3 = derUnsigned(Buffer.from([3]));
const timestampInfo = derOid(oid.timestampInfo);

/** TSTInfo, DER. */
function encodeStatement(statement: TimestampStatement): Buffer {
  return derSequence(
    version1,
    derOid(statement.policy),
    encodeImprint(statement.hash, statement.digest),
    derUnsigned(statement.serial),
    derGeneralizedTime(statement.time),
    derSequence(derUnsigned(Buffer.from([statement.accuracySeconds]))),
    ...(statement.nonce === null ? [] : [derValue(derTag.integer, statement.nonce)]),
  );
}

/** Signs a message under the authority's key. @returns DER sequence of an ECDSA signature */
export type SignAttributes = (message: Buffer, hash: HashType) => Promise<Buffer>;

/** Issues tokens under one identity. */
export interface TokenMaker {
  /** TimeStampToken: ContentInfo of a SignedData, DER. */
  make(statement: TimestampStatement, certificateWanted: boolean): Promise<Buffer>;
}

/** Encodes the constant parts of an identity's tokens once (RFC 5652 §5, RFC 3161 §2.4.2, RFC 5816). */
export function createTokenMaker(identity: ServiceIdentity, sign: SignAttributes): TokenMaker {
  const { hash, algorithm } = signatureSuites[identity.keyType];
  const { issuer, serial } = certificateFields(identity.certificate);
  const digestAlgorithm = hashAlgorithm[hash];
  const signer = derSequence(issuer, derValue(derTag.integer, serial));
  // ESSCertIDv2 omits its default hash algorithm, SHA-256 (RFC 5035 §4).
  const certificateHash = createHash('sha256').update(identity.certificate).digest();
  const signingCertificate = cmsAttribute(
    oid.signingCertificateV2,
    derSequence(derSequence(derSequence(derOctetString(certificateHash)))),
  );
  const contentType = cmsAttribute(oid.contentType, timestampInfo);
  // The root is omitted: verifiers have it.
  const [issuing] = identity.chain;
  const carried = issuing === undefined ? [] : [issuing];
  const certificates = implicitSet(0, identity.certificate, ...carried);
  const signatureAlgorithm = derSequence(derOid(algorithm));

  return {
    async make(statement, certificateWanted) {
      const content = encodeStatement(statement);
      const digest = createHash(hash).update(content).digest();
      const attributes = derSet(
        contentType,
        cmsAttribute(oid.messageDigest, derOctetString(digest)),
        signingCertificate,
      );
      const signature = await sign(attributes, hash);
      const signerInfo = derSequence(
        version1,
        signer,
        digestAlgorithm,
        asSent(attributes),
        signatureAlgorithm,
        derOctetString(signature),
      );
      const signedData = derSequence(
        version3,
        derSet(digestAlgorithm),
        derSequence(timestampInfo, derExplicit(0, derOctetString(content))),
        ...(certificateWanted ? [certificates] : []),
        derSet(signerInfo),
      );
      return derSequence(derOid(oid.signedData), derExplicit(0, signedData));
    },
  };
}
