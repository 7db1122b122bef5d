import type { StaticContent } from './extensions.ts';
import type { ParsedCertificate } from './parsedCertificate.ts';
import type { CertificateProfile } from './profiles.ts';

/** Expectation that the bytes are compared with. */
export interface LintExpectation {
  readonly profile: CertificateProfile;
  readonly content: StaticContent;
  readonly issuer: {
    /** Name, DER. */
    readonly name: Buffer;
    readonly signatureAlgorithm: string;
    readonly notBefore: Date;
    readonly notAfter: Date;
  };
  readonly keyType: 'P-256' | 'P-384' | 'RSA';
}

/** A named check; `holds` may throw on malformed content, which counts as a violation. */
export interface LintRule {
  readonly name: string;
  readonly clause: string;
  readonly holds: (certificate: ParsedCertificate, expected: LintExpectation) => boolean;
}

/** True for as many items as expected, with every expected one among them. */
export function sameItems(actual: readonly string[], expected: readonly string[]): boolean {
  return actual.length === expected.length && expected.every((item) => actual.includes(item));
}
