import type { DocumentRecord, DocumentSignature, Signing } from '../../domain/document/document.ts';
import type { StoredFile } from '../../domain/document/events.ts';
import type { CompleteSession } from '../../domain/session/session.ts';
import { sha256 } from '../../domain/shared/digest.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { DetachedSignatures } from './ports/detachedSignatures.ts';
import type { CertificateReferenceData, CitizenReferenceData } from '../ports/referenceData.ts';
import type { SignatureVerifier } from '../ports/signatureVerifier.ts';
import type { Timestamping } from '../ports/timestamping.ts';
import type { Sessions } from '../session/sessions.ts';
import { signerOfSession } from '../stamp/signerOfSession.ts';
import type { StampDocument } from '../stamp/stampDocument.ts';
import type { DocumentFiles } from './documentFiles.ts';
import type { Documents } from './documents.ts';
import { platformRelyingPartyId } from './platformRelyingParty.ts';

export interface SettleSigningDependencies {
  readonly documents: Documents;
  readonly sessions: Sessions;
  readonly files: Pick<DocumentFiles, 'keepBytes'>;
  readonly referenceData: CitizenReferenceData & CertificateReferenceData;
  readonly verifier: SignatureVerifier;
  readonly stampDocument: StampDocument;
  readonly detachedSignatures: DetachedSignatures;
  readonly timestamping: Timestamping;
  readonly clock: Clock;
}

/**
 * Records the result of a completed signing session. Triggered by a poll, the next start, or the sweep; idempotent.
 *
 * @returns the document afterwards
 * @throws Unavailable, Overloaded; then nothing is recorded, and the next trigger tries again
 */
export type SettleSigning = (document: DocumentRecord) => Promise<DocumentRecord>;

type Confirmation = NonNullable<CompleteSession['outcome']['confirmation']>;

type Outcome =
  | { readonly isSigned: false; readonly endResult: string }
  | { readonly isSigned: true; readonly session: CompleteSession };

export function createSettleSigning(dependencies: SettleSigningDependencies): SettleSigning {
  const { documents, sessions, files, referenceData, verifier, timestamping, clock } = dependencies;

  /** Null: running, or about to start. */
  async function outcomeOf({ sessionId, endsAt }: Signing): Promise<Outcome | null> {
    const trusts = ({ status }: { readonly status: string }) => status === 'COMPLETE';
    const { state } = await sessions.load(sessionId, { trusts });
    if (state.status === 'COMPLETE') {
      const { endResult, confirmation } = state.outcome;
      return confirmation === null
        ? { isSigned: false, endResult }
        : { isSigned: true, session: state };
    }
    const isOver = clock.now().toISOString() >= endsAt;
    if (!isOver) return null;
    return { isSigned: false, endResult: state.status === 'NONE' ? 'NOT_STARTED' : 'TIMEOUT' };
  }

  /**
   * Checks that a timestamp taken now proves the certificate was valid (EN 319 102-1 §5.5).
   * @throws Refusal NO_SUITABLE_CERTIFICATE
   */
  async function expectProvable({ certificateSerial }: Confirmation): Promise<void> {
    const status = (await referenceData.certificate(certificateSerial))?.status;
    if (status === 'REVOKED' || status === 'SUSPENDED')
      throw new Refusal('NO_SUITABLE_CERTIFICATE');
  }

  async function record(
    document: DocumentRecord,
    signing: Signing,
    session: CompleteSession,
  ): Promise<void> {
    const { confirmation } = session.outcome;
    const digest = Buffer.from(session.started.digest ?? '', 'base64');
    if (confirmation === null || digest.toString('hex') !== signing.coveredDigest) {
      throw new Refusal('DIGEST_MISMATCH');
    }
    await expectProvable(confirmation);
    const signer = await signerOfSession(referenceData, session.started, confirmation);
    const signature = Buffer.from(confirmation.signature, 'base64');
    const pss = confirmation.nested?.pss ?? null;
    const isRight = await verifier.verify(signer.publicKey, { digest, hash: 'SHA256' }, signature, {
      rsa: pss === null ? 'pkcs1' : 'pss',
    });
    if (!isRight) throw new Refusal('SIGNATURE_INVALID');
    const { sessionId, civilId, rail, format, coveredDigest, preparedId } = signing;
    const context = byCitizen(civilId, sessionId);
    const recordWith = async (
      rest: Pick<DocumentSignature, 'evidence' | 'signedFile'>,
    ): Promise<boolean> => {
      const { certificateSerial, certificateLevel, signatureAlgorithm } = confirmation;
      const recorded: Omit<DocumentSignature, 'documentId'> = {
        sessionId,
        civilId,
        rail,
        format,
        coveredDigest,
        proof: 'eid_signature',
        ...rest,
        certificateSerial,
        certificateLevel,
        signatureAlgorithm,
        signature: confirmation.signature,
        signedAt: confirmation.completedAt,
      };
      const command = { type: 'RecordSignature', signature: recorded } as const;
      const { events } = await documents.handle(document.created.documentId, command, context);
      return events.length > 0;
    };
    if (preparedId !== null) {
      const stamped = await dependencies.stampDocument(
        {
          sessionId,
          relyingPartyId: platformRelyingPartyId,
          document: Buffer.alloc(0),
          fileName: document.file?.fileName ?? null,
          preparedId,
        },
        context,
      );
      const refersTo = (signedFile: StoredFile) => recordWith({ evidence: null, signedFile });
      await files.keepBytes(document, stamped.pdf, refersTo);
      return;
    }
    const timestampToken = await timestamping.timestamp(sha256(signature), 'SHA256');
    const { signatureAlgorithm } = confirmation;
    const evidence = await dependencies.detachedSignatures.encode({
      signer,
      digest,
      signature,
      signatureAlgorithm,
      pss,
      timestampToken,
    });
    await recordWith({ evidence: evidence.toString('base64'), signedFile: null });
  }

  async function end({ documentId, sessionId, civilId }: Signing, endResult: string) {
    const now = clock.now().toISOString();
    const command = { type: 'EndSigning', sessionId, endResult, now } as const;
    await documents.handle(documentId, command, byCitizen(civilId, sessionId));
  }

  async function settleAs(document: DocumentRecord, signing: Signing, outcome: Outcome) {
    if (!outcome.isSigned) {
      await end(signing, outcome.endResult);
      return;
    }
    try {
      await record(document, signing, outcome.session);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Recorded concurrently; the log decides.
      if (error.code === 'CONFLICT') return;
      const isUnusable = ['NO_SUITABLE_CERTIFICATE', 'FILE_ERASED'].includes(error.code);
      await end(signing, isUnusable ? 'DOCUMENT_UNUSABLE' : 'SERVER_ERROR');
    }
  }

  /** By session: polls and the sweep may coincide, and share one execution. */
  const underWay = new Map<string, Promise<DocumentRecord>>();

  return (document) => {
    const { signing } = document;
    if (signing === null) return Promise.resolve(document);
    const { sessionId } = signing;
    const settling =
      underWay.get(sessionId) ??
      settle(document, signing).finally(() => underWay.delete(sessionId));
    underWay.set(sessionId, settling);
    return settling;
  };

  async function settle(document: DocumentRecord, signing: Signing): Promise<DocumentRecord> {
    const outcome = await outcomeOf(signing);
    if (outcome === null) return document;
    await settleAs(document, signing, outcome);
    const { state } = await documents.load(document.created.documentId);
    if (state.status === 'NONE') throw new Error('Document missing after its signature.');
    return state;
  }
}

/** The citizen is the actor, whichever request recorded the signature. */
function byCitizen(civilId: string, sessionId: string): CommandContext {
  return {
    actor: { kind: 'citizen', id: civilId },
    correlationId: sessionId,
    causationId: sessionId,
    requestId: null,
    ip: null,
  };
}
