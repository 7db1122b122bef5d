import type { SensitiveOperationName } from '../../domain/approval/events.ts';
import { consentId } from '../../domain/consent/consent.ts';
import type { PlatformEvent } from '../../domain/events.ts';
import type { Webhook, WebhookEventType } from '../../domain/relyingParty/webhooks.ts';
import { signaturesIn } from '../../domain/session/batch.ts';
import {
  isEnding,
  notMe,
  type SessionEnd,
  type SessionEvent,
  sessionEvents,
} from '../../domain/session/events.ts';
import type { CompleteSession } from '../../domain/session/session.ts';
import { uuidFrom } from '../../domain/shared/digest.ts';
import { organizationEtsi } from '../../domain/shared/etsi.ts';
import { identifierOf } from '../../domain/shared/streams.ts';
import type { Certificates } from '../aggregates.ts';
import type { Documents } from '../document/documents.ts';
import type { Consents, OidcClients } from '../openIdConnect/aggregates.ts';
import type { RecordedEvent } from '../ports/eventStore.ts';
import { citizenOfTenant } from '../ports/platformTokens.ts';
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
  'document',
  'stamp',
  'approval',
] as const;

const sessionEnds = (Object.keys(sessionEvents.events) as SessionEvent['type'][]).filter(
  (type): type is SessionEnd => isEnding(type),
);

const changesOfRights = [
  'RightGranted',
  'RightConfirmed',
  'SignerConfirmed',
  'RightWithdrawn',
] as const;

/**
 * Operations whose request is told, and whom: the relying party that is changed, that of the client, those that seal for
 * the organization. What ends somebody is not told: they could act before it is approved.
 */
const askedOf = {
  'relyingParty.allowSealing': 'relyingParty',
  'relyingParty.setNames': 'relyingParty',
  'relyingParty.edit': 'relyingParty',
  'relyingParty.rotateSecret': 'relyingParty',
  'oidcClient.edit': 'oidcClient',
  'oidcClient.rotateSecret': 'oidcClient',
  'organization.issueSealCertificate': 'organization',
} as const satisfies Partial<Record<SensitiveOperationName, string>>;

export const toldTypes = [
  ...sessionEnds,
  'CertificateRevoked',
  'DeviceDeactivated',
  'ConsentWithdrawn',
  ...changesOfRights,
  'DocumentSigned',
  'DocumentStamped',
  'ApprovalRequested',
] satisfies readonly PlatformEvent['type'][];

export type Told = RecordedOf<(typeof toldTypes)[number]>;

/** True for an event that relying parties are told of. */
export function isTold(event: RecordedEvent): event is Told {
  return (toldTypes as readonly string[]).includes(event.event.type);
}

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

const isOfDocuments = (scope: string) => scope === 'documents.read' || scope === 'documents.manage';

export interface AnnouncementDependencies {
  readonly sessions: Pick<Sessions, 'load'>;
  readonly certificates: Pick<Certificates, 'load'>;
  readonly clients: Pick<OidcClients, 'load'>;
  readonly consents: Pick<Consents, 'load'>;
  readonly documents: Pick<Documents, 'load'>;
  readonly acquaintances: Acquaintances;
  /** Pairwise identifier of a citizen at the clients of a sector (OpenID Connect Core §8.1). */
  readonly subjectOf: (sector: string, civilId: string) => string;
}

/** Finds out what an event means to relying parties; null: nothing. */
export function createAnnouncements({
  sessions,
  certificates,
  clients,
  consents,
  documents,
  acquaintances,
  subjectOf,
}: AnnouncementDependencies) {
  const only = (relyingPartyId: string) => (subscriber: Subscriber) =>
    subscriber.relyingPartyId === relyingPartyId;

  async function whoMet(about: string): Promise<Announcement['concerns']> {
    const met = new Set(await acquaintances.of(about));
    return ({ relyingPartyId }) => met.has(relyingPartyId);
  }

  async function completed(sessionId: string): Promise<CompleteSession | null> {
    const { state } = await sessions.load(sessionId, {
      trusts: ({ status }) => status === 'COMPLETE',
    });
    return state.status === 'COMPLETE' ? state : null;
  }

  /** Remembers whom the relying party met, before it is told of the session; of a login of its client neither. */
  async function sessionEnded(
    stream: string,
    subscribers: readonly Subscriber[],
  ): Promise<Announcement | null> {
    const sessionId = identifierOf(stream);
    const state = await completed(sessionId);
    if (state === null) return null;
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
      data: {
        sessionId,
        endResult: shown,
        ...(started.documents !== null && { documents: started.documents.length }),
      },
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

  const ownerOf = async (clientId: string) => {
    const { state } = await clients.load(clientId);
    return state.status === 'NONE' ? null : only(state.relyingPartyId);
  };

  /** A document of the platform, told to the client that made it; a citizen's own while that may read or manage it. */
  async function documentSigned({
    data: { documentId, sessionId, signedFile },
  }: Of<'DocumentSigned'>): Promise<Announcement | null> {
    const { state } = await documents.load(documentId);
    if (state.status === 'NONE' || state.created.clientId === null) return null;
    const { clientId, tenantId } = state.created;
    const citizen = citizenOfTenant(tenantId);
    if (citizen !== null) {
      const consent = await consents.load(consentId(citizen, clientId));
      if (!consent.state.scopes.some(isOfDocuments)) return null;
    }
    const concerns = await ownerOf(clientId);
    if (concerns === null) return null;
    const data = { documentId, sessionId, digest: signedFile?.sha256 ?? null };
    return { type: 'document.signed', subject: `document-${documentId}`, data, concerns };
  }

  /**
   * A document of the relying party that had it signed, told by the stream of its signature; one that was prepared is in
   * a stream of its own, too.
   */
  async function documentStamped(
    { data: { sessionId, stampedDigest } }: Of<'DocumentStamped'>,
    stream: string,
  ): Promise<Announcement | null> {
    const state = await completed(sessionId);
    if (state === null) return null;
    const index = signaturesIn(state).findIndex(({ id }) => id === identifierOf(stream));
    if (index === -1) return null;
    const { documents: batch, relyingPartyId } = state.started;
    const position = batch === null ? {} : { position: index + 1 };
    return {
      type: 'document.signed',
      subject: `session-${sessionId}`,
      data: { documentId: null, sessionId, digest: stampedDigest, ...position },
      concerns: only(relyingPartyId),
    };
  }

  async function whoIsAskedOf(
    operation: SensitiveOperationName,
    subject: string,
  ): Promise<Announcement['concerns'] | null> {
    const whose: Partial<Record<SensitiveOperationName, string>> = askedOf;
    switch (whose[operation]) {
      case 'relyingParty':
        return only(subject);
      case 'oidcClient':
        return ownerOf(subject);
      case 'organization':
        return ({ sealsFor }) => sealsFor.map(organizationEtsi).includes(subject);
      default:
        return null;
    }
  }

  async function approvalAsked({
    data: { approvalId, operation, subject, expiresAt },
  }: Of<'ApprovalRequested'>): Promise<Announcement | null> {
    const concerns = await whoIsAskedOf(operation, subject);
    if (concerns === null) return null;
    return {
      type: 'approval.waiting',
      subject: `approval-${approvalId}`,
      data: { approvalId, operation, subject, expiresAt },
      concerns,
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
      case 'DocumentSigned':
        return documentSigned(event);
      case 'DocumentStamped':
        return documentStamped(event, stream);
      case 'ApprovalRequested':
        return approvalAsked(event);
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
