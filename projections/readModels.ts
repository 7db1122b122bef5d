import { auditReadModel } from './audit/audit.ts';
import { approvalsReadModel } from './models/approvals.ts';
import { assistantPromptsReadModel } from './models/assistantPrompts.ts';
import { certificatesReadModel } from './models/certificates.ts';
import { citizenSearchReadModel } from './models/citizenSearch.ts';
import { citizensReadModel } from './models/citizens.ts';
import { consentsReadModel } from './models/consents.ts';
import { devicesReadModel } from './models/devices.ts';
import { documentsReadModel } from './models/documents.ts';
import { identityVerificationsReadModel } from './models/identityVerifications.ts';
import { knowledgeArticlesReadModel } from './models/knowledgeArticles.ts';
import { noticesReadModel } from './models/notices.ts';
import { oidcClientsReadModel } from './models/oidcClients.ts';
import { organizationsReadModel } from './models/organizations.ts';
import { relyingPartiesReadModel } from './models/relyingParties.ts';
import { representationsReadModel } from './models/representations.ts';
import { sessionsReadModel } from './models/sessions.ts';

/** All read models, as the projector keeps them. The type of the database is made of them. */
export const readModels = [
  sessionsReadModel,
  relyingPartiesReadModel,
  citizensReadModel,
  citizenSearchReadModel,
  devicesReadModel,
  noticesReadModel,
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
] as const;
