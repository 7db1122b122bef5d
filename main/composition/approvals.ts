import { approvalRoutes } from '../../api/admin/approvalRoutes.ts';
import type { OperatorGuards } from '../../api/admin/guard.ts';
import { registerRoutes } from '../../api/admin/registerRoutes.ts';
import { sensitiveRoutes } from '../../api/admin/sensitiveRoutes.ts';
import { createApprovals } from '../../application/aggregates.ts';
import { assistantOperations } from '../../application/approval/assistantOperations.ts';
import { certificateOperations } from '../../application/certificate/revocation.ts';
import { createApprovalExecution } from '../../application/approval/executeApproved.ts';
import type { RoleOf } from '../../application/operator/operators.ts';
import type { SensitiveOperations } from '../../application/approval/operations.ts';
import { oidcClientOperations } from '../../application/approval/oidcClientOperations.ts';
import { operatorOperations } from '../../application/approval/operatorOperations.ts';
import { organizationOperations } from '../../application/approval/organizationOperations.ts';
import { personOperations } from '../../application/approval/personOperations.ts';
import { projectionOperations } from '../../application/approval/projectionOperations.ts';
import type { ImportUpload } from '../../application/approval/ports/registerUploads.ts';
import { registerOperations } from '../../application/approval/registerOperations.ts';
import { relyingPartyOperations } from '../../application/approval/relyingPartyOperations.ts';
import { createSubmit } from '../../application/approval/submitCommand.ts';
import type { DocumentErasure } from '../../application/document/eraseDocuments.ts';
import type { ClientAdministrationDependencies } from '../../application/openIdConnect/administerClients.ts';
import { createUploadRemoval } from '../../application/reactors/removeOldUploads.ts';
import { createApprovalSettling } from '../../application/reactors/settleApprovals.ts';
import type { IssueSealCertificateDependencies } from '../../application/seal/issueSealCertificate.ts';
import { hasCapability } from '../../domain/operator/capabilities.ts';
import type { PersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createPostgresRegisterUploads } from '../../infrastructure/registry/postgresRegisterUploads.ts';
import { createApprovalLists } from '../../projections/approvals.ts';
import { createCertificateLists } from '../../projections/certificates.ts';
import type { Names } from '../../projections/names.ts';
import { commandLine } from './administration.ts';
import type { Core } from './core.ts';
import type { Forget } from './people.ts';
import type { ServiceModule } from './serviceModule.ts';
import { approvalsReadModel } from '../../projections/models/approvals.ts';
import { assistantPromptsReadModel } from '../../projections/models/assistantPrompts.ts';
import { certificatesReadModel } from '../../projections/models/certificates.ts';
import { devicesReadModel } from '../../projections/models/devices.ts';
import { knowledgeArticlesReadModel } from '../../projections/models/knowledgeArticles.ts';
import { organizationsReadModel } from '../../projections/models/organizations.ts';
import { relyingPartiesReadModel } from '../../projections/models/relyingParties.ts';
import { representationsReadModel } from '../../projections/models/representations.ts';

export interface ApprovalServices {
  readonly guards: OperatorGuards;
  readonly names: Names;
  readonly roleOf: RoleOf;
  readonly issuing: IssueSealCertificateDependencies;
  readonly forget: Forget;
  readonly erasure: Pick<DocumentErasure, 'foresee'>;
  readonly oidcClients: ClientAdministrationDependencies;
  readonly importUpload: ImportUpload;
}

/** Sensitive commands, executed after a second operator's approval where the four-eyes principle applies. */
export function composeApprovals(
  { config, foundation, aggregates, effects }: Core,
  { guards, names, roleOf, issuing, forget, erasure, oidcClients, importUpload }: ApprovalServices,
) {
  const { clock, randomness, eventStore, progressOf, vault, notifications, database } = foundation;
  const { civilRegistry, parkedRows } = foundation;
  const { leaderLock } = foundation;
  const { onFailure } = effects;
  const { organizations, certificates, devices, relyingParties, citizens } = aggregates;
  const approvals = createApprovals({ eventStore, clock, randomness });
  const lists = failingFast(createApprovalLists(database));
  const common = { clock, randomness };
  const progress = progressOf(approvalsReadModel);
  const certificateProgress = progressOf(certificatesReadModel, devicesReadModel);
  const uploads = createPostgresRegisterUploads(foundation.pool, foundation.derivationKey);
  const operations: SensitiveOperations = {
    ...certificateOperations({ ...common, progress: certificateProgress, certificates, devices }),
    ...relyingPartyOperations({
      ...common,
      progress: progressOf(relyingPartiesReadModel),
      relyingParties,
      takeNames: aggregates.takeNames,
      expectNamesFree: aggregates.expectNamesFree,
      organizations,
    }),
    ...oidcClientOperations({ ...oidcClients, expectNamesFree: aggregates.expectNamesFree }),
    ...organizationOperations({
      ...common,
      progress: progressOf(organizationsReadModel, representationsReadModel),
      organizations,
      certificates,
      issuing,
    }),
    ...operatorOperations({ eventStore, clock, randomness }),
    ...assistantOperations({
      ...common,
      eventStore,
      progress: progressOf(assistantPromptsReadModel, knowledgeArticlesReadModel),
    }),
    ...registerOperations({ uploads, importUpload, noOrigin: commandLine }),
    ...projectionOperations({ parked: parkedRows, accessLog: aggregates.accessLog, clock }),
    ...personOperations({
      citizens,
      civilRegistry,
      vault,
      holdings: failingFast(createCertificateLists(database)),
      forget: async (civilId, context) => {
        await forget({ type: 'civilId', civilId }, context);
      },
      foreseeDocuments: erasure.foresee,
    }),
  };
  const executing = { approvals, operations, roleOf, eventStore, clock };

  const submit = createSubmit({
    approvals,
    open: lists,
    operations,
    eventStore,
    vault,
    clock,
    randomness,
    progress,
    holdersOf: async (capability) =>
      [...(await aggregates.operators.current()).values()]
        .filter(({ active, role }) => active && hasCapability(role, capability))
        .map(({ operatorId }) => operatorId),
    policy: { required: config.SVC_ADMIN_REQUIRE_4EYES, named: config.SVC_ADMIN_4EYES_COMMANDS },
    validityMs: config.SVC_ADMIN_APPROVAL_SECONDS * 1000,
  });

  async function civilIdOf(identifier: PersonIdentifier): Promise<string> {
    if (identifier.type === 'civilId') return identifier.civilId;
    const record = await civilRegistry.find(identifier);
    if (record === null) throw new Refusal('PERSON_NOT_FOUND');
    return record.civilId;
  }

  const module: ServiceModule = {
    routes: [
      ...sensitiveRoutes({ guards, submit, civilIdOf }),
      ...registerRoutes({ guards, submit, uploads, importUpload, clock }),
      ...approvalRoutes({
        guards,
        names,
        inbox: lists,
        deciding: { ...executing, vault, notifications, progress },
        operators: aggregates.operators,
      }),
    ],
    reactors: [
      createApprovalExecution({ ...executing, ...effects.following }),
      createApprovalSettling({ ...executing, open: lists, leaderLock, onFailure }),
      createUploadRemoval({
        uploads,
        clock,
        leaderLock,
        onFailure,
        // An approval in its last moment is executed within minutes.
        keptMs: config.SVC_ADMIN_APPROVAL_SECONDS * 1000 + 3_600_000,
      }),
    ],
  };
  return { module, submit };
}
