import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const roots = [
  'domain',
  'application',
  'projections',
  'infrastructure',
  'api',
  'main/composition',
  'main/main.ts',
];

const copy = 'a copy of the log opens its own';
const approved = 'an approved command is carried out over an event store that watches its targets';
const checked = 'check-config opens its own';
const query = 'queries without state, for two features';
const offline = 'a ceremony of the root, which runs without the service';
const perCall = 'one for each call';

/** Number of times each thing is made, where more than once, and the reason. */
const severalOnPurpose: Readonly<Record<string, readonly [times: number, reason: string]>> = {
  'new LRUCache': [8, 'each in a factory that is counted itself'],
  composeBrand: [2, 'the console may be a process of its own'],
  createAccounts: [2, 'upkeep reads reference data as it is stored'],
  createAdvisoryLock: [9, 'one for each name'],
  "createAggregate 'log'": [4, `${copy}; so do accepting a restored one and the end of an upgrade`],
  "createAggregate 'operators'": [2, approved],
  createAggregateCache: [3, 'one for each aggregate that is remembered'],
  createAggregateFollower: [2, 'operators and sessions'],
  createApiServer: [2, 'one for the public port, one for the management port'],
  createArticles: [2, approved],
  createBatchReactor: [2, 'pushes and webhooks, a batch at a time each'],
  createBoundedServer: [2, 'one for the API, one for the console'],
  createCaIssuing: [4, 'the service, a root that is made, one that signs, what it signed'],
  createCallerReader: [2, 'the console believes other proxies'],
  createCatchUpSubscription: [2, 'one for each subscription, of either log'],
  createCertificateLists: [2, query],
  createCertificateReader: [2, 'reads, with no state'],
  createCertificateStatuses: [2, query],
  createCertificates: [3, approved],
  createCheckpointMoves: [2, 'the second in tests of one follower'],
  createCitizens: [2, 'limits of pushes ask the log itself, without what is remembered'],
  createClockTrust: [2, 'one for each reference'],
  createCopyWriter: [2, 'one for each table that is copied'],
  createDatabase: [10, 'one for each pool'],
  createDecoder: [3, 'one for each PDF'],
  createDelivery: [2, 'logouts and notices'],
  createDevices: [2, approved],
  createDrawing: [3, 'one for each page'],
  createEcdsaDigestPool: [4, checked],
  createEndings: [2, 'of messages: one for the jobs, one for the sweep'],
  createEventLog: [3, 'over the store, an exported log, and a copy of the log'],
  createEventStoreDbEventLog: [4, `${copy}; so do check-config and the preparation of the server`],
  createFailingEvents: [2, 'one for each reactor'],
  createFrontier: [7, perCall],
  createLog: [3, 'a start that waits has its own; the console is also a process of its own'],
  createLogCopy: [2, 'to a new log, and to one that is moved to'],
  createLogFollower: [2, 'one for each category that is followed'],
  createLogHash: [2, 'a backup and a restore'],
  createMemoryAttemptLimits: [
    5,
    'operators, identity verification, pushes, quotas and notices count apart',
  ],
  createMetrics: [2, 'the console is also a process of its own'],
  createNoticeViews: [2, query],
  createObjectCopier: [2, 'one for each template'],
  createOidcClients: [2, approved],
  createOpenDecoding: [2, 'a kept log is read before the service opens'],
  createOperatorTokens: [2, 'those of a command that asks for proofs are its own'],
  createOrganizations: [2, approved],
  createParser: [6, 'one for each PDF'],
  createPersonalDataVault: [2, copy],
  createPkcs11KeyVault: [2, offline],
  createPool: [
    10,
    'for requests, projecting, a maintenance command, the archive, check-config, a copy, a backup, a rotation',
  ],
  createPostgresCaCertificates: [
    5,
    'evidence is compared with them, where no key is used; a next one is counted',
  ],
  createPostgresEventLog: [2, copy],
  createPostgresFollowedLog: [4, 'the service, a copy of the log, a backup, a restore'],
  createPostgresPersonKeys: [2, copy],
  createPostgresRevocationLists: [
    4,
    'the authority and an activation ask what the root revoked; a list given as evidence is stored',
  ],
  createPostgresEncryptedKeys: [2, checked],
  createProfileGuard: [2, 'one for each CA and profile; one for what is installed'],
  createProgress: [2, 'a backup and a restore'],
  createProjectionProgress: [3, 'each waits for projections of its own'],
  createProxyCheckTickets: [2, 'the service, and check-config that asks it'],
  createReactor: [5, 'one for each name'],
  createReconnectingClient: [2, 'one for appends, one for notifications'],
  createRedisAttemptLimits: [
    5,
    'operators, identity verification, pushes, quotas and notices count apart',
  ],
  createRelyingParties: [2, approved],
  createRelyingPartyPages: [2, query],
  createRetryingReactor: [3, 'one for each name'],
  createRevocationListBuilder: [2, offline],
  createRevocationListService: [2, offline],
  createS3Objects: [2, 'the stores of the service, and places of backups'],
  createSealCertificates: [2, approved],
  createSearch: [2, 'one for each list'],
  composeOwnHistory: [2, query],
  createSessionList: [2, query],
  createSessions: [2, 'limits of pushes ask the log itself, without what is remembered'],
  createSoftwareKeyVault: [2, offline],
  createStatisticsView: [2, query],
  createSweep: [6, 'one for each name'],
  createTallySums: [2, perCall],
  createTemporarySpool: [2, 'uploads and the archive are limited apart'],
  createTokenThread: [2, offline],
  createTreeService: [2, 'requests and exports wait for different times'],
  createUnfinishedBodies: [2, 'one for the API, one for the console'],
  createUpdate: [3, 'one for each change of a PDF'],
  openBackupPlace: [3, 'a backup, its removal and a restore'],
  openDatabase: [
    6,
    'the service opens it; a backup is restored, an upgrade finished, a root installed, the master key rotated without a service',
  ],
  openKeyVault: [3, checked],
  openObjectStore: [2, 'documents and the archive have stores of their own'],
  openPdf: [5, perCall],
};

function filesBelow(path: string): readonly string[] {
  if (statSync(path).isFile()) return path.endsWith('.ts') ? [path] : [];
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}

/** Production sources; what application/aggregates.ts binds counts as made by the function it binds with. */
const sources = roots
  .flatMap(filesBelow)
  .map((path) => readFileSync(path, 'utf8').replaceAll(/\bboundTo\('/g, "createAggregate('"));

/** Factories of other modules that a source imports. */
function importedFactories(source: string): readonly string[] {
  // Clients of servers that few have are loaded only where they are configured.
  const imports = source.matchAll(
    /^import \{([^}]*)\} from '\.|const \{([^}]*)\} =\s*await import\('\./gm,
  );
  return [...imports]
    .flatMap(([, names, loaded = '']) => (names ?? loaded).split(','))
    .map((name) => name.trim().split(' as ').at(-1) ?? '')
    .filter((name) => /^(create|open|compose)[A-Z]/.test(name));
}

/** Makings of each thing outside the module of its factory; what is made under a name is counted by that name. */
function makings(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const source of sources) {
    for (const factory of ['new LRUCache', ...importedFactories(source)]) {
      const calls = `\\b${factory}(?:<[^()]*>)?\\((?:\\s*(?:\\{\\s*name: )?('[^']*'))?`;
      for (const [, name] of source.matchAll(new RegExp(calls, 'g'))) {
        const made = name === undefined ? factory : `${factory} ${name}`;
        counts.set(made, (counts.get(made) ?? 0) + 1);
      }
    }
  }
  return counts;
}

describe('What is one per process', () => {
  it('is made in one place, and what is not is made as often as the list says', () => {
    const several = [...makings()].filter(([, times]) => times > 1);
    const allowed = Object.entries(severalOnPurpose).map(([made, [times]]) => [made, times]);
    expect(Object.fromEntries(several)).to.deep.equal(Object.fromEntries(allowed));
  });

  it('is looked for where it is made', () => {
    for (const factory of [
      'createStartSession',
      'createSignatureVerifier',
      'composeOpenIdConnect',
    ]) {
      expect(makings().get(factory), factory).to.equal(1);
    }
  });

  it('counts under a name of its own', () => {
    const names = sources.flatMap((source) => source.match(/'tamga:\w+'/g) ?? []);
    expect(names).to.have.lengthOf(new Set(names).size).above(5);
  });
});
