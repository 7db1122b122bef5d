import type { SealLevel } from '../shared/certificateLevel.ts';
import type { DomainEvent } from '../shared/decider.ts';
import type { HashType } from '../shared/digest.ts';

// Storage format: see domain/session/events.ts.

/** What was sealed: a digest the caller sent, or a PDF that now carries the seal. */
export type SealedContent = 'DIGEST' | 'PDF';

/**
 * A seal was made. A fact of the stream `seal-<register>`, appended at any version. It counts where, at its place in the
 * log, the organization was ACTIVE and the certificate in force: one that stands behind the end of either was never
 * answered, and a {@link SealDenied} of the same `sealId` follows.
 */
export type DocumentSealed = DomainEvent<
  'DocumentSealed',
  {
    readonly sealId: string;
    readonly register: string;
    readonly relyingPartyId: string;
    readonly content: SealedContent;
    /** What was signed: of a PDF the digest of the signed attributes; base64. */
    readonly digest: string;
    readonly hashType: HashType;
    /** DER sequence of r and s, base64. */
    readonly signature: string;
    /** Lower-case hexadecimal. */
    readonly certificateSerial: string;
    readonly certificateLevel: SealLevel;
    /** SHA-256 of the sealed PDF, lower-case hexadecimal; null: nothing but a digest was seen. */
    readonly sealedDocument: string | null;
    readonly sealedAt: string;
  }
>;

/** Why a seal was refused. */
export type SealDenial = 'ORG_NOT_ACTIVE' | 'CERTIFICATE_NOT_ACTIVE';

/** A seal was refused, also one already in the log. A fact of the stream `seal-<register>`. */
export type SealDenied = DomainEvent<
  'SealDenied',
  {
    readonly sealId: string;
    readonly register: string;
    readonly relyingPartyId: string;
    readonly content: SealedContent;
    readonly reason: SealDenial;
    /** The DocumentSealed of this `sealId` stands before it and does not count: what ended it stood before that. */
    readonly takesBack: boolean;
    readonly deniedAt: string;
  }
>;

export type SealEvent = DocumentSealed | SealDenied;

/** A seal certificate is about to be issued: after a crash the same one is finished, none is left over. */
export type SealCertificateRequested = DomainEvent<
  'SealCertificateRequested',
  {
    readonly register: string;
    /** Lower-case hexadecimal. */
    readonly serial: string;
    readonly level: SealLevel;
    /** Where the private key is in the vault of that level. */
    readonly keyLabel: string;
    readonly requestedAt: string;
  }
>;

/** The organization seals with this certificate from now on. */
export type SealCertificateIssued = DomainEvent<
  'SealCertificateIssued',
  {
    readonly register: string;
    readonly serial: string;
    readonly level: SealLevel;
    readonly keyLabel: string;
    /** Serial of the certificate whose place it takes. */
    readonly supersedes: string | null;
    readonly issuedAt: string;
  }
>;

export type SealCertificateEvent = SealCertificateRequested | SealCertificateIssued;
