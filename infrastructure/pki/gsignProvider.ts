import type { KeyObject } from 'node:crypto';
import type { CertificateStatusSource } from './certificateStatus.ts';
import type { CivilRecord, CivilRegistry } from '../../application/ports/civilRegistry.ts';
import type { Clock } from '../../application/ports/clock.ts';
import {
  failed,
  type IdentityProvider,
  type VerificationTurn,
} from '../../application/identityVerification/ports/identityProvider.ts';
import { hashTypes } from '../../domain/shared/digest.ts';
import { folded } from '../../domain/shared/etsi.ts';
import { certificationPath } from './certificatePath.ts';
import { type CertificateDetails, readableAmong, readCertificate } from './kernel/certificate.ts';
import type { CertificationPath } from './kernel/certificationPath.ts';
import { oid } from './kernel/oids.ts';
import { parseSignedCertificate, read, subjectText } from './parsedCertificate.ts';
import { type PersonalSubject, personalSubject } from './personalSubject.ts';
import { signerOf } from './signedChallenge.ts';

export interface GsignProviderOptions {
  /** DER; trust anchors. One that cannot be read is left out. */
  readonly anchors: readonly Buffer[];
  /** DER; the platform's own authorities, whose certificates are not accepted. */
  readonly own: readonly Buffer[];
  /** Null: revocation is not checked. */
  readonly status: CertificateStatusSource | null;
  readonly civilRegistry: CivilRegistry;
  readonly clock: Clock;
}

/** KeyUsage bits of signing certificates (RFC 5280 §4.2.1.3), by the library's names. */
const signing = ['digitalSignature', 'nonRepudiation'];

/** Extended key usages of certificates that are not a person's. */
const machines: ReadonlySet<string> = new Set([
  ...['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.3'],
  ...[oid.timeStamping, oid.ocspSigning],
]);

/**
 * Identifies a person by a signature of a challenge with a certificate of another, trusted authority: checks the
 * signature, the certification path, the purpose, revocation, and the person named by the certificate.
 */
export function createGsignProvider(options: GsignProviderOptions): IdentityProvider<'gsign'> {
  const { civilRegistry, clock } = options;
  const anchors = readableAmong(options.anchors, readCertificate);
  const ownKeys = options.own.map((der) => readCertificate(der).x509.publicKey);

  /** @throws Unavailable(certificateStatus) */
  async function isRevoked([...path]: CertificationPath): Promise<boolean> {
    for (const [index, { der }] of path.slice(0, -1).entries()) {
      const issuer = path[index + 1];
      if (issuer !== undefined && (await options.status?.isRevoked(der, issuer.der))) return true;
    }
    return false;
  }

  return {
    nextStep: (turn) => ({
      type: 'SIGNATURE',
      challenge: challengeOf(turn).toString('base64'),
      hashTypes,
    }),
    async check(turn, sent, countFor) {
      const signer = signerOf(challengeOf(turn), sent);
      if (signer === null) return failed('SIGNATURE_INVALID');
      const { certificate, others } = signer;
      const path = certificationPath(certificate, others, anchors, clock.now());
      if (path === null) {
        const hasBeen = certificationPath(certificate, others, anchors, null) !== null;
        return failed(hasBeen ? 'CERTIFICATE_NOT_IN_FORCE' : 'CERTIFICATE_UNTRUSTED');
      }
      if (!isForSigning(certificate) || isOurs(path, ownKeys)) {
        return failed('CERTIFICATE_UNSUITABLE');
      }
      if (await isRevoked(path)) return failed('CERTIFICATE_REVOKED');
      const subject = personalSubject(certificate.der);
      if (subject === null) return failed('SUBJECT_UNREADABLE');
      const record = await personIn(civilRegistry, subject);
      if (record === null) return failed('PERSON_UNKNOWN');
      await countFor(record.civilId);
      return { outcome: 'IDENTIFIED', record, evidence: evidenceOf(path) };
    },
  };
}

/** Names its purpose, so that it cannot be signed for another one; bound to one turn of one verification. */
function challengeOf({ verificationId, derive }: VerificationTurn): Buffer {
  const random = derive('challenge').toString('base64url');
  return Buffer.from(`Tamga identity verification ${verificationId} ${random}`, 'utf8');
}

/**
 * A phone signs any digest a relying party sends, including that of a challenge: our own certificates therefore prove
 * nothing in an identity verification.
 */
function isOurs(path: CertificationPath, ownKeys: readonly KeyObject[]): boolean {
  return path.some(({ x509: { publicKey } }) => ownKeys.some((own) => own.equals(publicKey)));
}

function isForSigning({ der, isCa }: CertificateDetails): boolean {
  const parsed = parseSignedCertificate(der);
  const usage = read.keyUsage(parsed) ?? [];
  const purposes = read.extendedKeyUsage(parsed);
  const signs = signing.some((bit) => usage.includes(bit));
  return signs && !isCa && purposes?.some((purpose) => machines.has(purpose)) !== true;
}

/** The matching person. Where transliteration is ambiguous, the names decide. */
async function personIn(
  civilRegistry: CivilRegistry,
  { identifiers, givenName, surname }: PersonalSubject,
): Promise<CivilRecord | null> {
  const found = await Promise.all(identifiers.map((each) => civilRegistry.find(each)));
  const records = found.filter((record) => record !== null);
  const named =
    identifiers.length === 1
      ? records
      : records.filter(
          ({ identity }) =>
            isOneOf(givenName, [identity.givenName, identity.givenNameLatin]) &&
            (surname === '' || isOneOf(surname, [identity.surname, identity.surnameLatin])),
        );
  const [record, another] = named;
  return record === undefined || another !== undefined ? null : record;
}

function isOneOf(name: string, names: readonly string[]): boolean {
  return names.some((each) => folded(each) === folded(name));
}

function evidenceOf([certificate, issuer]: CertificationPath): Readonly<Record<string, string>> {
  return {
    certificateSerial: certificate.x509.serialNumber.toLowerCase(),
    certificateIssuer: issuer === undefined ? '' : subjectText(issuer.der),
    certificateFingerprint: certificate.x509.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}
