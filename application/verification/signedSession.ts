import type { CertificateEvent, CertificateRequested } from '../../domain/certificate/events.ts';
import type { SessionConfirmed, SessionStarted } from '../../domain/session/events.ts';
import type { HashAlgorithm } from '../../domain/shared/digest.ts';
import type { DocumentStamped } from '../../domain/stamp/events.ts';

/** Data of one signature to check, current as of the log. */
export interface SignedSession {
  readonly sessionId: string;
  readonly started: SessionStarted['data'];
  readonly confirmation: SessionConfirmed['data'];
  readonly hash: HashAlgorithm;
  /** Signed digest: the document's, or that of the attributes of a signature inside it. */
  readonly digest: Buffer;
  /** Whole history of the certificate. */
  readonly history: readonly CertificateEvent[];
  readonly requested: CertificateRequested['data'];
  /** DER; null when the person was forgotten. */
  readonly certificate: Buffer | null;
  /** Null before the first stamp. */
  readonly stamped: DocumentStamped['data'] | null;
}
