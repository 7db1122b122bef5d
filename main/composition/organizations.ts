import type { OperatorGuards } from '../../api/admin/guard.ts';
import { organizationRoutes as operatorRoutes } from '../../api/admin/organizationRoutes.ts';
import { createRateLimit } from '../../api/bounds/admission.ts';
import { organizationRoutes } from '../../api/rp/organizationRoutes.ts';
import type { Submit } from '../../application/approval/submitCommand.ts';
import { lookUpAffiliate } from '../../application/directory/lookUp.ts';
import type { Directory } from '../../application/directory/ports/directory.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import {
  changeOrganizationStatus,
  grantRight,
  registerOrganization,
  type RightWish,
  type StatusChange,
  withdrawRight,
} from '../../application/organization/administration.ts';
import type { AuditEntry, AuditFilter } from '../../application/audit/ports/auditTrail.ts';
import type { OrganizationData } from '../../application/ports/referenceData.ts';
import { createSignerConfirmation } from '../../application/reactors/confirmSignerWhoAgreed.ts';
import type { Registration } from '../../domain/organization/organization.ts';
import { parsePersonIdentifier } from '../../domain/shared/etsi.ts';
import { linksUnlisted } from '../../infrastructure/config/directorySettings.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createOrganizationPages } from '../../projections/organizations.ts';
import { createAgreedInvitations } from '../../projections/representations.ts';
import { CATCH_UP_MS } from './audit.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';
import { organizationsReadModel } from '../../projections/models/organizations.ts';
import { representationsReadModel } from '../../projections/models/representations.ts';

/** Administration of organizations on the machine itself. */
export interface OrganizationAdministration {
  /** @returns the register number in normal form */
  register(registration: Registration): Promise<string>;
  changeStatus(register: string, change: StatusChange): Promise<void>;
  /** @param person civil id or registration number */
  grant(register: string, person: string, wish: RightWish): Promise<void>;
  /** @param civilId of an enrolled or forgotten person */
  withdraw(register: string, civilId: string): Promise<void>;
  list(): Promise<readonly OrganizationData[]>;
  /** The newest first. @param subject ETSI identifier; absent: any subject */
  audit(filter: AuditFilter, limit: number): Promise<readonly AuditEntry[]>;
}

/** Organizations, their representatives, and their signers. */
export function composeOrganizations(core: Core, directory: Directory | null) {
  const { config, foundation, aggregates, effects } = core;
  const { clock, randomness, referenceData, storedReferenceData, database, auditTrail } =
    foundation;
  const progress = foundation.progressOf(organizationsReadModel, representationsReadModel);
  const { leaderLock, eventStore, auditProgress, lists, redis } = foundation;
  const { organizations, representations, sessions, accessLog, takeNames } = aggregates;
  const administering = {
    organizations,
    representations,
    referenceData,
    takeNames,
    clock,
    progress,
  };
  const module: ServiceModule = {
    routes: organizationRoutes({
      ...administering,
      randomness,
      accessLog,
      sessions,
      expectNamesFree: aggregates.expectNamesFree,
      startSession: core.startSession,
      isAffiliate: (register, person) => lookUpAffiliate(directory, register, person),
      linksUnlisted: linksUnlisted(config),
      changeLimit: createRateLimit({
        name: 'tamga:links',
        setting: 'SVC_ORG_LINKS_PER_MINUTE',
        redis: redis?.client ?? null,
      }),
      changesPerMinute: config.SVC_ORG_LINKS_PER_MINUTE,
      rateLimit: core.relyingPartyLimit,
      requestsPerMinute: config.SVC_RP_REQUESTS_PER_MINUTE,
    }),
    reactors: [
      createSignerConfirmation({
        representations,
        clock,
        leaderLock,
        onFailure: effects.onFailure,
        invitations: failingFast(createAgreedInvitations(database)),
      }),
    ],
  };

  /** Queries and commands of operators. */
  const administrationModule = (guards: OperatorGuards, submit: Submit): ServiceModule => ({
    routes: operatorRoutes(guards, {
      ...administering,
      eventStore,
      submit,
      ...failingFast(createOrganizationPages({ database, lists })),
    }),
  });

  /** Current as of the log: a maintenance command has only just started its projections. */
  async function caughtUp(): Promise<void> {
    const head = await eventStore.head();
    if (head !== null) await auditProgress.untilProjected(head, CATCH_UP_MS);
  }

  const administration = (context: () => CommandContext): OrganizationAdministration => ({
    register: async (registration) => {
      const { register } = await registerOrganization(administering, registration, context());
      return register;
    },
    changeStatus: (register, change) =>
      changeOrganizationStatus(administering, register, change, context()),
    grant: async (register, person, wish) => {
      await caughtUp();
      const identifier = parsePersonIdentifier(person);
      await grantRight(administering, { register, person: identifier }, wish, context());
    },
    withdraw: (register, civilId) =>
      withdrawRight(administering, { register, civilId, endedBy: null }, context()),
    list: async () => {
      await caughtUp();
      return storedReferenceData.organizations();
    },
    audit: async (filter, limit) => {
      await caughtUp();
      return (await auditTrail.auditEntries(filter, { limit, offset: 0 })).items;
    },
  });

  return { module, administrationModule, administration };
}
