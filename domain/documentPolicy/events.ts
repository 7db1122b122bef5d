import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { boolean, type Fields, oneOf, text } from '../shared/eventFields.ts';
import { documentTypes } from '../shared/documentTypes.ts';

// Storage format: see domain/shared/defineEvents.ts.

const policyTerms = {
  allowEid: boolean,
  allowDan: boolean,
  /** True: only signers named at creation may sign. */
  requireNamedSigner: boolean,
};

/** Signing policy of an organization for documents of one type (contract §11). */
export type PolicyTerms = Fields<typeof policyTerms>;

export const documentPolicyEvents = defineEvents('documentPolicy', {
  DocumentPolicyChanged: event({
    data: {
      ...policyTerms,
      tenantId: text,
      docType: oneOf(documentTypes),
      changedAt: text,
    },
    audit: {
      type: 'DOCUMENT_POLICY_CHANGE',
      subject: ({ tenantId }) => tenantId,
      details: ({ docType, allowEid, allowDan, requireNamedSigner }) => ({
        docType,
        allowEid,
        allowDan,
        requireNamedSigner,
      }),
    },
  }),
});

export type DocumentPolicyChanged = EventOf<typeof documentPolicyEvents>;
