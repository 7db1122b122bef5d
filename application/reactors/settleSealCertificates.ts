import type { OrganizationEvent } from '../../domain/organization/events.ts';
import type { SealCertificateEvent } from '../../domain/seal/events.ts';
import type { RecordedEvent } from '../ports/eventStore.ts';
import { endSealCertificates } from '../seal/endSealCertificates.ts';
import {
  type IssueSealCertificateDependencies,
  settleSealCertificate,
} from '../seal/issueSealCertificate.ts';
import { asReactor, createReactor, type Reactor, type ReactorDependencies } from './reactor.ts';

export interface SealReactorOptions
  extends
    ReactorDependencies,
    Pick<IssueSealCertificateDependencies, 'certificates' | 'sealCertificates' | 'clock'> {}

/** Revokes the seal certificates of every organization that was revoked (specification, Organization). */
export function createSealRevokingReactor(options: SealReactorOptions): Reactor {
  const name = 'revokeSealsOfRevokedOrganization';
  return createReactor(
    name,
    'organization',
    async (events) => {
      let acted = false;
      for (const { id, event } of events) {
        const { type, data } = event as OrganizationEvent;
        if (type !== 'OrganizationRevoked') continue;
        const context = asReactor(name, data.register, id);
        acted = (await endSealCertificates(options, data.register, context)) || acted;
      }
      return acted;
    },
    options,
  );
}

/**
 * Completes an interrupted issuance: supersedes the previous certificate, and revokes all of an organization that was
 * revoked meanwhile.
 */
export function createSealSettlingReactor(options: SealReactorOptions): Reactor {
  const name = 'settleSealCertificates';

  async function settle({ id, event }: RecordedEvent): Promise<boolean> {
    const { type, data } = event as SealCertificateEvent;
    if (type !== 'SealCertificateIssued') return false;
    const context = asReactor(name, data.register, id);
    await settleSealCertificate(options, data.register, data.supersedes, context);
    return true;
  }

  return createReactor(
    name,
    'sealCertificate',
    async (events) => {
      let acted = false;
      for (const event of events) acted = (await settle(event)) || acted;
      return acted;
    },
    options,
  );
}
