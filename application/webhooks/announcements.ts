import type { PlatformEvent } from '../../domain/events.ts';
import type { Webhook, WebhookEventType } from '../../domain/relyingParty/webhooks.ts';
import { isEnding, notMe, type SessionEvent, sessionEvents } from '../../domain/session/events.ts';
import { uuidFrom } from '../../domain/shared/digest.ts';
import { organizationEtsi } from '../../domain/shared/etsi.ts';
import { identifierOf } from '../../domain/shared/streams.ts';
import type { Certificates } from '../aggregates.ts';
import type { OidcClients } from '../openIdConnect/aggregates.ts';
import type { RecordedOf } from '../reactors/reactor.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Acquaintances, Subscriber, WebhookMessage } from './ports/webhooks.ts';

/** Events that relying parties are told of, by the category of their streams. */
export const toldCategories = [
  'session',
  'certificate',
  'device',
  'consent',
  'representation',
] as const;

type SessionEnd = Exclude<SessionEvent['type'], 'SessionStarted' | 'SessionClaimed'>;

const sessionEnds = (Object.keys(sessionEvents.events) as SessionEvent['type'][]).filter(
  (type): type is SessionEnd => isEnding(type),
);

const changesOfRights = [
  'RightGranted',
  'RightConfirmed',
  'SignerConfirmed',
  'RightWithdrawn',
] as const;

export const toldTypes = [
  ...sessionEnds,
  'CertificateRevoked',
  'DeviceDeactivated',
  'ConsentWithdrawn',
  ...changesOfRights,
] satisfies readonly PlatformEvent['type'][];

export type Told = RecordedOf<(typeof toldTypes)[number]>;

type Of<Type extends Told['event']['type']> = Extract<Told['event'], { readonly type: Type }>;

/** News for a relying party: ids and states alone, nothing that names a person. */
export interface Announcement {
  readonly type: WebhookEventType;
  /** Order is kept between announcements about the same. */
  readonly subject: string;
  readonly data: Readonly<Record<string, string | number | null>>;
  /** Relying parties it concerns. */
  readonly concerns: (subscriber: Subscriber) => boolean;
}

export interface AnnouncementDependencies {
  readonly sessions: Pick<Sessions, 'load'>;
  readonly certificates: Pick<Certificates, 'load'>;
  readonly clients: Pick<OidcClients, 'load'>;
  readonly acquaintances: Acquaintances;
  /** Pairwise identifier of a citizen at the clients of a sector (OpenID Connect Core §8.1). */
  readonly subjectOf: (sector: string, civilId: string) => string;
}

/** Finds out what an event means to relying parties; null: nothing. */
export function createAnnouncements({
  sessions,
  certificates,
  clients,
  acquaintances,
  subjectOf,
}: AnnouncementDependencies) {
  const only = (relyingPartyId: string) => (subscriber: Subscriber) =>
    subscriber.relyingPartyId === relyingPartyId;

  async function whoMet(about: string): Promise<Announcement['concerns']> {
    const met = new Set(await acquaintances.of(about));
    return ({ relyingPartyId }) => met.has(relyingPartyId);
  }

  /** Remembers whom the relying party met, before it is told of the session; of a login of its client neither. */
  async function sessionEnded(
    stream: string,
    subscribers: readonly Subscriber[],
  ): Promise<Announcement | null> {
    const sessionId = identifierOf(stream);
    const { state } = await sessions.load(sessionId, {
      trusts: ({ status }) => status === 'COMPLETE',
    });
    if (state.status !== 'COMPLETE') return null;
    const { started, outcome } = state;
    const { relyingPartyId, openIdLogin } = started;
    if (openIdLogin) return null;
    const subscriber = subscribers.find(only(relyingPartyId));
    if (subscriber === undefined) return null;
    const { endResult, documentNumber } = outcome;
    if (endResult === 'OK' && documentNumber !== null) {
      await acquaintances.add(relyingPartyId, documentNumber);
      const organization = started.onBehalfOf?.register;
      if (organization !== undefined) await acquaintances.add(relyingPartyId, organization);
    }
    const shown = subscriber.smartIdStatuses && endResult === notMe ? 'USER_REFUSED' : endResult;
    return {
      type: 'session.completed',
      subject: stream,
      data: { sessionId, endResult: shown },
      concerns: only(relyingPartyId),
    };
  }

  async function certificateRevoked({
    data: { serial, reason },
  }: Of<'CertificateRevoked'>): Promise<Announcement | null> {
    const { state } = await certificates.load(serial);
    if (state.status === 'NONE') return null;
    const { holder } = state.requested;
    if (holder.kind === 'service') return null;
    const isOfCitizen = holder.kind === 'citizen';
    const met = await whoMet(isOfCitizen ? holder.documentNumber : holder.register);
    return {
      type: 'certificate.revoked',
      subject: isOfCitizen ? `device-${holder.documentNumber}` : `organization-${holder.register}`,
      data: { serialNumber: serial, reason },
      concerns: (each) => met(each) || (!isOfCitizen && each.sealsFor.includes(holder.register)),
    };
  }

  async function deviceEnded({
    data: { documentNumber, reason },
  }: Of<'DeviceDeactivated'>): Promise<Announcement> {
    return {
      type: 'device.ended',
      subject: `device-${documentNumber}`,
      data: { documentNumber, reason },
      concerns: await whoMet(documentNumber),
    };
  }

  async function consentWithdrawn({
    data: { clientId, civilId },
  }: Of<'ConsentWithdrawn'>): Promise<Announcement | null> {
    const { state } = await clients.load(clientId);
    if (state.status === 'NONE') return null;
    const sub = subjectOf(state.settings.sector, civilId);
    return {
      type: 'consent.withdrawn',
      subject: `consent-${clientId}-${sub}`,
      data: { clientId, sub },
      concerns: only(state.relyingPartyId),
    };
  }

  async function rightChanged(
    event: Of<(typeof changesOfRights)[number]>,
  ): Promise<Announcement | null> {
    if (event.type === 'RightWithdrawn' && !event.data.wasConfirmed) return null;
    const { register } = event.data;
    const met = await whoMet(register);
    return {
      type: 'right.changed',
      subject: `organization-${register}`,
      data: {
        organization: organizationEtsi(register),
        change: event.type === 'RightWithdrawn' ? 'ENDED' : 'GRANTED',
      },
      concerns: (each) => met(each) || each.sealsFor.includes(register),
    };
  }

  return ({ event, stream }: Told, subscribers: readonly Subscriber[]) => {
    switch (event.type) {
      case 'CertificateRevoked':
        return certificateRevoked(event);
      case 'DeviceDeactivated':
        return deviceEnded(event);
      case 'ConsentWithdrawn':
        return consentWithdrawn(event);
      case 'RightGranted':
      case 'RightConfirmed':
      case 'SignerConfirmed':
      case 'RightWithdrawn':
        return rightChanged(event);
      default:
        return sessionEnded(stream, subscribers);
    }
  };
}

/** Messages of an announcement: one for each address that its type is sent to, of each relying party that it concerns. */
export function messagesOf(
  { id, metadata: { time } }: Told,
  { type, subject, data, concerns }: Announcement,
  subscribers: readonly Subscriber[],
): readonly WebhookMessage[] {
  const body = JSON.stringify({ type, timestamp: time, data });
  const wants = ({ events }: Webhook) => events.length === 0 || events.includes(type);
  return subscribers.filter(concerns).flatMap(({ relyingPartyId, webhooks }) =>
    webhooks.filter(wants).map(({ address }) => ({
      id: `msg_${uuidFrom(Buffer.from(`webhook ${id} ${relyingPartyId} ${address}`))}`,
      relyingPartyId,
      address,
      subject,
      type,
      body,
    })),
  );
}
