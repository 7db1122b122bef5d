import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { oneOf, text } from '../shared/eventFields.ts';

// Storage format: see domain/shared/defineEvents.ts.

/**
 * Names are unique among those of one scope. Clients of OpenID Connect count as their relying party; that of an API for
 * access tokens is its audience; those of one sector know a citizen by one subject.
 */
const nameScopes = ['RELYING_PARTY', 'ORGANIZATION', 'AUDIENCE', 'SECTOR'] as const;

export type NameScope = (typeof nameScopes)[number];

export const heldNameEvents = defineEvents('heldName', {
  /** From now on nobody else of the scope is registered under a name that looks like this one. */
  NameTaken: event({
    data: {
      scope: oneOf(nameScopes),
      /** UUID of a relying party, register of an organization, or client_id of an API. */
      holder: text,
      /** Folded: equal for names that look the same. */
      folded: text,
      takenAt: text,
    },
    audit: {
      type: 'NAME_TAKE',
      subject: ({ holder }) => holder,
      details: ({ folded }) => ({ folded }),
    },
  }),
});

export type HeldNameEvent = EventOf<typeof heldNameEvents>;
