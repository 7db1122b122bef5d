import type { CivilRegistry } from '../ports/civilRegistry.ts';
import type { Directory } from './ports/directory.ts';
import type { OrganizationRegistry } from './ports/organizationRegistry.ts';

export interface EmbeddedDirectoryOptions {
  readonly civilRegistry: CivilRegistry;
  readonly organizationRegistry: OrganizationRegistry;
}

/** A directory over the registers of this installation. */
export function createEmbeddedDirectory({
  civilRegistry,
  organizationRegistry,
}: EmbeddedDirectoryOptions): Directory {
  return {
    async person(identifier) {
      const record = await civilRegistry.find(identifier);
      if (record === null) return null;
      const { surname, givenName, geId, registrationNumber } = record.identity;
      return {
        civilId: record.civilId,
        coreId: geId,
        registrationNumber,
        name: `${surname} ${givenName}`,
        email: record.email ?? null,
        phone: null,
      };
    },
    organization: (register) => organizationRegistry.find(register),
    isAffiliate: (register, person) => organizationRegistry.isAffiliate(register, person),
  };
}
