import type { CitizenCertificateType } from '../../domain/certificate/events.ts';
import type { DevicePlatform } from '../../domain/device/events.ts';
import type { EndResult } from '../../domain/session/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';

// What a relying party with PKI_READ may see of a person (contract §9); lists hold no personal data.

export type PersonCertificateStatus = 'VALID' | 'REVOKED' | 'EXPIRED' | 'SUSPENDED';

export interface PersonCertificate {
  readonly documentNumber: string;
  readonly type: CitizenCertificateType;
  /** Hexadecimal. */
  readonly serial: string;
  readonly level: CertificateLevel;
  readonly status: PersonCertificateStatus;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** RFC 4514 name. */
  readonly issuer: string;
}

export interface PersonDevice {
  readonly documentNumber: string;
  readonly platform: DevicePlatform;
  readonly enrolledAt: Date;
  readonly active: boolean;
  readonly deactivatedAt: Date | null;
}

export type ActivityFlow = 'AUTHENTICATION' | 'SIGNATURE';

export interface PersonSession {
  readonly sessionId: string;
  readonly flow: ActivityFlow;
  /** Null: RUNNING. */
  readonly endResult: EndResult | null;
  readonly startedAt: Date;
}

/** Whose sessions, and which. */
export interface ActivityFilter {
  readonly civilId: string;
  /** Only this relying party's. */
  readonly relyingPartyId: string;
  /** Null: both. */
  readonly flow: ActivityFlow | null;
}

export interface PersonPki {
  /** Issued ones, the newest first. @param now decides what has expired */
  personCertificates(civilId: string, now: Date): Promise<readonly PersonCertificate[]>;
  /** The newest first. */
  personDevices(civilId: string): Promise<readonly PersonDevice[]>;
  /** The newest first. */
  personSessions(
    filter: ActivityFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<readonly PersonSession[]>;
  countSessions(filter: ActivityFilter): Promise<Readonly<Record<ActivityFlow, number>>>;
}
