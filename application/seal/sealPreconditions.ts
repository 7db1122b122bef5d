import type { SealLevel } from '../../domain/shared/certificateLevel.ts';
import { type Certificate, certificateDecider } from '../../domain/certificate/certificate.ts';
import type { CertificateEvent } from '../../domain/certificate/events.ts';
import type { OrganizationEvent } from '../../domain/organization/events.ts';
import {
  type Organization,
  organizationDecider,
  type RegisteredOrganization,
} from '../../domain/organization/organization.ts';
import type { SealCertificateEvent } from '../../domain/seal/events.ts';
import { type SealCertificate, sealCertificateDecider } from '../../domain/seal/sealCertificate.ts';
import type { Decider, DomainEvent } from '../../domain/shared/decider.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { StreamCategory } from '../../domain/events.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { EventStore } from '../ports/eventStore.ts';

/** Preconditions of a seal, current as of the log. */
export interface SealPreconditions {
  readonly organization: Organization;
  readonly sealCertificate: SealCertificate;
  /** The organization's seal certificate; NONE before the first. */
  readonly certificate: Certificate;
}

/** Certificate and name an organization seals with. */
export interface SealIdentity {
  readonly register: string;
  /** Name in its certificate. */
  readonly organizationName: string;
  /** Lower-case hexadecimal. */
  readonly serial: string;
  readonly level: SealLevel;
  readonly keyLabel: string;
  /** Base64 DER. */
  readonly certificate: string;
  /** ISO 8601. */
  readonly notBefore: string;
  readonly notAfter: string;
}

/** @param until last position to consider; omitted: the whole log */
export async function readSealPreconditions(
  eventStore: Pick<EventStore, 'read'>,
  register: string,
  until?: bigint,
): Promise<SealPreconditions> {
  async function fold<State, Command, Event extends DomainEvent>(
    category: StreamCategory,
    id: string,
    { initial, evolve }: Decider<State, Command, Event>,
  ): Promise<State> {
    let state = initial;
    for await (const { event, position } of eventStore.read(streamOf(category, id))) {
      if (until !== undefined && position > until) break;
      state = evolve(state, event as Event);
    }
    return state;
  }

  const [organization, sealCertificate] = await Promise.all([
    fold<Organization, never, OrganizationEvent>('organization', register, organizationDecider),
    fold<SealCertificate, never, SealCertificateEvent>(
      'sealCertificate',
      register,
      sealCertificateDecider,
    ),
  ]);
  const serial = sealCertificate.current?.serial;
  const certificate =
    serial === undefined
      ? certificateDecider.initial
      : await fold<Certificate, never, CertificateEvent>('certificate', serial, certificateDecider);
  return { organization, sealCertificate, certificate };
}

/**
 * Identity to seal with.
 *
 * @param now ISO 8601
 * @throws Refusal ORG_NOT_FOUND, ORG_NOT_ACTIVE, CERTIFICATE_NOT_ACTIVE
 */
export function sealIdentityOf(preconditions: SealPreconditions, now: string): SealIdentity {
  const { register } = activeOrganization(preconditions);
  const { certificate, sealCertificate } = preconditions;
  const { current } = sealCertificate;
  if (current === null || certificate.status === 'NONE') {
    throw new Refusal('CERTIFICATE_NOT_ACTIVE', {
      detail: 'The organization has no seal certificate yet; issue one first.',
    });
  }
  const { notBefore, notAfter } = certificate.requested;
  const isInForce =
    certificate.status === 'ISSUED' &&
    certificate.supersededBy === null &&
    notBefore <= now &&
    now < notAfter;
  if (!isInForce) {
    throw new Refusal('CERTIFICATE_NOT_ACTIVE', {
      detail: "The organization's seal certificate is revoked, suspended or out of date.",
    });
  }
  const { serial, level, keyLabel } = current;
  return {
    register,
    serial,
    level,
    keyLabel,
    notBefore,
    notAfter,
    organizationName: certifiedName(activeOrganization(preconditions)),
    certificate: certificate.issued.certificate,
  };
}

/** @throws Refusal ORG_NOT_FOUND, ORG_NOT_ACTIVE */
export function activeOrganization({ organization }: SealPreconditions): RegisteredOrganization {
  if (organization.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
  if (organization.status !== 'ACTIVE') throw new Refusal('ORG_NOT_ACTIVE');
  return organization;
}

/** Name in certificates: the Latin one if any (specification, Organization). */
export function certifiedName(organization: {
  readonly name: string;
  readonly nameLatin: string | null;
}): string {
  return organization.nameLatin ?? organization.name;
}
