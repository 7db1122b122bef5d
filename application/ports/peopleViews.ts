import type {
  CertificateType,
  IssuingAuthority,
  KeyType,
  ServicePurpose,
} from '../../domain/certificate/events.ts';
import type { DevicePlatform } from '../../domain/device/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import type { PersonIdentifier } from '../../domain/shared/etsi.ts';

// What operators see of citizens, devices and certificates: no key, no token, no certificate's body. Times are ISO 8601.

/** A citizen; of a forgotten one every personal field is its placeholder. */
export interface CitizenView {
  /** `PNOMN-<civil id>`. */
  readonly etsi: string;
  readonly civilId: string;
  /** Lower case. */
  readonly regNo: string;
  readonly firstName: string;
  /** Father's name. */
  readonly lastName: string;
  /** Clan name. */
  readonly familyName: string;
  readonly firstNameEn: string;
  readonly lastNameEn: string;
  readonly birthDate: string;
  readonly gender: 'M' | 'F' | 'X';
  readonly geID: number | null;
  readonly enrolledAt: string;
  readonly forgotten: boolean;
}

/** Whose something is. */
export interface OwnerView {
  readonly etsi: string;
  /** Father's name and given name; a placeholder when they were forgotten. */
  readonly name: string;
}

export interface DeviceView {
  readonly documentNumber: string;
  readonly owner: OwnerView;
  readonly platform: DevicePlatform;
  readonly active: boolean;
  /** Whether a push gateway reaches it; otherwise it asks by itself. */
  readonly reachedByPush: boolean;
  readonly authenticationSerial: string;
  readonly signingSerial: string;
  readonly enrolledAt: string;
  readonly deactivatedAt: string | null;
}

export const certificateViewStatuses = [
  'REQUESTED',
  'VALID',
  'SUPERSEDED',
  'SUSPENDED',
  'EXPIRED',
  'REVOKED',
] as const;

/** REQUESTED: not issued (yet). SUPERSEDED: valid, but another took its place. */
export type CertificateViewStatus = (typeof certificateViewStatuses)[number];

export type HolderView =
  | (OwnerView & { readonly kind: 'citizen'; readonly documentNumber: string })
  | (OwnerView & { readonly kind: 'organization' })
  | { readonly kind: 'service'; readonly purpose: ServicePurpose };

export interface CertificateView {
  /** Lower-case hexadecimal. */
  readonly serial: string;
  readonly type: CertificateType;
  readonly level: CertificateLevel | null;
  readonly keyType: KeyType;
  readonly status: CertificateViewStatus;
  readonly holder: HolderView;
  readonly authority: IssuingAuthority;
  /** RFC 4514. */
  readonly issuerDn: string;
  readonly notBefore: string;
  readonly notAfter: string;
  /** SHA-256 of the certificate, lower-case hexadecimal; null while it is not issued. */
  readonly fingerprint: string | null;
  /** RFC 5280 CRLReason number; 6 while suspended. */
  readonly revocationReason: number | null;
  /** Also from when it is suspended. */
  readonly revokedAt: string | null;
  /** Serial of the certificate that took its place. */
  readonly supersededBy: string | null;
}

/** A part of a list, and how long the whole is. */
export interface PartialList<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** False: as counted within the last minute, or the least there are. */
  readonly isTotalExact: boolean;
}

export interface Part {
  readonly limit: number;
  readonly offset: number;
}

/** What operators look for among citizens, devices and certificates. */
export interface PeopleViews {
  /**
   * Who enrolled last first.
   *
   * @param q ETSI identifier, civil id, registration number, words that begin the words of a name, or, when nobody is
   *   found by these, the document number of a device; null: everybody
   */
  citizens(q: string | null, part: Part): Promise<PartialList<CitizenView>>;
  /** Also a forgotten one, by civil id. */
  citizen(identifier: PersonIdentifier): Promise<CitizenView | null>;
  /**
   * Enrolled last first.
   *
   * @param filter q: document number, or of the owner what `citizens` takes; null: every one
   */
  devices(
    filter: { readonly q: string | null; readonly active: boolean | null },
    part: Part,
  ): Promise<PartialList<DeviceView>>;
  device(documentNumber: string): Promise<DeviceView | null>;
  /** All of one citizen, enrolled last first. */
  devicesOf(civilId: string): Promise<readonly DeviceView[]>;
  /**
   * That ends last first.
   *
   * @param filter q: serial, document number, ETSI identifier of a person or organization, civil id, registration number,
   *   register, or what names of the holder begin with; null: every one
   * @param now decides what has expired
   */
  certificates(
    filter: { readonly q: string | null; readonly status: CertificateViewStatus | null },
    now: Date,
    part: Part,
  ): Promise<PartialList<CertificateView>>;
  /** All of one citizen or one of their devices, ends last first. @param now decides what has expired */
  certificatesOf(
    holder: { readonly civilId: string } | { readonly documentNumber: string },
    now: Date,
  ): Promise<readonly CertificateView[]>;
}
