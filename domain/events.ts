import { accessEvents } from './access/events.ts';
import { approvalEvents } from './approval/events.ts';
import { assistantPromptEvents, knowledgeArticleEvents } from './assistant/events.ts';
import { certificateEvents } from './certificate/events.ts';
import { citizenEvents } from './citizen/events.ts';
import { consentEvents } from './consent/events.ts';
import { deviceEvents } from './device/events.ts';
import { documentEvents } from './document/events.ts';
import { documentPolicyEvents } from './documentPolicy/events.ts';
import { heldNameEvents } from './heldName/events.ts';
import { madeDocumentEvents } from './madeDocument/events.ts';
import { identityVerificationEvents } from './identityVerification/events.ts';
import { issuingCaEvents } from './issuingCa/events.ts';
import { logIdentityEvents } from './logIdentity/events.ts';
import { noticeEvents } from './notice/events.ts';
import { oidcAccessEvents } from './oidcAccess/events.ts';
import { oidcClientEvents } from './oidcClient/events.ts';
import { operatorEvents, secondFactorEvents } from './operator/events.ts';
import { signInEvents } from './operator/signInEvents.ts';
import { organizationEvents } from './organization/events.ts';
import { registerImportEvents } from './registerImport/events.ts';
import { relyingPartyEvents } from './relyingParty/events.ts';
import { representationEvents } from './representation/events.ts';
import { sealCertificateEvents, sealEvents } from './seal/events.ts';
import { sessionEvents } from './session/events.ts';
import type { EventDeclaration, EventDeclarations, EventOf } from './shared/defineEvents.ts';
import { stampEvents } from './stamp/events.ts';

/** Every event there is, as its aggregate declares it. The codec, the audit and the tests are made from this list. */
export const declarations = [
  sessionEvents,
  stampEvents,
  citizenEvents,
  identityVerificationEvents,
  deviceEvents,
  noticeEvents,
  certificateEvents,
  issuingCaEvents,
  relyingPartyEvents,
  heldNameEvents,
  organizationEvents,
  representationEvents,
  sealCertificateEvents,
  sealEvents,
  operatorEvents,
  secondFactorEvents,
  signInEvents,
  approvalEvents,
  accessEvents,
  assistantPromptEvents,
  knowledgeArticleEvents,
  oidcClientEvents,
  consentEvents,
  oidcAccessEvents,
  documentEvents,
  documentPolicyEvents,
  madeDocumentEvents,
  logIdentityEvents,
  registerImportEvents,
] as const;

type Declarations = (typeof declarations)[number];

type EventsOf<Each> = Each extends EventDeclarations ? EventOf<Each> : never;

type AuditTypesOf<Each> = Each extends EventDeclarations
  ? Each['events'][keyof Each['events']]['audit']['type']
  : never;

/** Every event of every aggregate. */
export type PlatformEvent = EventsOf<Declarations>;

/** Prefix of stream names, before a hyphen and the aggregate's identifier; subscriptions filter on it. */
export type StreamCategory = Declarations['category'];

/** Audit type of an event; several event types may share one. */
export type AuditEventType = AuditTypesOf<Declarations>;

/** Declaration of each event, by its type. */
export const eventTypes: ReadonlyMap<string, EventDeclaration> = new Map(
  declarations.flatMap(({ events }) => Object.entries<EventDeclaration>(events)),
);

/** Every type the audit has. */
export const auditEventTypes: readonly AuditEventType[] = [
  ...new Set([...eventTypes.values()].map(({ audit }) => audit.type as AuditEventType)),
];
