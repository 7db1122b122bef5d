import { administration, commandLine } from './administration.ts';
import { composeApprovals } from './approvals.ts';
import { composeArchive } from './archive.ts';
import { composeAssistant, composeAssistantProviders } from './assistant.ts';
import { composeAudit } from './audit.ts';
import { composeAuditTree } from './auditTree.ts';
import { composeCertificateLife } from './certificateLife.ts';
import { composeDirectory, openDirectorySources } from './directory.ts';
import { composeDocuments } from './documents.ts';
import { composeDocumentStorage } from './documentStorage.ts';
import { composePeople } from './people.ts';
import { composeHandOver } from './handOver.ts';
import { composeMe } from './me.ts';
import { composeIdentityVerification } from './identityVerification.ts';
import { composeKnowledge } from './knowledge.ts';
import { composeOpenIdConnect } from './openIdConnect.ts';
import { composeOidcClients } from './oidcClients.ts';
import { composeRevocationStatus, composeTimestamps } from './validationServices.ts';
import { composeOperators } from './operators.ts';
import { composeOrganizations } from './organizations.ts';
import { aloneInRegister, composeRegisterImports } from './registerImport.ts';
import { composeRelyingParties } from './relyingParties.ts';
import { composePlatformAccess } from './platformAccess.ts';
import { composeAcceptance, composeRestored } from './restored.ts';
import type { Repeating } from './eventsAfterBackup.ts';
import { composeEvidence } from './restoreEvidence.ts';
import type { ServiceModule } from './serviceModule.ts';
import { composeSealing } from './sealing.ts';
import { composeStamping } from './stamping.ts';
import { composeVerification } from './verification.ts';
import { composeWebhooks } from './webhooks.ts';
import type { Core } from './core.ts';

/**
 * The modules of the service, in the order in which they start and serve.
 *
 * @param listeningOrigin origin of the server, which listens once they have started
 */
export function composeModules(core: Core, listeningOrigin: () => string) {
  const { config, foundation } = core;
  const operators = composeOperators(core);
  const auditTree = composeAuditTree(core, operators.guards);
  const archive = composeArchive(core, auditTree);
  const timestamps = composeTimestamps(core);
  const revocationStatus = composeRevocationStatus(core);
  const certificateLife = composeCertificateLife(core);
  const sources = openDirectorySources(core);
  const organizations = composeOrganizations(core, sources.directory);
  const { evidence, revocationList } = revocationStatus;
  const { timestamping } = timestamps;
  const stamping = composeStamping(core, { timestamping, evidence });
  const sealing = composeSealing(core, {
    stamping: stamping.stamping,
    timestamping,
  });
  const storage = composeDocumentStorage(config, foundation);
  const people = composePeople(core, operators.guards, {
    certificateLife,
    erasure: storage.erasure,
  });
  const openIdConnect = composeOpenIdConnect(core, {
    directory: sources.directory,
    listeningOrigin,
  });
  const registerImports = composeRegisterImports({
    ...foundation,
    organizationRegistry: sources.organizationRegistry,
    aloneIn: aloneInRegister(foundation.pool),
  });
  const approvals = composeApprovals(core, {
    ...operators,
    names: people.names,
    issuing: sealing.issuing,
    forget: people.forget,
    erasure: storage.erasure,
    oidcClients: openIdConnect.administering,
    importUpload: registerImports.importUpload,
  });
  const { submit } = approvals;
  const oidcClients = composeOidcClients(core, openIdConnect, { ...operators, submit });
  const relyingParties = composeRelyingParties(core, operators.guards, submit);
  const audit = composeAudit(core, operators.guards, people.names);
  const providers = composeAssistantProviders(core);
  const knowledge = composeKnowledge(core, {
    guards: operators.guards,
    roleOf: operators.roleOf,
    submit,
    embeddings: providers.embeddings,
  });
  const platform = composePlatformAccess(core, operators, [openIdConnect.platformUsers]);
  const directory = composeDirectory(core, {
    guards: platform.guards,
    people: people.people,
    sources,
  });
  const identityVerification = composeIdentityVerification(core, operators.guards, people.names);
  const modules: readonly ServiceModule[] = [
    operators.module,
    auditTree.module,
    archive.module,
    timestamps.module,
    revocationStatus.module,
    certificateLife.module,
    organizations.module,
    people.module,
    directory,
    identityVerification.module,
    stamping.module,
    sealing.module,
    relyingParties.module,
    composeWebhooks(core, operators.guards, openIdConnect, storage.documents),
    organizations.administrationModule(operators.guards, submit),
    approvals.module,
    operators.administrationModule(submit),
    composeAcceptance(core, operators.guards),
    composeVerification(core, timestamps.issuers),
    openIdConnect.module,
    composeHandOver(core, relyingParties.registering, openIdConnect),
    composeMe(core, { openIdConnect, people: people.people, certificateLife }),
    openIdConnect.consentLookup(platform.guards.anyUser),
    oidcClients.module,
    knowledge.module,
    platform.module,
    composeDocuments(core, {
      storage,
      guards: { platform: platform.guards, operators: operators.guards },
      ...stamping,
      timestamping,
      evidence,
    }),
    composeAssistant(core, { findUser: platform.findUser, providers, knowledge }),
    // Must be last: `/v3/admin/audit/:eventId` would match the paths of its sibling routes.
    audit.module,
  ];

  const parties = relyingParties.administration(commandLine);
  const onTheMachine = administration(foundation, {
    certificateLife,
    forget: people.forget,
    issuingCas: core.aggregates.issuingCas,
  });
  const clients = oidcClients.administration(commandLine);
  const repeating: Repeating = {
    ...parties,
    ...onTheMachine,
    rotateClientSecret: clients.rotateSecret,
    deactivateClient: clients.deactivate,
    deactivateOperator: operators.administration(commandLine).deactivateById,
  };

  return {
    modules,
    guards: operators.guards,
    revocationList,
    preparedDocuments: stamping.preparedDocuments,
    requestAudit: audit.requestAudit,
    onRelyingPartyRequest: relyingParties.requestLog.ended,
    /** States of identity verification, for the system page. */
    verifications: identityVerification.states,
    /** Administration by commands, beside the operators' API. */
    onTheMachine: {
      organizations: organizations.administration(commandLine),
      issueSealCertificate: (register: string) =>
        sealing.issueOnTheMachine(register, commandLine()),
      withSignedExport: auditTree.withSignedExport,
      auditKeys: auditTree.keys.all,
      operators: operators.administration(commandLine),
      openIdConnect: clients,
      importRegister: registerImports.importFile(commandLine),
      auditExports: audit.exports,
      archive: archive.administration,
      restored: composeRestored(
        core,
        operators.proving(commandLine),
        composeEvidence(core, repeating, auditTree.knownKeys),
        commandLine,
      ),
      ...parties,
      ...onTheMachine,
    },
  };
}
