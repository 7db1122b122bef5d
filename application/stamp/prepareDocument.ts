import { createHash } from 'node:crypto';
import { type HashType, sha256Hex } from '../../domain/shared/digest.ts';
import type { DocumentWarning } from '../../domain/shared/documentWarnings.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { limitReached, type NamedLimit } from '../attempts.ts';
import type { Clock } from '../ports/clock.ts';
import type { CitizenReferenceData, DeviceReferenceData } from '../ports/referenceData.ts';
import type { PdfStamping } from '../ports/pdfStamping.ts';
import type { PreparedDocuments } from './ports/preparedDocuments.ts';
import type { Randomness } from '../ports/randomness.ts';
import { type CertificateLevel, meetsLevel } from '../../domain/shared/certificateLevel.ts';
import { findOwner, isInForce, type SessionTarget } from '../session/sessions.ts';
import { accepted } from './madeDocuments.ts';

export interface PrepareRequest {
  readonly relyingPartyId: string;
  readonly relyingPartyName: string;
  /** Ownership is transferred: not to be used afterwards. */
  readonly document: Buffer;
  readonly fileName: string | null;
  readonly signer: Exclude<SessionTarget, { readonly type: 'anyone' }>;
  readonly hash: HashType;
  readonly certificateLevel: CertificateLevel;
}

export interface Prepared {
  readonly preparedId: string;
  /** Digest for the sign session; raw bytes. */
  readonly digest: Buffer;
  readonly hash: HashType;
  /** The signing device: the sign session must name it. */
  readonly documentNumber: string;
  readonly certificateSerial: string;
  /** Active content of the document; the signer is told, too. */
  readonly warnings: readonly DocumentWarning[];
  /** ISO 8601. */
  readonly expiresAt: string;
}

export interface PrepareDocumentDependencies {
  readonly referenceData: CitizenReferenceData & DeviceReferenceData;
  readonly stamping: PdfStamping;
  readonly preparedDocuments: PreparedDocuments;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/**
 * Prepares a PDF for the citizen's own signature.
 *
 * @throws Refusal PERSON_NOT_FOUND, DOCUMENT_NOT_FOUND, NO_SUITABLE_CERTIFICATE, NOT_A_PDF, PDF_…, RATE_LIMITED
 * @throws Unavailable, Overloaded
 */
export type PrepareDocument = (request: PrepareRequest) => Promise<Prepared>;

/** Time to start a session, to answer and to stamp: a little longer than a session is readable. */
const LIFE_MS = 15 * 60_000;

const preparedAtOnce: NamedLimit = {
  what: 'Too many of your prepared documents are waiting for signatures.',
  setting: null,
};

export function createPrepareDocument(dependencies: PrepareDocumentDependencies): PrepareDocument {
  const { referenceData, stamping, preparedDocuments, clock, randomness } = dependencies;

  /** The newest device that can sign, and its owner. */
  async function findSigner({ signer, certificateLevel }: PrepareRequest, now: string) {
    const wanted = { kind: 'SIGNATURE', target: signer, certificateLevel } as const;
    const { civilId, documentNumber } = await findOwner(referenceData, wanted, now);
    const citizen = await referenceData.citizen({ type: 'civilId', civilId: civilId ?? '' });
    const devices = citizen === null ? [] : await referenceData.activeDevicesOf(citizen.civilId);
    const device = devices.find(
      ({ signing, ...each }) =>
        (documentNumber === null || each.documentNumber === documentNumber) &&
        isInForce(signing, now) &&
        meetsLevel(signing.level, certificateLevel),
    );
    const certificate = device?.signing.certificate ?? null;
    if (citizen === null || device === undefined || certificate === null) {
      throw new Refusal('PERSON_NOT_FOUND');
    }
    return {
      citizen,
      device,
      signer: {
        ...citizen.identity,
        organization: null,
        certificate: Buffer.from(certificate, 'base64'),
        certificateSerial: device.signing.serial,
        certificateLevel: device.signing.level,
      },
    };
  }

  return async (request) => {
    const { document, fileName, hash, relyingPartyId, relyingPartyName } = request;
    const now = clock.now();
    const { citizen, device, signer } = await findSigner(request, now.toISOString());
    const preparedId = randomness.uuid();
    const documentDigest = sha256Hex(document);
    const { prepared: pdf, warnings } = accepted(
      await stamping.prepare({
        document,
        fileName,
        preparedId,
        relyingPartyName,
        signer,
        hash,
        now,
      }),
    );
    const digest = createHash(hash.toLowerCase()).update(pdf.attributes).digest();
    const expiresAt = new Date(now.getTime() + LIFE_MS).toISOString();
    const isKept = await preparedDocuments.keep({
      preparedId,
      relyingPartyId,
      civilId: citizen.civilId,
      hash,
      fileName,
      documentDigest,
      warnings,
      pdf,
      expiresAt,
      certificateSerial: signer.certificateSerial,
      digest: digest.toString('hex'),
    });
    if (!isKept) {
      throw limitReached(preparedAtOnce, 60, now);
    }
    const { documentNumber } = device;
    const { certificateSerial } = signer;
    return { preparedId, digest, hash, documentNumber, certificateSerial, warnings, expiresAt };
  };
}
