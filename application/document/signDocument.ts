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
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { CitizenFact, CitizenFacts, DeviceFacts, RelyingPartyFact } from '../ports/facts.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { PollSession } from '../session/pollSession.ts';
import { findOwner, type SessionTarget } from '../session/sessionOwner.ts';
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
  readonly facts: CitizenFacts & DeviceFacts;
  readonly prepareDocument: PrepareDocument;
  readonly startSession: StartSession;
  readonly pollSession: PollSession;
  readonly settle: SettleSigning;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** How long the citizen may answer, ms. */
  readonly answerWindowMs: number;
}

/** A citizen was asked to sign. */
export interface StartedSigning {
  readonly session: SessionStarted['data'];
  /** What the phone shows. */
  readonly displayText: string;
}

export interface SigningPoll extends DocumentAddress {
  readonly sessionId: string;
  /** How long to wait for an outcome, ms. */
  readonly timeoutMs: number;
  readonly onGone: (callback: () => void) => () => void;
}

export interface PolledSigning {
  /** Null while it is going on; `OK` once the signature is recorded (contract §3). */
  readonly endResult: string | null;
  readonly document: DocumentRecord;
}

/** Signing of documents with the citizen's eID. */
export interface SignDocument {
  /**
   * Asks whose turn it is to sign, by push.
   *
   * @param regNumber registration number or civil id of the signer
   * @throws Refusal NOT_FOUND, SIGNING_RAIL_UNAVAILABLE, PERSON_NOT_FOUND, NO_SUITABLE_CERTIFICATE, DOCUMENT_FROZEN,
   *   SIGNING_UNDER_WAY, ALREADY_SIGNED, SIGNER_NOT_NAMED, NOT_THE_SIGNER, CONFLICT, PDF_…, RATE_LIMITED
   * @throws StoredFileAltered, Unavailable, Overloaded
   */
  start(
    address: DocumentAddress,
    regNumber: string,
    contextOf: (sessionId: string) => CommandContext,
  ): Promise<StartedSigning>;
  /** @throws Refusal NOT_FOUND, SESSION_NOT_FOUND when the document was never to be signed in this session */
  poll(poll: SigningPoll): Promise<PolledSigning>;
}

/** What the citizen is asked to sign. */
interface Content {
  readonly format: DocumentFormat;
  /** Lower-case hexadecimal. */
  readonly coveredDigest: string;
  readonly preparedId: string | null;
  readonly target: Exclude<SessionTarget, { readonly type: 'anyone' }>;
}

const certificateLevel = 'QUALIFIED' as const;

/** After the citizen's time is over: for a last answer to be recorded, ms. */
const GRACE_MS = 30_000;

export function createSignDocument(dependencies: SignDocumentDependencies): SignDocument {
  const { documents, policies, configured, facts, files, settle, clock } = dependencies;

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

  async function contentOf(
    document: DocumentRecord,
    { civilId }: CitizenFact,
    { relyingPartyId, name }: RelyingPartyFact,
  ): Promise<Content> {
    const format = formatOf(document);
    const target = { type: 'person', identifier: { type: 'civilId', civilId } } as const;
    const current = currentFile(document);
    if (format !== 'pades' || current === null) {
      const wanted = { kind: 'SIGNATURE', target, certificateLevel } as const;
      await findOwner(facts, wanted, clock.now().toISOString());
      return { format, coveredDigest: contentDigest(document), preparedId: null, target };
    }
    const prepared = await dependencies.prepareDocument({
      ...{ relyingPartyId, relyingPartyName: name, signer: target, certificateLevel },
      ...{ document: await files.read(current), hash: 'SHA256' },
      fileName: document.file?.fileName ?? null,
    });
    const { documentNumber, digest, preparedId } = prepared;
    return {
      ...{ format, preparedId, coveredDigest: digest.toString('hex') },
      target: { type: 'document', documentNumber },
    };
  }

  async function ask(
    document: DocumentRecord,
    { sessionId, target, signing }: { sessionId: string; target: SessionTarget; signing: Signing },
    contextOf: (sessionId: string) => CommandContext,
  ): Promise<StartedSigning> {
    const relyingParty = await dependencies.relyingParty.get();
    const displayText = cut(`Гарын үсэг зурах: ${document.created.title}`, 60);
    const digest = Buffer.from(signing.coveredDigest, 'hex').toString('base64');
    const session = await dependencies.startSession(
      {
        ...{ relyingParty, generation: 'G1', nested: null, flow: 'NOTIFICATION', target },
        content: { kind: 'SIGNATURE', digest, hashType: 'SHA256' },
        relyingPartyName: relyingParty.name,
        certificateLevel,
        interactions: [{ type: 'displayTextAndPIN', displayText60: displayText }],
        ...{ vcType: null, callbackUrl: null, subsystem: null, onBehalfOf: null },
        ...{ fileName: document.file?.fileName ?? null, sessionId },
      },
      contextOf,
    );
    return { session, displayText };
  }

  return {
    async start(address, regNumber, contextOf) {
      const document = await settle(await readDocument(documents, address));
      const { requireNamedSigner: requiresNamedSigner } = await expectRail(document);
      const citizen = await findSigner(facts, regNumber, '/reg_number');
      const { civilId } = citizen;
      expectTurn(document, { civilId, requiresNamedSigner });
      const { target, ...content } = await contentOf(
        document,
        citizen,
        await dependencies.relyingParty.get(),
      );
      const { documentId } = document.created;
      const sessionId = dependencies.randomness.uuid();
      const now = clock.now();
      const signing: Signing = {
        ...{ documentId, sessionId, civilId, rail: 'EID', ...content },
        startedAt: now.toISOString(),
        endsAt: new Date(now.getTime() + dependencies.answerWindowMs + GRACE_MS).toISOString(),
      };
      const fileId = currentFile(document)?.fileId ?? null;
      // First of all the document is this session's: of several who start at once one asks the citizen.
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
          // Not begun yet, or no longer to be read: the document itself says what became of it.
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

function cut(text: string, length: number): string {
  return Array.from(text).slice(0, length).join('');
}
