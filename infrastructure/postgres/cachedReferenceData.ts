import type {
  CertificateData,
  DeviceData,
  ReferenceData,
} from '../../application/ports/referenceData.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import {
  referenceDataTopic,
  type NotificationFeed,
} from '../../application/ports/notifications.ts';
import { orUnavailable } from './availability.ts';
import { createTaggedCache } from './taggedCache.ts';

export interface CachedReferenceDataOptions {
  /** Reads from the tables. */
  readonly referenceData: ReferenceData;
  /** Notifies of changes. */
  readonly feed: NotificationFeed;
  /** Notifies of forgotten persons. */
  readonly vault: Pick<PersonalDataVault, 'onForgotten'>;
  /** Entries at most; default 100,000. */
  readonly max?: number;
  /** Lifetime of an entry, milliseconds; default 30,000. */
  readonly ttlMs?: number;
}

const factTopics = /^(rp|citizen|device|certificate|organization):/;

/**
 * Reference data from memory, invalidated when a projection announces a change and cleared when announcements may have
 * been missed. Absence is never cached. During an outage of PostgreSQL, uncached look-ups fail with
 * `Unavailable('database')`.
 */
export function createCachedReferenceData({
  referenceData,
  feed,
  vault,
  max = 100_000,
  ttlMs = 30_000,
}: CachedReferenceDataOptions): ReferenceData {
  const cache = createTaggedCache({ max, ttlMs });
  feed.subscribe((topics) => {
    if (topics === 'all') {
      cache.clear();
      return;
    }
    const changed = topics.filter((topic) => factTopics.test(topic));
    if (changed.length > 0) cache.drop(changed);
  });
  vault.onForgotten((civilId) => cache.drop([referenceDataTopic('citizen', civilId)]));

  function ask<Entry>(
    key: string,
    query: () => Promise<Entry | null>,
    tags: (entry: Entry) => readonly string[],
  ): Promise<Entry | null> {
    return cache.get(
      key,
      () => orUnavailable('database', query),
      (entry) => (entry === null ? null : tags(entry)),
    );
  }

  return {
    relyingPartyBySecretHash: (secretHash) =>
      ask(
        `secret ${secretHash}`,
        () => referenceData.relyingPartyBySecretHash(secretHash),
        (entry) => [referenceDataTopic('rp', entry.relyingPartyId)],
      ),
    relyingParty: (relyingPartyId) =>
      ask(
        `rp ${relyingPartyId}`,
        () => referenceData.relyingParty(relyingPartyId),
        (entry) => [referenceDataTopic('rp', entry.relyingPartyId)],
      ),
    citizen: (identifier) =>
      ask(
        identifier.type === 'civilId'
          ? `civilId ${identifier.civilId}`
          : `registrationNumber ${identifier.registrationNumber}`,
        () => referenceData.citizen(identifier),
        (entry) => [referenceDataTopic('citizen', entry.civilId)],
      ),
    certificate: (serial) =>
      ask(`certificate ${serial}`, () => referenceData.certificate(serial), certificateTags),
    device: (documentNumber) =>
      ask(`device ${documentNumber}`, () => referenceData.device(documentNumber), deviceTags),
    organization: (register) =>
      ask(
        `organization ${register}`,
        () => referenceData.organization(register),
        () => [referenceDataTopic('organization', register)],
      ),
    // Rights start and end with time, and are rarely needed: not cached.
    rightsOf: (civilId, now) =>
      orUnavailable('database', () => referenceData.rightsOf(civilId, now)),
    rightOf: (register, civilId, now) =>
      orUnavailable('database', () => referenceData.rightOf(register, civilId, now)),
    async activeDevicesOf(civilId) {
      const devices = await ask(
        `devices ${civilId}`,
        async () => {
          const found = await referenceData.activeDevicesOf(civilId);
          return found.length === 0 ? null : found;
        },
        (found) => [referenceDataTopic('citizen', civilId), ...found.flatMap(deviceTags)],
      );
      return devices ?? [];
    },
  };
}

function certificateTags(entry: CertificateData): readonly string[] {
  return [
    referenceDataTopic('certificate', entry.serial),
    referenceDataTopic('citizen', entry.civilId),
  ];
}

function deviceTags(entry: DeviceData): readonly string[] {
  return [
    referenceDataTopic('device', entry.documentNumber),
    ...certificateTags(entry.authentication),
    ...certificateTags(entry.signing),
  ];
}
