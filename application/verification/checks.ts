import { certificateDecider } from '../../domain/certificate/certificate.ts';
import type { CertificateEvent } from '../../domain/certificate/events.ts';
import { fold } from '../../domain/shared/decider.ts';
import { sha256 } from '../../domain/shared/digest.ts';
import type { CertificateReader } from '../ports/certificateReader.ts';
import type { SignatureVerifier } from '../ports/signatureVerifier.ts';
import type { TimestampVerifier } from './ports/timestampVerifier.ts';
import type { SignedSession } from './signedSession.ts';
import type { RevocationStatus, CheckOf, CheckResult } from './verification.ts';

const passedIf = (holds: boolean): CheckResult => (holds ? 'passed' : 'failed');

/** The citizen confirmed on the phone, with the PIN of the signing key. */
export function checkOutcome({ confirmation }: SignedSession): CheckOf<'outcome'> {
  return {
    name: 'outcome',
    result: 'passed',
    endResult: 'OK',
    completedAt: confirmation.completedAt,
  };
}

/** The signature is over this digest, by the certified key. */
export async function checkSignature(
  { confirmation, requested, digest, hash }: SignedSession,
  verifier: SignatureVerifier,
): Promise<CheckOf<'signature'>> {
  const { signature, signatureAlgorithm: algorithm } = confirmation;
  const bytes = Buffer.from(signature, 'base64');
  const form = { rsa: algorithm === 'rsassa-pss' ? 'pss' : 'pkcs1' } as const;
  const isRight = await verifier.verify(requested.publicKey, { digest, hash }, bytes, form);
  return {
    name: 'signature',
    result: passedIf(isRight),
    algorithm,
    hash,
    digest: digest.toString('hex'),
  };
}

/** The certificate leads to the root and was in force when the signature was made. */
export function checkChain(
  { requested, certificate, confirmation }: SignedSession,
  reader: CertificateReader,
): CheckOf<'chain'> {
  const { serial, issuer, notBefore, notAfter } = requested;
  const at = new Date(confirmation.completedAt);
  return {
    name: 'chain',
    // Without the certificate, which contains the person's name, only its public key is left.
    result: certificate === null ? 'open' : passedIf(reader.leadsToRoot(certificate, at)),
    serial,
    issuer,
    notBefore,
    notAfter,
    level: confirmation.certificateLevel,
    rootFingerprint: reader.rootFingerprint,
  };
}

/** The certificate was not revoked at the time of the signature; includes its current status. */
export function checkRevocation(
  { history, confirmation }: SignedSession,
  now: Date,
): CheckOf<'revocation'> {
  const checkedAt = now.toISOString();
  const atSigning = revocationStatusAt(history, confirmation.completedAt);
  const present = revocationStatusAt(history, checkedAt);
  return {
    name: 'revocation',
    result: passedIf(atSigning.revocationStatus === 'good'),
    atSigning: atSigning.revocationStatus,
    now: present.revocationStatus,
    checkedAt,
    since: present.since,
    reason: present.reason,
  };
}

/** A timestamp proves the latest time of the signature. */
export function checkTimestamp(
  { stamped, confirmation }: SignedSession,
  verifier: TimestampVerifier,
): CheckOf<'timestamp'> {
  const recordedAt = confirmation.completedAt;
  if (stamped === null) {
    return { name: 'timestamp', result: 'open', stated: null, recordedAt };
  }
  const imprint = sha256(Buffer.from(confirmation.signature, 'base64'));
  const token = Buffer.from(stamped.timestampToken, 'base64');
  const info = verifier.verify(token, imprint, 'SHA256');
  return {
    name: 'timestamp',
    result: passedIf(info !== null),
    stated: info === null ? null : { ...info, time: info.time.toISOString() },
    recordedAt,
  };
}

/** Effective time of an event; null: always. */
function effectiveFrom(event: CertificateEvent): string | null {
  switch (event.type) {
    case 'CertificateRevoked':
      return event.data.revokedAt;
    case 'CertificateSuspended':
      return event.data.suspendedAt;
    case 'CertificateReinstated':
      return event.data.reinstatedAt;
    default:
      return null;
  }
}

/** Status of the certificate at a time, its beginning, and the reason. */
function revocationStatusAt(history: readonly CertificateEvent[], at: string) {
  const until = history.filter((event) => (effectiveFrom(event) ?? '') <= at);
  const { status } = fold(certificateDecider, until);
  const statuses: Partial<Record<typeof status, RevocationStatus>> = {
    SUSPENDED: 'held',
    REVOKED: 'revoked',
  };
  const revocationStatus = statuses[status] ?? 'good';
  const last = revocationStatus === 'good' ? undefined : until.findLast(isAgainst);
  return {
    revocationStatus,
    since: last === undefined ? null : effectiveFrom(last),
    reason: last?.type === 'CertificateRevoked' ? last.data.reason : null,
  };
}

function isAgainst({ type }: CertificateEvent): boolean {
  return type === 'CertificateRevoked' || type === 'CertificateSuspended';
}
