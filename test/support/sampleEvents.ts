import type { EventMetadata } from '../../application/ports/eventStore.ts';
import type { Identity } from '../../domain/citizen/events.ts';
import type { PlatformEvent } from '../../infrastructure/codec/catalog.ts';

const civilId = '110000000001';
const sessionId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const relyingPartyId = 'c56a4180-65aa-42ec-a945-5fd21dec0538';
const documentNumber = '0b8e6b0e-7a31-4b3c-9a4f-6f7f0a3d9b11';
const serial = '1f3c5a7e9b2d4f60718293a4b5c6d7e8';
const hash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const time = '2026-01-01T00:01:00.000Z';
const register = '5512345';
const operatorId = '3d1f0c52-7a0e-4d2b-9a55-6c1c8c0b7e21';
const passwordHash =
  '$scrypt$ln=15,r=8,p=3$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g';
const documentId = '7c1e9a52-3b0d-4f68-9a17-2d4c6e8f0b31';
const sampleFile = {
  ...{ fileId: 'a0b1c2d3-e4f5-4a6b-8c7d-9e0f1a2b3c4d', sha256: hash, sizeBytes: 1024 },
};
const publicKey = 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE';

export const sampleIdentity: Identity = {
  givenName: 'Бат-Эрдэнэ',
  surname: 'Дорж',
  familyName: 'Боржигон',
  givenNameLatin: 'Bat-Erdene',
  surnameLatin: 'Dorj',
  registrationNumber: 'уб85031512',
  birthDate: '1985-03-15',
  gender: 'M',
  geId: 200001,
};

export const sampleMetadata: EventMetadata = {
  time,
  actor: { kind: 'relyingParty', id: relyingPartyId },
  correlationId: sessionId,
  causationId: '0f6f5f0a-3c1e-4c55-8f0b-4f6d2f6c9a10',
  requestId: '0f6f5f0a-3c1e-4c55-8f0b-4f6d2f6c9a10',
  ip: '192.0.2.7',
};

const sessionStarted = {
  sessionId,
  kind: 'AUTHENTICATION',
  flow: 'NOTIFICATION',
  generation: 'G1',
  relyingPartyId,
  relyingPartyName: 'DEMO',
  subsystem: null,
  civilId,
  documentNumber: null,
  certificateLevel: 'QUALIFIED',
  interactions: [{ type: 'displayTextAndPIN', displayText60: 'Бат-Эрдэнэ, нэвтрэх үү?' }],
  interactionsAsSent: null,
  rpChallenge: 'YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo=',
  digest: null,
  hashType: null,
  vcType: 'alphaNumeric4',
  verificationCode: '7180',
  callbackUrl: null,
  fileName: null,
  onBehalfOf: null,
  deviceLink: null,
  nested: null,
  startedAt: '2026-01-01T00:00:00.000Z',
  answerBefore: '2026-01-01T00:02:30.000Z',
  readableUntil: '2026-01-01T00:10:00.000Z',
} as const;

const sampleArticle = {
  articleId: '5b9b0f0e-7d0a-4a53-9a5e-0d1c2b3a4f50',
  title: 'Утсаа алдсан бол',
  content: 'Гэрчилгээгээ хүчингүй болгуулна уу.',
  tags: ['утас', 'алдсан'],
  language: 'mn',
  source: 'https://eid.mn/help/lost-phone',
  origin: 'PLATFORM',
  contentHash: hash,
} as const;

const sampleClient = {
  name: 'Жишээ портал',
  nameEn: 'Example portal',
  redirectUris: ['https://portal.example.mn/callback'],
  postLogoutRedirectUris: ['https://portal.example.mn/'],
  backchannelLogoutUri: 'https://portal.example.mn/backchannel',
  authMethod: 'client_secret_basic',
  keys: [],
  scopes: ['openid', 'profile', 'offline_access'],
  sector: 'portal.example.mn',
  logoUri: null,
  clientUri: 'https://portal.example.mn/',
  organization: register,
} as const;

const clientId = 'portal-7f3a';

/** One event of every type; what the golden fixtures are first written from. */
export const sampleEvents: {
  readonly [Type in PlatformEvent['type']]: Extract<PlatformEvent, { type: Type }>;
} = {
  SessionStarted: { type: 'SessionStarted', data: sessionStarted },
  SessionClaimed: {
    type: 'SessionClaimed',
    data: { documentNumber, civilId, deviceLinkType: 'QR', claimedAt: time },
  },
  CertificateChosen: {
    type: 'CertificateChosen',
    data: {
      documentNumber,
      civilId,
      certificateSerial: serial,
      certificateLevel: 'QUALIFIED',
      completedAt: time,
    },
  },
  SessionConfirmed: {
    type: 'SessionConfirmed',
    data: {
      documentNumber,
      civilId,
      signature: 'MEUCIQDc2lnbmF0dXJl',
      signatureAlgorithm: 'ecdsa-with-SHA256',
      certificateSerial: serial,
      certificateLevel: 'QUALIFIED',
      interactionTypeUsed: 'displayTextAndPIN',
      nested: null,
      completedAt: time,
    },
  },
  SessionRefused: {
    type: 'SessionRefused',
    data: {
      documentNumber,
      endResult: 'USER_REFUSED_INTERACTION',
      interaction: 'displayTextAndPIN',
      completedAt: time,
    },
  },
  SessionFailed: {
    type: 'SessionFailed',
    data: { documentNumber: null, endResult: 'WRONG_VC', completedAt: time },
  },
  SessionExpired: { type: 'SessionExpired', data: { completedAt: time } },
  IdentityVerified: {
    type: 'IdentityVerified',
    data: {
      civilId,
      method: 'citizenCard',
      identity: sampleIdentity,
      enrolmentTokenHash: hash,
      verifiedAt: time,
      tokenExpiresAt: '2026-01-01T00:11:00.000Z',
    },
  },
  IdentityVerificationStarted: {
    type: 'IdentityVerificationStarted',
    data: {
      verificationId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
      method: 'gsign',
      secretHash: hash,
      attemptsAllowed: 5,
      startedAt: time,
      expiresAt: '2026-01-01T00:15:00.000Z',
    },
  },
  IdentityVerificationAttempted: {
    type: 'IdentityVerificationAttempted',
    data: { attempt: 1, attemptedAt: time },
  },
  IdentityVerificationAttemptFailed: {
    type: 'IdentityVerificationAttemptFailed',
    data: { attempt: 1, reason: 'SIGNATURE_INVALID', counts: true, failedAt: time },
  },
  IdentityVerificationSucceeded: {
    type: 'IdentityVerificationSucceeded',
    data: {
      attempt: 2,
      civilId,
      evidence: { certificateSerial: '2d7c', certificateIssuer: 'CN=Issuing CA,C=MN' },
      enrolmentTokenHash: hash,
      verifiedAt: time,
      tokenExpiresAt: '2026-01-01T00:15:00.000Z',
    },
  },
  IdentityVerificationExhausted: {
    type: 'IdentityVerificationExhausted',
    data: { exhaustedAt: time },
  },
  IdentityVerificationExpired: { type: 'IdentityVerificationExpired', data: { expiredAt: time } },
  IdentityVerificationCancelled: {
    type: 'IdentityVerificationCancelled',
    data: { cancelledAt: time },
  },
  CitizenEnrolled: {
    type: 'CitizenEnrolled',
    data: {
      civilId,
      identity: sampleIdentity,
      enrolmentTokenHash: hash,
      documentNumber,
      enrolledAt: time,
    },
  },
  IdentityUpdated: {
    type: 'IdentityUpdated',
    data: { civilId, identity: { ...sampleIdentity, geId: null }, updatedAt: time },
  },
  EnrolmentTokenUsed: {
    type: 'EnrolmentTokenUsed',
    data: { civilId, enrolmentTokenHash: hash, documentNumber, usedAt: time },
  },
  DeviceEnrolled: {
    type: 'DeviceEnrolled',
    data: {
      documentNumber,
      civilId,
      platform: 'APNS',
      pushToken: null,
      transportKey: publicKey,
      authenticationSerial: serial,
      signingSerial: '2a3c5a7e9b2d4f60718293a4b5c6d7e8',
      enrolledAt: time,
    },
  },
  DeviceDeactivated: {
    type: 'DeviceDeactivated',
    data: { documentNumber, reason: 1, deactivatedAt: time },
  },
  CertificateRequested: {
    type: 'CertificateRequested',
    data: {
      serial,
      type: 'AUTH',
      level: 'QUALIFIED',
      keyType: 'P-256',
      keyLabel: null,
      holder: { kind: 'citizen', civilId, documentNumber },
      authority: 'personal',
      issuer: 'CN=Personal CA,O=Tamga,C=MN',
      publicKey,
      notBefore: time,
      notAfter: '2031-01-01T00:01:00.000Z',
      requestedAt: time,
    },
  },
  CertificateIssued: {
    type: 'CertificateIssued',
    data: {
      serial,
      civilId,
      certificate: Buffer.from('a certificate naming Дорж').toString('base64'),
      fingerprint: hash,
      issuedAt: time,
    },
  },
  CertificateSuperseded: {
    type: 'CertificateSuperseded',
    data: { serial, supersededBy: '41'.repeat(16), supersededAt: time },
  },
  CertificateSuspended: { type: 'CertificateSuspended', data: { serial, suspendedAt: time } },
  CertificateReinstated: { type: 'CertificateReinstated', data: { serial, reinstatedAt: time } },
  CertificateRevoked: { type: 'CertificateRevoked', data: { serial, reason: 4, revokedAt: time } },
  RelyingPartyEdited: {
    type: 'RelyingPartyEdited',
    data: {
      relyingPartyId,
      name: 'DEMO 2',
      callbackHosts: ['rp.example', 'portal.example:8443'],
      ipAllowlist: ['2001:db8::/32'],
      clientCertificates: [hash],
      permissions: ['AUTH', 'SEAL'],
      firstParty: false,
      requestsPerMinute: 600,
      smartIdStatuses: true,
      editedAt: time,
    },
  },
  RelyingPartyReactivated: {
    type: 'RelyingPartyReactivated',
    data: { relyingPartyId, reactivatedAt: time },
  },
  RelyingPartyRegistered: {
    type: 'RelyingPartyRegistered',
    data: {
      relyingPartyId,
      name: 'DEMO',
      callbackHosts: ['rp.example'],
      ipAllowlist: ['192.0.2.0/24'],
      clientCertificates: [hash],
      permissions: ['AUTH', 'SIGN'],
      firstParty: false,
      requestsPerMinute: null,
      smartIdStatuses: false,
      secretHash: hash,
      registeredAt: time,
    },
  },
  SecretRotated: {
    type: 'SecretRotated',
    data: { relyingPartyId, secretHash: hash, rotatedAt: time },
  },
  RelyingPartyDeactivated: {
    type: 'RelyingPartyDeactivated',
    data: { relyingPartyId, deactivatedAt: time },
  },
  DocumentStamped: {
    type: 'DocumentStamped',
    data: {
      sessionId,
      civilId,
      form: 'DOCUMENT_SIGNER',
      fileName: 'Гэрээ.pdf',
      timestampToken: 'MIIBAgYJKoZIhvcNAQcC',
      stampedDigest: hash,
      stampedAt: time,
    },
  },
  DocumentSealed: {
    type: 'DocumentSealed',
    data: {
      sealId: '7d4e9a31-5b1c-4f57-9a55-2f0a9f3f5c10',
      register: '5123456',
      relyingPartyId,
      content: 'PDF',
      digest: 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=',
      hashType: 'SHA256',
      signature: 'MEUCIQDx',
      certificateSerial: serial,
      certificateLevel: 'QUALIFIED',
      sealedDocument: hash,
      sealedAt: time,
    },
  },
  SealDenied: {
    type: 'SealDenied',
    data: {
      sealId: '7d4e9a31-5b1c-4f57-9a55-2f0a9f3f5c10',
      register: '5123456',
      relyingPartyId,
      content: 'DIGEST',
      reason: 'ORG_NOT_ACTIVE',
      takesBack: true,
      deniedAt: time,
    },
  },
  SealCertificateRequested: {
    type: 'SealCertificateRequested',
    data: {
      register: '5123456',
      serial,
      level: 'QSCD',
      keyLabel: 'eseal-5123456',
      requestedAt: time,
    },
  },
  SealCertificateIssued: {
    type: 'SealCertificateIssued',
    data: {
      register: '5123456',
      serial,
      level: 'QSCD',
      keyLabel: 'eseal-5123456',
      supersedes: '4f3c5a7e9b2d4f60718293a4b5c6d7e8',
      issuedAt: time,
    },
  },
  SubsystemSeen: {
    type: 'SubsystemSeen',
    data: { relyingPartyId, subsystem: 'mobile', seenAt: time },
  },
  SubsystemDeactivated: {
    type: 'SubsystemDeactivated',
    data: { relyingPartyId, subsystem: 'mobile', deactivatedAt: time },
  },
  SubsystemActivated: {
    type: 'SubsystemActivated',
    data: { relyingPartyId, subsystem: 'mobile', activatedAt: time },
  },
  SubsystemRenamed: {
    type: 'SubsystemRenamed',
    data: { relyingPartyId, subsystem: 'mobile', displayName: 'Гар утас', renamedAt: time },
  },
  SubsystemMerged: {
    type: 'SubsystemMerged',
    data: { relyingPartyId, subsystem: 'mobile', into: 'portal', mergedAt: time },
  },
  OrganizationRegistered: {
    type: 'OrganizationRegistered',
    data: {
      register,
      name: 'Тамга ХХК',
      nameLatin: 'TAMGA LLC',
      status: 'PENDING',
      registeredAt: time,
    },
  },
  OrganizationVerified: { type: 'OrganizationVerified', data: { register, verifiedAt: time } },
  OrganizationActivated: { type: 'OrganizationActivated', data: { register, activatedAt: time } },
  OrganizationSuspended: { type: 'OrganizationSuspended', data: { register, suspendedAt: time } },
  OrganizationRestored: { type: 'OrganizationRestored', data: { register, restoredAt: time } },
  OrganizationRevoked: { type: 'OrganizationRevoked', data: { register, revokedAt: time } },
  OrganizationRenamed: {
    type: 'OrganizationRenamed',
    data: { register, nameLatin: 'TAMGA BANK', renamedAt: time },
  },
  OrganizationNameChanged: {
    type: 'OrganizationNameChanged',
    data: { register, name: 'Тамга банк ХХК', changedAt: time },
  },
  RightGranted: {
    type: 'RightGranted',
    data: {
      ...{ register, civilId, rightType: 'ADMIN', role: 'Захирал', source: 'MANUAL' },
      ...{ evidenceRef: 'order 2026/1', validFrom: time, validTo: null, grantedAt: time },
    },
  },
  SignerInvited: {
    type: 'SignerInvited',
    data: {
      ...{ register, civilId: '110000000002', role: null, invitedBy: civilId },
      ...{ sessionId, invitedAt: time },
    },
  },
  SignerConfirmed: {
    type: 'SignerConfirmed',
    data: { register, civilId: '110000000002', sessionId, confirmedAt: time },
  },
  RightWithdrawn: { type: 'RightWithdrawn', data: { register, civilId, withdrawnAt: time } },
  RightsLookedUp: {
    type: 'RightsLookedUp',
    data: { civilId, registers: [register], lookedUpAt: time },
  },
  OnBehalfAccepted: {
    type: 'OnBehalfAccepted',
    data: { register, civilId, sessionId, checkedAt: time },
  },
  OnBehalfDenied: {
    type: 'OnBehalfDenied',
    data: { register, civilId, code: 'REPRESENTATION_EXPIRED', checkedAt: time },
  },
  OperatorAdded: {
    type: 'OperatorAdded',
    data: {
      ...{ operatorId, email: 'bat-erdene@tamga.example', passwordHash },
      ...{ role: 'SUPER_ADMIN', mustChangePassword: true, addedAt: time },
    },
  },
  OperatorRoleChanged: {
    type: 'OperatorRoleChanged',
    data: { operatorId, from: 'SUPER_ADMIN', to: 'AUDITOR', changedAt: time },
  },
  OperatorDeactivated: {
    type: 'OperatorDeactivated',
    data: { operatorId, deactivatedAt: time },
  },
  PasswordChanged: {
    type: 'PasswordChanged',
    data: { operatorId, passwordHash, mustChangePassword: false, sessionId, changedAt: time },
  },
  PasswordRehashed: {
    type: 'PasswordRehashed',
    data: { operatorId, passwordHash, rehashedAt: time },
  },
  SecondFactorEnrolled: {
    type: 'SecondFactorEnrolled',
    data: {
      ...{ operatorId, secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', counter: 58908002 },
      ...{ sessionId, enrolledAt: time },
    },
  },
  SecondFactorUsed: {
    type: 'SecondFactorUsed',
    data: { operatorId, counter: 58908003, sessionId, usedAt: time },
  },
  SecondFactorReset: { type: 'SecondFactorReset', data: { operatorId, resetAt: time } },
  PasswordAccepted: { type: 'PasswordAccepted', data: { operatorId, acceptedAt: time } },
  SignInFailed: {
    type: 'SignInFailed',
    data: { operatorId: null, step: 'PASSWORD', reason: 'UNKNOWN', omitted: 3, failedAt: time },
  },
  SignInThrottled: {
    type: 'SignInThrottled',
    data: { operatorId, step: 'SECOND_FACTOR', omitted: 0, throttledAt: time },
  },
  OperatorSignedOut: {
    type: 'OperatorSignedOut',
    data: { operatorId, sessionId, signedOutAt: time },
  },
  BreakGlassKeyUsed: { type: 'BreakGlassKeyUsed', data: { usedAt: time } },
  BreakGlassKeyRefused: { type: 'BreakGlassKeyRefused', data: { omitted: 0, refusedAt: time } },
  CommandDenied: {
    type: 'CommandDenied',
    data: {
      operation: 'admin.certificates.revoke',
      code: 'PERMISSION_DENIED',
      capability: 'cert:revoke',
      subject: serial,
      count: 1,
      since: time,
      deniedAt: time,
    },
  },
  OperatorRead: {
    type: 'OperatorRead',
    data: {
      operation: 'admin.users.read',
      capability: 'user:read',
      subject: `PNOMN-${civilId}`,
      readAt: time,
    },
  },
  PersonForgotten: {
    type: 'PersonForgotten',
    data: { civilId, forgottenAt: time },
  },
  ApprovalRequested: {
    type: 'ApprovalRequested',
    data: {
      approvalId: '3f2b8c1e-5d4a-4e6f-9b7c-8a1d2e3f4a5b',
      operation: 'certificate.revoke',
      command: `{"operation":"certificate.revoke","reason":1,"serial":"${serial}"}`,
      commandHash: hash,
      capability: 'cert:revoke',
      subject: serial,
      civilId,
      effects: [{ target: `certificate ${serial}`, before: 'ISSUED', after: 'REVOKED' }],
      targets: [
        { stream: `certificate-${serial}`, revision: '1' },
        { stream: `citizen-${civilId}`, revision: null },
      ],
      execution: 'AT_ONCE',
      comment: 'Бат-Эрдэнэ утсаа гээжээ',
      requestedBy: 'c1f5d0aa-3b0e-4c58-9a54-0f1f6f1f2a01',
      requestedAt: time,
      expiresAt: '2026-01-02T00:01:00.000Z',
    },
  },
  ApprovalGranted: {
    type: 'ApprovalGranted',
    data: {
      approvalId: '3f2b8c1e-5d4a-4e6f-9b7c-8a1d2e3f4a5b',
      grantedBy: 'c1f5d0aa-3b0e-4c58-9a54-0f1f6f1f2a02',
      grantedAt: time,
    },
  },
  ApprovalRejected: {
    type: 'ApprovalRejected',
    data: {
      approvalId: '3f2b8c1e-5d4a-4e6f-9b7c-8a1d2e3f4a5b',
      civilId,
      rejectedBy: 'c1f5d0aa-3b0e-4c58-9a54-0f1f6f1f2a02',
      reason: 'Бат-Эрдэнэ утсаа олжээ',
      rejectedAt: time,
    },
  },
  ApprovalExecuted: {
    type: 'ApprovalExecuted',
    data: { approvalId: '3f2b8c1e-5d4a-4e6f-9b7c-8a1d2e3f4a5b', executedAt: time },
  },
  ApprovalFailed: {
    type: 'ApprovalFailed',
    data: {
      approvalId: '3f2b8c1e-5d4a-4e6f-9b7c-8a1d2e3f4a5b',
      code: 'APPROVAL_STALE',
      failedAt: time,
    },
  },
  ApprovalExpired: {
    type: 'ApprovalExpired',
    data: { approvalId: '3f2b8c1e-5d4a-4e6f-9b7c-8a1d2e3f4a5b', expiredAt: time },
  },
  AssistantPromptChanged: {
    type: 'AssistantPromptChanged',
    data: { prompt: 'scope', content: 'Only about the platform.', changedAt: time },
  },
  KnowledgeArticleAdded: {
    type: 'KnowledgeArticleAdded',
    data: { ...sampleArticle, addedAt: time },
  },
  KnowledgeArticleChanged: {
    type: 'KnowledgeArticleChanged',
    data: { ...sampleArticle, origin: 'OPERATOR', changedAt: time },
  },
  KnowledgeArticleRemoved: {
    type: 'KnowledgeArticleRemoved',
    data: { articleId: sampleArticle.articleId, removedAt: time },
  },
  OidcClientRegistered: {
    type: 'OidcClientRegistered',
    data: { ...sampleClient, clientId, relyingPartyId, secretHash: hash, registeredAt: time },
  },
  OidcClientEdited: {
    type: 'OidcClientEdited',
    data: { ...sampleClient, nameEn: null, clientId, editedAt: time },
  },
  OidcClientSecretRotated: {
    type: 'OidcClientSecretRotated',
    data: { clientId, secretHash: hash, rotatedAt: time },
  },
  OidcClientDeactivated: {
    type: 'OidcClientDeactivated',
    data: { clientId, deactivatedAt: time },
  },
  OidcClientReactivated: {
    type: 'OidcClientReactivated',
    data: { clientId, reactivatedAt: time },
  },
  ConsentGiven: {
    type: 'ConsentGiven',
    data: { civilId, clientId, scopes: ['openid', 'profile'], givenAt: time },
  },
  ConsentWithdrawn: {
    type: 'ConsentWithdrawn',
    data: { civilId, clientId, withdrawnAt: time },
  },
  CitizenLoggedIn: {
    type: 'CitizenLoggedIn',
    data: {
      clientId,
      civilId,
      sessionId,
      acr: 'http://eidas.europa.eu/LoA/high',
      register,
      loggedInAt: time,
    },
  },
  CredentialRefused: {
    type: 'CredentialRefused',
    data: { clientId, civilId, reason: 'REFRESH_TOKEN_REPLAYED', refusedAt: time },
  },
  LoginsEnded: {
    type: 'LoginsEnded',
    data: { civilId, reason: 'IDENTITY_UNUSABLE', endedAt: time },
  },
  DocumentCreated: {
    type: 'DocumentCreated',
    data: {
      ...{ documentId, tenantId: 'default', title: 'Түрээсийн гэрээ', docType: 'CONTRACT' },
      ...{ signers: [civilId, null], owner: civilId, createdAt: time },
    },
  },
  DocumentFileAttached: {
    type: 'DocumentFileAttached',
    data: {
      ...{ ...sampleFile, documentId, fileName: 'Дорж Бат-Эрдэнэ.pdf', owner: civilId },
      ...{ contentType: 'application/pdf', attachedAt: time },
    },
  },
  DocumentSigningStarted: {
    type: 'DocumentSigningStarted',
    data: {
      ...{ documentId, sessionId, civilId, rail: 'EID', format: 'pades', coveredDigest: hash },
      ...{ preparedId: sampleFile.fileId, startedAt: time, endsAt: '2026-01-01T00:04:00.000Z' },
    },
  },
  DocumentSigned: {
    type: 'DocumentSigned',
    data: {
      ...{ documentId, sessionId, civilId, rail: 'EID', format: 'detached', coveredDigest: hash },
      ...{ proof: 'eid_signature', certificateSerial: serial, certificateLevel: 'QUALIFIED' },
      ...{ signatureAlgorithm: 'ecdsa-with-SHA256', signature: 'MEUCIQDk', evidence: 'MIIGCQ==' },
      ...{ signedFile: sampleFile, signedAt: time },
    },
  },
  DocumentSigningEnded: {
    type: 'DocumentSigningEnded',
    data: {
      ...{ documentId, sessionId, civilId, rail: 'EID', endResult: 'USER_REFUSED' },
      ...{ isRejection: true, endedAt: time },
    },
  },
  DocumentPolicyChanged: {
    type: 'DocumentPolicyChanged',
    data: {
      ...{ tenantId: 'default', docType: 'CONTRACT', allowEid: true, allowDan: false },
      ...{ requireNamedSigner: true, changedAt: time },
    },
  },
};

const nestedInteractions = [
  { type: 'confirmationMessage', displayText200: 'Бат-Эрдэнэ, гэрээг зөвшөөрөх үү?' },
  { type: 'displayTextAndPIN', displayText60: 'Гэрээ' },
] as const;

/** Further shapes of those types, by the name of their fixture. */
export const sampleVariants: Readonly<Record<string, PlatformEvent>> = {
  'SessionStarted-anonymousDeviceLink': {
    type: 'SessionStarted',
    data: {
      ...sessionStarted,
      kind: 'SIGNATURE',
      flow: 'DEVICE_LINK',
      subsystem: 'mobile',
      civilId: null,
      rpChallenge: null,
      digest: 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=',
      hashType: 'SHA256',
      callbackUrl: 'https://rp.example/back',
      fileName: 'contract.pdf',
      deviceLink: {
        sessionToken: 'AbCdEfGhIjKlMnOpQrStUvWx',
        sessionSecret: 'c2VjcmV0c2VjcmV0c2Vj',
      },
    },
  },
  'SessionStarted-nested': {
    type: 'SessionStarted',
    data: {
      ...sessionStarted,
      generation: 'G2',
      interactions: nestedInteractions,
      interactionsAsSent: Buffer.from(JSON.stringify(nestedInteractions)).toString('base64'),
      hashType: 'SHA3-512',
      vcType: 'alphaNumeric5',
      verificationCode: '07180',
      nested: {
        signatureAlgorithm: 'rsassa-pss',
        scheme: 'smart-id',
        serverRandom: 'MTlop6EXCrQ6FOErcKjxUhbV',
        initialCallbackUrl: 'https://rp.example/anywhere?state=1',
        linkedSessionId: null,
      },
    },
  },
  'SessionStarted-onBehalf': {
    type: 'SessionStarted',
    data: {
      ...sessionStarted,
      onBehalfOf: { register, name: 'Тамга ХХК', rightType: 'MANAGER', role: null },
    },
  },
  'SessionStarted-certificateChoice': {
    type: 'SessionStarted',
    data: {
      ...sessionStarted,
      kind: 'CERTIFICATE_CHOICE',
      flow: 'DEVICE_LINK',
      generation: 'G2',
      civilId: null,
      interactions: [],
      rpChallenge: null,
      vcType: 'alphaNumeric5',
      verificationCode: '',
      deviceLink: {
        sessionToken: 'AbCdEfGhIjKlMnOpQrStUvWx',
        sessionSecret: 'c2VjcmV0c2VjcmV0c2Vj',
      },
      nested: {
        signatureAlgorithm: 'rsassa-pss',
        scheme: 'smart-id',
        serverRandom: null,
        initialCallbackUrl: null,
        linkedSessionId: null,
      },
    },
  },
  'SessionConfirmed-nested': {
    type: 'SessionConfirmed',
    data: {
      ...sampleEvents.SessionConfirmed.data,
      signatureAlgorithm: 'rsassa-pss',
      interactionTypeUsed: 'confirmationMessage',
      nested: {
        flowType: 'Notification',
        userChallenge: 'GnsWXXEjTCKR89fj9uo5u5ReBZ9JR7_pezLAI5jMS00',
        pss: { hashAlgorithm: 'SHA3-512', saltLength: 64 },
      },
    },
  },
};
