import type { PersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CivilRegistry } from '../ports/civilRegistry.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';
import type { PersonTraces } from '../ports/personTraces.ts';

export interface ForgetPersonDependencies {
  readonly vault: PersonalDataVault;
  readonly civilRegistry: CivilRegistry;
  readonly traces: readonly PersonTraces[];
  /** Tells the audit that the key is destroyed; resolved means durable. */
  readonly record: (civilId: string) => Promise<void>;
  /** Ends the person's phones and certificates; may be repeated. */
  readonly endIdentity: (civilId: string) => Promise<void>;
}

/**
 * Forgets a person for good: destroys the key their data is sealed under, whereupon every cache that listens drops them
 * and nothing new can be enrolled for them; ends their phones and certificates; then removes what they could still be found
 * by. Events stay, with placeholders. Repeat it when it failed half way; a person known by civil id may be forgotten
 * without ever having been seen.
 *
 * @returns the person's civil id
 * @throws Refusal PERSON_NOT_FOUND for a registration number nobody has (any more)
 * @throws Unavailable
 */
export async function forgetPerson(
  { vault, civilRegistry, traces, record, endIdentity }: ForgetPersonDependencies,
  identifier: PersonIdentifier,
): Promise<string> {
  const civilId = await civilIdOf(civilRegistry, identifier);
  await vault.forget(civilId);
  await record(civilId);
  await endIdentity(civilId);
  for (const trace of traces) await trace.forget(civilId);
  return civilId;
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
