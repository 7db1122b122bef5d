import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

/** Factories that may be called more than once, and why. */
const severalOnPurpose: Readonly<Record<string, string>> = {
  createRateLimit: 'one for each name',
  createAddressLimit: 'one for each name',
  createApiServer: 'one for the public port, one for the management port',
  createServer: 'check-config tries an address; the console has its own',
  createEcdsaDigestPool: 'check-config opens a vault of its own',
  createPool: 'one for requests, one for projecting, one for a maintenance command',
  createLog: 'the console also runs as a process of its own',
  createMemoryAttemptLimits: 'operators and identity verification count apart',
  createRedisAttemptLimits: 'operators and identity verification count apart',
  createPartnerHealth: 'one for each partner',
  createProjectionProgress: 'each waits for projections of its own',
  createTreeService: 'requests and exports wait for different times',
  createAccounts: 'upkeep reads reference data as it is stored',
  createArchivedEventLog: 'over the log, and over an exported log',
  createAdvisoryLock: 'a run of the archive holds one for minutes',
  createTemporarySpool: 'uploads and the archive are limited apart',
  createEventStore: 'over the log, an exported log, and a copy of the log',
  createPersonalDataVault: 'a copy of the log opens its own',
  createPostgresPersonKeys: 'a copy of the log opens its own',
  createPostgresFollowedLog: 'a copy of the log opens its own',
  createPostgresEventLog: 'a copy of the log opens its own',
  createEventStoreDbEventLog: 'a copy of the log opens its own',
};

/** Factories without state: a second one costs nothing and counts nothing. */
const stateless = new Set([
  'createCertificateLists',
  'createCertificateReader',
  'createPlatformRelyingParty',
  'createRelyingPartyPages',
  'createStatisticsView',
]);

const sources = [
  'main.ts',
  ...readdirSync('composition').map((file) => join('composition', file)),
].map((path) => readFileSync(path, 'utf8'));

/** Number of calls to each factory of the other layers in the composition root. */
function calls(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const source of sources) {
    for (const [, before = '', factory = ''] of source.matchAll(/(\w+ )?\b(create[A-Z]\w*)\(/g)) {
      if (before !== 'function ') counts.set(factory, (counts.get(factory) ?? 0) + 1);
    }
  }
  return counts;
}

describe('What is one per process', () => {
  it('is made in one place', () => {
    const repeated = [...calls()].filter(([, count]) => count > 1).map(([factory]) => factory);
    const allowed = (factory: string) => factory in severalOnPurpose || stateless.has(factory);
    expect(repeated.filter((factory) => !allowed(factory))).to.deep.equal([]);
  });

  it('counts under a name of its own', () => {
    const names = sources.flatMap((source) => source.match(/'tamga:\w+'/g) ?? []);
    expect(names).to.have.lengthOf(new Set(names).size).above(5);
  });

  it('is looked for under names that are in use', () => {
    const unused = [...Object.keys(severalOnPurpose), ...stateless].filter(
      (factory) => (calls().get(factory) ?? 0) < 2,
    );
    expect(unused).to.deep.equal([]);
  });
});
