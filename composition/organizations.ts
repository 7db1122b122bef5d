import { createRateLimit } from '../api/http/rateLimit.ts';
import { organizationRoutes } from '../api/rp/organizationRoutes.ts';
import type { CommandContext } from '../application/handleCommand.ts';
import {
  changeOrganizationStatus,
  grantRight,
  registerOrganization,
  type RightWish,
  type StatusChange,
  withdrawRight,
} from '../application/organization/administration.ts';
import type { AuditEntry, AuditFilter } from '../application/ports/auditTrail.ts';
import type { OrganizationFact } from '../application/ports/facts.ts';
import { createSignerConfirmation } from '../application/reactors/confirmSignerWhoAgreed.ts';
import type { Registration } from '../domain/organization/organization.ts';
import { parsePersonIdentifier } from '../domain/shared/etsi.ts';
import { failingFast } from '../infrastructure/postgres/availability.ts';
import { createAuditTrail } from '../projections/audit/auditTrail.ts';
import { createAgreedInvitations } from '../projections/representations.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';
import { composeStartSession } from './startSession.ts';

/** What is asked about organizations on the machine itself. */
export interface OrganizationAdministration {
  /** @returns the register as it is kept */
  register(registration: Registration): Promise<string>;
  changeStatus(register: string, change: StatusChange): Promise<void>;
  /** @param person civil id or registration number */
  grant(register: string, person: string, wish: RightWish): Promise<void>;
  /** @param civilId of an enrolled or a forgotten person */
  withdraw(register: string, civilId: string): Promise<void>;
  list(): Promise<readonly OrganizationFact[]>;
  /** The newest first. @param subject ETSI identifier; absent: whomever it is about */
  audit(filter: AuditFilter, limit: number): Promise<readonly AuditEntry[]>;
}

/** Organizations, who may represent them, and their signers. */
export function composeOrganizations(core: Core) {
  const { config, foundation, aggregates, effects } = core;
  const { clock, randomness, facts, storedFacts, progress, redis, database } = foundation;
  const { singleActive, eventStore, auditProgress } = foundation;
  const { organizations, representations, accessLog } = aggregates;
  const auditTrail = failingFast(createAuditTrail(database));
  const administering = { organizations, representations, facts, clock, progress };
  const part: ServicePart = {
    routes: organizationRoutes({
      ...{ ...administering, randomness, accessLog },
      startSession: composeStartSession(core),
      rateLimit: createRateLimit({ name: 'tamga:rp', redis: redis?.client ?? null }),
      requestsPerMinute: config.SVC_RP_REQUESTS_PER_MINUTE,
    }),
    reactors: [
      createSignerConfirmation({
        ...{ representations, clock, singleActive, onFailure: effects.onFailure },
        invitations: failingFast(createAgreedInvitations(database)),
      }),
    ],
  };

  /** As the log has them now: a maintenance command has only just begun to project. */
  async function caughtUp(): Promise<void> {
    const head = await eventStore.head();
    if (head !== null) await auditProgress.untilProjected(head);
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
    withdraw: (register, civilId) => withdrawRight(administering, { register, civilId }, context()),
    list: async () => {
      await caughtUp();
      return storedFacts.organizations();
    },
    audit: async (filter, limit) => {
      await caughtUp();
      return (await auditTrail.auditEntries(filter, { limit, offset: 0 })).items;
    },
  });

  return { part, administration };
}
