import type { CivilRecord } from '../../../application/ports/civilRegistry.ts';
import type { PersonalDataVault } from '../../../application/ports/personalDataVault.ts';
import {
  type CivilRegistryStore,
  compareRecords,
} from '../../../infrastructure/registry/civilRegistryStore.ts';

/** The civil register in memory. */
export function createMemoryCivilRegistry({
  vault,
}: {
  readonly vault: PersonalDataVault;
}): CivilRegistryStore {
  const records = new Map<string, CivilRecord>();
  const numberOf = ({ identity }: CivilRecord) => identity.registrationNumber;

  return {
    find: async (identifier) => {
      const found =
        identifier.type === 'civilId'
          ? records.get(identifier.civilId)
          : [...records.values()].find(
              (record) => numberOf(record) === identifier.registrationNumber.toLowerCase(),
            );
      return found === undefined || (await vault.isForgotten(found.civilId)) ? null : found;
    },
    compare: async (given) => {
      const known = [...records.values()];
      return compareRecords(
        given.map((record) => ({
          civilId: record.civilId,
          number: numberOf(record),
          fingerprint: JSON.stringify(record),
        })),
        {
          forgotten: await vault.forgottenAmong(given.map(({ civilId }) => civilId)),
          fingerprints: new Map(known.map((record) => [record.civilId, JSON.stringify(record)])),
          numbers: new Map(known.map((record) => [record.civilId, numberOf(record)])),
          owners: new Map(known.map((record) => [numberOf(record), record.civilId])),
        },
      );
    },
    save: async (given) => {
      const forgotten = await vault.forgottenAmong(given.map(({ civilId }) => civilId));
      for (const record of given) {
        if (!forgotten.has(record.civilId)) records.set(record.civilId, record);
      }
    },
    forget: (civilId) => {
      records.delete(civilId);
      return Promise.resolve();
    },
  };
}
