import type { DomainEvent } from '../shared/decider.ts';
import type { PersonalData } from '../shared/personalData.ts';

// Storage format: see domain/session/events.ts.

/** Whose signature the stamped PDF carries: the platform's document signer's, or the citizen's own (prepared signing). */
export type StampForm = 'DOCUMENT_SIGNER' | 'SIGNER';

/**
 * A signed document was stamped for the first time. What a stranger needs years later to see when the citizen's
 * signature existed; stamping again changes nothing of it.
 */
export type DocumentStamped = DomainEvent<
  'DocumentStamped',
  {
    readonly sessionId: string;
    readonly civilId: string;
    readonly form: StampForm;
    /** As printed on the validation page; null when nobody named one. */
    readonly fileName: string | null;
    /**
     * RFC 3161 TimeStampToken over the SHA-256 of the citizen's signature value (`SessionConfirmed.signature`, decoded);
     * base64 DER.
     */
    readonly timestampToken: string;
    /** SHA-256 of the stamped PDF, lower-case hexadecimal. */
    readonly stampedDigest: string;
    readonly stampedAt: string;
  }
>;

export type StampEvent = DocumentStamped;

/** A file's name may name the citizen. */
export const stampPersonalData: PersonalData<StampEvent> = {
  DocumentStamped: {
    subject: (data) => data.civilId,
    placeholders: { fileName: null },
  },
};
