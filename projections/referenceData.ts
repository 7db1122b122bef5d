import type { Kysely } from 'kysely';
import type { ReferenceData } from '../application/ports/referenceData.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import { createCertificateReferenceData } from './certificates.ts';
import { createCitizenReferenceData } from './citizens.ts';
import type { Database } from './database.ts';
import { createDeviceReferenceData } from './devices.ts';
import { createOrganizationReferenceData, type OrganizationList } from './organizations.ts';
import { createRelyingPartyReferenceData, type RelyingPartyList } from './relyingParties.ts';

/** Reference data read from the tables on every call. */
export function createReferenceData(
  database: Kysely<Database>,
  vault: PersonalDataVault,
): ReferenceData & RelyingPartyList & OrganizationList {
  return {
    ...createRelyingPartyReferenceData(database),
    ...createCitizenReferenceData(database, vault),
    ...createDeviceReferenceData(database, vault),
    ...createCertificateReferenceData(database, vault),
    ...createOrganizationReferenceData(database),
  };
}
