import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { boolean, type Fields, nullable, oneOf, text } from '../shared/eventFields.ts';
import { civilIdOf, organizationOf, personEtsi } from '../shared/etsi.ts';

// Storage format: see domain/shared/defineEvents.ts. Persons are named by civil id alone.

/** ADMIN may add and remove signers; MANAGER signs (specification, Representative). */
export const rightTypes = ['ADMIN', 'MANAGER'] as const;

/** Source of a right: a registry, or an attested document. */
export const rightSources = ['REGISTRY', 'MANUAL'] as const;

const rightTerms = {
  civilId: text,
  rightType: oneOf(rightTypes),
  /** Title, free text; null: none. */
  role: nullable(text),
  source: oneOf(rightSources),
  /** The document that attests it; null: none. */
  evidenceRef: nullable(text),
  /** ISO 8601, as all times here: from this moment on. */
  validFrom: text,
  /** Up to, not including, this moment; null: without end. */
  validTo: nullable(text),
};

/** Terms of a right. */
export type RightTerms = Fields<typeof rightTerms>;

/** The relying party that linked the person; null: operators did, or the log does not say. */
const linkedBy = nullable(text);

const right = {
  capability: 'org:write',
  subject: organizationOf,
  civilId: civilIdOf,
} as const;

export const representationEvents = defineEvents('representation', {
  /** In force at once; replaces what right the person had. */
  RightGranted: event({
    version: 2,
    data: {
      ...rightTerms,
      register: text,
      linkedBy,
      grantedAt: text,
    },
    audit: {
      type: 'ORG_REP_ADD',
      ...right,
      details: ({ rightType }) => ({ rightType, status: 'ACTIVE' }),
    },
  }),

  /** A relying party requested a right; an administrator decides. Repeated: another session for the same answer. */
  RightRequested: event({
    data: {
      ...rightTerms,
      register: text,
      linkedBy,
      /** The signature session in which an administrator confirms. */
      sessionId: text,
      requestedAt: text,
    },
    audit: {
      type: 'ORG_REP_ADD',
      ...right,
      details: ({ rightType, sessionId }) => ({ rightType, status: 'PENDING', sessionId }),
    },
  }),

  /** An administrator confirmed the requested right: in force from here on. */
  RightConfirmed: event({
    data: {
      register: text,
      civilId: text,
      sessionId: text,
      /** Civil id of the administrator. */
      confirmedBy: text,
      confirmedAt: text,
    },
    audit: {
      type: 'ORG_REP_ADD',
      ...right,
      details: ({ confirmedBy, sessionId }) => ({
        status: 'ACTIVE',
        confirmedBy: personEtsi(confirmedBy),
        sessionId,
      }),
    },
  }),

  /** An administrator invited a person to sign for the organization. Repeated: other sessions for the same answers. */
  SignerInvited: event({
    version: 2,
    data: {
      register: text,
      civilId: text,
      role: nullable(text),
      linkedBy,
      /** Civil id of the administrator. */
      invitedBy: text,
      /** The signature session in which the person agrees. */
      sessionId: text,
      /** Session in which an administrator confirms; null: none was started, so the invitation has to be sent again. */
      adminSessionId: nullable(text),
      invitedAt: text,
    },
    audit: {
      type: 'ORG_REP_ADD',
      ...right,
      details: ({ invitedBy, sessionId }) => ({
        rightType: 'MANAGER',
        status: 'PENDING',
        invitedBy: personEtsi(invitedBy),
        sessionId,
      }),
    },
  }),

  /** The invited person agreed and an administrator confirmed: from here on a MANAGER. */
  SignerConfirmed: event({
    version: 2,
    data: {
      register: text,
      civilId: text,
      sessionId: text,
      /** Civil id of the administrator; null: none was asked. */
      confirmedBy: nullable(text),
      confirmedAt: text,
    },
    audit: {
      type: 'ORG_REP_ADD',
      ...right,
      details: ({ confirmedBy, sessionId }) => ({
        rightType: 'MANAGER',
        status: 'ACTIVE',
        ...(confirmedBy !== null && { confirmedBy: personEtsi(confirmedBy) }),
        sessionId,
      }),
    },
  }),

  RightWithdrawn: event({
    version: 2,
    data: {
      register: text,
      civilId: text,
      /** False: it was pending, an invitation or a request. */
      wasConfirmed: boolean,
      withdrawnAt: text,
    },
    audit: { type: 'ORG_REP_REMOVE', ...right },
  }),
});

export type RepresentationEvent = EventOf<typeof representationEvents>;
export type RightRequested = EventOf<typeof representationEvents, 'RightRequested'>;
export type SignerInvited = EventOf<typeof representationEvents, 'SignerInvited'>;
