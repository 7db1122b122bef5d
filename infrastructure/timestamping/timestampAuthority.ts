import type { Clock } from '../../application/ports/clock.ts';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import type { Randomness } from '../../application/ports/randomness.ts';
import type {
  ServiceIdentities,
  ServiceIdentity,
} from '../../application/certificate/ports/serviceIdentities.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { Timestamping } from '../../application/ports/timestamping.ts';
import { ACCURACY_SECONDS } from '../system.ts';
import {
  decodeTimestampRequest,
  encodeImprint,
  grantingResponse,
  RefusedRequest,
  refusingResponse,
  type TimestampRequest,
} from './timestampMessages.ts';
import { createHash } from 'node:crypto';
import type { HashType } from '../../domain/shared/digest.ts';
import { certificateFields } from '../pki/kernel/certificate.ts';
import { asSent, cmsAttribute, hashAlgorithm, implicitSet } from '../pki/signedData.ts';
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
import { oid } from '../pki/kernel/oids.ts';
import { signatureSuites } from '../pki/profiles.ts';

export interface TimestampAuthorityOptions {
  readonly identities: Pick<ServiceIdentities, 'current'>;
  readonly vault: Pick<KeyVault, 'sign'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Dotted OID of the policy tokens are issued under. */
  readonly policy: string;
  /** Reason why the clock cannot be trusted; null: it can. Default: it always can. */
  readonly clockFault?: () => string | null;
}

/** The built-in timestamping authority. */
export interface TimestampAuthority extends Timestamping {
  /**
   * Answers a TimeStampReq: a refused request gets a response with the reason, never an exception.
   *
   * @returns TimeStampResp, DER
   * While the clock cannot be trusted every request is refused (timeNotAvailable).
   *
   * @throws Unavailable(keyVault) when nothing can be signed
   */
  answer(request: Uint8Array): Promise<Buffer>;
}

/** RFC 3161 §2.4.2 allows 160 bits; 159 random ones are unique over processes and restarts. */
const SERIAL_BYTES = 20;

/** The clock may be off by more than timestamps state. */
class ClockNotTrusted extends Unavailable {
  constructor(fault: string) {
    super('timestamping', new Error(fault));
  }
}

/** Issues timestamps under the identity `TSA`, in this process, while its clock can be trusted (EN 319 421 §7.7.2). */
export function createTimestampAuthority(options: TimestampAuthorityOptions): TimestampAuthority {
  const { identities, vault, clock, randomness, policy, clockFault = () => null } = options;
  let known: { readonly identity: ServiceIdentity; readonly maker: TokenMaker } | undefined;

  function currentMaker(): TokenMaker {
    const identity = identities.current('TSA');
    if (known?.identity.serial !== identity.serial) {
      const maker = createTokenMaker(identity, (message, hash) =>
        vault.sign(identity.keyLabel, message, hash),
      );
      known = { identity, maker };
    }
    return known.maker;
  }

  async function makeToken(request: Omit<TimestampRequest, 'policy'>): Promise<Buffer> {
    const fault = clockFault();
    if (fault !== null) throw new ClockNotTrusted(fault);
    const serial = randomness.bytes(SERIAL_BYTES);
    serial[0] = (serial[0] ?? 0) & 0x7f;
    const statement = {
      policy,
      hash: request.hash,
      digest: request.digest,
      serial,
      time: clock.now(),
      accuracySeconds: ACCURACY_SECONDS,
      nonce: request.nonce,
    };
    return currentMaker().make(statement, request.certificateWanted);
  }

  return {
    timestamp: (digest, hash) => makeToken({ digest, hash, nonce: null, certificateWanted: true }),
    async answer(bytes) {
      try {
        const request = decodeTimestampRequest(bytes);
        if (request.policy !== null && request.policy !== policy) {
          throw new RefusedRequest('unacceptedPolicy');
        }
        return grantingResponse(await makeToken(request));
      } catch (error) {
        if (error instanceof RefusedRequest) return refusingResponse(error.failure);
        if (error instanceof ClockNotTrusted) return refusingResponse('timeNotAvailable');
        throw error;
      }
    },
  };
}

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
