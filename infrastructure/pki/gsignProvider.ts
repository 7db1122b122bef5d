import type { KeyObject, X509Certificate } from 'node:crypto';
import type { CertificateStatusSource } from '../../application/ports/certificateStatus.ts';
import type { CivilRecord, CivilRegistry } from '../../application/ports/civilRegistry.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type {
  IdentityProvider,
  Verdict,
  VerificationTurn,
} from '../../application/ports/identityProvider.ts';
import type { VerificationFailure } from '../../domain/identityVerification/events.ts';
import { hashTypes } from '../../domain/shared/digest.ts';
import { type CertificationPath, certificationPath, parseX509 } from './certificationPath.ts';
import { oid } from './oids.ts';
import { parseSignedCertificate, read, subjectText } from './parsedCertificate.ts';
import { type PersonalSubject, personalSubject } from './personalSubject.ts';
import { signerOf } from './signedChallenge.ts';

export interface GsignProviderOptions {
  /** DER; trusted as they are. */
  readonly anchors: readonly Buffer[];
  /** DER; certificates of the authorities of this platform, none of whose certificates identify anybody. */
  readonly own: readonly Buffer[];
  /** Null: revocation is not looked at. */
  readonly status: CertificateStatusSource | null;
  readonly civilRegistry: CivilRegistry;
  readonly clock: Clock;
}

/** KeyUsage bits somebody signs with (RFC 5280 §4.2.1.3), as the library calls them. */
const signing = ['digitalSignature', 'nonRepudiation'];

/** Purposes of certificates that are no person's. */
const machines: ReadonlySet<string> = new Set([
  ...['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.3'],
  ...[oid.timeStamping, oid.ocspSigning],
]);

/**
 * Identifies a person by a signature of a challenge with a certificate they have already, of an authority that is trusted
 * here: the signature, the certification path, the purpose, revocation, and the person the certificate names.
 */
export function createGsignProvider(options: GsignProviderOptions): IdentityProvider<'gsign'> {
  const { civilRegistry, clock } = options;
  const anchors = options.anchors.map(parseX509);
  const ownKeys = options.own.map((der) => parseX509(der).publicKey);

  /** @throws Unavailable(certificateStatus) */
  async function isRevoked([...path]: CertificationPath): Promise<boolean> {
    for (const [index, { raw }] of path.slice(0, -1).entries()) {
      const issuer = path[index + 1];
      if (issuer !== undefined && (await options.status?.isRevoked(raw, issuer.raw))) return true;
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
      const subject = personalSubject(certificate.raw);
      if (subject === null) return failed('SUBJECT_UNREADABLE');
      const record = await personIn(civilRegistry, subject);
      if (record === null) return failed('PERSON_UNKNOWN');
      await countFor(record.civilId);
      return { outcome: 'IDENTIFIED', record, evidence: evidenceOf(path) };
    },
  };
}

/** Says what it is for, so that nobody signs it for anything else; bound to one turn of one verification. */
function challengeOf({ verificationId, derive }: VerificationTurn): Buffer {
  const random = derive('challenge').toString('base64url');
  return Buffer.from(`Tamga identity verification ${verificationId} ${random}`, 'utf8');
}

/**
 * A phone signs whatever digest a relying party sends, so one could send that of a challenge: what our own certificates
 * sign says nothing about an identity verification.
 */
function isOurs(path: CertificationPath, ownKeys: readonly KeyObject[]): boolean {
  return path.some(({ publicKey }) => ownKeys.some((own) => own.equals(publicKey)));
}

function isForSigning(certificate: X509Certificate): boolean {
  const parsed = parseSignedCertificate(certificate.raw);
  const usage = read.keyUsage(parsed) ?? [];
  const purposes = read.extendedKeyUsage(parsed);
  const signs = signing.some((bit) => usage.includes(bit));
  return signs && !certificate.ca && purposes?.some((purpose) => machines.has(purpose)) !== true;
}

/** The one person it is. Where Latin letters leave it open, the names must tell. */
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

function folded(text: string): string {
  return text.normalize('NFC').trim().toUpperCase();
}

function evidenceOf([certificate, issuer]: CertificationPath): Readonly<Record<string, string>> {
  return {
    certificateSerial: certificate.serialNumber.toLowerCase(),
    certificateIssuer: issuer === undefined ? '' : subjectText(issuer.raw),
    certificateFingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

function failed(reason: VerificationFailure): Verdict {
  return { outcome: 'FAILED', reason };
}
