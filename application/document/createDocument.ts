import type { DocumentRecord } from '../../domain/document/document.ts';
import type { DocumentType } from '../../domain/shared/documentTypes.ts';
import { parsePersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { CitizenFacts } from '../ports/facts.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import { readable } from '../readable.ts';
import type { Documents } from './documents.ts';

export interface DocumentWish {
  readonly documentId: string;
  readonly tenantId: string;
  readonly title: string;
  readonly docType: DocumentType;
  /** Civil ids or registration numbers, in order; null: whoever signs. */
  readonly signers: readonly (string | null)[];
}

export interface CreateDocumentDependencies {
  readonly documents: Documents;
  readonly facts: CitizenFacts;
  readonly clock: Clock;
  readonly progress: ProjectionProgress;
}

/**
 * Makes a document; it is in lists when this resolves.
 *
 * @throws Refusal INVALID_REQUEST; PERSON_NOT_FOUND when a signer is not enrolled
 */
export async function createDocument(
  { documents, facts, clock, progress }: CreateDocumentDependencies,
  { signers: named, ...wish }: DocumentWish,
  context: CommandContext,
): Promise<DocumentRecord> {
  const signers = await Promise.all(
    named.map(async (text, index) => {
      const pointer = `/signers/${index}/reg_number`;
      return text === null ? null : (await findSigner(facts, text, pointer)).civilId;
    }),
  );
  const known = signers.filter((civilId) => civilId !== null);
  if (new Set(known).size !== known.length) {
    const detail = 'A person signs a document once; name each signer once.';
    throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/signers', detail }] });
  }
  const created = {
    ...{ ...wish, signers, owner: known[0] ?? null },
    createdAt: clock.now().toISOString(),
  };
  const command = { type: 'CreateDocument', created } as const;
  const { state } = await readable(
    progress,
    documents.handleNew(wish.documentId, command, context),
  );
  if (state.status === 'NONE') throw new Error('A document that was made is not there.');
  return state;
}

/**
 * Whom a registration number, or civil id, names.
 *
 * @throws Refusal INVALID_REQUEST, PERSON_NOT_FOUND
 */
export async function findSigner(facts: CitizenFacts, text: string, pointer: string) {
  const citizen = await facts.citizen(parsePersonIdentifier(text, pointer));
  if (citizen === null) throw new Refusal('PERSON_NOT_FOUND');
  return citizen;
}
