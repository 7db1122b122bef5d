import type { DocumentRecord } from '../../domain/document/document.ts';
import type { DocumentType } from '../../domain/shared/documentTypes.ts';
import { parsePersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { awaitProjection, type CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { CitizenReferenceData } from '../ports/referenceData.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { Documents } from './documents.ts';

export interface DocumentWish {
  readonly documentId: string;
  readonly tenantId: string;
  /** Civil id of a citizen who makes it for themselves; null: made for an organization. */
  readonly maker: string | null;
  /** OpenID Connect client whose access token it is made with; null: another token. */
  readonly clientId: string | null;
  readonly title: string;
  readonly docType: DocumentType;
  /** Civil ids or registration numbers, in order; null: any signer. */
  readonly signers: readonly (string | null)[];
}

export interface CreateDocumentDependencies {
  readonly documents: Documents;
  readonly referenceData: CitizenReferenceData;
  readonly clock: Clock;
  readonly progress: ProjectionProgress;
}

/**
 * Creates a document; resolves when lists show it.
 *
 * @throws Refusal INVALID_REQUEST; PERSON_NOT_FOUND when a signer is not enrolled
 */
export async function createDocument(
  { documents, referenceData, clock, progress }: CreateDocumentDependencies,
  { signers: named, maker, ...wish }: DocumentWish,
  context: CommandContext,
): Promise<DocumentRecord> {
  const signers = await Promise.all(
    named.map(async (text, index) => {
      const pointer = `/signers/${index}/reg_number`;
      return text === null ? null : (await findSigner(referenceData, text, pointer)).civilId;
    }),
  );
  const known = signers.filter((civilId) => civilId !== null);
  if (new Set(known).size !== known.length) {
    const detail = 'A person signs a document only once. Name each signer once.';
    throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/signers', detail }] });
  }
  const created = {
    ...wish,
    signers,
    owner: known[0] ?? maker,
    createdAt: clock.now().toISOString(),
  };
  const command = { type: 'CreateDocument', created } as const;
  const { state } = await awaitProjection(
    progress,
    documents.handleNew(wish.documentId, command, context),
  );
  if (state.status === 'NONE') throw new Error('Document missing after its creation.');
  return state;
}

/**
 * Finds the person with a registration number or civil id.
 *
 * @throws Refusal INVALID_REQUEST, PERSON_NOT_FOUND
 */
export async function findSigner(
  referenceData: CitizenReferenceData,
  text: string,
  pointer: string,
) {
  const citizen = await referenceData.citizen(parsePersonIdentifier(text, pointer));
  if (citizen === null) throw new Refusal('PERSON_NOT_FOUND');
  return citizen;
}
