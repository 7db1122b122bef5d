import type {
  CitizenCertificateType,
  KeyType,
  ServiceCertificateType,
} from '../../domain/certificate/events.ts';
import type { CertificateLevel, SealLevel } from '../../domain/shared/certificateLevel.ts';
import type { CaKind, IssuingAuthority, IssuingCa } from '../../domain/shared/issuingCas.ts';
import type { EcdsaKeyType } from './keyVault.ts';

/** Common fields of all certificates. */
interface Order {
  /** The CA that issues it, as the recorded request names it: a request of before outlives an activation. */
  readonly authority: IssuingAuthority;
  readonly keyType: KeyType;
  /** Lower-case hexadecimal, 16 bytes, first bit 0. */
  readonly serial: string;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Order for a citizen's certificate, issued by a Personal CA. */
export interface CitizenCertificateOrder extends Order {
  readonly type: CitizenCertificateType;
  readonly level: CertificateLevel;
  readonly subject: { readonly etsi: string; readonly givenName: string; readonly surname: string };
}

/** Order for a certificate of the platform; its subject is the operator under this common name. */
export interface ServiceCertificateOrder extends Order {
  readonly type: ServiceCertificateType;
  readonly commonName: string;
}

/** Order for the certificate of a key that signs heads of the audit tree, issued by the Root CA alone. */
export interface TreeKeyOrder extends Order {
  readonly type: 'TREE_KEY';
  readonly authority: 'root';
  readonly commonName: string;
}

/** Order for an organization's seal certificate, issued by an Organization CA. */
export interface SealCertificateOrder extends Order {
  readonly type: 'SEAL';
  readonly level: SealLevel;
  /** `etsi`: `NTR<country>-<registration number>`. */
  readonly organization: { readonly etsi: string; readonly name: string };
}

export type CertificateOrder =
  CitizenCertificateOrder | SealCertificateOrder | ServiceCertificateOrder | TreeKeyOrder;

/** One of the platform's CAs. */
export interface Issuer {
  readonly authority: IssuingAuthority;
  /** RFC 4514 name. */
  readonly name: string;
  /** DER. */
  readonly certificate: Buffer;
  /** Earliest beginning of the certificates it issues. */
  readonly notBefore: Date;
  /** Latest end of the certificates it issues. */
  readonly notAfter: Date;
  /** Label in the key vault. */
  readonly keyLabel: string;
  readonly keyType: EcdsaKeyType;
  /** False: an offline root, whose certificates and lists come as files. */
  readonly isOnline: boolean;
}

/** Issues certificates. */
export interface CertificateAuthority {
  /**
   * @throws Error when not started
   * @throws Unavailable(issuingAuthority) for a generation that was installed after this process started
   */
  issuer(authority: IssuingAuthority): Issuer;
  /**
   * The CA that issues to this kind of holders: of the activated generations the last that this process knows.
   *
   * @throws Unavailable(eventStore)
   */
  active(kind: CaKind): Promise<Issuer & { readonly authority: IssuingCa }>;
  /**
   * The CA that issued a certificate, DER, by its authority key identifier.
   *
   * @throws Unavailable(issuingAuthority) as {@link issuer}
   */
  issuerOf(certificate: Buffer): Issuer & { readonly authority: IssuingCa };
  /** Issuing CAs that this process knows, the first generations first. */
  readonly issuingCas: readonly IssuingCa[];
  /**
   * True: the root revoked it, so that it issues nothing any more.
   *
   * @throws Unavailable(database), Unavailable(issuingAuthority) as {@link issuer}
   */
  isRevoked(authority: IssuingAuthority): Promise<boolean>;
  /**
   * Builds the to-be-signed certificate from its profile, lints it, signs it.
   *
   * @returns certificate, DER
   * @throws Error naming the rule the lint found violated; nothing was signed then
   * @throws Unavailable(issuingAuthority) when the root revoked the CA; nothing was signed then
   */
  issue(order: CertificateOrder): Promise<Buffer>;
  /**
   * Beginning of the validity of a certificate issued now: earlier by the clock slack, so that readers whose clock is
   * behind take it, in whole seconds, never before the CA's own.
   */
  beginOfValidity(authority: IssuingAuthority, now: Date): Date;
  /** CA certificates, DER: the trust anchor and the issuing CAs. */
  readonly certificates: { readonly root: Buffer; readonly issuing: readonly Buffer[] };
}

/** Kind of the issuing CA for a subject: `PNO…` Personal, `NTR…` Organization. @throws Error for any other */
export function caKindFor(etsi: string): CaKind {
  if (etsi.startsWith('PNO')) return 'personal';
  if (etsi.startsWith('NTR')) return 'organization';
  throw new Error('No issuing CA is responsible for this kind of subject.');
}
