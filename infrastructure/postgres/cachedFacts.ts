import type { CertificateFact, DeviceFact, Facts } from '../../application/ports/facts.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import { factTopic, type WakeFeed } from '../../application/ports/wake.ts';
import { orUnavailable } from './availability.ts';
import { createTaggedCache } from './taggedCache.ts';

export interface CachedFactsOptions {
  /** Answers from the tables. */
  readonly facts: Facts;
  /** Says what changed. */
  readonly feed: WakeFeed;
  /** Says who was forgotten. */
  readonly vault: Pick<PersonalDataVault, 'onForgotten'>;
  /** Answers kept at most; default 100,000. */
  readonly max?: number;
  /** Milliseconds an answer is kept at most; default 30,000. */
  readonly ttlMs?: number;
}

const factTopics = /^(rp|citizen|device|certificate|organization):/;

/**
 * Facts from memory, dropped when a projection announces a change and all cleared when announcements may have been
 * missed. That something does not exist is never remembered. While PostgreSQL is away, what is not remembered fails with
 * `Unavailable('database')`.
 */
export function createCachedFacts({
  facts,
  feed,
  vault,
  max = 100_000,
  ttlMs = 30_000,
}: CachedFactsOptions): Facts {
  const cache = createTaggedCache({ max, ttlMs });
  feed.subscribe((topics) => {
    if (topics === 'all') {
      cache.clear();
      return;
    }
    const changed = topics.filter((topic) => factTopics.test(topic));
    if (changed.length > 0) cache.drop(changed);
  });
  vault.onForgotten((civilId) => cache.drop([factTopic('citizen', civilId)]));

  function ask<Fact>(
    key: string,
    query: () => Promise<Fact | null>,
    tags: (fact: Fact) => readonly string[],
  ): Promise<Fact | null> {
    return cache.get(
      key,
      () => orUnavailable('database', query),
      (fact) => (fact === null ? null : tags(fact)),
    );
  }

  return {
    relyingPartyBySecretHash: (secretHash) =>
      ask(
        `secret ${secretHash}`,
        () => facts.relyingPartyBySecretHash(secretHash),
        (fact) => [factTopic('rp', fact.relyingPartyId)],
      ),
    relyingParty: (relyingPartyId) =>
      ask(
        `rp ${relyingPartyId}`,
        () => facts.relyingParty(relyingPartyId),
        (fact) => [factTopic('rp', fact.relyingPartyId)],
      ),
    citizen: (identifier) =>
      ask(
        identifier.type === 'civilId'
          ? `civilId ${identifier.civilId}`
          : `registrationNumber ${identifier.registrationNumber}`,
        () => facts.citizen(identifier),
        (fact) => [factTopic('citizen', fact.civilId)],
      ),
    certificate: (serial) =>
      ask(`certificate ${serial}`, () => facts.certificate(serial), certificateTags),
    device: (documentNumber) =>
      ask(`device ${documentNumber}`, () => facts.device(documentNumber), deviceTags),
    organization: (register) =>
      ask(
        `organization ${register}`,
        () => facts.organization(register),
        () => [factTopic('organization', register)],
      ),
    // Rights come and go with the clock, and are asked for rarely: they are not remembered.
    rightsOf: (civilId, now) => orUnavailable('database', () => facts.rightsOf(civilId, now)),
    rightOf: (register, civilId, now) =>
      orUnavailable('database', () => facts.rightOf(register, civilId, now)),
    async activeDevicesOf(civilId) {
      const devices = await ask(
        `devices ${civilId}`,
        async () => {
          const found = await facts.activeDevicesOf(civilId);
          return found.length === 0 ? null : found;
        },
        (found) => [factTopic('citizen', civilId), ...found.flatMap(deviceTags)],
      );
      return devices ?? [];
    },
  };
}

function certificateTags(fact: CertificateFact): readonly string[] {
  return [factTopic('certificate', fact.serial), factTopic('citizen', fact.civilId)];
}

function deviceTags(fact: DeviceFact): readonly string[] {
  return [
    factTopic('device', fact.documentNumber),
    ...certificateTags(fact.authentication),
    ...certificateTags(fact.signing),
  ];
}
