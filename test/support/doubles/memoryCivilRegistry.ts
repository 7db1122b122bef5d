import type { CivilRecord } from '../../../application/ports/civilRegistry.ts';
import type { PersonalDataVault } from '../../../application/ports/personalDataVault.ts';
import {
  type CivilRegistryStore,
  RegistrationNumberTaken,
} from '../../../infrastructure/registry/civilRegistryStore.ts';

/** The civil register in memory. */
export function createMemoryCivilRegistry({
  vault,
}: {
  readonly vault: PersonalDataVault;
}): CivilRegistryStore {
  let records = new Map<string, CivilRecord>();

  return {
    find: async (identifier) => {
      const found =
        identifier.type === 'civilId'
          ? records.get(identifier.civilId)
          : byRegistrationNumber(records).get(identifier.registrationNumber.toLowerCase());
      return found === undefined || (await vault.isForgotten(found.civilId)) ? null : found;
    },
    save: async (incoming) => {
      const known = await Promise.all(incoming.map(({ civilId }) => vault.isForgotten(civilId)));
      const kept = incoming.filter((_, index) => known[index] !== true);
      const changed = kept.filter(
        (record) => JSON.stringify(record) !== JSON.stringify(records.get(record.civilId)),
      );
      const next = new Map(records);
      for (const record of changed) next.set(record.civilId, record);
      if (byRegistrationNumber(next).size < next.size) throw new RegistrationNumberTaken();
      records = next;
      return {
        written: changed.length,
        unchanged: kept.length - changed.length,
        forgotten: incoming.length - kept.length,
      };
    },
    forget: (civilId) => {
      records.delete(civilId);
      return Promise.resolve();
    },
  };
}

function byRegistrationNumber(
  records: ReadonlyMap<string, CivilRecord>,
): ReadonlyMap<string, CivilRecord> {
  return new Map(
    [...records.values()].map((record) => [record.identity.registrationNumber, record]),
  );
}
