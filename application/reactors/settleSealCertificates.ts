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

  async function end({ id, event }: RecordedEvent): Promise<void> {
    const { type, data } = event as OrganizationEvent;
    if (type !== 'OrganizationRevoked') return;
    await endSealCertificates(options, data.register, asReactor(name, data.register, id));
  }

  return createReactor(name, 'organization', end, options);
}

/**
 * Completes an interrupted issuance: supersedes the previous certificate, and revokes all of an organization that was
 * revoked meanwhile.
 */
export function createSealSettlingReactor(options: SealReactorOptions): Reactor {
  const name = 'settleSealCertificates';

  async function settle({ id, event }: RecordedEvent): Promise<void> {
    const { type, data } = event as SealCertificateEvent;
    if (type !== 'SealCertificateIssued') return;
    const context = asReactor(name, data.register, id);
    await settleSealCertificate(options, data.register, data.supersedes, context);
  }

  return createReactor(name, 'sealCertificate', settle, options);
}
