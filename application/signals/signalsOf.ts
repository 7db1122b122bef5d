import type { PlatformEvent } from '../../domain/events.ts';
import { uuidFrom } from '../../domain/shared/digest.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import type { Certificates, Devices } from '../aggregates.ts';
import type { FindAccount } from '../openIdConnect/accounts.ts';
import type { FindClient } from '../openIdConnect/servedClients.ts';
import type { RecordedEvent } from '../ports/eventStore.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { RecordedOf } from '../reactors/reactor.ts';
import type { WebhookMessage } from '../webhooks/ports/webhooks.ts';
import {
  type ListedStream,
  queueOf,
  type SignalStream,
  type SignalStreams,
} from './ports/signalStreams.ts';
import { type CaepType, caepTypes, supportedTypes } from '../../domain/oidcClient/signals.ts';

export const signalledTypes = [
  'CitizenLoggedOut',
  'ConsentWithdrawn',
  'CertificateIssued',
  'CertificateRevoked',
  'CertificateSuspended',
  'CertificateReinstated',
  'DeviceEnrolled',
  'DevicePinLocked',
  'DeviceDeactivated',
  'IdentityUpdated',
] as const satisfies readonly PlatformEvent['type'][];

export type Signalled = RecordedOf<(typeof signalledTypes)[number]>;

/** True for an event that may be a security event to clients. */
export function isSignalled(event: RecordedEvent): event is Signalled {
  return (signalledTypes as readonly string[]).includes(event.event.type);
}

/** Content of a message: what a security event token says, without what the stream adds when it is signed. */
export interface SignalContent {
  /** Epoch seconds. */
  readonly iat: number;
  /** RFC 8417 §2.2: the same for all that one event of the platform led to in a sector; another one in another. */
  readonly txn: string;
  /** Pairwise identifier of the citizen at the client; omitted: about the stream itself. */
  readonly sub?: string;
  readonly event: Readonly<Record<string, unknown>>;
  /** Civil id, encrypted, by which it is completed when it is signed; never sent. Omitted: nothing is looked up then. */
  readonly about?: string;
}

/** Security event without its time and cause. */
interface Signal {
  readonly type: CaepType;
  readonly members?: Readonly<Record<string, string>>;
  readonly why: string;
}

interface Meaning {
  readonly civilId: string;
  readonly signals: readonly Signal[];
  /** Clients it concerns, of those that the citizen has consented to; omitted: all. */
  readonly clientIds?: readonly string[];
}

export interface SignalDependencies {
  readonly streams: Pick<SignalStreams, 'all' | 'isRemoved'>;
  readonly certificates: Pick<Certificates, 'load'>;
  readonly devices: Pick<Devices, 'load'>;
  readonly findClient: FindClient;
  /** From the tables as they are, not from memory. */
  readonly findAccount: FindAccount;
  /** Consents in force, each with the time (ISO 8601) when the citizen agreed last. */
  readonly consentsOf: (
    civilId: string,
  ) => Promise<readonly { readonly clientId: string; readonly givenAt: string }[]>;
  /** Of the tables that consents and accounts are read from. */
  readonly progress: ProjectionProgress;
  /** Keyed digest of a civil id or an event, for the clients of a sector (OpenID Connect Core §8.1). */
  readonly pairwise: (sector: string, of: string) => string;
  readonly vault: Pick<PersonalDataVault, 'encrypt'>;
}

/** Types that a stream delivers (SSF 1.0 §8.1.1, `events_delivered`). */
export function deliveredTypes({
  eventsRequested: requested,
}: Pick<SignalStream, 'eventsRequested'>): readonly CaepType[] {
  return supportedTypes.filter((type) => requested === null || requested.includes(type));
}

const credential = (credentialType: string, changeType: string, why: string): Signal => ({
  type: caepTypes.credentialChange,
  members: { credential_type: credentialType, change_type: changeType },
  why,
});

/** CAEP 1.0 §2: who caused it. */
const initiators: Readonly<Record<string, string>> = {
  operator: 'admin',
  citizen: 'user',
  device: 'user',
};

export const secondsOf = (time: Date | string) => Math.floor(new Date(time).getTime() / 1000);

/** Finds the messages to clients that events lead to: only to those that the citizen has consented to. */
export function createSignals({
  streams,
  certificates,
  devices,
  findClient,
  findAccount,
  consentsOf,
  progress,
  pairwise,
  vault,
}: SignalDependencies) {
  async function ofCertificate(
    { event }: Signalled,
    serial: string,
    signal: Signal,
  ): Promise<Meaning | null> {
    const { state } = await certificates.load(serial);
    if (state.status === 'NONE') return null;
    const { holder, type } = state.requested;
    if (holder.kind !== 'citizen') return null;
    const { civilId } = holder;
    const isLost = event.type === 'CertificateRevoked' || event.type === 'CertificateSuspended';
    if (!isLost || type !== 'AUTH') return { civilId, signals: [signal] };
    const isCompromised =
      event.type === 'CertificateRevoked' && event.data.reason === revocationReasons.keyCompromise;
    if (!isCompromised && (await findAccount(civilId)) !== null) {
      return { civilId, signals: [signal] };
    }
    const why = isCompromised
      ? 'A key of the citizen may be known to others.'
      : 'The citizen has no valid certificate.';
    return { civilId, signals: [{ type: caepTypes.sessionRevoked, why }, signal] };
  }

  async function ofDevice(documentNumber: string, signal: Signal): Promise<Meaning | null> {
    const { state } = await devices.load(documentNumber);
    return state.status === 'NONE' ? null : { civilId: state.enrolled.civilId, signals: [signal] };
  }

  function meaningOf(recorded: Signalled): Promise<Meaning | null> | Meaning {
    const { event } = recorded;
    const x509 = (change: string, why: string) =>
      ofCertificate(
        recorded,
        (event.data as { serial: string }).serial,
        credential('x509', change, why),
      );
    switch (event.type) {
      case 'ConsentWithdrawn': {
        const why = 'The citizen withdrew the consent.';
        const { civilId } = event.data;
        return { civilId, signals: [{ type: caepTypes.sessionRevoked, why }] };
      }
      case 'CitizenLoggedOut':
        return {
          ...event.data,
          signals: [{ type: caepTypes.sessionRevoked, why: 'The citizen logged out.' }],
        };
      case 'CertificateIssued':
        return x509('create', 'A certificate was issued.');
      case 'CertificateRevoked':
        return x509('revoke', 'A certificate was revoked.');
      case 'CertificateSuspended':
        return x509('update', 'A certificate was suspended.');
      case 'CertificateReinstated':
        return x509('update', 'A suspended certificate was reinstated.');
      case 'DeviceEnrolled': {
        const { civilId } = event.data;
        return { civilId, signals: [credential('app', 'create', 'A phone was enrolled.')] };
      }
      case 'DevicePinLocked': {
        const why = 'A PIN was entered wrongly too often.';
        return ofDevice(event.data.documentNumber, credential('pin', 'revoke', why));
      }
      case 'DeviceDeactivated': {
        const { documentNumber } = event.data;
        return ofDevice(documentNumber, credential('app', 'revoke', 'A phone was deactivated.'));
      }
      default: {
        const why = 'The register has other facts about the citizen.';
        const { civilId } = event.data;
        return { civilId, signals: [{ type: caepTypes.tokenClaimsChange, why }] };
      }
    }
  }

  /** Clients to tell: a withdrawal to the one without consent, all else to those with consent since before. */
  async function clientsOf({ event, metadata }: Signalled, { civilId, clientIds }: Meaning) {
    if (event.type === 'ConsentWithdrawn') return [event.data.clientId];
    const consents = await consentsOf(civilId);
    return consents
      .filter(({ givenAt }) => new Date(givenAt) <= new Date(metadata.time))
      .map(({ clientId }) => clientId)
      .filter((clientId) => clientIds?.includes(clientId) ?? true);
  }

  async function messagesOf(
    recorded: Signalled,
    open: readonly ListedStream[],
  ): Promise<readonly WebhookMessage[]> {
    const meaning = await meaningOf(recorded);
    if (meaning === null) return [];
    const { civilId } = meaning;
    const clients = await clientsOf(recorded, meaning);
    const messages: WebhookMessage[] = [];
    for (const stream of open.filter((each) => clients.includes(each.clientId))) {
      const client = await findClient(stream.clientId);
      if (client === null) continue;
      const { sector } = client.settings;
      const sub = pairwise(sector, civilId);
      if (await streams.isRemoved(stream.streamId, sub)) continue;
      const delivered = deliveredTypes(stream);
      const wanted = meaning.signals.filter(({ type }) => delivered.includes(type));
      // Digest, since the event's id would tell clients of two sectors that their identifiers belong to one person.
      const txn = pairwise(sector, `event ${recorded.id}`);
      const about = await vault.encrypt(null, civilId);
      messages.push(
        ...wanted.map((signal) => messageOf(recorded, stream, signal, { txn, sub, about })),
      );
    }
    return messages;
  }

  return async (events: readonly Signalled[]): Promise<readonly WebhookMessage[]> => {
    const last = events.at(-1);
    if (last === undefined) return [];
    const open = (await streams.all()).filter(({ status }) => status !== 'disabled');
    if (open.length === 0) return [];
    await progress.untilProjected(last.position);
    const messages: WebhookMessage[] = [];
    for (const each of events) messages.push(...(await messagesOf(each, open)));
    return messages;
  };
}

function messageOf(
  { id, metadata: { time, actor } }: Signalled,
  stream: ListedStream,
  { type, members, why }: Signal,
  { txn, sub, about }: { readonly txn: string; readonly sub: string; readonly about: string },
): WebhookMessage {
  const content: SignalContent = {
    iat: secondsOf(time),
    txn,
    sub,
    event: {
      ...members,
      event_timestamp: secondsOf(time),
      initiating_entity: initiators[actor.kind] ?? 'system',
      reason_admin: { en: why },
    },
    ...(type !== caepTypes.sessionRevoked && { about }),
  };
  return {
    ...queueOf(stream),
    id: `set_${uuidFrom(Buffer.from(`signal ${id} ${stream.streamId} ${type}`))}`,
    subject: sub,
    type,
    body: JSON.stringify(content),
  };
}
