import type { Kysely } from 'kysely';
import type { Facts } from '../application/ports/facts.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import { auditReadModel } from './audit/audit.ts';
import { approvalsReadModel } from './approvals.ts';
import { assistantPromptsReadModel } from './assistantPrompts.ts';
import { certificatesReadModel, createCertificateFacts } from './certificates.ts';
import { citizensReadModel, createCitizenFacts } from './citizens.ts';
import { citizenSearchReadModel } from './citizenSearch.ts';
import { consentsReadModel } from './consents.ts';
import type { Database } from './database.ts';
import { documentsReadModel } from './documents.ts';
import { createDeviceFacts, devicesReadModel } from './devices.ts';
import { identityVerificationsReadModel } from './identityVerifications.ts';
import { knowledgeArticlesReadModel } from './knowledgeArticles.ts';
import { oidcClientsReadModel } from './oidcClients.ts';
import type { AnyReadModel } from './readModel.ts';
import {
  createOrganizationFacts,
  type OrganizationList,
  organizationsReadModel,
} from './organizations.ts';
import { representationsReadModel } from './representations.ts';
import {
  createRelyingPartyFacts,
  relyingPartiesReadModel,
  type RelyingPartyList,
} from './relyingParties.ts';
import { sessionsReadModel } from './sessions.ts';

/** All read models, as the projector keeps them. */
export const readModels: readonly AnyReadModel[] = [
  sessionsReadModel,
  relyingPartiesReadModel,
  citizensReadModel,
  citizenSearchReadModel,
  devicesReadModel,
  certificatesReadModel,
  organizationsReadModel,
  representationsReadModel,
  auditReadModel,
  approvalsReadModel,
  assistantPromptsReadModel,
  knowledgeArticlesReadModel,
  oidcClientsReadModel,
  identityVerificationsReadModel,
  documentsReadModel,
  consentsReadModel,
];

/** The facts use cases ask for, read from the tables on every call. */
export function createFacts(
  database: Kysely<Database>,
  vault: PersonalDataVault,
): Facts & RelyingPartyList & OrganizationList {
  return {
    ...createRelyingPartyFacts(database),
    ...createCitizenFacts(database, vault),
    ...createDeviceFacts(database, vault),
    ...createCertificateFacts(database, vault),
    ...createOrganizationFacts(database),
  };
}
