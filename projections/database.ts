import type { ColumnType } from 'kysely';
import type {
  CertificateHolder,
  CertificateType,
  IssuingAuthority,
  KeyType,
  ServicePurpose,
} from '../domain/certificate/events.ts';
import type {
  AuditDetails,
  AuditEventType,
  AuditOutcome,
} from '../application/ports/auditTrail.ts';
import type { ApprovalStatus } from '../domain/approval/approval.ts';
import type { ApprovalRequested } from '../domain/approval/events.ts';
import type { ArticleOrigin, AssistantLanguage, PromptName } from '../domain/assistant/events.ts';
import type { DevicePlatform } from '../domain/device/events.ts';
import type { OidcClientSettings } from '../domain/oidcClient/events.ts';
import type {
  VerificationFailure,
  VerificationMethod,
} from '../domain/identityVerification/events.ts';
import type { VerificationStatus } from '../domain/identityVerification/identityVerification.ts';
import type { DocumentStatus } from '../domain/document/document.ts';
import type { Capability } from '../domain/operator/capabilities.ts';
import type { OrganizationStatus } from '../domain/organization/events.ts';
import type { Permission } from '../domain/relyingParty/events.ts';
import type { Subsystem } from '../domain/relyingParty/subsystems.ts';
import type { RightTerms } from '../domain/representation/events.ts';
import type { EndResult, SessionFlow, SessionKind } from '../domain/session/events.ts';
import type { CertificateLevel } from '../domain/shared/certificateLevel.ts';
import type { OpenIdScopeName } from '../domain/shared/openIdScopes.ts';

// Rows as folded: times are ISO strings. The tables say how they are read: times as Date.

type Time = ColumnType<Date, string, string>;
type OptionalTime = ColumnType<Date | null, string | null, string | null>;

/** A session as folded; times are ISO strings. No personal text. */
export interface SessionRow {
  readonly session_id: string;
  readonly relying_party_id: string;
  readonly kind: SessionKind;
  readonly flow: SessionFlow;
  readonly civil_id: string | null;
  readonly document_number: string | null;
  readonly status: 'RUNNING' | 'COMPLETE';
  readonly end_result: EndResult | null;
  readonly refused_interaction: string | null;
  readonly signature: string | null;
  readonly signature_algorithm: string | null;
  readonly certificate_serial: string | null;
  readonly certificate_level: CertificateLevel | null;
  readonly interaction_type_used: string | null;
  readonly started_at: string;
  readonly answer_before: string;
  readonly readable_until: string;
  readonly completed_at: string | null;
  readonly revision: bigint;
}

export type SessionTable = Omit<
  SessionRow,
  'started_at' | 'answer_before' | 'readable_until' | 'completed_at'
> & {
  readonly started_at: Time;
  readonly answer_before: Time;
  readonly readable_until: Time;
  readonly completed_at: OptionalTime;
};

export interface RelyingPartyRow {
  readonly relying_party_id: string;
  readonly name: string;
  readonly secret_hash: string;
  readonly callback_hosts: readonly string[];
  readonly ip_allowlist: readonly string[];
  readonly client_certificates: readonly string[];
  readonly permissions: readonly Permission[];
  readonly first_party: boolean;
  readonly requests_per_minute: bigint | null;
  readonly smart_id_statuses: boolean;
  readonly active: boolean;
  /** In the order in which they were first seen. */
  readonly subsystems: readonly Subsystem[];
  readonly registered_at: string;
  /** See search.ts, as in all searched tables. */
  readonly search: string;
  readonly grams: readonly string[];
  readonly revision: bigint;
}

export type RelyingPartyTable = Omit<RelyingPartyRow, 'registered_at'> & {
  readonly registered_at: Time;
};

/** An enrolled citizen. */
export interface CitizenRow {
  readonly civil_id: string;
  /** The identity as JSON, sealed under the citizen's key; null when it was forgotten before this row was written. */
  readonly identity: string | null;
  /** Blind index of the registration number, lower case. */
  readonly registration_index: string | null;
  readonly enrolled_at: string;
  readonly revision: bigint;
}

export type CitizenTable = Omit<CitizenRow, 'enrolled_at'> & {
  readonly enrolled_at: Time;
};

/** What an enrolled citizen is listed and found by. */
export interface CitizenSearchRow {
  readonly civil_id: string;
  readonly enrolled_at: string;
  /** Fingerprints of the names' words and of what they begin with; null when the citizen was forgotten. */
  readonly name_index: string | null;
  readonly revision: bigint;
}

export type CitizenSearchTable = Omit<CitizenSearchRow, 'enrolled_at'> & {
  readonly enrolled_at: Time;
};

export interface DeviceRow {
  readonly document_number: string;
  readonly civil_id: string;
  readonly platform: DevicePlatform;
  readonly push_token: string | null;
  /** SubjectPublicKeyInfo, base64 DER. */
  readonly transport_key: string;
  readonly authentication_serial: string;
  readonly signing_serial: string;
  readonly active: boolean;
  readonly enrolled_at: string;
  readonly deactivated_at: string | null;
  readonly revision: bigint;
}

export type DeviceTable = Omit<DeviceRow, 'enrolled_at' | 'deactivated_at'> & {
  readonly enrolled_at: Time;
  readonly deactivated_at: OptionalTime;
};

export interface CertificateRow {
  readonly serial: string;
  readonly type: CertificateType;
  readonly level: CertificateLevel | null;
  readonly key_type: KeyType;
  /** Where the private key is in the platform's key vault; null: with the holder. */
  readonly key_label: string | null;
  readonly holder_kind: CertificateHolder['kind'];
  readonly civil_id: string | null;
  readonly document_number: string | null;
  readonly register: string | null;
  readonly purpose: ServicePurpose | null;
  readonly authority: IssuingAuthority;
  readonly issuer: string;
  /** SubjectPublicKeyInfo, base64 DER. */
  readonly public_key: string;
  readonly not_before: string;
  readonly not_after: string;
  readonly status: 'REQUESTED' | 'VALID' | 'SUSPENDED' | 'REVOKED';
  /** Base64 DER, sealed under the citizen's key; null before it is issued and when forgotten before this row was written. */
  readonly certificate: string | null;
  /** SHA-256 of the DER, lower-case hexadecimal. */
  readonly fingerprint: string | null;
  /** RFC 5280 CRLReason number; 6 while suspended. */
  readonly revocation_reason: bigint | null;
  /** Also from when it is suspended. */
  readonly revoked_at: string | null;
  /** Serial of the certificate that took its place. */
  readonly superseded_by: string | null;
  readonly revision: bigint;
}

export type CertificateTable = Omit<CertificateRow, 'not_before' | 'not_after' | 'revoked_at'> & {
  readonly not_before: Time;
  readonly not_after: Time;
  readonly revoked_at: OptionalTime;
};

export interface OrganizationRow {
  readonly register: string;
  readonly name: string;
  readonly name_latin: string | null;
  readonly status: OrganizationStatus;
  /** What a restored organization becomes again; null unless SUSPENDED. */
  readonly status_before: OrganizationStatus | null;
  readonly registered_at: string;
  readonly search: string;
  readonly grams: readonly string[];
  readonly revision: bigint;
}

export type OrganizationTable = Omit<OrganizationRow, 'registered_at'> & {
  readonly registered_at: Time;
};

/** A right as JSON; times are ISO strings, civil ids in clear. */
export type RightRow = RightTerms & {
  readonly status: 'ACTIVE' | 'PENDING' | 'WITHDRAWN';
  /** Of a PENDING one: where it may be confirmed. */
  readonly sessionIds: readonly string[];
};

/** All rights to represent one organization. */
export interface RepresentationRow {
  readonly register: string;
  readonly rights: readonly RightRow[];
  /** Whether an invitation awaits its answer. */
  readonly has_pending: boolean;
  readonly revision: bigint;
}

export type RepresentationTable = RepresentationRow;

/** One line of the audit. */
export interface AuditRow {
  readonly position: bigint;
  readonly event_id: string;
  readonly stream: string;
  readonly type: AuditEventType;
  readonly outcome: AuditOutcome;
  readonly actor_kind: string;
  readonly actor_id: string;
  /** What an operator needs to be let do this; null: it was no operator. */
  readonly capability: Capability | null;
  /** Public identifier of whom or what it was done to. */
  readonly subject: string;
  /** ETSI identifier of the citizen concerned. */
  readonly person: string | null;
  readonly request_id: string | null;
  readonly ip: string | null;
  readonly happened_at: string;
  /** Further facts, by event type. */
  readonly details: AuditDetails;
  readonly revision: bigint;
}

export type AuditTable = Omit<AuditRow, 'happened_at'> & { readonly happened_at: Time };

/** A request for approval, without what operators wrote. */
export interface ApprovalRow {
  readonly approval_id: string;
  readonly operation: ApprovalRequested['data']['operation'];
  readonly execution: ApprovalRequested['data']['execution'];
  readonly capability: string;
  readonly subject: string;
  readonly status: ApprovalStatus;
  readonly effects: ApprovalRequested['data']['effects'];
  /** SHA-256 of the command, lower-case hexadecimal. */
  readonly command_hash: string;
  readonly requested_by: string;
  readonly requested_at: string;
  readonly expires_at: string;
  /** Who granted or rejected it. */
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  /** When it was executed, failed or expired. */
  readonly ended_at: string | null;
  /** Of a failed one: the refusal's code. */
  readonly code: string | null;
  readonly revision: bigint;
}

export type ApprovalTable = Omit<
  ApprovalRow,
  'requested_at' | 'expires_at' | 'decided_at' | 'ended_at'
> & {
  readonly requested_at: Time;
  readonly expires_at: Time;
  readonly decided_at: OptionalTime;
  readonly ended_at: OptionalTime;
};

/** An identity verification as folded; times are ISO strings. */
export interface IdentityVerificationRow {
  readonly verification_id: string;
  readonly method: VerificationMethod;
  readonly status: VerificationStatus;
  /** Of whoever was verified. */
  readonly civil_id: string | null;
  readonly attempts: bigint;
  readonly last_failure: VerificationFailure | null;
  readonly started_at: string;
  readonly expires_at: string;
  readonly ended_at: string | null;
  readonly revision: bigint;
}

export type IdentityVerificationTable = Omit<
  IdentityVerificationRow,
  'started_at' | 'expires_at' | 'ended_at'
> & {
  readonly started_at: Time;
  readonly expires_at: Time;
  readonly ended_at: OptionalTime;
};

/** A prompt of the assistant as folded; times are ISO strings. */
export interface AssistantPromptRow {
  readonly prompt: PromptName;
  readonly content: string;
  /** How often it was changed. */
  readonly version: bigint;
  /** Who changed it last: an operator's id, or whoever else the log names. */
  readonly changed_by: string;
  readonly changed_at: string;
  readonly revision: bigint;
}

export type AssistantPromptTable = Omit<AssistantPromptRow, 'changed_at'> & {
  readonly changed_at: Time;
};

/** An article of the knowledge base as folded; times are ISO strings. */
export interface KnowledgeArticleRow {
  readonly article_id: string;
  readonly title: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly language: AssistantLanguage;
  readonly source: string | null;
  readonly origin: ArticleOrigin;
  readonly content_hash: string;
  readonly removed: boolean;
  /** How often it was added, changed or removed. */
  readonly version: bigint;
  readonly added_at: string;
  /** Who changed it last: an operator's id, or whoever else the log names. */
  readonly changed_by: string;
  readonly changed_at: string;
  /** What lists of articles are searched in, lower case. */
  readonly search: string;
  readonly revision: bigint;
}

export type KnowledgeArticleTable = Omit<KnowledgeArticleRow, 'added_at' | 'changed_at'> & {
  readonly added_at: Time;
  readonly changed_at: Time;
};

/** A client of the OpenID Connect provider as folded; times are ISO strings. */
export interface OidcClientRow {
  readonly client_id: string;
  readonly relying_party_id: string;
  readonly name: string;
  readonly settings: OidcClientSettings;
  readonly has_secret: boolean;
  readonly active: boolean;
  readonly registered_at: string;
  /** What lists are searched in, lower case. */
  readonly search: string;
  readonly revision: bigint;
}

export type OidcClientTable = Omit<OidcClientRow, 'registered_at'> & {
  readonly registered_at: Time;
};

/** A document as folded; times are ISO strings. */
export interface DocumentRow {
  readonly document_id: string;
  readonly tenant_id: string;
  readonly status: DocumentStatus;
  /** Signatures that are still missing. */
  readonly awaited: bigint;
  /** Of who is asked to sign just now. */
  readonly session_id: string | null;
  readonly signing_ends_at: string | null;
  /** What a search may name it by, in full: ids, civil ids of signers, digests of files. */
  readonly names: readonly string[];
  readonly created_at: string;
  readonly revision: bigint;
}

export type DocumentTable = Omit<DocumentRow, 'signing_ends_at' | 'created_at'> & {
  readonly signing_ends_at: Time | null;
  readonly created_at: Time;
};
/** A citizen's consent to a client as folded; times are ISO strings. */
export interface ConsentRow {
  readonly consent_id: string;
  readonly civil_id: string;
  readonly client_id: string;
  /** Empty: withdrawn. */
  readonly scopes: readonly OpenIdScopeName[];
  readonly changed_at: string;
  readonly revision: bigint;
}

export type ConsentTable = Omit<ConsentRow, 'changed_at'> & { readonly changed_at: Time };

/** Where each subscriber is in the log. */
export interface CheckpointTable {
  readonly name: string;
  /** Null: at the beginning. */
  readonly position: bigint | null;
  readonly moved_at: ColumnType<Date, never, never>;
}

/** The tables of the read side. */
export interface Database {
  readonly session_view: SessionTable;
  readonly relying_party_view: RelyingPartyTable;
  readonly citizen_view: CitizenTable;
  readonly citizen_search: CitizenSearchTable;
  readonly device_view: DeviceTable;
  readonly certificate_view: CertificateTable;
  readonly organization_view: OrganizationTable;
  readonly representation_view: RepresentationTable;
  readonly audit_view: AuditTable;
  readonly approval_view: ApprovalTable;
  readonly assistant_prompt_view: AssistantPromptTable;
  readonly knowledge_article_view: KnowledgeArticleTable;
  readonly oidc_client_view: OidcClientTable;
  readonly identity_verification_view: IdentityVerificationTable;
  readonly document_view: DocumentTable;
  readonly consent_view: ConsentTable;
  readonly checkpoint: CheckpointTable;
}
