import { z } from 'zod';
import {
  approvalRecord,
  documentStatuses,
  type DocumentRecord,
  formatOf,
} from '../../domain/document/document.ts';
import { consentProofs, documentFormats } from '../../domain/document/events.ts';
import type { PolicyTerms } from '../../domain/documentPolicy/events.ts';
import { documentWarnings } from '../../domain/shared/documentWarnings.ts';
import { documentTypes, signingRails } from '../../domain/shared/documentTypes.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import type { Recognition } from '../../application/document/ports/documentInspection.ts';
import type { RailState } from '../../application/document/rails.ts';
import type { CitizenData, CitizenReferenceData } from '../../application/ports/referenceData.ts';
import { certificateLevel, moment } from '../schemas/answers.ts';

// Response schemas of documents: names of the contract (§11), snake case.

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const fileSchema = z
  .strictObject({
    file_name: z.string(),
    content_type: z.string(),
    size_bytes: z.int(),
    sha256: sha256.meta({ description: 'Of the uploaded file, lower-case hexadecimal' }),
    warnings: z.array(z.enum(documentWarnings)).nullable().meta({
      description:
        'What the PDF can do besides showing its pages, which its signers are told as well; null if it is not a PDF or was not inspected',
    }),
  })
  .meta({ id: 'DocumentFile' });

const signerSchema = z.strictObject({
  order: z.int(),
  reg_number: z.string().nullable().meta({
    description:
      'Null if anyone may sign, the signer was forgotten, or the signer is hidden from citizens until the signature',
  }),
  is_named: z.boolean(),
  signed_at: moment.nullable(),
});

export const documentSchema = z
  .strictObject({
    id: z.uuid(),
    tenant_id: z.string(),
    title: z.string(),
    doc_type: z.enum(documentTypes),
    status: z.enum(documentStatuses),
    format: z.enum(documentFormats),
    file: fileSchema.nullable(),
    signers: z.array(signerSchema),
    covered_digest: sha256
      .nullable()
      .meta({ description: 'What the latest signature covers; null if there is none yet' }),
    proof: z.enum(consentProofs).nullable(),
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: 'DocumentRecord' });

export const railsSchema = z
  .strictObject({
    rails: z.array(
      z.strictObject({
        method: z.enum(signingRails),
        available: z.boolean(),
        reason: z.enum(['not_allowed', 'not_configured']).optional(),
      }),
    ),
  })
  .meta({ id: 'SigningRails' });

/** A file beside the signed ones of a document. */
export const recognitionSchema = z
  .strictObject({
    result: z.enum(['signed', 'altered', 'other']).meta({
      description:
        'signed: the whole file; altered: a signed file with an addition that a reader may show instead',
    }),
    sha256: sha256.nullable().meta({ description: 'Of the signed file; null in all other cases' }),
    signed_bytes: z.int().nullable().meta({ description: 'Length of the signed part in bytes' }),
    added: z.array(z.string()).meta({ description: 'Kinds of additions' }),
    added_bytes: z.int(),
    replaced_objects: z
      .int()
      .meta({ description: 'Objects that a reader takes from the additions' }),
  })
  .meta({ id: 'FileRecognition' });

/** A recognition as sent in responses. */
export function recognitionView(found: Recognition): z.output<typeof recognitionSchema> {
  const isAltered = found.result === 'altered';
  return {
    result: found.result,
    sha256: found.result === 'other' ? null : found.sha256,
    signed_bytes: isAltered ? found.signedBytes : null,
    added: isAltered ? [...found.added] : [],
    added_bytes: isAltered ? found.addedBytes : 0,
    replaced_objects: isAltered ? found.replacedObjects : 0,
  };
}

/** Rails of a document as sent in responses. */
export function railsView(states: readonly RailState[]): z.output<typeof railsSchema> {
  return {
    rails: states.map(({ rail: method, reason }) =>
      reason === null ? { method, available: true } : { method, available: false, reason },
    ),
  };
}

const signatureSchema = z
  .strictObject({
    order: z.int(),
    method: z.enum(signingRails),
    format: z.enum(documentFormats),
    signer_name: z.string().nullable(),
    reg_number: z.string().nullable(),
    covered_digest: sha256,
    proof: z.enum(consentProofs),
    signature: z.string().meta({ description: 'Base64; over `covered_digest`' }),
    signature_algorithm: z.string(),
    certificate_serial: z.string(),
    certificate_level: certificateLevel,
    session_id: z.uuid(),
    signed_at: moment,
    evidence: z.string().nullable().meta({
      description: 'Detached CMS, DER, base64; null if it is in the PDF or was forgotten',
    }),
  })
  .meta({ id: 'DocumentSignature' });

export const signaturesSchema = z
  .strictObject({
    signatures: z.array(signatureSchema),
    signed_record: z.string().nullable().meta({
      description:
        'For an approval, the UTF-8 text whose digest is signed; null otherwise or if forgotten',
    }),
  })
  .meta({ id: 'DocumentSignatures' });

export const policySchema = z
  .strictObject({
    allow_eid: z.boolean(),
    allow_dan: z.boolean(),
    require_named_signer: z.boolean(),
  })
  .meta({ id: 'DocumentPolicy' });

export const typedPolicySchema = policySchema
  .extend({ doc_type: z.enum(documentTypes) })
  .meta({ id: 'TypedDocumentPolicy' });

type Reader = (civilId: string) => Promise<CitizenData | null>;

/** Reads the citizen of a civil id; null after crypto-shredding. */
export const citizenReader =
  (referenceData: CitizenReferenceData): Reader =>
  (civilId) =>
    referenceData.citizen({ type: 'civilId', civilId });

/**
 * A document as sent in responses.
 *
 * @param citizen who reads it for themselves; of others who have not signed they are shown no number: naming somebody
 * must not look them up
 */
export async function documentView(
  document: DocumentRecord,
  read: Reader,
  citizen: string | null = null,
) {
  const { created, file, signatures } = document;
  const last = signatures.at(-1);
  const signers = await Promise.all(
    created.signers.map(async (named, index) => {
      const civilId = named ?? signatures[index]?.civilId ?? null;
      const isHidden = citizen !== null && civilId !== citizen && signatures[index] === undefined;
      const person = civilId === null || isHidden ? null : await read(civilId);
      return {
        order: index + 1,
        is_named: named !== null,
        reg_number: person?.identity.registrationNumber ?? null,
        signed_at: signatures[index]?.signedAt ?? null,
      };
    }),
  );
  return {
    id: created.documentId,
    tenant_id: created.tenantId,
    title: created.title,
    doc_type: created.docType,
    status: document.status,
    format: formatOf(document),
    file: file && fileView(file),
    signers,
    covered_digest: last?.coveredDigest ?? null,
    proof: last?.proof ?? null,
    created_at: created.createdAt,
    updated_at: document.changedAt,
  };
}

export function fileView({
  fileName,
  contentType,
  sizeBytes,
  sha256: digest,
  warnings,
}: NonNullable<DocumentRecord['file']>) {
  return {
    file_name: fileName,
    content_type: contentType,
    size_bytes: sizeBytes,
    sha256: digest,
    warnings: warnings && [...warnings],
  };
}

export async function signaturesView(document: DocumentRecord, read: Reader) {
  const signatures = await Promise.all(
    document.signatures.map(async (each, index) => {
      const identity = (await read(each.civilId))?.identity;
      return {
        order: index + 1,
        method: each.rail,
        format: each.format,
        signer_name: identity === undefined ? null : `${identity.surname} ${identity.givenName}`,
        reg_number: identity?.registrationNumber ?? null,
        covered_digest: each.coveredDigest,
        proof: each.proof,
        signature: each.signature,
        signature_algorithm: each.signatureAlgorithm,
        certificate_serial: each.certificateSerial,
        certificate_level: each.certificateLevel,
        session_id: each.sessionId,
        signed_at: each.signedAt,
        evidence: each.evidence,
      };
    }),
  );
  return { signatures, signed_record: signedRecord(document) };
}

/**
 * Signed record; null also after its title was crypto-shredded: the rest is not what was signed.
 */
function signedRecord(document: DocumentRecord): string | null {
  if (formatOf(document) !== 'approval') return null;
  const record = approvalRecord(document);
  const digest = sha256Hex(record);
  const isWhole = document.signatures.every(({ coveredDigest }) => coveredDigest === digest);
  return isWhole ? record : null;
}

export function policyView({ allowEid, allowDan, requireNamedSigner }: PolicyTerms) {
  return {
    allow_eid: allowEid,
    allow_dan: allowDan,
    require_named_signer: requireNamedSigner,
  };
}
