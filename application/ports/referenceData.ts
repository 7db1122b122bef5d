import type { CitizenCertificateType, KeyType } from '../../domain/certificate/events.ts';
import type { Identity } from '../../domain/citizen/events.ts';
import type { DevicePlatform } from '../../domain/device/events.ts';
import type { OrganizationStatus } from '../../domain/organization/events.ts';
import type { OrganizationSettings } from '../../domain/organization/settings.ts';
import type { RelyingPartySettings } from '../../domain/relyingParty/settings.ts';
import type { RelyingPartyNames } from '../../domain/relyingParty/names.ts';
import type { Subsystem } from '../../domain/relyingParty/subsystems.ts';
import type { RightTerms } from '../../domain/representation/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import type { PersonIdentifier } from '../../domain/shared/etsi.ts';

// Reference data: narrow queries of use cases over the read models. Results may lag the log by milliseconds; no
// invariant (one outcome, once) depends on them. They are remembered as facts.ts says.

export interface RelyingPartyData extends RelyingPartySettings, RelyingPartyNames {
  readonly relyingPartyId: string;
  readonly active: boolean;
  readonly subsystems: readonly Subsystem[];
  /** Registers of the organizations it may seal for. */
  readonly sealsFor: readonly string[];
}

export interface RelyingPartyReferenceData {
  /** The relying party whose current secret has this SHA-256 (lower-case hexadecimal). */
  relyingPartyBySecretHash(
    secretHash: string,
  ): Promise<(RelyingPartyData & { readonly secretHash: string }) | null>;
  relyingParty(relyingPartyId: string): Promise<RelyingPartyData | null>;
}

export interface CitizenData {
  readonly civilId: string;
  readonly identity: Identity;
}

export interface CitizenReferenceData {
  /** An enrolled, not forgotten citizen. */
  citizen(identifier: PersonIdentifier): Promise<CitizenData | null>;
}

/** A citizen's certificate. */
export interface CertificateData {
  readonly serial: string;
  readonly type: CitizenCertificateType;
  readonly level: CertificateLevel;
  readonly keyType: KeyType;
  readonly civilId: string;
  readonly documentNumber: string;
  /** SUPERSEDED: not revoked, but replaced by another. Expiry is not a status: see `notAfter`. */
  readonly status: 'VALID' | 'SUPERSEDED' | 'SUSPENDED' | 'REVOKED';
  readonly notBefore: string;
  readonly notAfter: string;
  /** SubjectPublicKeyInfo, base64 DER. */
  readonly publicKey: string;
  /** Base64 DER; `null` when the person was forgotten. */
  readonly certificate: string | null;
}

export interface CertificateReferenceData {
  certificate(serial: string): Promise<CertificateData | null>;
}

export interface DeviceData {
  readonly documentNumber: string;
  readonly civilId: string;
  readonly active: boolean;
  readonly platform: DevicePlatform;
  readonly pushToken: string | null;
  /** SubjectPublicKeyInfo, base64 DER. */
  readonly transportKey: string;
  readonly authentication: CertificateData;
  readonly signing: CertificateData;
}

export interface DeviceReferenceData {
  device(documentNumber: string): Promise<DeviceData | null>;
  /** The citizen's active devices, newest first. */
  activeDevicesOf(civilId: string): Promise<readonly DeviceData[]>;
}

export interface OrganizationData extends OrganizationSettings {
  /** National registration number, upper case. */
  readonly register: string;
  readonly status: OrganizationStatus;
}

/** A confirmed right, in force at the requested time, to represent an organization that is ACTIVE. */
export type RightData = RightTerms & { readonly organization: OrganizationData };

export interface OrganizationReferenceData {
  /** @param register upper case */
  organization(register: string): Promise<OrganizationData | null>;
  /** Organizations the person may represent at `now`, by register. */
  rightsOf(civilId: string, now: Date): Promise<readonly RightData[]>;
}

export interface ReferenceData
  extends
    RelyingPartyReferenceData,
    CitizenReferenceData,
    CertificateReferenceData,
    DeviceReferenceData,
    OrganizationReferenceData {}
