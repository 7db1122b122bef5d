import type { PersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { DocumentFate } from '../document/eraseDocuments.ts';
import type { CivilRegistry } from '../ports/civilRegistry.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';
import type { PersonTraces } from './ports/personTraces.ts';

export interface ForgetPersonDependencies {
  readonly vault: PersonalDataVault;
  readonly civilRegistry: CivilRegistry;
  readonly traces: readonly PersonTraces[];
  /** Records the destruction of the key for the audit; resolved means durable. */
  readonly record: (civilId: string) => Promise<void>;
  /** Ends the person's devices and certificates; idempotent. */
  readonly endIdentity: (civilId: string) => Promise<void>;
  /** Erases the files of documents that need not stay; idempotent. */
  readonly eraseDocuments: (civilId: string) => Promise<DocumentFate>;
}

/** A forgotten person, and the files of their documents that are kept. */
export interface Forgetting {
  readonly civilId: string;
  readonly documents: DocumentFate;
}

/**
 * Crypto-shreds a person's data: destroys its data key, whereupon caches drop it and no new data can be stored; ends
 * the person's devices and certificates; erases the files of their documents, except those that are evidence for
 * others; then removes the indexes of their identifiers. Events stay, with placeholders. Repeatable after a failure;
 * also for an unknown civil id.
 *
 * @returns the person's civil id, and the documents whose files are kept
 * @throws Refusal PERSON_NOT_FOUND for an unknown registration number
 * @throws Unavailable
 */
export async function forgetPerson(
  { vault, civilRegistry, traces, record, endIdentity, eraseDocuments }: ForgetPersonDependencies,
  identifier: PersonIdentifier,
): Promise<Forgetting> {
  const civilId = await civilIdOf(civilRegistry, identifier);
  await vault.forget(civilId);
  await record(civilId);
  await endIdentity(civilId);
  const documents = await eraseDocuments(civilId);
  for (const trace of traces) await trace.forget(civilId);
  return { civilId, documents };
}

async function civilIdOf(
  civilRegistry: CivilRegistry,
  identifier: PersonIdentifier,
): Promise<string> {
  if (identifier.type === 'civilId') return identifier.civilId;
  const record = await civilRegistry.find(identifier);
  if (record === null) throw new Refusal('PERSON_NOT_FOUND');
  return record.civilId;
}
