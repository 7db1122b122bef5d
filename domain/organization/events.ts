import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { organizationOf, personEtsi } from '../shared/etsi.ts';
import { nullable, oneOf, text } from '../shared/eventFields.ts';
import { partOf } from '../shared/settings.ts';
import { organizationSettings } from './settings.ts';

// Storage format: see domain/shared/defineEvents.ts.

export const organizationStatuses = [
  'PENDING',
  'VERIFIED',
  'ACTIVE',
  'SUSPENDED',
  'REVOKED',
] as const;

export type OrganizationStatus = (typeof organizationStatuses)[number];

const statusChange = (change: string) =>
  ({
    type: 'ORG_STATUS',
    capability: 'org:write',
    subject: organizationOf,
    details: () => ({ change }),
  }) as const;

export const organizationEvents = defineEvents('organization', {
  OrganizationRegistered: event({
    data: {
      /** National registration number, upper case. */
      register: text,
      ...partOf(organizationSettings, 'event'),
      /** ACTIVE when the registrant vouches for it. */
      status: oneOf(['PENDING', 'ACTIVE']),
      /** ISO 8601, as all times here. */
      registeredAt: text,
    },
    audit: {
      type: 'ORG_REGISTER',
      capability: 'org:write',
      subject: organizationOf,
      details: ({ status }) => ({ status }),
    },
  }),

  OrganizationVerified: event({
    data: {
      register: text,
      verifiedAt: text,
    },
    audit: statusChange('VERIFIED'),
  }),

  OrganizationActivated: event({
    data: {
      register: text,
      activatedAt: text,
    },
    audit: statusChange('ACTIVATED'),
  }),

  OrganizationSuspended: event({
    data: {
      register: text,
      suspendedAt: text,
    },
    audit: statusChange('SUSPENDED'),
  }),

  /** The suspension ended; the organization is again what it was before. */
  OrganizationRestored: event({
    data: {
      register: text,
      restoredAt: text,
    },
    audit: statusChange('RESTORED'),
  }),

  /** For good. */
  OrganizationRevoked: event({
    data: {
      register: text,
      revokedAt: text,
    },
    audit: statusChange('REVOKED'),
  }),

  /** Its name in its own letters is another now. */
  OrganizationNameChanged: event({
    data: {
      register: text,
      name: text,
      changedAt: text,
    },
    audit: {
      type: 'ORG_RENAME',
      capability: 'org:write',
      subject: organizationOf,
      details: ({ name }) => ({ name }),
    },
  }),

  /** Its Latin name is another now. */
  OrganizationRenamed: event({
    version: 2,
    data: {
      register: text,
      nameLatin: text,
      /** Civil id of the administrator; null: none was asked. */
      confirmedBy: nullable(text),
      /** The signature session in which the administrator confirmed; null: none was asked. */
      confirmedIn: nullable(text),
      renamedAt: text,
    },
    audit: {
      type: 'ORG_RENAME',
      capability: 'org:write',
      subject: organizationOf,
      details: ({ nameLatin, confirmedBy, confirmedIn }) => ({
        nameLatin,
        ...(confirmedBy !== null && { confirmedBy: personEtsi(confirmedBy) }),
        ...(confirmedIn !== null && { sessionId: confirmedIn }),
      }),
    },
  }),
});

export type OrganizationEvent = EventOf<typeof organizationEvents>;
export type OrganizationRegistered = EventOf<typeof organizationEvents, 'OrganizationRegistered'>;
