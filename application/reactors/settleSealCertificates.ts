import { endSealCertificates } from '../seal/endSealCertificates.ts';
import {
  type IssueSealCertificateDependencies,
  settleSealCertificate,
} from '../seal/issueSealCertificate.ts';
import {
  asReactor,
  createReactor,
  type Reactor,
  type ReactorDependencies,
  type RecordedOf,
} from './reactor.ts';

export interface SealReactorOptions
  extends
    ReactorDependencies,
    Pick<IssueSealCertificateDependencies, 'certificates' | 'sealCertificates' | 'clock'> {}

/** Revokes the seal certificates of every organization that was revoked (specification, Organization). */
export function createSealRevokingReactor(options: SealReactorOptions): Reactor {
  const name = 'revokeSealsOfRevokedOrganization';

  async function end({ id, event }: RecordedOf<'OrganizationRevoked'>): Promise<void> {
    const { data } = event;
    await endSealCertificates(options, data.register, asReactor(name, data.register, id));
  }

  const concern = { name, category: 'organization', types: ['OrganizationRevoked'] } as const;
  return createReactor(concern, end, options);
}

/**
 * Completes an interrupted issuance: supersedes the previous certificate, and revokes all of an organization that was
 * revoked meanwhile.
 */
export function createSealSettlingReactor(options: SealReactorOptions): Reactor {
  const name = 'settleSealCertificates';

  async function settle({ id, event }: RecordedOf<'SealCertificateIssued'>): Promise<void> {
    const { data } = event;
    const context = asReactor(name, data.register, id);
    await settleSealCertificate(options, data.register, data.supersedes, context);
  }

  const concern = { name, category: 'sealCertificate', types: ['SealCertificateIssued'] } as const;
  return createReactor(concern, settle, options);
}
