import { categoryOf, identifierOf } from '../../domain/shared/streams.ts';
import { createLogFollower, type LogFollower } from '../followAggregate.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import { type NotificationSender, referenceDataTopic } from '../ports/notifications.ts';
import type { FollowedKind, RecentChanges } from '../ports/recentChanges.ts';
import type { Staleness } from '../ports/staleness.ts';

export interface RecentChangesOptions {
  readonly eventStore: EventStore;
  readonly staleness: Staleness;
  /** Drops what this process remembers of a changed thing. */
  readonly notifications: NotificationSender;
  /** Called once when following failed; it is retried. */
  readonly onFailure: (cause: unknown) => void;
}

interface Followed {
  readonly kind: FollowedKind;
  readonly readModel: string;
  /** Events that give or take a right. */
  readonly types: ReadonlySet<string>;
}

const followed: Readonly<Record<string, Followed>> = {
  relyingParty: {
    kind: 'rp',
    readModel: 'relyingParties',
    types: new Set([
      ...['RelyingPartyRegistered', 'RelyingPartyEdited', 'SecretRotated', 'SealingAllowed'],
      ...['RelyingPartyDeactivated', 'RelyingPartyReactivated', 'SealingWithdrawn'],
    ]),
  },
  certificate: {
    kind: 'certificate',
    readModel: 'certificates',
    types: new Set([
      ...['CertificateRevoked', 'CertificateSuspended', 'CertificateReinstated'],
      'CertificateSuperseded',
    ]),
  },
  device: { kind: 'device', readModel: 'devices', types: new Set(['DeviceDeactivated']) },
};

interface Mark {
  readonly readModel: string;
  readonly id: string;
  readonly position: bigint;
}

/**
 * Follows what ends or changes a right, so that it counts although no projector runs: what changed is marked until its
 * read model shows the event. What is parked is announced, so that nothing remembered of it is used.
 */
export function createRecentChanges(
  options: RecentChangesOptions,
): RecentChanges & Pick<LogFollower, 'start' | 'stop'> {
  const { eventStore, staleness, notifications, onFailure } = options;
  const marks = new Map<string, Mark>();
  let parked: ReadonlySet<string> = new Set();
  const secrets = new Map<string, { readonly relyingPartyId: string; readonly topic: string }>();

  function mark(recorded: RecordedEvent): readonly string[] {
    const { stream, event, position } = recorded;
    const follows = followed[categoryOf(stream)];
    if (follows?.types.has(event.type) !== true) return [];
    const id = identifierOf(stream);
    const topic = referenceDataTopic(follows.kind, id);
    marks.set(topic, { readModel: follows.readModel, id, position });
    const { secretHash } = event.data as { readonly secretHash?: string };
    if (secretHash !== undefined) secrets.set(secretHash, { relyingPartyId: id, topic });
    return [topic];
  }

  /** Removes the marks of changes that the read models show. */
  function unmark(): void {
    const shown: string[] = [];
    for (const [topic, { readModel, id, position }] of marks) {
      if ((staleness.reached(readModel) ?? -1n) < position) continue;
      if (staleness.parked(readModel).has(id)) continue;
      marks.delete(topic);
      shown.push(topic);
    }
    if (shown.length === 0) return;
    for (const [secretHash, { topic }] of secrets) {
      if (!marks.has(topic)) secrets.delete(secretHash);
    }
    notifications.notify(shown);
  }

  /** Announces what is parked since the last look. */
  function announceParked(): void {
    const before = parked;
    parked = new Set(
      Object.values(followed).flatMap(({ kind, readModel }) =>
        Array.from(staleness.parked(readModel), (id) => referenceDataTopic(kind, id)),
      ),
    );
    const fresh = [...parked].filter((topic) => !before.has(topic));
    if (fresh.length > 0) notifications.notify(fresh);
  }

  const unregister = staleness.onLook(() => {
    announceParked();
    unmark();
  });
  const follower = createLogFollower({
    eventStore,
    categories: ['relyingParty', 'certificate', 'device'],
    withoutPersonalData: true,
    // Undecodable events are counted by type; their subject is unknown.
    keepUndecodable: true,
    take: (events) => {
      const topics = events.flatMap(mark);
      if (topics.length > 0) notifications.notify(topics);
    },
    onFailure,
  });

  return {
    has: (kind, id) => marks.size > 0 && marks.has(referenceDataTopic(kind, id)),
    relyingPartyOf: (secretHash) => secrets.get(secretHash)?.relyingPartyId,
    start: follower.start,
    async stop() {
      unregister();
      await follower.stop();
    },
  };
}
