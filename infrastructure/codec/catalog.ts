import { z } from 'zod';
import type { AccessEvent } from '../../domain/access/events.ts';
import { type ApprovalEvent, approvalPersonalData } from '../../domain/approval/events.ts';
import type {
  AssistantPromptChanged,
  KnowledgeArticleEvent,
} from '../../domain/assistant/events.ts';
import { type CertificateEvent, certificatePersonalData } from '../../domain/certificate/events.ts';
import { type CitizenEvent, citizenPersonalData } from '../../domain/citizen/events.ts';
import type { ConsentEvent } from '../../domain/consent/events.ts';
import { type DocumentEvent, documentPersonalData } from '../../domain/document/events.ts';
import type { DocumentPolicyChanged } from '../../domain/documentPolicy/events.ts';
import { type DeviceEvent, devicePlatforms } from '../../domain/device/events.ts';
import type { OidcAccessEvent } from '../../domain/oidcAccess/events.ts';
import type { OidcClientEvent } from '../../domain/oidcClient/events.ts';
import {
  type IdentityVerificationEvent,
  identityVerificationPersonalData,
} from '../../domain/identityVerification/events.ts';
import {
  type OperatorEvent,
  operatorPersonalData,
  type SecondFactorUsed,
} from '../../domain/operator/events.ts';
import type { SignInEvent } from '../../domain/operator/signInEvents.ts';
import type { OrganizationEvent } from '../../domain/organization/events.ts';
import type { RelyingPartyEvent } from '../../domain/relyingParty/events.ts';
import { type RepresentationEvent, rightTypes } from '../../domain/representation/events.ts';
import {
  deviceLinkTypes,
  failureResults,
  flowTypes,
  generations,
  type NestedAnswer,
  type NestedRequest,
  type OnBehalfOf,
  refusalResults,
  requestableAlgorithms,
  type SessionEvent,
  sessionKinds,
  sessionPersonalData,
} from '../../domain/session/events.ts';
import { certificateLevels } from '../../domain/shared/certificateLevel.ts';
import { hashAlgorithms, hashTypes, verificationCodeTypes } from '../../domain/shared/digest.ts';
import type { PersonalFields } from '../../domain/shared/personalData.ts';
import type { SealCertificateEvent, SealEvent } from '../../domain/seal/events.ts';
import { type StampEvent, stampPersonalData } from '../../domain/stamp/events.ts';
import { accessEvents } from './accessEvents.ts';
import { approvalEvents } from './approvalEvents.ts';
import { assistantEvents } from './assistantEvents.ts';
import { documentEvents } from './documentEvents.ts';
import {
  certificateHolder,
  deviceLink,
  identity,
  interaction,
  optionalText,
  text,
} from './eventParts.ts';
import { identityVerificationEvents } from './identityVerificationEvents.ts';
import { openIdConnectEvents } from './openIdConnectEvents.ts';
import { operatorEvents } from './operatorEvents.ts';
import { organizationEvents } from './organizationEvents.ts';
import { relyingPartyEvents } from './relyingPartyEvents.ts';

/** What the codec knows of one event type. */
export interface CatalogEntry {
  /** The schema version written today, from 1. Older ones are brought up to it by upcasters. */
  readonly version: number;
  /** Fields encrypted under a person's key; null when the type has none. */
  readonly personal: PersonalFields | null;
  /** The shape of `data` today. */
  readonly schema: z.ZodType<object>;
}

/** Event types by name. */
export type Catalog = Readonly<Record<string, CatalogEntry>>;

/** Every event of every aggregate. */
export type PlatformEvent =
  | SessionEvent
  | CitizenEvent
  | DeviceEvent
  | CertificateEvent
  | RelyingPartyEvent
  | StampEvent
  | SealEvent
  | SealCertificateEvent
  | OrganizationEvent
  | RepresentationEvent
  | AccessEvent
  | OperatorEvent
  | SecondFactorUsed
  | SignInEvent
  | ApprovalEvent
  | AssistantPromptChanged
  | KnowledgeArticleEvent
  | IdentityVerificationEvent
  | OidcClientEvent
  | ConsentEvent
  | OidcAccessEvent
  | DocumentEvent
  | DocumentPolicyChanged;

type DataOf<Type extends PlatformEvent['type']> = Extract<PlatformEvent, { type: Type }>['data'];

/** A schema for exactly the fields of `Data`, none more, none less, each of its type. */
type Shape<Data> = { readonly [Field in keyof Data]-?: z.ZodType<Data[Field]> };

interface Current<Data> {
  readonly version: number;
  readonly shape: Shape<Data>;
}

const level = z.enum(certificateLevels);
const sealLevel = z.enum(['QUALIFIED', 'QSCD']);
const sealedContent = z.enum(['DIGEST', 'PDF']);

const nestedRequest = z.strictObject({
  signatureAlgorithm: z.enum(requestableAlgorithms),
  scheme: text,
  serverRandom: optionalText,
  initialCallbackUrl: optionalText,
  linkedSessionId: optionalText,
} satisfies Shape<NestedRequest>);

const nestedAnswer = z.strictObject({
  flowType: z.enum(flowTypes),
  userChallenge: optionalText,
  pss: z.strictObject({ hashAlgorithm: z.enum(hashAlgorithms), saltLength: z.number() }).nullable(),
} satisfies Shape<NestedAnswer>);

const onBehalfOf = z.strictObject({
  register: text,
  name: text,
  rightType: z.enum(rightTypes),
  role: optionalText,
} satisfies Shape<OnBehalfOf>);

/** The schema version written today and the shape of `data` in it. A new version needs an upcaster and a fixture. */
const current = {
  SessionStarted: {
    version: 3,
    shape: {
      sessionId: text,
      kind: z.enum(sessionKinds),
      flow: z.enum(['NOTIFICATION', 'DEVICE_LINK']),
      generation: z.enum(generations),
      relyingPartyId: text,
      relyingPartyName: text,
      subsystem: optionalText,
      civilId: optionalText,
      documentNumber: optionalText,
      certificateLevel: level,
      interactions: z.array(interaction),
      interactionsAsSent: optionalText,
      rpChallenge: optionalText,
      digest: optionalText,
      hashType: z.enum(hashAlgorithms).nullable(),
      vcType: z.enum(verificationCodeTypes),
      verificationCode: text,
      callbackUrl: optionalText,
      fileName: optionalText,
      onBehalfOf: onBehalfOf.nullable(),
      deviceLink: deviceLink.nullable(),
      nested: nestedRequest.nullable(),
      startedAt: text,
      answerBefore: text,
      readableUntil: text,
    },
  },
  SessionClaimed: {
    version: 2,
    shape: {
      documentNumber: text,
      civilId: text,
      deviceLinkType: z.enum(deviceLinkTypes).nullable(),
      claimedAt: text,
    },
  },
  SessionConfirmed: {
    version: 2,
    shape: {
      documentNumber: text,
      civilId: text,
      signature: text,
      signatureAlgorithm: text,
      certificateSerial: text,
      certificateLevel: level,
      interactionTypeUsed: text,
      nested: nestedAnswer.nullable(),
      completedAt: text,
    },
  },
  CertificateChosen: {
    version: 1,
    shape: {
      documentNumber: text,
      civilId: text,
      certificateSerial: text,
      certificateLevel: level,
      completedAt: text,
    },
  },
  SessionRefused: {
    version: 1,
    shape: {
      documentNumber: text,
      endResult: z.enum(refusalResults),
      interaction: optionalText,
      completedAt: text,
    },
  },
  SessionFailed: {
    version: 1,
    shape: { documentNumber: optionalText, endResult: z.enum(failureResults), completedAt: text },
  },
  SessionExpired: { version: 1, shape: { completedAt: text } },
  IdentityVerified: {
    version: 1,
    shape: {
      civilId: text,
      method: z.enum(['dan', 'gsign', 'passport', 'citizenCard', 'operator']),
      identity,
      enrolmentTokenHash: text,
      verifiedAt: text,
      tokenExpiresAt: text,
    },
  },
  CitizenEnrolled: {
    version: 1,
    shape: {
      civilId: text,
      identity,
      enrolmentTokenHash: text,
      documentNumber: text,
      enrolledAt: text,
    },
  },
  IdentityUpdated: { version: 1, shape: { civilId: text, identity, updatedAt: text } },
  EnrolmentTokenUsed: {
    version: 1,
    shape: { civilId: text, enrolmentTokenHash: text, documentNumber: text, usedAt: text },
  },
  DeviceEnrolled: {
    version: 1,
    shape: {
      documentNumber: text,
      civilId: text,
      platform: z.enum(devicePlatforms),
      pushToken: optionalText,
      transportKey: text,
      authenticationSerial: text,
      signingSerial: text,
      enrolledAt: text,
    },
  },
  DeviceDeactivated: {
    version: 1,
    shape: { documentNumber: text, reason: z.number(), deactivatedAt: text },
  },
  CertificateRequested: {
    version: 2,
    shape: {
      serial: text,
      type: z.enum(['AUTH', 'SIGN', 'SEAL', 'OCSP', 'TSA', 'DOCUMENT']),
      level: level.nullable(),
      keyType: z.enum(['P-256', 'RSA']),
      keyLabel: optionalText,
      holder: certificateHolder,
      authority: z.enum(['root', 'personal', 'organization']),
      issuer: text,
      publicKey: text,
      notBefore: text,
      notAfter: text,
      requestedAt: text,
    },
  },
  CertificateIssued: {
    version: 2,
    shape: {
      serial: text,
      civilId: optionalText,
      certificate: text,
      fingerprint: text,
      issuedAt: text,
    },
  },
  CertificateSuperseded: {
    version: 1,
    shape: { serial: text, supersededBy: text, supersededAt: text },
  },
  CertificateSuspended: { version: 1, shape: { serial: text, suspendedAt: text } },
  CertificateReinstated: { version: 1, shape: { serial: text, reinstatedAt: text } },
  CertificateRevoked: { version: 1, shape: { serial: text, reason: z.number(), revokedAt: text } },
  DocumentStamped: {
    version: 1,
    shape: {
      sessionId: text,
      civilId: text,
      form: z.enum(['DOCUMENT_SIGNER', 'SIGNER']),
      fileName: optionalText,
      timestampToken: text,
      stampedDigest: text,
      stampedAt: text,
    },
  },
  DocumentSealed: {
    version: 1,
    shape: {
      sealId: text,
      register: text,
      relyingPartyId: text,
      content: sealedContent,
      digest: text,
      hashType: z.enum(hashTypes),
      signature: text,
      certificateSerial: text,
      certificateLevel: sealLevel,
      sealedDocument: optionalText,
      sealedAt: text,
    },
  },
  SealDenied: {
    version: 2,
    shape: {
      sealId: text,
      register: text,
      relyingPartyId: text,
      content: sealedContent,
      reason: z.enum(['ORG_NOT_ACTIVE', 'CERTIFICATE_NOT_ACTIVE']),
      takesBack: z.boolean(),
      deniedAt: text,
    },
  },
  SealCertificateRequested: {
    version: 1,
    shape: { register: text, serial: text, level: sealLevel, keyLabel: text, requestedAt: text },
  },
  SealCertificateIssued: {
    version: 1,
    shape: {
      register: text,
      serial: text,
      level: sealLevel,
      keyLabel: text,
      supersedes: optionalText,
      issuedAt: text,
    },
  },
  ...organizationEvents,
  ...accessEvents,
  ...operatorEvents,
  ...relyingPartyEvents,
  ...approvalEvents,
  ...assistantEvents,
  ...identityVerificationEvents,
  ...openIdConnectEvents,
  ...documentEvents,
} satisfies { readonly [Type in PlatformEvent['type']]: Current<DataOf<Type>> };

// Erased on purpose: which field belongs to which type was checked where each aggregate declares it.
const personal = {
  ...sessionPersonalData,
  ...citizenPersonalData,
  ...certificatePersonalData,
  ...stampPersonalData,
  ...operatorPersonalData,
  ...approvalPersonalData,
  ...identityVerificationPersonalData,
  ...documentPersonalData,
} as Readonly<Record<string, PersonalFields | undefined>>;

/** Every event type there is. */
export const catalog: Catalog = Object.fromEntries(
  Object.entries(current).map(([type, { version, shape }]) => [
    type,
    { version, personal: personal[type] ?? null, schema: z.strictObject(shape) },
  ]),
);
