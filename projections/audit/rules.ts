import type { AccessEvent } from '../../domain/access/events.ts';
import type { ApprovalEvent } from '../../domain/approval/events.ts';
import type {
  ArticleOrigin,
  ArticleText,
  AssistantPromptChanged,
  KnowledgeArticleEvent,
} from '../../domain/assistant/events.ts';
import type { CertificateEvent } from '../../domain/certificate/events.ts';
import type { CitizenEvent } from '../../domain/citizen/events.ts';
import type { DeviceEvent } from '../../domain/device/events.ts';
import type { IdentityVerificationEvent } from '../../domain/identityVerification/events.ts';
import { capabilities } from '../../domain/operator/capabilities.ts';
import type { OperatorEvent, SecondFactorUsed } from '../../domain/operator/events.ts';
import type { SignInEvent } from '../../domain/operator/signInEvents.ts';
import type { OrganizationEvent } from '../../domain/organization/events.ts';
import type { RelyingPartyEvent } from '../../domain/relyingParty/events.ts';
import type { RepresentationEvent } from '../../domain/representation/events.ts';
import type { SealCertificateEvent, SealEvent } from '../../domain/seal/events.ts';
import type { SessionEvent } from '../../domain/session/events.ts';
import { organizationEtsi, personEtsi } from '../../domain/shared/etsi.ts';
import type { StampEvent } from '../../domain/stamp/events.ts';
import { openIdConnectRules } from './openIdConnectRules.ts';
import { documentRules } from './documentRules.ts';
import type { AuditRule, AuditRules } from './rule.ts';

const civilId = (data: { readonly civilId: string }) => data.civilId;
const ofPerson = (data: { readonly civilId: string }) => personEtsi(data.civilId);
const ofOrganization = (data: { readonly register: string }) => organizationEtsi(data.register);

const sessions: AuditRules<SessionEvent> = {
  SessionStarted: {
    type: 'SESSION_START',
    civilId: (data) => data.civilId,
    details: ({ kind, flow }) => ({ kind, flow }),
  },
  SessionClaimed: { type: 'SESSION_CLAIM', civilId },
  SessionConfirmed: {
    type: 'SESSION_CONFIRM',
    civilId,
    details: ({ certificateSerial }) => ({ certificateSerial }),
  },
  CertificateChosen: {
    type: 'SESSION_CERT_CHOICE',
    civilId,
    details: ({ certificateSerial }) => ({ certificateSerial }),
  },
  SessionRefused: { type: 'SESSION_REFUSE', details: ({ endResult }) => ({ endResult }) },
  SessionFailed: { type: 'SESSION_FAIL', details: ({ endResult }) => ({ endResult }) },
  SessionExpired: { type: 'SESSION_EXPIRE' },
};

const stamps: AuditRules<StampEvent> = {
  DocumentStamped: { type: 'DOC_STAMP', civilId, details: ({ form }) => ({ form }) },
};

const citizens: AuditRules<CitizenEvent> = {
  IdentityVerified: {
    type: 'IDENTITY_VERIFY',
    subject: ofPerson,
    civilId,
    details: ({ method }) => ({ method }),
  },
  CitizenEnrolled: {
    type: 'CITIZEN_ENROL',
    subject: ofPerson,
    civilId,
    details: ({ documentNumber }) => ({ documentNumber }),
  },
  IdentityUpdated: { type: 'IDENTITY_UPDATE', subject: ofPerson, civilId },
  EnrolmentTokenUsed: {
    type: 'ENROLMENT_TOKEN_USE',
    subject: ofPerson,
    civilId,
    details: ({ documentNumber }) => ({ documentNumber }),
  },
};

const identityVerifications: AuditRules<IdentityVerificationEvent> = {
  IdentityVerificationStarted: {
    type: 'KYC_START',
    details: ({ method, attemptsAllowed, expiresAt }) => ({ method, attemptsAllowed, expiresAt }),
  },
  IdentityVerificationAttempted: { type: 'KYC_ATTEMPT', details: ({ attempt }) => ({ attempt }) },
  IdentityVerificationAttemptFailed: {
    type: 'KYC_ATTEMPT_FAIL',
    isDenied: true,
    details: ({ attempt, reason, counts }) => ({ attempt, reason, counts }),
  },
  IdentityVerificationSucceeded: {
    type: 'KYC_SUCCEED',
    civilId,
    details: ({ attempt }) => ({ attempt }),
  },
  IdentityVerificationExhausted: { type: 'KYC_EXHAUST', isDenied: true },
  IdentityVerificationExpired: { type: 'KYC_EXPIRE' },
  IdentityVerificationCancelled: { type: 'KYC_CANCEL' },
};

const devices: AuditRules<DeviceEvent> = {
  DeviceEnrolled: {
    type: 'DEVICE_ENROL',
    civilId,
    details: ({ platform, authenticationSerial, signingSerial }) => ({
      ...{ platform, authenticationSerial, signingSerial },
    }),
  },
  DeviceDeactivated: {
    type: 'DEVICE_DEACTIVATE',
    capability: 'device:revoke',
    details: ({ reason }) => ({ reason }),
  },
};

const certificates: AuditRules<CertificateEvent> = {
  CertificateRequested: {
    type: 'CERT_REQUEST',
    civilId: ({ holder }) => (holder.kind === 'citizen' ? holder.civilId : null),
    details: ({ type, level, authority }) => ({ type, level, authority }),
  },
  CertificateIssued: {
    type: 'CERT_ISSUE',
    civilId: (data) => data.civilId,
    details: ({ fingerprint }) => ({ fingerprint }),
  },
  CertificateSuperseded: {
    type: 'CERT_SUPERSEDE',
    details: ({ supersededBy }) => ({ supersededBy }),
  },
  CertificateSuspended: { type: 'CERT_SUSPEND', capability: 'cert:revoke' },
  CertificateReinstated: { type: 'CERT_REINSTATE', capability: 'cert:revoke' },
  CertificateRevoked: {
    type: 'CERT_REVOKE',
    capability: 'cert:revoke',
    details: ({ reason }) => ({ reason }),
  },
};

const relyingParties: AuditRules<RelyingPartyEvent> = {
  RelyingPartyRegistered: {
    type: 'RP_REGISTER',
    capability: 'rp:write',
    details: ({ name, permissions, firstParty }) => ({ name, permissions, firstParty }),
  },
  SecretRotated: { type: 'RP_SECRET_ROTATE', capability: 'rp:write' },
  RelyingPartyEdited: {
    type: 'RP_EDIT',
    capability: 'rp:write',
    details: ({ name, permissions, firstParty }) => ({ name, permissions, firstParty }),
  },
  RelyingPartyDeactivated: { type: 'RP_DEACTIVATE', capability: 'rp:write' },
  RelyingPartyReactivated: { type: 'RP_REACTIVATE', capability: 'rp:write' },
  SubsystemSeen: { type: 'RP_SUBSYSTEM_ADD', details: ({ subsystem }) => ({ subsystem }) },
  SubsystemRenamed: {
    type: 'RP_SUBSYSTEM_RENAME',
    capability: 'rp:write',
    details: ({ subsystem, displayName }) => ({ subsystem, displayName }),
  },
  SubsystemDeactivated: {
    type: 'RP_SUBSYSTEM_DEACTIVATE',
    capability: 'rp:write',
    details: ({ subsystem }) => ({ subsystem }),
  },
  SubsystemActivated: {
    type: 'RP_SUBSYSTEM_ACTIVATE',
    capability: 'rp:write',
    details: ({ subsystem }) => ({ subsystem }),
  },
  SubsystemMerged: {
    type: 'RP_SUBSYSTEM_MERGE',
    capability: 'rp:write',
    details: ({ subsystem, into }) => ({ subsystem, into }),
  },
};

const organizationStatus = (change: string) =>
  ({
    type: 'ORG_STATUS',
    capability: 'org:write',
    subject: ofOrganization,
    details: () => ({ change }),
  }) as const;

const organizations: AuditRules<OrganizationEvent> = {
  OrganizationRegistered: {
    type: 'ORG_REGISTER',
    capability: 'org:write',
    subject: ofOrganization,
    details: ({ status }) => ({ status }),
  },
  OrganizationVerified: organizationStatus('VERIFIED'),
  OrganizationActivated: organizationStatus('ACTIVATED'),
  OrganizationSuspended: organizationStatus('SUSPENDED'),
  OrganizationRestored: organizationStatus('RESTORED'),
  OrganizationRevoked: organizationStatus('REVOKED'),
  OrganizationNameChanged: {
    type: 'ORG_RENAME',
    capability: 'org:write',
    subject: ofOrganization,
    details: ({ name }) => ({ name }),
  },
  OrganizationRenamed: {
    type: 'ORG_RENAME',
    capability: 'org:write',
    subject: ofOrganization,
    details: ({ nameLatin }) => ({ nameLatin }),
  },
};

const right = { capability: 'org:write', subject: ofOrganization, civilId } as const;

const representations: AuditRules<RepresentationEvent> = {
  RightGranted: {
    type: 'ORG_REP_ADD',
    ...right,
    details: ({ rightType }) => ({ rightType, status: 'ACTIVE' }),
  },
  SignerInvited: {
    type: 'ORG_REP_ADD',
    ...right,
    details: ({ invitedBy, sessionId }) => ({
      ...{ rightType: 'MANAGER', status: 'PENDING' },
      ...{ invitedBy: personEtsi(invitedBy), sessionId },
    }),
  },
  SignerConfirmed: {
    type: 'ORG_REP_ADD',
    ...right,
    details: ({ sessionId }) => ({ rightType: 'MANAGER', status: 'ACTIVE', sessionId }),
  },
  RightWithdrawn: { type: 'ORG_REP_REMOVE', ...right },
};

const seals: AuditRules<SealEvent | SealCertificateEvent> = {
  SealCertificateRequested: {
    type: 'SEAL_CERT_REQUEST',
    capability: 'org:write',
    subject: ofOrganization,
    details: ({ serial, level }) => ({ serial, level }),
  },
  SealCertificateIssued: {
    type: 'SEAL_CERT_ISSUE',
    capability: 'org:write',
    subject: ofOrganization,
    details: ({ serial, level }) => ({ serial, level }),
  },
  DocumentSealed: {
    type: 'ORG_SEAL',
    subject: ofOrganization,
    details: ({ sealId, content, certificateSerial }) => ({ sealId, content, certificateSerial }),
  },
  SealDenied: {
    type: 'ORG_SEAL',
    isDenied: true,
    subject: ofOrganization,
    details: ({ sealId, content, reason, takesBack }) => ({
      ...{ sealId, content, code: reason },
      ...(takesBack && { takesBack }),
    }),
  },
};

const asRecorded = ({ capability }: { readonly capability: string | null }) =>
  capabilities.find((known) => known === capability) ?? null;

const access: AuditRules<AccessEvent> = {
  RightsLookedUp: {
    type: 'ORG_REP_LOOKUP',
    subject: (data) => (data.civilId === null ? '-' : personEtsi(data.civilId)),
    civilId: (data) => data.civilId,
    details: ({ registers }) => ({ organizations: registers.map(organizationEtsi) }),
  },
  OnBehalfAccepted: {
    type: 'ORG_ONBEHALF',
    subject: ofOrganization,
    civilId,
    details: ({ sessionId }) => ({ sessionId }),
  },
  OnBehalfDenied: {
    type: 'ORG_ONBEHALF',
    isDenied: true,
    subject: ofOrganization,
    civilId,
    details: ({ code }) => ({ code }),
  },
  CommandDenied: {
    type: 'COMMAND_DENIED',
    isDenied: true,
    capability: asRecorded,
    subject: ({ subject }) => subject ?? '-',
    details: ({ operation, code, count, since }) => ({ operation, code, count, since }),
  },
  OperatorRead: {
    type: 'OPERATOR_READ',
    capability: asRecorded,
    subject: ({ subject }) => subject ?? '-',
    details: ({ operation }) => ({ operation }),
  },
  PersonForgotten: {
    type: 'PERSON_FORGET',
    capability: 'admin:manage',
    subject: ofPerson,
    civilId,
  },
};

const operatorId = (data: { readonly operatorId: string }) => data.operatorId;
const operatorOrNobody = (data: { readonly operatorId: string | null }) => data.operatorId ?? '-';
const administration = { capability: 'admin:manage', subject: operatorId } as const;

const operators: AuditRules<OperatorEvent | SecondFactorUsed> = {
  OperatorAdded: {
    type: 'OPERATOR_ADD',
    ...administration,
    details: ({ role, mustChangePassword }) => ({ role, mustChangePassword }),
  },
  OperatorRoleChanged: {
    type: 'OPERATOR_ROLE_CHANGE',
    ...administration,
    details: ({ from, to }) => ({ from, to }),
  },
  OperatorDeactivated: { type: 'OPERATOR_DEACTIVATE', ...administration },
  PasswordChanged: {
    type: 'OPERATOR_PASSWORD_CHANGE',
    subject: operatorId,
    details: ({ mustChangePassword }) => ({ mustChangePassword }),
  },
  PasswordRehashed: { type: 'OPERATOR_PASSWORD_REHASH', subject: operatorId },
  SecondFactorEnrolled: { type: 'OPERATOR_MFA_ENROL', subject: operatorId },
  SecondFactorUsed: { type: 'OPERATOR_SIGN_IN', subject: operatorId },
  SecondFactorReset: { type: 'OPERATOR_MFA_RESET', ...administration },
};

const signIns: AuditRules<SignInEvent> = {
  PasswordAccepted: { type: 'OPERATOR_PASSWORD_ACCEPT', subject: operatorId },
  SignInFailed: {
    type: 'OPERATOR_SIGN_IN',
    isDenied: true,
    subject: operatorOrNobody,
    details: ({ step, reason, omitted }) => ({ step, reason, omitted }),
  },
  SignInThrottled: {
    type: 'OPERATOR_THROTTLE',
    isDenied: true,
    subject: operatorOrNobody,
    details: ({ step, omitted }) => ({ step, omitted }),
  },
  OperatorSignedOut: { type: 'OPERATOR_SIGN_OUT', subject: operatorId },
  BreakGlassKeyUsed: { type: 'BREAK_GLASS', subject: () => 'break-glass' },
  BreakGlassKeyRefused: {
    type: 'BREAK_GLASS',
    isDenied: true,
    subject: () => 'break-glass',
    details: ({ omitted }) => ({ omitted }),
  },
};

const approvals: AuditRules<ApprovalEvent> = {
  ApprovalRequested: {
    type: 'APPROVAL_REQUEST',
    capability: asRecorded,
    civilId: (data) => data.civilId,
    details: ({ operation, subject, effects, commandHash, expiresAt }) => ({
      ...{ operation, subject, effects, commandHash, expiresAt },
    }),
  },
  ApprovalGranted: { type: 'APPROVAL_GRANT' },
  ApprovalRejected: { type: 'APPROVAL_REJECT', civilId: (data) => data.civilId },
  ApprovalExecuted: { type: 'APPROVAL_EXECUTE' },
  ApprovalFailed: { type: 'APPROVAL_FAIL', isDenied: true, details: ({ code }) => ({ code }) },
  ApprovalExpired: { type: 'APPROVAL_EXPIRE' },
};

const configuration = { capability: 'config:write' } as const;

function ofArticle({
  title,
  language,
  origin,
  contentHash,
}: ArticleText & { readonly origin: ArticleOrigin; readonly contentHash: string }) {
  return { title, language, origin, contentHash };
}

/** What was written is read in the log: an audit of texts is no list any more. */
const assistant: AuditRules<AssistantPromptChanged | KnowledgeArticleEvent> = {
  AssistantPromptChanged: {
    type: 'AI_PROMPT_CHANGE',
    ...configuration,
    subject: ({ prompt }) => prompt,
  },
  KnowledgeArticleAdded: { type: 'AI_ARTICLE_ADD', ...configuration, details: ofArticle },
  KnowledgeArticleChanged: { type: 'AI_ARTICLE_CHANGE', ...configuration, details: ofArticle },
  KnowledgeArticleRemoved: { type: 'AI_ARTICLE_REMOVE', ...configuration },
};

// Erased on purpose: which rule belongs to which event was checked above.
/** How every event is audited, by event type. A test holds it against the catalog: none is left out. */
export const auditRules: Readonly<Record<string, AuditRule | undefined>> = {
  ...sessions,
  ...stamps,
  ...citizens,
  ...identityVerifications,
  ...devices,
  ...certificates,
  ...relyingParties,
  ...organizations,
  ...representations,
  ...seals,
  ...access,
  ...operators,
  ...signIns,
  ...approvals,
  ...assistant,
  ...openIdConnectRules,
  ...documentRules,
} as Readonly<Record<string, AuditRule>>;
