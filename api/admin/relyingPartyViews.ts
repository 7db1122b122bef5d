import { z } from 'zod';
import { eventsAsOf } from '../../application/history/asOf.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import type { RelyingPartyData } from '../../application/ports/referenceData.ts';
import type { IssuedSecret } from '../../application/relyingParty/administration.ts';
import { permissions, type RelyingPartyEvent } from '../../domain/relyingParty/events.ts';
import { relyingPartyDecider } from '../../domain/relyingParty/relyingParty.ts';
import { type Subsystem, subsystemNumber } from '../../domain/relyingParty/subsystems.ts';
import { fold } from '../../domain/shared/decider.ts';
import { organizationEtsi } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';

const time = z.iso.datetime();

/** Path parameters below a relying party; anything but a UUID is not found. */
export const relyingPartyParams = {
  id: z.string().transform((text) => {
    if (!z.guid().safeParse(text).success) throw new Refusal('RELYING_PARTY_NOT_FOUND');
    return text.toLowerCase();
  }),
};

/** A relying party in a list. */
export const relyingPartyListed = z.strictObject({
  relyingPartyUUID: z.guid(),
  relyingPartyName: z.string(),
  active: z.boolean(),
  callbackHosts: z.array(z.string()),
  ipAllowlist: z.array(z.string()),
  clientCertificates: z.array(z.string()),
  permissions: z.array(z.enum(permissions)),
  firstParty: z.boolean(),
  requestsPerMinute: z.int().nullable(),
  smartIdStatuses: z.boolean(),
  sealOrganizations: z
    .array(z.string())
    .meta({ description: 'ETSI identifiers of the organizations it may seal for' }),
  aliases: z.array(z.string()).meta({ description: 'Names it may send beside the registered one' }),
  otherNames: z
    .boolean()
    .meta({ description: 'True: it may send any other name, shown after the registered one' }),
});

export const subsystemView = z.strictObject({
  id: z.int(),
  name: z.string(),
  displayName: z.string().nullable(),
  status: z.enum(['ACTIVE', 'DEACTIVATED', 'MERGED']),
  mergedInto: z.int().nullable(),
  firstSeenAt: time,
});

export const relyingPartyView = relyingPartyListed.extend({
  registeredAt: time,
  subsystems: z.array(subsystemView),
});

/** Secret of a relying party, shown once. */
export const issuedSecretView = z.strictObject({
  relyingPartyUUID: z.guid(),
  apiSecret: z.string(),
});

export function issuedSecret({ relyingPartyId, apiSecret }: IssuedSecret) {
  return { relyingPartyUUID: relyingPartyId, apiSecret };
}

export function listedRelyingParty(
  data: Omit<RelyingPartyData, 'subsystems'>,
): z.output<typeof relyingPartyListed> {
  return {
    relyingPartyUUID: data.relyingPartyId,
    relyingPartyName: data.name,
    active: data.active,
    callbackHosts: [...data.callbackHosts],
    ipAllowlist: [...data.ipAllowlist],
    clientCertificates: [...data.clientCertificates],
    permissions: [...data.permissions],
    firstParty: data.firstParty,
    requestsPerMinute: data.requestsPerMinute,
    smartIdStatuses: data.smartIdStatuses,
    sealOrganizations: data.sealsFor.map(organizationEtsi),
    aliases: [...data.aliases],
    otherNames: data.otherNames,
  };
}

function subsystemsIn(subsystems: readonly Subsystem[]): z.output<typeof subsystemView>[] {
  return subsystems.map(({ name, displayName, status, mergedInto, firstSeenAt }, index) => ({
    id: index + 1,
    name,
    displayName,
    status,
    firstSeenAt,
    mergedInto: mergedInto === null ? null : subsystemNumber(subsystems, mergedInto),
  }));
}

/**
 * Reads a relying party with its subsystems from the log.
 *
 * @param at null: now
 * @throws Refusal RELYING_PARTY_NOT_FOUND when it did not exist then
 */
export async function readRelyingParty(
  eventStore: Pick<EventStore, 'read'>,
  relyingPartyId: string,
  at: Date | null = null,
): Promise<z.output<typeof relyingPartyView>> {
  const stream = streamOf('relyingParty', relyingPartyId);
  const events = (await eventsAsOf(eventStore, stream, at)).map(({ event }) => event);
  const party = fold(relyingPartyDecider, events as readonly RelyingPartyEvent[]);
  if (party.status === 'NONE') throw new Refusal('RELYING_PARTY_NOT_FOUND');
  const active = party.status === 'ACTIVE';
  return {
    ...listedRelyingParty({ ...party, ...party.settings, relyingPartyId, active }),
    registeredAt: party.registeredAt,
    subsystems: subsystemsIn(party.subsystems),
  };
}
