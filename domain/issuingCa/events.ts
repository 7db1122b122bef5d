import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { oneOf, text } from '../shared/eventFields.ts';
import { issuingCas } from '../shared/issuingCas.ts';

// Storage format: see domain/shared/defineEvents.ts.

/** A stream for each kind of issuing CA: which generation issues. */
export const issuingCaEvents = defineEvents('issuingCa', {
  /** From here on this generation issues. Those before answer OCSP and publish lists for what they issued. */
  IssuingCaActivated: event({
    data: {
      authority: oneOf(issuingCas),
      /** SHA-256 of its certificate's DER, lower-case hexadecimal. */
      fingerprint: text,
      activatedAt: text,
    },
    audit: {
      type: 'CA_ACTIVATE',
      subject: ({ authority }) => authority,
      details: ({ fingerprint }) => ({ fingerprint }),
    },
  }),
});

export type IssuingCaActivated = EventOf<typeof issuingCaEvents>;
