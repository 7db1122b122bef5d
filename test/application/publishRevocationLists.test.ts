import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import { createRevocationListPublisher } from '../../application/reactors/publishRevocationLists.ts';
import type { Reactor } from '../../application/reactors/reactor.ts';
import type { CertificateEvent, IssuingAuthority } from '../../domain/certificate/events.ts';
import { createRevocationListBuilder } from '../../infrastructure/crl/revocationListBuilder.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createPostgresLostRevocations } from '../../infrastructure/postgres/lostRevocations.ts';
import { createPostgresRevocationLists } from '../../infrastructure/postgres/revocationLists.ts';
import { createNotifications } from '../../infrastructure/postgres/notifications.ts';
import { createLeaderLock } from '../../infrastructure/postgres/leaderLock.ts';
import { createProjectionProgress } from '../../projections/engine/checkpoints.ts';
import { createStalenessWatch, type StalenessWatch } from '../../projections/engine/staleness.ts';
import { createParkedRows } from '../../projections/parkedRows.ts';
import { createRevocationStates } from '../../projections/certificates.ts';
import { until } from '../support/assertions/waiting.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  certificateIssued,
  certificateRequested,
  recordable,
} from '../support/events/exampleEvents.ts';
import {
  createTestVault,
  startTestAuthority,
  type TestAuthority,
} from '../support/doubles/memoryPki.ts';
import { neverStale } from '../support/doubles/memoryPorts.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';
import { newSerial } from '../support/pki/pkiFixtures.ts';

describe('publishRevocationLists', () => {
  let side: ReadSide;
  let projector: ReturnType<ReadSide['projector']>;
  let watch: StalenessWatch;
  let pool: ReturnType<typeof createPool>;
  let test: TestAuthority;
  let vault: ReturnType<typeof createTestVault>['vault'];
  let publishers: Reactor[];
  let failures: unknown[];
  let isRootKeyAway = false;
  let isStale: boolean;
  let askedIfStale: number;
  let offset: number;
  let isClockWrong = false;
  let stopVault: () => Promise<void>;

  before(async () => {
    const opened = createTestVault();
    vault = opened.vault;
    stopVault = () => opened.ecdsaDigests.stop();
    test = await startTestAuthority({ vault });
  });

  after(async () => {
    await test.stop();
    await stopVault();
  });

  beforeEach(async () => {
    side = await openReadSide();
    pool = createPool({ url: side.url });
    projector = side.projector();
    projector.start();
    watch = createStalenessWatch({
      database: side.database,
      eventStore: side.eventStore,
      names: ['certificates'],
      findProjectors: () => Promise.resolve([]),
      maxMs: 10_000,
      everyMs: 20,
    });
    await watch.start();
    publishers = [];
    failures = [];
    [isStale, askedIfStale, offset, isClockWrong] = [false, 0, 0, false];
  });

  afterEach(async () => {
    await Promise.all(publishers.map((publisher) => publisher.stop()));
    await watch.stop();
    await side.close();
    await pool.end();
  });

  function publisher(
    authorities: readonly IssuingAuthority[] = ['personal', 'organization', 'root'],
  ): Reactor {
    const { database, eventStore, url } = side;
    const created = createRevocationListPublisher({
      eventStore,
      leaderLock: createLeaderLock({ url, pollMs: 20 }),
      states: createRevocationStates(database),
      progress: createProjectionProgress({ database, names: ['certificates'] }),
      staleness: {
        ...neverStale,
        isStale: () => {
          askedIfStale += 1;
          return isStale;
        },
        parked: watch.parked,
      },
      lists: createPostgresRevocationLists(pool),
      newBuilder: (authority) =>
        createRevocationListBuilder(test.authority.issuer(authority), {
          signDigest: (label, digest) =>
            isRootKeyAway && label === 'ca-root'
              ? Promise.reject(new Unavailable('keyVault'))
              : vault.signDigest(label, digest),
        }),
      clock: {
        now: () => {
          if (isClockWrong) throw new Unavailable('database');
          return new Date(Date.now() + offset);
        },
      },
      validityMs: new Map(authorities.map((each) => [each, 86_400_000])),
      onFailure: (_, cause) => failures.push(cause),
      log: { info: () => undefined },
    });
    publishers.push(created);
    created.start();
    return created;
  }

  async function given(serial: string, ...events: CertificateEvent[]) {
    const recorded = events.map((event) => recordable(event));
    await side.eventStore.append(`certificate-${serial}`, recorded, 'any');
  }

  async function issued(authority: IssuingAuthority = 'personal'): Promise<string> {
    const serial = newSerial();
    await given(serial, certificateRequested(serial, { authority }), certificateIssued(serial));
    return serial;
  }

  const revoke = (serial: string, reason = 1) => {
    const data = { serial, reason, revokedAt: new Date().toISOString() };
    return given(serial, { type: 'CertificateRevoked', data });
  };

  async function published(authority: IssuingAuthority = 'personal') {
    const list = await createPostgresRevocationLists(pool).newest(authority);
    if (list === null) throw new Error('There is no list.');
    const { entries } = new x509.X509Crl(list.der);
    return {
      number: list.number,
      serials: entries.map(({ serialNumber }) => serialNumber).sort(),
      held: entries
        .filter(({ reason }) => reason === x509.X509CrlReason.certificateHold)
        .map(({ serialNumber }) => serialNumber),
    };
  }

  const shows = (serials: readonly string[], authority: IssuingAuthority = 'personal') =>
    eventually(async () => {
      const list = await published(authority);
      expect(list.serials).to.deep.equal([...serials].sort());
      return list;
    });

  it('publishes a list of each CA when it starts', async () => {
    publisher();
    for (const authority of ['personal', 'organization', 'root'] as const) {
      await shows([], authority);
    }
  });

  it('says until when the newest lists are good, to whichever process asks', async () => {
    publisher();
    const lists = createPostgresRevocationLists(pool);
    await eventually(async () => (await lists.nextUpdates()).size === 3);
    for (const [authority, time] of await lists.nextUpdates()) {
      expect(time).to.deep.equal((await lists.newest(authority))?.nextUpdate);
    }
  });

  it('shows a revocation within ten seconds, on the list of its CA alone', async () => {
    publisher();
    await shows([]);
    const [personal, organization] = [await issued(), await issued('organization')];
    const started = performance.now();
    await revoke(personal);
    await revoke(organization, 0);
    await shows([personal]);
    await shows([organization], 'organization');
    const tookMs = performance.now() - started;
    expect(tookMs).to.be.below(10_000);
    await shows([], 'root');
    expect(failures).to.deep.equal([]);
  });

  it('shows certificates revoked while no process published', async () => {
    const serial = await issued();
    await revoke(serial);
    publisher();
    await shows([serial]);
  });

  it('publishes nothing before the read model has taken in what there was', async () => {
    await projector.stop();
    const serial = await issued();
    await revoke(serial);
    publisher();
    await eventually(() => expect(failures).not.to.be.empty);
    expect(await createPostgresRevocationLists(pool).newest('personal')).to.equal(null);
    side.projector().start();
    await shows([serial]);
  });

  it('dates no list anew while its read model is behind the log', async () => {
    publisher();
    await shows([]);
    const before = await published();
    isStale = true;
    offset = 7 * 3_600_000;
    const asked = askedIfStale;
    await until(() => askedIfStale > asked + 10);
    expect((await published()).number).to.equal(before.number);
    isStale = false;
    await until(async () => (await published()).number > before.number);
  });

  it('shows one whose revocation is parked on hold until it is folded, and goes on with others', async () => {
    publisher();
    const [unclear, other] = [await issued(), await issued()];
    await shows([]);
    const poison = { type: 'CertificateRevoked', data: { serial: unclear } } as CertificateEvent;
    await given(unclear, poison);
    await shows([unclear]);
    await revoke(other);
    await shows([unclear, other]);
    await publishers.pop()?.stop();
    publisher();
    expect((await shows([unclear, other])).held).to.deep.equal([unclear]);

    const [culprit] = await createParkedRows(side.database).list();
    const eventId = culprit?.eventId ?? '';
    await createParkedRows(side.database).skip({ readModel: 'certificates', eventId });
    await shows([other]);
  });

  it('shows a certificate on hold until it is reinstated', async () => {
    publisher();
    const serial = await issued();
    const at = new Date().toISOString();
    await given(serial, { type: 'CertificateSuspended', data: { serial, suspendedAt: at } });
    const before = await shows([serial]);
    await given(serial, { type: 'CertificateReinstated', data: { serial, reinstatedAt: at } });
    const after = await shows([]);
    expect(after.number > before.number).to.equal(true);
  });

  it('publishes nothing while the clock is wrong, says so, and goes on once it is right', async () => {
    publisher();
    await shows([]);
    const lists = createPostgresRevocationLists(pool);
    const before = await lists.newest('personal');
    isClockWrong = true;
    await eventually(() => {
      expect(failures).to.not.deep.equal([]);
    });
    expect((await lists.newest('personal'))?.number).to.equal(before?.number);
    isClockWrong = false;
    offset = 25 * 60 * 60 * 1000;
    await eventually(async () => {
      expect((await lists.newest('personal'))?.number).to.not.equal(before?.number);
    });
  });

  it('goes on with higher numbers after a restart', async () => {
    const first = publisher();
    const before = await shows([]);
    await first.stop();
    publisher();
    await eventually(async () => {
      expect((await published()).number > before.number).to.equal(true);
    });
  });

  it('is done by one process at a time; another takes over', async () => {
    const running = [publisher(), publisher()];
    await shows([]);
    const active = () => running.filter((each) => each.status().state === 'RUNNING');
    await eventually(() => expect(active()).to.have.length(1));
    const [first] = active();
    await first?.stop();
    const serial = await issued();
    await revoke(serial);
    await shows([serial]);
    expect(active().includes(first as Reactor)).to.equal(false);
  });

  it('is left to a process that knows the authority of each revocation', async () => {
    const unaware = publisher(['personal', 'root']);
    await shows([]);
    publisher();
    const serial = await issued('organization');
    await revoke(serial);
    await shows([serial], 'organization');
    expect(unaware.status().state).to.equal('STANDBY');
    expect(failures.map(String)).to.deep.equal([
      'Error: This process does not know organization, so it publishes no lists for it. Restart the process.',
    ]);
    // Met in the snapshot, too.
    await publishers.pop()?.stop();
    publisher(['personal', 'root']);
    await until(() => failures.length === 2);
    publisher();
    await revoke(await issued());
    await until(async () => (await published()).serials.length === 1);
  });

  it('goes on beside a revocation of before a restore whose authority nobody has', async () => {
    const [revokedAt, notAfter] = [new Date(), new Date('2100-01-01')];
    const lost = { authority: 'personal-2', reason: 1, revokedAt, notAfter } as const;
    await createPostgresLostRevocations(pool).keep({ ...lost, serial: newSerial() });
    const serial = await issued();
    await revoke(serial);
    publisher();
    await shows([serial]);
  });

  it('publishes the lists of the other CAs while the key of one is unavailable', async () => {
    const personal = await issued();
    isRootKeyAway = true;
    publisher();
    await revoke(personal);
    await shows([personal]);
    await eventually(() =>
      expect(failures.map(String)).to.include('Unavailable: keyVault is unavailable.'),
    );
    expect(await createPostgresRevocationLists(pool).newest('root')).to.equal(null);
    isRootKeyAway = false;
    await shows([], 'root');
  });

  it('lists everything of many certificates, whatever their number', async () => {
    const serials: string[] = [];
    for (let count = 0; count < 300; count += 1) {
      const serial = await issued();
      await revoke(serial, count % 6);
      serials.push(serial);
    }
    publisher();
    await shows(serials);
  });
});

describe('Revocation lists kept in PostgreSQL', () => {
  it('are announced to every process, and only when they are new', async () => {
    const side = await openReadSide();
    const pool = createPool({ url: side.url });
    const lists = createPostgresRevocationLists(pool);
    const notifications = createNotifications({ url: side.url });
    const heard: string[] = [];
    notifications.subscribe(['crl'], (topics) => heard.push(...(topics === 'all' ? [] : topics)));
    await notifications.start();
    const now = new Date();
    const list = { number: 1n, thisUpdate: now, nextUpdate: now, der: Buffer.alloc(1) };
    await lists.keep({ ...list, authority: 'personal' });
    await lists.keep({ ...list, authority: 'personal' });
    await lists.keep({ ...list, authority: 'root' });
    await eventually(() => expect(heard).to.deep.equal(['crl:personal', 'crl:root']));
    await notifications.stop();
    await pool.end();
    await side.close();
  });

  it('come back as they were, however large, and never with a lower number', async () => {
    const side = await openReadSide();
    const pool = createPool({ url: side.url });
    const lists = createPostgresRevocationLists(pool);
    const der = Buffer.alloc(3 * 1024 * 1024 + 17, 'tamga');
    const list = {
      authority: 'personal' as const,
      number: 7n,
      der,
      thisUpdate: new Date('2026-06-01T00:00:00Z'),
      nextUpdate: new Date('2026-06-02T00:00:00Z'),
    };
    expect(await lists.newest('personal')).to.equal(null);
    expect(await lists.newestHead('personal')).to.equal(null);
    expect(await lists.keep(list)).to.equal(true);
    expect(await lists.newest('personal')).to.deep.equal(list);
    for (const number of [6n, 7n]) {
      expect(await lists.keep({ ...list, number, der: Buffer.alloc(1) })).to.equal(false);
    }
    const smaller = { ...list, number: 8n, der: Buffer.alloc(1) };
    expect(await lists.keep(smaller)).to.equal(true);
    expect(await lists.newest('personal')).to.deep.equal(smaller);
    expect(await lists.newest('root')).to.equal(null);
    await pool.end();
    await side.close();
  });
});
