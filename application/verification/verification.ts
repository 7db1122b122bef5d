import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import type { HashAlgorithm } from '../../domain/shared/digest.ts';
import type { EndResult } from '../../domain/session/events.ts';

/** `open`: there is nothing to check yet, or no longer. */
export type CheckResult = 'passed' | 'failed' | 'open';

/** Where a certificate stood at a time. */
export type CertificateStanding = 'good' | 'held' | 'revoked';

/** One thing a stranger wants to know of a signature, with the evidence. Times are ISO 8601. */
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
      readonly atSigning: CertificateStanding;
      readonly now: CertificateStanding;
      readonly checkedAt: string;
      /** Since when it is revoked or held; null: it is not. */
      readonly since: string | null;
      /** RFC 5280 CRLReason number; null: it is not revoked. */
      readonly reason: number | null;
    }
  | {
      readonly name: 'timestamp';
      readonly result: CheckResult;
      /** What the authority states; null: there is no timestamp, or it does not verify. */
      readonly stated: {
        readonly time: string;
        readonly authority: string;
        readonly policy: string;
        readonly serial: string;
      } | null;
      /** When the platform recorded the signature. */
      readonly recordedAt: string;
    };

export type CheckName = Check['name'];

export type CheckOf<Name extends CheckName> = Extract<Check, { readonly name: Name }>;

/** `revokedSince`: valid when it was made, the certificate revoked or on hold by now. */
export type Verdict = 'valid' | 'revokedSince' | 'invalid' | 'undecided';

/** What a stranger may know of a signature session. */
export type Verification =
  | {
      /** The citizen did not sign: whose session it was and what about is nobody's business. */
      readonly kind: 'unsigned';
      readonly sessionId: string;
      readonly checks: readonly [CheckOf<'outcome'>];
    }
  | {
      readonly kind: 'signed';
      readonly sessionId: string;
      readonly verdict: Verdict;
      /** As the certificate names the person; null when the person was forgotten. */
      readonly signer: { readonly givenName: string; readonly surname: string } | null;
      /** The organization signed for; null: the person signed for nobody else. */
      readonly organization: { readonly name: string; readonly etsi: string } | null;
      readonly relyingPartyName: string;
      readonly fileName: string | null;
      readonly file: SignedFile;
      readonly checks: readonly Check[];
    };

/**
 * Which file somebody can hold against this page. `signed`: the one whose digest was signed, also inside a stamped copy.
 * `stamped`: the citizen's signature is inside the PDF and covers a part of it, so that the first stamped copy is known
 * by its digest, and no other file can be judged.
 */
export interface SignedFile {
  readonly kind: 'signed' | 'stamped';
  readonly hash: HashAlgorithm;
  /** Lower-case hexadecimal. */
  readonly digest: string;
}
