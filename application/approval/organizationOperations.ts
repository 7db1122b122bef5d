import { awaitProjection } from '../handleCommand.ts';
import { newestFirst } from '../../domain/shared/history.ts';
import type { ApprovalEffect } from '../../domain/approval/events.ts';
import { organizationDecider } from '../../domain/organization/organization.ts';
import { organizationEtsi } from '../../domain/shared/etsi.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import { type Certificates, createCertificates, createSealCertificates } from '../aggregates.ts';
import { registerIn } from '../organization/administration.ts';
import { createOrganizations, type Organizations } from '../organization/organizations.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { Randomness } from '../ports/randomness.ts';
import {
  issueSealCertificate,
  type IssueSealCertificateDependencies,
} from '../seal/issueSealCertificate.ts';
import {
  activeOrganization,
  certifiedName,
  readSealPreconditions,
} from '../seal/sealPreconditions.ts';
import type { SensitiveOperation } from './operations.ts';

export interface OrganizationOperationsDependencies {
  readonly organizations: Organizations;
  readonly certificates: Certificates;
  readonly issuing: IssueSealCertificateDependencies;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly progress: ProjectionProgress;
}

/** Revoking organizations and issuing their seal certificates. */
export function organizationOperations(dependencies: OrganizationOperationsDependencies): {
  readonly 'organization.revoke': SensitiveOperation<'organization.revoke'>;
  readonly 'organization.issueSealCertificate': SensitiveOperation<'organization.issueSealCertificate'>;
} {
  const { organizations, certificates, issuing, clock, randomness } = dependencies;
  const { sealCertificates } = issuing;

  const revocation = () =>
    ({ type: 'RevokeOrganization', now: clock.now().toISOString() }) as const;

  /** Seal certificates end with their organization. */
  async function sealEffects(register: string): Promise<readonly ApprovalEffect[]> {
    const { state } = await sealCertificates.load(register);
    const effects: ApprovalEffect[] = [];
    for (const serial of newestFirst(state.serials)) {
      const { status } = (await certificates.load(serial)).state;
      if (status !== 'ISSUED' && status !== 'SUSPENDED') continue;
      const before = status === 'ISSUED' ? 'VALID' : status;
      effects.push({ target: `certificate ${serial}`, before, after: 'REVOKED for reason 5' });
    }
    return effects;
  }

  return {
    'organization.revoke': {
      async plan({ register: text }) {
        const register = registerIn(text);
        const { state, revision } = await organizations.load(register);
        const events = organizationDecider.decide(revocation(), state);
        const subject = organizationEtsi(register);
        const effects = [
          { target: `organization ${subject}`, before: state.status, after: 'REVOKED' },
        ];
        return {
          subject,
          civilId: null,
          effects: events.length === 0 ? [] : [...effects, ...(await sealEffects(register))],
          targets: [{ stream: streamOf('organization', register), revision }],
        };
      },
      async execute({ register }, context, eventStore) {
        const over = createOrganizations({ eventStore, clock, randomness });
        await awaitProjection(
          dependencies.progress,
          over.handle(registerIn(register), revocation(), context),
        );
        return null;
      },
    },

    'organization.issueSealCertificate': {
      async plan({ register: text }) {
        const register = registerIn(text);
        const named = activeOrganization(await readSealPreconditions(issuing.eventStore, register));
        const [organization, sealCertificate] = await Promise.all([
          organizations.load(register),
          sealCertificates.load(register),
        ]);
        const subject = organizationEtsi(register);
        const current = sealCertificate.state.current?.serial ?? 'none';
        return {
          subject,
          civilId: null,
          effects: [
            {
              target: `seal certificate of ${subject} «${certifiedName(named)}»`,
              before: current,
              after: 'a new one',
            },
          ],
          targets: [
            { stream: streamOf('organization', register), revision: organization.revision },
            { stream: streamOf('sealCertificate', register), revision: sealCertificate.revision },
          ],
        };
      },
      async execute({ register }, context, eventStore) {
        const stores = { eventStore, clock, randomness };
        await issueSealCertificate(
          {
            ...issuing,
            eventStore,
            certificates: createCertificates(stores),
            sealCertificates: createSealCertificates(stores),
          },
          registerIn(register),
          context,
        );
        return null;
      },
      completes: ({ type }) => type === 'SealCertificateIssued',
    },
  };
}
