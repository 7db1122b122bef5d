import { z } from 'zod';
import { consentProofs, documentFormats } from '../../domain/document/events.ts';
import { certificateLevels } from '../../domain/shared/certificateLevel.ts';
import { documentTypes, signingRails } from '../../domain/shared/documentTypes.ts';
import { optionalText, text } from './eventParts.ts';

const storedFile = { fileId: text, sha256: text, sizeBytes: z.number() };
const signer = {
  documentId: text,
  sessionId: text,
  civilId: text,
  rail: z.enum(signingRails),
};

/** The catalog's rows of documents, and of how organizations let them be signed. */
export const documentEvents = {
  DocumentCreated: {
    version: 1,
    shape: {
      documentId: text,
      tenantId: text,
      title: text,
      docType: z.enum(documentTypes),
      signers: z.array(optionalText),
      owner: optionalText,
      createdAt: text,
    },
  },
  DocumentFileAttached: {
    version: 1,
    shape: {
      ...{ ...storedFile, documentId: text, fileName: text, contentType: text },
      ...{ owner: optionalText, attachedAt: text },
    },
  },
  DocumentSigningStarted: {
    version: 1,
    shape: {
      ...signer,
      format: z.enum(documentFormats),
      coveredDigest: text,
      preparedId: optionalText,
      startedAt: text,
      endsAt: text,
    },
  },
  DocumentSigned: {
    version: 1,
    shape: {
      ...signer,
      format: z.enum(documentFormats),
      coveredDigest: text,
      proof: z.enum(consentProofs),
      certificateSerial: text,
      certificateLevel: z.enum(certificateLevels),
      signatureAlgorithm: text,
      signature: text,
      evidence: optionalText,
      signedFile: z.strictObject(storedFile).nullable(),
      signedAt: text,
    },
  },
  DocumentSigningEnded: {
    version: 1,
    shape: { ...signer, endResult: text, isRejection: z.boolean(), endedAt: text },
  },
  DocumentPolicyChanged: {
    version: 1,
    shape: {
      tenantId: text,
      docType: z.enum(documentTypes),
      allowEid: z.boolean(),
      allowDan: z.boolean(),
      requireNamedSigner: z.boolean(),
      changedAt: text,
    },
  },
} as const;
