import type { CertificateEvent, CertificateRequested } from '../../domain/certificate/events.ts';
import type { SessionConfirmed, SessionStarted } from '../../domain/session/events.ts';
import type { HashAlgorithm } from '../../domain/shared/digest.ts';

/** All that is checked of one signature, as the log has it. */
export interface SignedSession {
  readonly sessionId: string;
  readonly started: SessionStarted['data'];
  readonly confirmation: SessionConfirmed['data'];
  readonly hash: HashAlgorithm;
  /** Of the document. */
  readonly digest: Buffer;
  /** Whole history of the certificate. */
  readonly history: readonly CertificateEvent[];
  readonly requested: CertificateRequested['data'];
  /** DER; null when the person was forgotten. */
  readonly certificate: Buffer | null;
  /** TimeStampToken over the SHA-256 of the signature, DER; null before the first stamp. */
  readonly timestampToken: Buffer | null;
}
