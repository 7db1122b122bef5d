import type { PersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
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
}

/**
 * Crypto-shreds a person's data: destroys the key it is sealed under, whereupon caches drop it and no new data can be
 * stored; ends their devices and certificates; then removes the indexes they could be found by. Events stay, with
 * placeholders. Repeatable after a failure; a civil id may be forgotten without ever having been seen.
 *
 * @returns the person's civil id
 * @throws Refusal PERSON_NOT_FOUND for a registration number of nobody (any more)
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
