import { type Kysely, type Migration, Migrator } from 'kysely';
import { eventLog } from './migrations/001_eventLog.ts';
import { personKeys } from './migrations/002_personKeys.ts';
import { readModels } from './migrations/003_readModels.ts';
import { jobs } from './migrations/004_jobs.ts';
import { civilRegistry } from './migrations/005_civilRegistry.ts';
import { keyVault } from './migrations/006_keyVault.ts';
import { certificateHolders } from './migrations/007_certificateHolders.ts';
import { revocationLists } from './migrations/008_revocationLists.ts';
import { preparedDocuments } from './migrations/010_preparedDocuments.ts';
import { smartIdStatuses } from './migrations/012_smartIdStatuses.ts';
import { organizations } from './migrations/013_organizations.ts';
import { peopleSearch } from './migrations/015_peopleSearch.ts';
import { partySearch } from './migrations/016_partySearch.ts';
import { approvals } from './migrations/017_approvals.ts';
import { audit } from './migrations/018_audit.ts';
import { auditTree } from './migrations/019_auditTree.ts';
import { tallies } from './migrations/020_tallies.ts';
import { tallyRows } from './migrations/022_tallyRows.ts';
import { assistant } from './migrations/023_assistant.ts';
import { assistantSpending } from './migrations/024_assistantSpending.ts';
import { identityVerifications } from './migrations/025_identityVerifications.ts';
import { openIdConnect } from './migrations/026_openIdConnect.ts';
import { documents } from './migrations/027_documents.ts';
import { directory } from './migrations/028_directory.ts';
import { logIdentity } from './migrations/029_logIdentity.ts';
import { treeLeaves } from './migrations/030_treeLeaves.ts';
import { sealingParties } from './migrations/031_sealingParties.ts';
import { relyingPartyNames } from './migrations/032_relyingPartyNames.ts';
import { organizationAffiliates } from './migrations/033_organizationAffiliates.ts';
import { notices } from './migrations/034_notices.ts';
import { treeKeys } from './migrations/038_treeKeys.ts';
import { parkedEvents } from './migrations/041_parkedEvents.ts';
import { deadLetters } from './migrations/042_deadLetters.ts';
import { partitionedLog } from './migrations/043_partitionedLog.ts';
import { hotTables } from './migrations/044_hotTables.ts';
import { archive } from './migrations/045_archive.ts';
import { partitionedViews } from './migrations/046_partitionedViews.ts';
import { endedSessions } from './migrations/056_endedSessions.ts';
import { logMove } from './migrations/071_logMove.ts';
import { foldedNames } from './migrations/072_foldedNames.ts';
import { undeliveredLogouts } from './migrations/073_undeliveredLogouts.ts';
import { undelivered } from './migrations/074_undelivered.ts';

/** All migrations by name, applied in the order of their names; frozen once released. */
export const migrations: Readonly<Record<string, Migration>> = {
  '001_eventLog': eventLog,
  '002_personKeys': personKeys,
  '003_readModels': readModels,
  '004_jobs': jobs,
  '005_civilRegistry': civilRegistry,
  '006_keyVault': keyVault,
  '007_certificateHolders': certificateHolders,
  '008_revocationLists': revocationLists,
  '010_preparedDocuments': preparedDocuments,
  '012_smartIdStatuses': smartIdStatuses,
  '013_organizations': organizations,
  '015_peopleSearch': peopleSearch,
  '016_partySearch': partySearch,
  '017_approvals': approvals,
  '018_audit': audit,
  '019_auditTree': auditTree,
  '020_tallies': tallies,
  '022_tallyRows': tallyRows,
  '023_assistant': assistant,
  '024_assistantSpending': assistantSpending,
  '025_identityVerifications': identityVerifications,
  '026_openIdConnect': openIdConnect,
  '027_documents': documents,
  '028_directory': directory,
  '029_logIdentity': logIdentity,
  '030_treeLeaves': treeLeaves,
  '031_sealingParties': sealingParties,
  '032_relyingPartyNames': relyingPartyNames,
  '033_organizationAffiliates': organizationAffiliates,
  '034_notices': notices,
  '038_treeKeys': treeKeys,
  '041_parkedEvents': parkedEvents,
  '042_deadLetters': deadLetters,
  '043_partitionedLog': partitionedLog,
  '044_hotTables': hotTables,
  '045_archive': archive,
  '046_partitionedViews': partitionedViews,
  '056_endedSessions': endedSessions,
  '071_logMove': logMove,
  '072_foldedNames': foldedNames,
  '073_undeliveredLogouts': undeliveredLogouts,
  '074_undelivered': undelivered,
};

/** Brings the database to the newest schema. Safe to call from several processes at once. */
export async function migrate(database: Kysely<unknown>): Promise<void> {
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName;
    const what =
      failed === undefined
        ? 'The database (SVC_DATABASE_URL) does not answer, or refuses this user.'
        : `The database schema could not be brought up to date: migration ${failed} failed.`;
    throw new Error(what, { cause: error });
  }
}
