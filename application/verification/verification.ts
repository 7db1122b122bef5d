import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import type { HashAlgorithm } from '../../domain/shared/digest.ts';
import type { EndResult } from '../../domain/session/events.ts';

/** `open`: not checkable yet, or no longer. */
export type CheckResult = 'passed' | 'failed' | 'open';

/** Status of a certificate at a time. */
export type RevocationStatus = 'good' | 'held' | 'revoked';

/** One check of a signature, with the evidence. Times are ISO 8601. */
export type Check =
  | {
      readonly name: 'outcome';
      readonly result: CheckResult;
      readonly endResult: EndResult;
      readonly completedAt: string;
    }
  | {
      readonly name: 'signature';
      readonly result: CheckResult;
      readonly algorithm: string;
      readonly hash: HashAlgorithm;
      /** Lower-case hexadecimal. */
      readonly digest: string;
    }
  | {
      readonly name: 'chain';
      readonly result: CheckResult;
      /** Lower-case hexadecimal. */
      readonly serial: string;
      /** RFC 4514 name. */
      readonly issuer: string;
      readonly level: CertificateLevel;
      readonly notBefore: string;
      readonly notAfter: string;
      /** SHA-256, lower-case hexadecimal. */
      readonly rootFingerprint: string;
    }
  | {
      readonly name: 'revocation';
      readonly result: CheckResult;
      readonly atSigning: RevocationStatus;
      readonly now: RevocationStatus;
      readonly checkedAt: string;
      /** Start of the revocation or hold; null: none. */
      readonly since: string | null;
      /** RFC 5280 CRLReason number; null: not revoked. */
      readonly reason: number | null;
    }
  | {
      readonly name: 'timestamp';
      readonly result: CheckResult;
      /** Content of the timestamp; null: none, or invalid. */
      readonly stated: {
        readonly time: string;
        readonly authority: string;
        readonly policy: string;
        readonly serial: string;
      } | null;
      /** Time the platform recorded the signature. */
      readonly recordedAt: string;
    };

export type CheckName = Check['name'];

export type CheckOf<Name extends CheckName> = Extract<Check, { readonly name: Name }>;

/** `revokedSince`: valid at the time of the signature, the certificate revoked or on hold by now. */
export type Verdict = 'valid' | 'revokedSince' | 'invalid' | 'undecided';

/** Public information about a signature session. */
export type Verification =
  | {
      /** The citizen did not sign: person and content are not disclosed. */
      readonly kind: 'unsigned';
      readonly sessionId: string;
      readonly checks: readonly [CheckOf<'outcome'>];
    }
  | {
      readonly kind: 'signed';
      readonly sessionId: string;
      readonly verdict: Verdict;
      /** Name in the certificate; null when the person was forgotten. */
      readonly signer: { readonly givenName: string; readonly surname: string } | null;
      /** The represented organization; null: none. */
      readonly organization: { readonly name: string; readonly etsi: string } | null;
      /** Name people are shown; both, when another than an own one was sent. */
      readonly relyingPartyName: string;
      readonly fileName: string | null;
      readonly file: SignedFile;
      readonly checks: readonly Check[];
    };

/**
 * Files to compare with this page, as a whole. `signed`: the one whose digest was signed. `stamped`: the citizen's
 * signature is inside the PDF and covers a part of it, so that the first file with it is identified by its digest.
 */
export interface SignedFile {
  readonly kind: 'signed' | 'stamped';
  readonly hash: HashAlgorithm;
  /** Lower-case hexadecimal. */
  readonly digest: string;
  /** SHA-256 of all files the platform made of it by stamps, signatures and seals, lower-case hexadecimal. */
  readonly made: readonly string[];
}
