import { type EventOf, defineEvents, event, recordedCapability } from '../shared/defineEvents.ts';
import { list, nullable, number, text } from '../shared/eventFields.ts';
import {
  civilIdOf,
  organizationEtsi,
  organizationOf,
  personEtsi,
  personOf,
} from '../shared/etsi.ts';

// Storage format: see domain/shared/defineEvents.ts.

/** Facts that change no state and must be shown to auditors; one stream a day. */
export const accessEvents = defineEvents('access', {
  /** Somebody asked whom a person may represent. */
  RightsLookedUp: event({
    data: {
      /** Null: nobody enrolled has the identifier asked about. */
      civilId: nullable(text),
      /** Registers of the organizations answered. */
      registers: list(text),
      lookedUpAt: text,
    },
    audit: {
      type: 'ORG_REP_LOOKUP',
      subject: (data) => (data.civilId === null ? '-' : personEtsi(data.civilId)),
      civilId: civilIdOf,
      details: ({ registers }) => ({ organizations: registers.map(organizationEtsi) }),
    },
  }),

  /** A relying party was shown who signs for an organization. */
  SignersLookedUp: event({
    data: {
      register: text,
      /** Civil id of the administrator in whose name it asked. */
      civilId: text,
      /** Civil ids of the persons shown. */
      signers: list(text),
      lookedUpAt: text,
    },
    audit: {
      type: 'ORG_REP_LOOKUP',
      subject: organizationOf,
      civilId: civilIdOf,
      details: ({ signers }) => ({ persons: signers.map(personEtsi) }),
    },
  }),

  /** A session on behalf of an organization was let through. */
  OnBehalfAccepted: event({
    data: {
      register: text,
      civilId: text,
      sessionId: text,
      checkedAt: text,
    },
    audit: {
      type: 'ORG_ONBEHALF',
      subject: organizationOf,
      civilId: civilIdOf,
      details: ({ sessionId }) => ({ sessionId }),
    },
  }),

  /** A session on behalf of an organization was refused. */
  OnBehalfDenied: event({
    data: {
      register: text,
      civilId: text,
      /** The refusal's code. */
      code: text,
      checkedAt: text,
    },
    audit: {
      type: 'ORG_ONBEHALF',
      isDenied: true,
      subject: organizationOf,
      civilId: civilIdOf,
      details: ({ code }) => ({ code }),
    },
  }),

  /**
   * A command was refused: the caller is unknown or not permitted, or a rule forbids it. Refusals of anonymous callers
   * are aggregated per address and minute.
   */
  CommandDenied: event({
    data: {
      /** Name of the route. */
      operation: text,
      /** The refusal's code. */
      code: text,
      /** Required capability of an operator; null: none in particular. */
      capability: nullable(text),
      /** Public identifier of the command's target; null when the address names none. */
      subject: nullable(text),
      /** Number of aggregated refusals. */
      count: number,
      /** Time of the first one. */
      since: text,
      /** Time of the last one. */
      deniedAt: text,
    },
    audit: {
      type: 'COMMAND_DENIED',
      isDenied: true,
      capability: recordedCapability,
      subject: ({ subject }) => subject ?? '-',
      details: ({ operation, code, count, since }) => ({ operation, code, count, since }),
    },
  }),

  /** An operator was shown what is kept about persons. */
  OperatorRead: event({
    data: {
      /** Name of the route. */
      operation: text,
      /** Capability that allowed it; null: none in particular. */
      capability: nullable(text),
      /** Public identifier of whom or what was shown; null for a list. */
      subject: nullable(text),
      readAt: text,
    },
    audit: {
      type: 'OPERATOR_READ',
      capability: recordedCapability,
      subject: ({ subject }) => subject ?? '-',
      details: ({ operation }) => ({ operation }),
    },
  }),

  /** The key a person's data is encrypted under was destroyed. */
  PersonForgotten: event({
    data: {
      civilId: text,
      forgottenAt: text,
    },
    audit: {
      type: 'PERSON_FORGET',
      capability: 'admin:manage',
      subject: personOf,
      civilId: civilIdOf,
    },
  }),

  /** The push gateway did not take the push of a notice to a phone for a day. */
  NoticeUndelivered: event({
    data: {
      noticeId: text,
      documentNumber: text,
      /** Civil id of the phone's citizen; null: the phone is not known any more. */
      civilId: nullable(text),
      /** Time of the first attempt. */
      sentAt: text,
      givenUpAt: text,
    },
    audit: {
      type: 'NOTICE_UNDELIVERED',
      subject: ({ noticeId }) => noticeId,
      civilId: civilIdOf,
      details: ({ documentNumber, sentAt }) => ({ documentNumber, sentAt }),
    },
  }),

  /** A relying party did not take an event that it is told of for a day, or its address is gone. */
  WebhookUndelivered: event({
    data: {
      relyingPartyId: text,
      messageId: text,
      /** Type of what it was to be told. */
      type: text,
      /** Time from which it was tried. */
      since: text,
      givenUpAt: text,
    },
    audit: {
      type: 'WEBHOOK_UNDELIVERED',
      subject: ({ relyingPartyId }) => relyingPartyId,
      details: ({ messageId, type, since }) => ({ messageId, type, since }),
    },
  }),

  /** A relying party was given new keys that its events are signed with. */
  WebhookKeysRotated: event({
    data: {
      relyingPartyId: text,
      /** Until then those before are in force, too. */
      formerUntil: text,
      rotatedAt: text,
    },
    audit: {
      type: 'WEBHOOK_KEYS_ROTATE',
      subject: ({ relyingPartyId }) => relyingPartyId,
      details: ({ formerUntil }) => ({ formerUntil }),
    },
  }),

  /** An event that could not be projected was skipped in a read model permanently. */
  ParkedEventSkipped: event({
    data: {
      readModel: text,
      /** The event left out. */
      eventId: text,
      skippedAt: text,
    },
    audit: {
      type: 'PROJECTION_SKIP',
      capability: 'config:write',
      subject: ({ eventId }) => eventId,
      details: ({ readModel }) => ({ readModel }),
    },
  }),
});

export type AccessEvent = EventOf<typeof accessEvents>;
