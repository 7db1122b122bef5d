import { randomBytes, randomUUID } from 'node:crypto';
import type { Staleness } from '../../../application/ports/staleness.ts';
import type { ClearableCache } from '../../../application/followAggregate.ts';
import type { Loaded } from '../../../application/handleCommand.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import type { EventStore, RecordedEvent } from '../../../application/ports/eventStore.ts';
import type {
  CertificateData,
  CitizenData,
  DeviceData,
  ReferenceData,
  OrganizationData,
  RelyingPartyData,
  RightData,
} from '../../../application/ports/referenceData.ts';
import { RevisionConflict } from '../../../application/ports/faults.ts';
import type { NotificationHub } from '../../../infrastructure/postgres/notifications.ts';
import { createAggregateCache } from '../../../infrastructure/system.ts';
import type { Randomness } from '../../../application/ports/randomness.ts';
import type {
  Notifications,
  NotificationSender,
} from '../../../application/ports/notifications.ts';

/** A clock turned by hand. */
export function manualClock(start = '2026-06-01T00:00:00.000Z'): Clock & {
  advance(ms: number): void;
} {
  let now = Date.parse(start);
  return {
    now: () => new Date(now),
    advance: (ms) => {
      now += ms;
    },
  };
}

export function systemRandomness(): Randomness {
  return {
    uuid: () => randomUUID(),
    timeOrderedUuid: () => randomUUID(),
    bytes: (count) => randomBytes(count),
    alphanumeric: (length) =>
      randomBytes(length * 4)
        .toString('base64')
        .replaceAll(/[^A-Za-z0-9]/g, '')
        .slice(0, length),
  };
}

/** Streams in a map: append at a revision and read, which is all that command handling needs. */
export function memoryStreams(): Pick<EventStore, 'append' | 'read'> & {
  readonly streams: ReadonlyMap<string, readonly RecordedEvent[]>;
} {
  const streams = new Map<string, RecordedEvent[]>();
  let head = 0n;
  return {
    streams,
    append: async (stream, events, expected) => {
      await Promise.resolve();
      const recorded = streams.get(stream) ?? [];
      const last = recorded.length === 0 ? null : BigInt(recorded.length - 1);
      if (expected !== 'any' && last !== (expected === 'none' ? null : expected)) {
        throw new RevisionConflict(stream);
      }
      for (const event of events) {
        head += 1n;
        recorded.push({ ...event, stream, revision: BigInt(recorded.length), position: head });
      }
      streams.set(stream, recorded);
      return { revision: BigInt(recorded.length - 1), position: head };
    },
    read: async function* (stream, from = 0n) {
      await Promise.resolve();
      yield* [...(streams.get(stream) ?? [])].slice(Number(from));
    },
  };
}

export function memoryAggregateCache<State>(): ClearableCache<State> {
  return createAggregateCache<Loaded<State>>(1000);
}

/** Listeners in a map. */
export function memoryNotifications(): Notifications &
  NotificationSender & { readonly listening: () => number; readonly notifyAll: () => void } & Pick<
    NotificationHub,
    'isAwaited'
  > {
  const topics = new Map<string, Set<() => void>>();
  return {
    listening: () => topics.size,
    isAwaited: (topic) => topics.has(topic),
    listen: (topic) => {
      let resolve: () => void = () => undefined;
      const changed = new Promise<void>((done) => (resolve = done));
      const listeners = topics.get(topic) ?? new Set();
      topics.set(topic, listeners);
      listeners.add(resolve);
      return {
        changed,
        cancel: () => {
          listeners.delete(resolve);
          if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic);
        },
      };
    },
    notify: (woken) => {
      for (const topic of woken) {
        for (const resolve of topics.get(topic) ?? []) resolve();
      }
    },
    notifyAll: () => {
      for (const resolve of [...topics.values()].flatMap((listeners) => [...listeners])) resolve();
    },
  };
}

/** Facts as lists that a test fills. */
export function memoryReferenceData(): ReferenceData & {
  readonly relyingParties: Map<string, RelyingPartyData & { readonly secretHash: string }>;
  readonly citizens: CitizenData[];
  readonly devices: DeviceData[];
  readonly certificates: CertificateData[];
  readonly organizations: OrganizationData[];
  readonly rights: RightData[];
} {
  const relyingParties = new Map<string, RelyingPartyData & { readonly secretHash: string }>();
  const citizens: CitizenData[] = [];
  const devices: DeviceData[] = [];
  const certificates: CertificateData[] = [];
  const organizations: OrganizationData[] = [];
  const rights: RightData[] = [];
  const found = <T>(value: T | undefined) => Promise.resolve(value ?? null);
  return {
    relyingParties,
    citizens,
    devices,
    certificates,
    organizations,
    rights,
    relyingPartyBySecretHash: (hash) =>
      found([...relyingParties.values()].find(({ secretHash }) => secretHash === hash)),
    relyingParty: (id) => found(relyingParties.get(id)),
    citizen: (identifier) =>
      found(
        citizens.find(({ civilId, identity }) =>
          identifier.type === 'civilId'
            ? civilId === identifier.civilId
            : identity.registrationNumber === identifier.registrationNumber,
        ),
      ),
    certificate: (serial) => found(certificates.find((each) => each.serial === serial)),
    device: (number) => found(devices.find(({ documentNumber }) => documentNumber === number)),
    organization: (register) => found(organizations.find((each) => each.register === register)),
    rightsOf: (civilId) => Promise.resolve(rights.filter((each) => each.civilId === civilId)),
    activeDevicesOf: (civilId) =>
      Promise.resolve(devices.filter((each) => each.active && each.civilId === civilId)),
  };
}

/** Read models that keep up with the log. */
export const neverStale: Staleness = {
  isStale: () => false,
  parked: () => new Set(),
  covers: () => true,
  reached: () => null,
  onLook: () => () => undefined,
};
