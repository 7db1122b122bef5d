import { civilIdOf } from '../shared/etsi.ts';
import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { nullable, oneOf, text } from '../shared/eventFields.ts';

// Storage format: see domain/shared/defineEvents.ts.

const stampForms = ['DOCUMENT_SIGNER', 'SIGNER'] as const;

/** Signature in the stamped PDF: the platform's document signer's, or the citizen's own (prepared signing). */
export type StampForm = (typeof stampForms)[number];

export const stampEvents = defineEvents('stamp', {
  /**
   * A signed document was stamped for the first time. Holds what anybody needs years later to verify when the citizen's
   * signature existed; stamping again changes nothing of it.
   */
  DocumentStamped: event({
    data: {
      sessionId: text,
      civilId: text,
      form: oneOf(stampForms),
      /** File name printed on the validation page; null: none was given. */
      fileName: nullable(text),
      /**
       * RFC 3161 TimeStampToken over the SHA-256 of the citizen's signature value (`SessionConfirmed.signature`, decoded);
       * base64 DER.
       */
      timestampToken: text,
      /** SHA-256 of the stamped PDF, lower-case hexadecimal. */
      stampedDigest: text,
      stampedAt: text,
    },
    // A file's name may name the citizen.
    personal: {
      subject: civilIdOf,
      placeholders: { fileName: null },
    },
    audit: { type: 'DOC_STAMP', civilId: civilIdOf, details: ({ form }) => ({ form }) },
  }),
});

export type StampEvent = EventOf<typeof stampEvents>;
export type DocumentStamped = EventOf<typeof stampEvents, 'DocumentStamped'>;
