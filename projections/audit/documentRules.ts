import type { DocumentEvent } from '../../domain/document/events.ts';
import type { DocumentPolicyChanged } from '../../domain/documentPolicy/events.ts';
import type { AuditRules } from './rule.ts';

const civilId = (data: { readonly civilId: string }) => data.civilId;

/** How documents, their signatures and the policies about them are audited. Titles and names of files are not. */
export const documentRules: AuditRules<DocumentEvent | DocumentPolicyChanged> = {
  DocumentCreated: {
    type: 'DOCUMENT_CREATE',
    details: ({ tenantId, docType, signers }) => ({ tenantId, docType, signers: signers.length }),
  },
  DocumentFileAttached: {
    type: 'DOCUMENT_FILE_ATTACH',
    details: ({ contentType, sizeBytes, sha256 }) => ({ contentType, sizeBytes, sha256 }),
  },
  DocumentSigningStarted: {
    type: 'DOCUMENT_SIGN_START',
    civilId,
    details: ({ rail, format, sessionId, coveredDigest }) => ({
      ...{ rail, format, sessionId, coveredDigest },
    }),
  },
  DocumentSigned: {
    type: 'DOCUMENT_SIGN',
    civilId,
    details: ({ rail, format, sessionId, coveredDigest, proof, certificateSerial }) => ({
      ...{ rail, format, sessionId, coveredDigest, proof, certificateSerial },
    }),
  },
  DocumentSigningEnded: {
    type: 'DOCUMENT_SIGN_END',
    civilId,
    details: ({ rail, sessionId, endResult, isRejection }) => ({
      ...{ rail, sessionId, endResult, isRejection },
    }),
  },
  DocumentPolicyChanged: {
    type: 'DOCUMENT_POLICY_CHANGE',
    subject: ({ tenantId }) => tenantId,
    details: ({ docType, allowEid, allowDan, requireNamedSigner }) => ({
      ...{ docType, allowEid, allowDan, requireNamedSigner },
    }),
  },
};
