import type {
  CertificateType,
  IssuingAuthority,
  KeyType,
  ServicePurpose,
} from '../domain/certificate/events.ts';
import type { ListPart, HasSnapshot } from '../application/ports/listSnapshot.ts';
import type { DevicePlatform } from '../domain/device/events.ts';
import type { CertificateLevel } from '../domain/shared/certificateLevel.ts';
import type { PersonIdentifier } from '../domain/shared/etsi.ts';

// Citizens, devices and certificates for operators: no key, no token, no certificate's body. Times are ISO 8601.

/** A citizen; for a forgotten one every personal field is its placeholder. */
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

/** Owner of a device or certificate. */
export interface OwnerView {
  readonly etsi: string;
  /** Father's name and given name; a placeholder when forgotten. */
  readonly name: string;
}

export interface DeviceView {
  readonly documentNumber: string;
  readonly owner: OwnerView;
  readonly platform: DevicePlatform;
  readonly active: boolean;
  /** True when a push gateway reaches it; otherwise it polls. */
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

/** REQUESTED: not issued (yet). SUPERSEDED: valid, but replaced by another. */
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
  /** SHA-256 of the certificate, lower-case hexadecimal; null before it is issued. */
  readonly fingerprint: string | null;
  /** RFC 5280 CRLReason number; 6 while suspended. */
  readonly revocationReason: number | null;
  /** Start of the revocation or suspension. */
  readonly revokedAt: string | null;
  /** Serial of its successor. */
  readonly supersededBy: string | null;
}

/** A page of a list, with the list's length. */
export interface PartialList<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** False: counted within the last minute, or a lower bound. */
  readonly isTotalExact: boolean;
}

/** A part of a list that grows at its beginning. */
export type ListWithSnapshot<Item> = PartialList<Item> & HasSnapshot;

/** Search over citizens, devices and certificates for operators. */
export interface PeopleViews {
  /**
   * Last enrolled first.
   *
   * @param q ETSI identifier, civil id, registration number, beginnings of names, or, without a match, the document
   * number of a device; null: all
   */
  citizens(q: string | null, part: ListPart): Promise<ListWithSnapshot<CitizenView>>;
  /** A citizen; a forgotten one by civil id only. */
  citizen(identifier: PersonIdentifier): Promise<CitizenView | null>;
  /**
   * Last enrolled first.
   *
   * @param filter q: document number, or a search for the owner as in `citizens`; null: all
   */
  devices(
    filter: { readonly q: string | null; readonly active: boolean | null },
    part: ListPart,
  ): Promise<ListWithSnapshot<DeviceView>>;
  device(documentNumber: string): Promise<DeviceView | null>;
  /** All of one citizen, enrolled last first. */
  devicesOf(civilId: string): Promise<readonly DeviceView[]>;
  /**
   * Latest expiry first.
   *
   * @param filter q: serial, document number, ETSI identifier of a person or organization, civil id, registration
   * number, register, or beginnings of the holder's names; null: all
   * @param now decides which have expired
   */
  certificates(
    filter: { readonly q: string | null; readonly status: CertificateViewStatus | null },
    now: Date,
    part: ListPart,
  ): Promise<ListWithSnapshot<CertificateView>>;
  /** All of one citizen or one of their devices, latest expiry first. @param now decides which have expired */
  certificatesOf(
    holder: { readonly civilId: string } | { readonly documentNumber: string },
    now: Date,
  ): Promise<readonly CertificateView[]>;
}
