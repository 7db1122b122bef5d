import {
  contentDigest,
  currentFile,
  type DocumentRecord,
  expectTurn,
  formatOf,
  type Signing,
} from '../../domain/document/document.ts';
import type { DocumentFormat } from '../../domain/document/events.ts';
import type { SessionStarted } from '../../domain/session/events.ts';
import { parsePersonIdentifier } from '../../domain/shared/etsi.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { shortenedTo } from '../../domain/shared/shortenedText.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  CitizenData,
  CitizenReferenceData,
  DeviceReferenceData,
  RelyingPartyData,
} from '../ports/referenceData.ts';
import type { Randomness } from '../ports/randomness.ts';
import { type PollSession, type SessionTarget, findOwner } from '../session/sessions.ts';
import type { StartSession } from '../session/startSession.ts';
import type { PrepareDocument } from '../stamp/prepareDocument.ts';
import { findSigner } from './createDocument.ts';
import type { DocumentFiles } from './documentFiles.ts';
import {
  type DocumentAddress,
  type DocumentPolicyStore,
  type Documents,
  readDocument,
} from './documents.ts';
import type { PlatformRelyingParty } from './platformRelyingParty.ts';
import { type ConfiguredRails, railStates, termsFor } from './rails.ts';
import type { SettleSigning } from './settleSigning.ts';

export interface SignDocumentDependencies {
  readonly documents: Documents;
  readonly policies: DocumentPolicyStore;
  readonly configured: ConfiguredRails;
  readonly relyingParty: PlatformRelyingParty;
  readonly files: Pick<DocumentFiles, 'read'>;
  readonly referenceData: CitizenReferenceData & DeviceReferenceData;
  readonly prepareDocument: PrepareDocument;
  readonly startSession: StartSession;
  readonly pollSession: PollSession;
  readonly settle: SettleSigning;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Time for the citizen to answer, ms. */
  readonly answerWindowMs: number;
}

/** A started signing session. */
export interface StartedSigning {
  readonly session: SessionStarted['data'];
  /** Text shown by the phone. */
  readonly displayText: string;
}

export interface SigningPoll extends DocumentAddress {
  readonly sessionId: string;
  /** Time to wait for an outcome, ms. */
  readonly timeoutMs: number;
  readonly onGone: (callback: () => void) => () => void;
}

export interface PolledSigning {
  /** Null while running; `OK` once the signature is recorded (contract §3). */
  readonly endResult: string | null;
  readonly document: DocumentRecord;
}

/** Signing of documents with the citizen's eID. */
export interface SignDocument {
  /**
   * Starts a signing session by push with the signer whose turn it is.
   *
   * @param regNumber registration number or civil id of the signer
   * @throws Refusal NOT_FOUND, PERMISSION_DENIED, SIGNING_RAIL_UNAVAILABLE, PERSON_NOT_FOUND, NO_SUITABLE_CERTIFICATE, DOCUMENT_FROZEN,
   * SIGNING_UNDER_WAY, ALREADY_SIGNED, SIGNER_NOT_NAMED, NOT_THE_SIGNER, CONFLICT, PDF_…, RATE_LIMITED
   * @throws StoredFileAltered, Unavailable, Overloaded
   */
  start(
    address: DocumentAddress,
    regNumber: string,
    contextOf: (sessionId: string) => CommandContext,
  ): Promise<StartedSigning>;
  /** @throws Refusal NOT_FOUND, SESSION_NOT_FOUND when the session is not one of this document's */
  poll(poll: SigningPoll): Promise<PolledSigning>;
}

/** Content to be signed. */
interface Content {
  readonly format: DocumentFormat;
  /** Lower-case hexadecimal. */
  readonly coveredDigest: string;
  readonly preparedId: string | null;
  readonly target: Exclude<SessionTarget, { readonly type: 'anyone' }>;
}

const certificateLevel = 'QUALIFIED' as const;

/** Time after the citizen's deadline for a last answer to be recorded, ms. */
const GRACE_MS = 30_000;

export function createSignDocument(dependencies: SignDocumentDependencies): SignDocument {
  const { documents, policies, configured, referenceData, files, settle, clock } = dependencies;

  async function expectRail(document: DocumentRecord) {
    const terms = await termsFor(policies, document.created);
    const eid = (await railStates(terms, configured)).find(({ rail }) => rail === 'EID');
    if (eid?.reason !== null) {
      throw new Refusal('SIGNING_RAIL_UNAVAILABLE', {
        detail: `Documents of this type cannot be signed with an eID: ${eid?.reason ?? 'unknown'}.`,
      });
    }
    return terms;
  }

  /** @throws Refusal PERMISSION_DENIED when a citizen asks somebody else in the platform's name */
  async function findAskable({ citizen = null }: DocumentAddress, regNumber: string) {
    if (citizen === null) return findSigner(referenceData, regNumber, '/reg_number');
    const asked = await referenceData.citizen(parsePersonIdentifier(regNumber, '/reg_number'));
    if (asked?.civilId === citizen) return asked;
    throw new Refusal('PERMISSION_DENIED', {
      detail:
        'Without an organization, you can ask only yourself to sign. Send your own reg_number.',
    });
  }

  async function contentOf(
    document: DocumentRecord,
    { civilId }: CitizenData,
    { relyingPartyId, name }: RelyingPartyData,
  ): Promise<Content> {
    const format = formatOf(document);
    const target = { type: 'person', identifier: { type: 'civilId', civilId } } as const;
    const current = currentFile(document);
    if (format !== 'pades' || current === null) {
      const wanted = { kind: 'SIGNATURE', target, certificateLevel } as const;
      await findOwner(referenceData, wanted, clock.now().toISOString());
      return { format, coveredDigest: contentDigest(document), preparedId: null, target };
    }
    const prepared = await dependencies.prepareDocument({
      relyingPartyId,
      relyingPartyName: name,
      signer: target,
      certificateLevel,
      document: await files.read(document, current),
      hash: 'SHA256',
      fileName: document.file?.fileName ?? null,
    });
    const { documentNumber, digest, preparedId } = prepared;
    return {
      format,
      preparedId,
      coveredDigest: digest.toString('hex'),
      target: { type: 'document', documentNumber },
    };
  }

  async function ask(
    document: DocumentRecord,
    { sessionId, target, signing }: { sessionId: string; target: SessionTarget; signing: Signing },
    contextOf: (sessionId: string) => CommandContext,
  ): Promise<StartedSigning> {
    const relyingParty = await dependencies.relyingParty.get();
    const displayText = shortenedTo(60)`Гарын үсэг зурах: ${document.created.title}`;
    const digest = Buffer.from(signing.coveredDigest, 'hex').toString('base64');
    const session = await dependencies.startSession(
      {
        relyingParty,
        generation: 'G1',
        nested: null,
        flow: 'NOTIFICATION',
        target,
        content: { kind: 'SIGNATURE', digest, hashType: 'SHA256' },
        relyingPartyName: relyingParty.name,
        certificateLevel,
        interactions: [{ type: 'displayTextAndPIN', displayText60: displayText }],
        vcType: null,
        callbackUrl: null,
        subsystem: null,
        onBehalfOf: null,
        fileName: document.file?.fileName ?? null,
        sessionId,
      },
      contextOf,
    );
    return { session, displayText };
  }

  return {
    async start(address, regNumber, contextOf) {
      const document = await settle(await readDocument(documents, address));
      const { requireNamedSigner: requiresNamedSigner } = await expectRail(document);
      const citizen = await findAskable(address, regNumber);
      const { civilId } = citizen;
      expectTurn(document, { civilId, requiresNamedSigner });
      const { target, ...content } = await contentOf(
        document,
        citizen,
        await dependencies.relyingParty.get(),
      );
      const { documentId } = document.created;
      const sessionId = dependencies.randomness.timeOrderedUuid();
      const now = clock.now();
      const signing: Signing = {
        documentId,
        sessionId,
        civilId,
        rail: 'EID',
        ...content,
        startedAt: now.toISOString(),
        endsAt: new Date(now.getTime() + dependencies.answerWindowMs + GRACE_MS).toISOString(),
      };
      const fileId = currentFile(document)?.fileId ?? null;
      // Recorded first: of concurrent starts only one asks the citizen.
      const command = { type: 'StartSigning', signing, fileId, requiresNamedSigner } as const;
      await documents.handle(documentId, command, contextOf(sessionId));
      try {
        return await ask(document, { sessionId, target, signing }, contextOf);
      } catch (error) {
        const over = { type: 'EndSigning', sessionId, endResult: 'NOT_STARTED' } as const;
        const ended = { ...over, now: clock.now().toISOString() };
        await documents.handle(documentId, ended, contextOf(sessionId)).catch(() => undefined);
        throw error;
      }
    },

    async poll({ sessionId, timeoutMs, onGone, ...address }) {
      const document = await readDocument(documents, address);
      const known = outcomeOf(document, sessionId);
      if (known !== 'RUNNING') return { endResult: known, document };
      const { relyingPartyId } = await dependencies.relyingParty.get();
      await dependencies
        .pollSession({ sessionId, relyingPartyId, timeoutMs, onGone })
        .catch((error: unknown) => {
          // Not started yet, or no longer readable: the document has the outcome.
          if (!isRefusal(error, 'SESSION_NOT_FOUND')) throw error;
        });
      const settled = await settle(await readDocument(documents, address));
      const outcome = outcomeOf(settled, sessionId);
      return { endResult: outcome === 'RUNNING' ? null : outcome, document: settled };
    },
  };
}

/** @throws Refusal SESSION_NOT_FOUND */
function outcomeOf({ signatures, signing, endings }: DocumentRecord, sessionId: string): string {
  if (signatures.some((each) => each.sessionId === sessionId)) return 'OK';
  const ending = endings.get(sessionId);
  if (ending !== undefined) return ending;
  if (signing?.sessionId !== sessionId) throw new Refusal('SESSION_NOT_FOUND');
  return 'RUNNING';
}
