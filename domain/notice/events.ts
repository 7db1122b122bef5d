import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { list, nullable, oneOf, text } from '../shared/eventFields.ts';
import { civilIdOf, organizationEtsi, personEtsi } from '../shared/etsi.ts';

// Storage format: see domain/shared/defineEvents.ts. Persons are named by civil id alone.

/** News of a citizen's phones, or of an organization of which the citizen is an ADMIN. */
export const noticeKinds = ['DEVICE_ENROLLED', 'RIGHT_CHANGED', 'ORGANIZATION_CHANGED'] as const;

/** Changes of somebody's right to represent an organization. */
export const rightChanges = ['REQUESTED', 'INVITED', 'GRANTED', 'WITHDRAWN'] as const;

export type RightChange = (typeof rightChanges)[number];

/** Changes of an organization: its name, or a certificate that carries it. */
export const organizationChanges = ['RENAMED', 'CERTIFIED'] as const;

export type OrganizationChange = (typeof organizationChanges)[number];

export const noticeEvents = defineEvents('notice', {
  /** A citizen was notified on the phones enrolled before; no response is expected. */
  NoticeGiven: event({
    data: {
      /** UUID, derived from the notified event and the citizen. */
      noticeId: text,
      /** Civil id of the recipient. */
      civilId: text,
      kind: oneOf(noticeKinds),
      /** Document numbers of the phones told. */
      phones: list(text),
      /** Of the phone that was enrolled; null: another kind. */
      documentNumber: nullable(text),
      /** Of the organization; null: another kind. */
      register: nullable(text),
      change: nullable(oneOf([...rightChanges, ...organizationChanges])),
      /** Civil id of the person whose right changed; null: another kind. */
      person: nullable(text),
      givenAt: text,
    },
    audit: {
      type: 'NOTICE_GIVE',
      civilId: civilIdOf,
      details: ({ kind, phones, documentNumber, register, change, person }) => ({
        kind,
        phones,
        ...(documentNumber !== null && { documentNumber }),
        ...(register !== null && { orgEtsi: organizationEtsi(register) }),
        ...(change !== null && { change }),
        ...(person !== null && { personEtsi: personEtsi(person) }),
      }),
    },
  }),
});

export type NoticeEvent = EventOf<typeof noticeEvents>;
export type NoticeGiven = EventOf<typeof noticeEvents, 'NoticeGiven'>;
