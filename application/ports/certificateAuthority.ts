import type { CertificateType, KeyType } from '../../domain/certificate/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';

/** What a citizen's certificate is to say. */
export interface CertificateOrder {
  readonly type: CertificateType;
  readonly level: CertificateLevel;
  readonly keyType: KeyType;
  /** Lower-case hexadecimal, 16 bytes, first bit 0. */
  readonly serial: string;
  readonly subject: { readonly etsi: string; readonly givenName: string; readonly surname: string };
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Issues certificates. The issuing CA follows from the subject: `PNO…` Personal, `NTR…` Organization. */
export interface CertificateAuthority {
  /** RFC 4514 name of the CA that would issue for this subject. */
  issuerFor(etsi: string): string;
  /** When that CA's own certificate ends: no certificate it issues may end later. */
  validUntil(etsi: string): Date;
  /**
   * Builds the to-be-signed certificate from its profile, lints it, signs it.
   *
   * @returns certificate, DER
   * @throws Error naming the rule when the lint refuses; nothing was signed then
   */
  issue(order: CertificateOrder): Promise<Buffer>;
  /** CA certificates, DER: the trust anchor and the issuing CAs. */
  readonly certificates: { readonly root: Buffer; readonly issuing: readonly Buffer[] };
}
