import { z } from 'zod';
import { eventsAsOf } from '../../application/history/asOf.ts';
import type { EventStore } from '../../application/ports/eventStore.ts';
import type { RelyingPartyData } from '../../application/ports/referenceData.ts';
import type { IssuedSecret } from '../../application/relyingParty/administration.ts';
import type { RelyingPartyEvent } from '../../domain/relyingParty/events.ts';
import { relyingPartySettings, settingsIn } from '../../domain/relyingParty/settings.ts';
import { list, text } from '../../domain/shared/eventFields.ts';
import { partOf } from '../../domain/shared/settings.ts';
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

const { name, ...others } = partOf(relyingPartySettings, 'answer');

/** A relying party in a list. */
export const relyingPartyListed = z.strictObject({
  relyingPartyUUID: z.guid(),
  relyingPartyName: name,
  active: z.boolean(),
  ...others,
  sealOrganizations: list(text).meta({
    description: 'ETSI identifiers of organizations that it may seal for',
  }),
  aliases: list(text).meta({ description: 'Names that it may send besides the registered one' }),
  otherNames: z.boolean().meta({
    description: 'True if it may send any other name, which is shown after the registered one',
  }),
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
  secretIssuedAt: time.meta({ description: 'Time when the present secret was issued' }),
  handOverUntil: time.nullable().meta({
    description:
      'Expiry of the hand-over link for a new secret; null if none was made or it was used',
  }),
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
  const { relyingPartyId, active, sealsFor, aliases, otherNames } = data;
  const { name, ...settings } = settingsIn(data);
  return {
    relyingPartyUUID: relyingPartyId,
    relyingPartyName: name,
    active,
    ...settings,
    sealOrganizations: sealsFor.map(organizationEtsi),
    aliases,
    otherNames,
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
  const found = await eventsAsOf(eventStore, stream, at);
  const events = found.map(({ event }) => event as RelyingPartyEvent);
  const party = fold(relyingPartyDecider, events);
  if (party.status === 'NONE') throw new Refusal('RELYING_PARTY_NOT_FOUND');
  const active = party.status === 'ACTIVE';
  return {
    ...listedRelyingParty({ ...party, ...party.settings, relyingPartyId, active }),
    registeredAt: party.registeredAt,
    secretIssuedAt:
      events.findLast((event) => event.type === 'SecretRotated')?.data.rotatedAt ??
      party.registeredAt,
    handOverUntil: party.handOver?.until ?? null,
    subsystems: subsystemsIn(party.subsystems),
  };
}
