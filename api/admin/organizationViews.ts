import { viewBy } from '../http/handling.ts';
import { z } from 'zod';
import { eventsAsOf } from '../../application/history/asOf.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import type {
  CitizenReferenceData,
  OrganizationData,
} from '../../application/ports/referenceData.ts';
import { certificateDecider } from '../../domain/certificate/certificate.ts';
import type { StreamCategory } from '../../domain/events.ts';
import { organizationStatuses } from '../../domain/organization/events.ts';
import { nextStatuses, organizationDecider } from '../../domain/organization/organization.ts';
import { organizationSettings, settingsIn } from '../../domain/organization/settings.ts';
import { rightSources, rightTypes } from '../../domain/representation/events.ts';
import {
  isRightInForce,
  representationDecider,
  type Right,
} from '../../domain/representation/representation.ts';
import { sealCertificateDecider } from '../../domain/seal/sealCertificate.ts';
import { type Decider, type DomainEvent, fold } from '../../domain/shared/decider.ts';
import { organizationEtsi, personEtsi } from '../../domain/shared/etsi.ts';
import { partOf } from '../../domain/shared/settings.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';

const time = z.iso.datetime();
const status = z.enum(organizationStatuses);

/** An organization in a list. */
export const organizationListed = z.strictObject({
  orgEtsi: z.string(),
  orgRegister: z.string(),
  ...partOf(organizationSettings, 'answer'),
  status,
});

const representativeView = z.strictObject({
  id: z.string(),
  personEtsi: z.string(),
  name: z.string().nullable(),
  role: z.string().nullable(),
  rightType: z.enum(rightTypes),
  source: z.enum(rightSources),
  evidenceRef: z.string().nullable(),
  validFrom: time,
  validTo: time.nullable(),
  status: z.enum(['ACTIVE', 'PENDING', 'WITHDRAWN']),
  inForce: z.boolean(),
});

/** Seal certificate of an organization, without its body and key reference. */
export const sealCertificateView = z.strictObject({
  serialNumber: z.string(),
  certificateLevel: z.enum(['QUALIFIED', 'QSCD']),
  status: z.enum(['VALID', 'SUSPENDED', 'REVOKED', 'EXPIRED']),
  notBefore: time,
  notAfter: time,
  issuedAt: time,
});

export const organizationView = organizationListed.extend({
  nextStatuses: z.array(status),
  registeredAt: time,
  representatives: z.array(representativeView),
  sealCertificate: sealCertificateView.nullable(),
});

export function listedOrganization(data: OrganizationData): z.output<typeof organizationListed> {
  const { register, status } = data;
  const orgEtsi = organizationEtsi(register);
  return { orgEtsi, orgRegister: register, ...settingsIn(data), status };
}

export interface OrganizationViewSources {
  readonly eventStore: Pick<EventStore, 'read'>;
  readonly referenceData: CitizenReferenceData;
  readonly clock: Clock;
}

/**
 * Reads an organization from the log, with all present and past representatives and its seal
 * certificate. Names of persons are the current ones.
 *
 * @param at null: now
 * @throws Refusal ORG_NOT_FOUND when it did not exist then
 */
export async function readOrganization(
  sources: OrganizationViewSources,
  register: string,
  at: Date | null = null,
): Promise<z.output<typeof organizationView>> {
  const moment = (at ?? sources.clock.now()).toISOString();
  const past = { eventStore: sources.eventStore, at };
  const [organization, { rights, requests }, sealCertificate] = await Promise.all([
    stateOf(past, organizationDecider, 'organization', register),
    stateOf(past, representationDecider, 'representation', register),
    readSealCertificate(past, register, moment),
  ]);
  if (organization.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
  return {
    ...listedOrganization(organization),
    nextStatuses: [...nextStatuses(organization).keys()],
    registeredAt: organization.registeredAt,
    representatives: await Promise.all(
      [...rights.values(), ...requests.values()].map((right) =>
        representative(sources, right, moment),
      ),
    ),
    sealCertificate,
  };
}

interface Past {
  readonly eventStore: Pick<EventStore, 'read'>;
  readonly at: Date | null;
}

async function stateOf<State, Command, Event extends DomainEvent>(
  { eventStore, at }: Past,
  decider: Decider<State, Command, Event>,
  category: StreamCategory,
  id: string,
): Promise<State> {
  const events = await eventsAsOf(eventStore, streamOf(category, id), at);
  return fold(
    decider,
    events.map(({ event }) => event as Event),
  );
}

const representativeBy = viewBy(representativeView);

async function representative(
  { referenceData }: OrganizationViewSources,
  right: Right,
  moment: string,
): Promise<z.output<typeof representativeView>> {
  const { civilId } = right;
  const person = await referenceData.citizen({ type: 'civilId', civilId });
  return representativeBy(right, {
    id: personEtsi(civilId),
    personEtsi: personEtsi(civilId),
    name: person === null ? null : `${person.identity.surname} ${person.identity.givenName}`,
    inForce: isRightInForce(right, moment),
  });
}

async function readSealCertificate(
  past: Past,
  register: string,
  moment: string,
): Promise<z.output<typeof sealCertificateView> | null> {
  const { current } = await stateOf(past, sealCertificateDecider, 'sealCertificate', register);
  if (current === null) return null;
  const { serial, level, issuedAt } = current;
  const certificate = await stateOf(past, certificateDecider, 'certificate', serial);
  if (certificate.status === 'NONE') return null;
  const { notBefore, notAfter } = certificate.requested;
  const { status: state } = certificate;
  const hasEnded = state === 'REVOKED' || state === 'SUSPENDED';
  return {
    serialNumber: serial,
    certificateLevel: level,
    notBefore,
    notAfter,
    issuedAt,
    status: hasEnded ? state : moment < notAfter ? 'VALID' : 'EXPIRED',
  };
}
