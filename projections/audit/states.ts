import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import type { OperatorEvent } from '../../domain/operator/events.ts';
import { operatorsDecider } from '../../domain/operator/operators.ts';
import { identifierOf, type StreamCategory } from '../../domain/shared/streams.ts';
import { approvalsReadModel } from '../approvals.ts';
import { assistantPromptsReadModel } from '../assistantPrompts.ts';
import { certificatesReadModel } from '../certificates.ts';
import { citizensReadModel } from '../citizens.ts';
import type {
  ApprovalRow,
  AssistantPromptRow,
  CertificateRow,
  CitizenRow,
  ConsentRow,
  DeviceRow,
  IdentityVerificationRow,
  DocumentRow,
  KnowledgeArticleRow,
  OidcClientRow,
  OrganizationRow,
  RelyingPartyRow,
  RepresentationRow,
  SessionRow,
} from '../database.ts';
import { devicesReadModel } from '../devices.ts';
import { identityVerificationsReadModel } from '../identityVerifications.ts';
import { documentsReadModel } from '../documents.ts';
import { knowledgeArticlesReadModel } from '../knowledgeArticles.ts';
import { consentsReadModel } from '../consents.ts';
import { oidcClientsReadModel } from '../oidcClients.ts';
import { organizationsReadModel } from '../organizations.ts';
import type { AnyReadModel, AnyRow } from '../readModel.ts';
import { relyingPartiesReadModel } from '../relyingParties.ts';
import { representationsReadModel } from '../representations.ts';
import { sessionsReadModel } from '../sessions.ts';

/** What auditors may see of a thing, by name; nothing secret, nothing personal. */
export type ShownState = Readonly<Record<string, unknown>>;

/** The state after events of one stream, of what the audit's subject names; null: there is none. */
type StateOf = (events: readonly RecordedEvent[], subject: string) => ShownState | null;

/** Shows named columns of a read model's row, and no other: a column that comes later is not shown by mistake. */
function columnsOf<Row>(model: AnyReadModel, columns: readonly (keyof Row & string)[]): StateOf {
  return (events) => {
    let row: AnyRow | undefined;
    for (const recorded of events) {
      row = model.evolve(row, recorded.event, identifierOf(recorded.stream), recorded) ?? row;
    }
    if (row === undefined) return null;
    const shown = row;
    return Object.fromEntries(columns.map((column) => [camelCase(column), shown[column]]));
  };
}

function camelCase(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const operatorState: StateOf = (events, subject) => {
  let operators = operatorsDecider.initial;
  for (const { event } of events) {
    operators = operatorsDecider.evolve(operators, event as OperatorEvent);
  }
  const operator = operators.get(subject);
  if (operator === undefined) return null;
  const { role, active, mustChangePassword, secondFactor, deactivatedAt } = operator;
  const secondFactorEnrolled = secondFactor !== null;
  return { role, active, mustChangePassword, secondFactorEnrolled, deactivatedAt };
};

/** How the state of each kind of stream is shown; null: its events are facts that change none. */
export const shownStates: Readonly<Record<StreamCategory, StateOf | null>> = {
  session: columnsOf<SessionRow>(sessionsReadModel, [
    ...(['status', 'end_result', 'document_number', 'certificate_serial'] as const),
    ...(['certificate_level', 'completed_at'] as const),
  ]),
  citizen: columnsOf<CitizenRow>(citizensReadModel, ['enrolled_at']),
  device: columnsOf<DeviceRow>(devicesReadModel, [
    ...(['platform', 'authentication_serial', 'signing_serial'] as const),
    ...(['active', 'enrolled_at', 'deactivated_at'] as const),
  ]),
  certificate: columnsOf<CertificateRow>(certificatesReadModel, [
    ...(['type', 'level', 'status', 'revocation_reason', 'revoked_at', 'superseded_by'] as const),
  ]),
  relyingParty: columnsOf<RelyingPartyRow>(relyingPartiesReadModel, [
    ...(['name', 'callback_hosts', 'ip_allowlist', 'client_certificates', 'permissions'] as const),
    ...(['first_party', 'requests_per_minute', 'smart_id_statuses'] as const),
    ...(['active', 'subsystems'] as const),
  ]),
  organization: columnsOf<OrganizationRow>(organizationsReadModel, [
    ...(['name', 'name_latin', 'status'] as const),
  ]),
  representation: columnsOf<RepresentationRow>(representationsReadModel, ['rights']),
  approval: columnsOf<ApprovalRow>(approvalsReadModel, [
    ...(['operation', 'subject', 'status', 'effects', 'requested_by', 'expires_at'] as const),
    ...(['decided_by', 'ended_at', 'code'] as const),
  ]),
  assistantPrompt: columnsOf<AssistantPromptRow>(assistantPromptsReadModel, ['content', 'version']),
  knowledgeArticle: columnsOf<KnowledgeArticleRow>(knowledgeArticlesReadModel, [
    ...(['title', 'content', 'tags', 'language', 'source', 'removed', 'version'] as const),
  ]),
  oidcClient: columnsOf<OidcClientRow>(oidcClientsReadModel, ['settings', 'has_secret', 'active']),
  identityVerification: columnsOf<IdentityVerificationRow>(identityVerificationsReadModel, [
    ...(['method', 'status', 'attempts', 'last_failure', 'expires_at'] as const),
  ]),
  document: columnsOf<DocumentRow>(documentsReadModel, ['status', 'awaited']),
  documentPolicy: null,
  consent: columnsOf<ConsentRow>(consentsReadModel, ['scopes']),
  operators: operatorState,
  stamp: null,
  seal: null,
  sealCertificate: null,
  access: null,
  secondFactor: null,
  operatorAccess: null,
  oidcAccess: null,
};
