import { civilIdOf, organizationOf } from '../shared/auditRule.ts';
import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { type Fields, nullable, oneOf, text } from '../shared/eventFields.ts';
import { personEtsi } from '../shared/etsi.ts';

// Storage format: see domain/shared/defineEvents.ts. Persons are named by civil id alone.

/** ADMIN may add and remove signers; MANAGER signs (specification, Representative). */
export const rightTypes = ['ADMIN', 'MANAGER'] as const;

export type RightType = (typeof rightTypes)[number];

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

const right = {
  capability: 'org:write',
  subject: organizationOf,
  civilId: civilIdOf,
} as const;

export const representationEvents = defineEvents('representation', {
  /** In force at once; replaces what right the person had. */
  RightGranted: event({
    data: {
      ...rightTerms,
      register: text,
      grantedAt: text,
    },
    audit: {
      type: 'ORG_REP_ADD',
      ...right,
      details: ({ rightType }) => ({ rightType, status: 'ACTIVE' }),
    },
  }),

  /** An administrator asks a person to sign for the organization; again: another session for the same answer. */
  SignerInvited: event({
    data: {
      register: text,
      civilId: text,
      role: nullable(text),
      /** Civil id of the administrator. */
      invitedBy: text,
      /** The signature session in which the person agrees. */
      sessionId: text,
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

  /** The invited person agreed: from here on a MANAGER. */
  SignerConfirmed: event({
    data: {
      register: text,
      civilId: text,
      sessionId: text,
      confirmedAt: text,
    },
    audit: {
      type: 'ORG_REP_ADD',
      ...right,
      details: ({ sessionId }) => ({ rightType: 'MANAGER', status: 'ACTIVE', sessionId }),
    },
  }),

  RightWithdrawn: event({
    data: {
      register: text,
      civilId: text,
      withdrawnAt: text,
    },
    audit: { type: 'ORG_REP_REMOVE', ...right },
  }),
});

export type RepresentationEvent = EventOf<typeof representationEvents>;
export type SignerInvited = EventOf<typeof representationEvents, 'SignerInvited'>;
