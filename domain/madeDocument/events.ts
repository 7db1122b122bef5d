import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { oneOf, text } from '../shared/eventFields.ts';

// Storage format: see domain/shared/defineEvents.ts.

const makings = ['STAMP', 'SIGNATURE', 'SEAL'] as const;

/** Origin of a file: stamped, signed by a citizen from within, sealed. */
export type Making = (typeof makings)[number];

export const madeDocumentEvents = defineEvents('madeDocument', {
  /**
   * Record of a PDF the platform made by adding to another. The stream is named after the SHA-256 of that file, or
   * after the session, so that all files made from a signed file are found from it, and no altered one. It has no end,
   * and is appended to without being read.
   */
  DocumentMade: event({
    data: {
      /** SHA-256 of the file added to, or the id of the session. */
      source: text,
      /** SHA-256 of the file made, lower-case hexadecimal. */
      digest: text,
      making: oneOf(makings),
      madeAt: text,
    },
    audit: { type: 'DOC_MADE', details: ({ making, digest }) => ({ making, digest }) },
  }),
});

export type MadeDocumentEvent = EventOf<typeof madeDocumentEvents>;
export type DocumentMade = EventOf<typeof madeDocumentEvents, 'DocumentMade'>;
