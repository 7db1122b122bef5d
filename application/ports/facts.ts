import type { CitizenCertificateType, KeyType } from '../../domain/certificate/events.ts';
import type { Identity } from '../../domain/citizen/events.ts';
import type { DevicePlatform } from '../../domain/device/events.ts';
import type { OrganizationStatus } from '../../domain/organization/events.ts';
import type { RelyingPartySettings } from '../../domain/relyingParty/events.ts';
import type { Subsystem } from '../../domain/relyingParty/subsystems.ts';
import type { RightTerms } from '../../domain/representation/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import type { PersonIdentifier } from '../../domain/shared/etsi.ts';

// Narrow questions use cases ask of the read models. Answers may lag the log by milliseconds; nothing that must hold
// (one outcome, once) rests on them. Adapters cache them and drop what a projection changed.

export interface RelyingPartyFact extends RelyingPartySettings {
  readonly relyingPartyId: string;
  readonly active: boolean;
  readonly subsystems: readonly Subsystem[];
}

export interface RelyingPartyFacts {
  /** The relying party whose current secret has this SHA-256 (lower-case hexadecimal). */
  relyingPartyBySecretHash(
    secretHash: string,
  ): Promise<(RelyingPartyFact & { readonly secretHash: string }) | null>;
  relyingParty(relyingPartyId: string): Promise<RelyingPartyFact | null>;
}

export interface CitizenFact {
  readonly civilId: string;
  readonly identity: Identity;
}

export interface CitizenFacts {
  /** An enrolled, not forgotten citizen. */
  citizen(identifier: PersonIdentifier): Promise<CitizenFact | null>;
}

/** A citizen's certificate. */
export interface CertificateFact {
  readonly serial: string;
  readonly type: CitizenCertificateType;
  readonly level: CertificateLevel;
  readonly keyType: KeyType;
  readonly civilId: string;
  readonly documentNumber: string;
  /** SUPERSEDED: not revoked, but another took its place. That it has ended is not a status: see `notAfter`. */
  readonly status: 'VALID' | 'SUPERSEDED' | 'SUSPENDED' | 'REVOKED';
  readonly notBefore: string;
  readonly notAfter: string;
  /** SubjectPublicKeyInfo, base64 DER. */
  readonly publicKey: string;
  /** Base64 DER; `null` when the person was forgotten. */
  readonly certificate: string | null;
}

export interface CertificateFacts {
  certificate(serial: string): Promise<CertificateFact | null>;
}

export interface DeviceFact {
  readonly documentNumber: string;
  readonly civilId: string;
  readonly active: boolean;
  readonly platform: DevicePlatform;
  readonly pushToken: string | null;
  /** SubjectPublicKeyInfo, base64 DER. */
  readonly transportKey: string;
  readonly authentication: CertificateFact;
  readonly signing: CertificateFact;
}

export interface DeviceFacts {
  device(documentNumber: string): Promise<DeviceFact | null>;
  /** The citizen's active devices, newest first. */
  activeDevicesOf(civilId: string): Promise<readonly DeviceFact[]>;
}

export interface OrganizationFact {
  /** National registration number, upper case. */
  readonly register: string;
  readonly name: string;
  /** Upper case, ICAO letters; null: none yet. */
  readonly nameLatin: string | null;
  readonly status: OrganizationStatus;
}

/** A confirmed right, in force at the moment asked about, to represent an organization that is ACTIVE. */
export type RightFact = RightTerms & { readonly organization: OrganizationFact };

export interface OrganizationFacts {
  /** @param register upper case */
  organization(register: string): Promise<OrganizationFact | null>;
  /** Whom the person may represent at `now`, by register. */
  rightsOf(civilId: string, now: Date): Promise<readonly RightFact[]>;
  rightOf(register: string, civilId: string, now: Date): Promise<RightFact | null>;
}

export interface Facts
  extends RelyingPartyFacts, CitizenFacts, CertificateFacts, DeviceFacts, OrganizationFacts {}
