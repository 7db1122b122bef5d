/**
 * Server-side library of relying parties. Start with {@link EidClient}.
 *
 * @packageDocumentation
 */
export { type Auth, type AuthOptions } from './auth.ts';
export { type RiskSignal, type RiskSignals } from './riskSignals.ts';
export {
  type CallbackExpectation,
  checkCallback,
  sessionSecretDigest,
  userChallengeOf,
} from './callback.ts';
export {
  type CertificateChoice,
  type CertificateChoiceSession,
  type ChoiceOptions,
  type SigningCertificate,
} from './certificateChoice.ts';
export { EidClient, type UserCalls } from './client.ts';
export { chooseCode } from './codeChoice.ts';
export {
  buildAcspV2Payload,
  buildNestedPayload,
  type PayloadAnswer,
  randomChallenge,
  sha256Base64,
  verificationCode,
} from './crypto.ts';
export { type DeprecationNotice } from './deprecation.ts';
export {
  type Directory,
  type DirectoryOrganization,
  type DirectoryPerson,
  type VerifiedHere,
} from './directory.ts';
export { type Documents } from './documents.ts';
export {
  type DocumentFile,
  type DocumentPage,
  type DocumentPageOptions,
  type DocumentPolicy,
  type DocumentSignature,
  type DocumentSigner,
  type DocumentType,
  type FileOptions,
  type NewDocument,
  type PlatformDocument,
  type RecognizedFile,
  type SentFile,
  type SigningRail,
  type SigningStarted,
  type SigningState,
} from './documentTypes.ts';
export { type EndResult, endResults } from './endResult.ts';
export {
  type DeviceLinkOptions,
  type DeviceLinkType,
  plainDeviceLink,
  signedDeviceLink,
} from './deviceLink.ts';
export {
  ApiError,
  AuthenticationError,
  ClientError,
  ConfigurationError,
  type FieldFault,
  ForbiddenError,
  NetworkError,
  RateLimitedError,
  SessionFailedError,
  type ValidationCode,
  ValidationError,
} from './errors.ts';
export { type AddedKind, addedKinds } from './fileRevisions.ts';
export { type CallBody, type HttpCall } from './httpCall.ts';
export {
  type Affiliate,
  type Organization,
  type OrganizationLink,
  type PendingConfirmation,
  type Representation,
  type Representations,
  type RightType,
  type Signer,
  type Signers,
} from './organization.ts';
export {
  type ActivityCounts,
  type ActivityFlow,
  type ActivityOptions,
  type ActivitySession,
  type CertificateCounts,
  type PersonActivity,
  type PersonCertificate,
  type PersonCertificates,
  type PersonDevice,
  type PersonDevices,
  type PersonPki,
  type PersonSummary,
} from './personPki.ts';
export { type ProblemCode, problemStatus } from './problemCodes.ts';
export { approveLink, codeLink } from './plainLink.ts';
export { type SessionOptions } from './requests.ts';
export { type Seal, type SealCertificate, type SealResult } from './seal.ts';
export { type SessionApi, type WaitOptions } from './session.ts';
export { type FollowOptions } from './sessionEvents.ts';
export { type AnsweredChoice, type Sign, type SignOptions } from './sign.ts';
export { compareFile, type FileComparison, type KnownFile } from './signedFile.ts';
export {
  type PreparedDocument,
  type PreparedSigner,
  type PrepareOptions,
  type Stamp,
  type StampOptions,
} from './stamp.ts';
export {
  type Addressee,
  type BatchDocument,
  type BatchSignature,
  type CallOptions,
  type CertificateLevel,
  type ClientConfig,
  type Credentials,
  type DeviceLinkSession,
  type FlowType,
  type Generation,
  type HashAlgorithm,
  type HashType,
  type Interaction,
  type NotificationSession,
  type OnBehalfOf,
  type Person,
  type RequestedAlgorithm,
  type RequestedLevel,
  type SentRequest,
  type SessionProgress,
  type SessionResult,
  type Shown,
  type SignatureAlgorithmParameters,
  type TrustSettings,
  type VerificationCode,
} from './types.ts';
export {
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookOptions,
} from './webhooks.ts';
export { type CertificateSubject } from '../infrastructure/pki/kernel/certificate.ts';
export { type ServiceStatement, type VerifiedPerson } from './validator/person.ts';
export {
  type ExpectedPerson,
  ResponseValidator,
  type SignExpectation,
  type StartedSession,
  type ValidatedAuthentication,
  type ValidatedResponse,
  type ValidatedSeal,
  type ValidatedSignature,
} from './validator/responseValidator.ts';
export {
  createRevocationChecker,
  type RevocationCheckerOptions,
} from './validator/revocationChecker.ts';
export {
  type RevocationChecker,
  type RevocationMode,
  type RevocationStatus,
} from './validator/revocation.ts';
