import { expect } from 'chai';
import type { Staleness } from '../../application/ports/staleness.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import {
  createNotificationHub,
  type NotificationHub,
} from '../../infrastructure/postgres/notifications.ts';
import { relyingPartyEvents } from '../../domain/relyingParty/events.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import type { Database } from '../../projections/database.ts';
import type { Projector } from '../../projections/engine/projector.ts';
import { until } from '../support/assertions/waiting.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { neverStale } from '../support/doubles/memoryPorts.ts';
import {
  bat,
  certificateIssued,
  certificateRequested,
  citizenEnrolled,
  deviceEnrolled,
  exampleCertificate,
  recordable,
  relyingPartyRegistered,
} from '../support/events/exampleEvents.ts';
import { openFacts } from '../support/events/openFacts.ts';
import { clientSettings } from '../support/oidc/oidcLogin.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

const civilId = '100000000001';
const byCivilId = { type: 'civilId', civilId } as const;

const rotated = (secretHash: string) => ({
  type: 'SecretRotated',
  data: { relyingPartyId: 'r1', secretHash, rotatedAt: '2026-01-01T00:00:00.000Z' },
});

describe('Remembered facts', () => {
  let side: ReadSide;
  let notifications: NotificationHub;
  let projector: Projector;
  let stops: (() => Promise<void>)[];

  beforeEach(async () => {
    side = await openReadSide();
    notifications = createNotificationHub();
    projector = side.projector({ notifications });
    projector.start();
    stops = [];
  });

  afterEach(async () => {
    await Promise.all(stops.map((stop) => stop()));
    await side.close();
  });

  /** A process, and what it asked the tables. */
  function open(staleness: Staleness = neverStale, limits: { readonly mostMarks?: number } = {}) {
    const asked: string[] = [];
    const opened = openFacts(side, {
      ...limits,
      staleness,
      notifications,
      around: (rows) =>
        new Proxy(rows, {
          get(target, name: keyof typeof rows) {
            return (...parameters: unknown[]) => {
              asked.push(name);
              return (target[name] as (...all: unknown[]) => unknown)(...parameters);
            };
          },
        }),
    });
    stops.push(opened.facts.stop);
    return { ...opened, asked };
  }

  async function given(stream: string, ...events: readonly (DomainEvent | object)[]) {
    const { position } = await side.eventStore.append(
      stream,
      events.map((event) => recordable(event as never)),
      'any',
    );
    return position;
  }

  const projected = async (position: bigint) => projector.untilProjected(position);

  async function givenPhone() {
    await given(`citizen-${civilId}`, citizenEnrolled(civilId));
    await given('certificate-0a', certificateRequested('0a'), certificateIssued('0a'));
    const authentication = certificateRequested('0b', { type: 'AUTH' });
    await given('certificate-0b', authentication, certificateIssued('0b'));
    await projected(await given('device-d1', deviceEnrolled('d1')));
  }

  const at = '2026-01-03T00:00:00.000Z';
  const revoked = {
    type: 'CertificateRevoked',
    data: { serial: '0a', reason: 4, revokedAt: at },
  };
  const deactivated = {
    type: 'DeviceDeactivated',
    data: { documentNumber: 'd1', reason: 4, deactivatedAt: at },
  };

  it('find a relying party by its secret until the secret is rotated', async () => {
    const { referenceData } = open();
    await projected(
      await given('relyingParty-r1', relyingPartyRegistered('r1', { smartIdStatuses: true })),
    );
    const found = await referenceData.relyingPartyBySecretHash(sha256Hex('r1'));
    expect(found).to.include({
      relyingPartyId: 'r1',
      active: true,
      requestsPerMinute: 600,
      smartIdStatuses: true,
    });

    await projected(await given('relyingParty-r1', rotated('ff')));
    expect(await referenceData.relyingPartyBySecretHash(sha256Hex('r1'))).to.equal(null);
    expect(await referenceData.relyingPartyBySecretHash('ff')).to.include({ relyingPartyId: 'r1' });
  });

  it('find a citizen by civil id and by registration number, either case', async () => {
    const { referenceData, asked } = open();
    await projected(await given(`citizen-${civilId}`, citizenEnrolled(civilId)));
    const found = { civilId, identity: bat };
    for (const number of [bat.registrationNumber, bat.registrationNumber.toUpperCase()]) {
      const byNumber = { type: 'registrationNumber', registrationNumber: number } as const;
      expect(await referenceData.citizen(byNumber)).to.deep.equal(found);
    }
    expect(await referenceData.citizen(byCivilId)).to.deep.equal(found);
    expect(asked).to.deep.equal(['ofRegistrationIndex', 'row']);
  });

  it('do not find a citizen by a registration number that is another meanwhile', async () => {
    const { referenceData, facts } = open();
    await projected(await given(`citizen-${civilId}`, citizenEnrolled(civilId)));
    const former = { type: 'registrationNumber', ...bat } as const;
    expect(await referenceData.citizen(former)).to.include({ civilId });
    await facts.start();
    await projector.stop();
    const identity = { ...bat, registrationNumber: 'бб90010112' };
    const updatedAt = '2026-01-02T00:00:00.000Z';
    await given(`citizen-${civilId}`, {
      type: 'IdentityUpdated',
      data: { civilId, identity, updatedAt },
    });
    await until(() => facts.isBehind('citizen', civilId));
    expect(await referenceData.citizen(former)).to.equal(null);
    expect(await referenceData.citizen(byCivilId)).to.deep.equal({ civilId, identity });
  });

  it('do not know a forgotten citizen', async () => {
    const { referenceData } = open();
    await projected(await given(`citizen-${civilId}`, citizenEnrolled(civilId)));
    const byNumber = { type: 'registrationNumber', ...bat } as const;
    expect(await referenceData.citizen(byNumber)).not.to.equal(null);
    await side.vault.forget(civilId);
    expect(await referenceData.citizen(byCivilId)).to.equal(null);
    expect(await referenceData.citizen(byNumber)).to.equal(null);
  });

  it('answer what was asked before, under any key, without the tables', async () => {
    const { referenceData, asked } = open();
    await projected(await given('relyingParty-r1', relyingPartyRegistered('r1')));
    for (let round = 0; round < 3; round += 1) {
      await referenceData.relyingPartyBySecretHash(sha256Hex('r1'));
      await referenceData.relyingParty('r1');
    }
    expect(asked).to.deep.equal(['ofSecret', 'row']);
  });

  it('share one read among questions asked at once', async () => {
    const { referenceData, asked } = open();
    await projected(await given('relyingParty-r1', relyingPartyRegistered('r1')));
    await Promise.all(Array.from({ length: 50 }, () => referenceData.relyingParty('r1')));
    expect(asked).to.deep.equal(['row']);
  });

  it('show what the log says although no projector runs, and remember it', async () => {
    const { referenceData, facts, asked } = open();
    await projected(await given('relyingParty-r1', relyingPartyRegistered('r1')));
    await facts.start();
    expect(await referenceData.relyingParty('r1')).to.include({ active: true });
    await projector.stop();
    await given('relyingParty-r1', rotated('ff'));
    await until(() => facts.isBehind('rp', 'r1'));
    asked.length = 0;
    for (let round = 0; round < 3; round += 1) {
      expect(await referenceData.relyingPartyBySecretHash(sha256Hex('r1'))).to.equal(null);
      const present = await referenceData.relyingPartyBySecretHash('ff');
      expect(present).to.include({ relyingPartyId: 'r1' });
    }
    expect(asked).not.to.include('row');
  });

  it('follow every event there is of their things, whatever its type', async () => {
    const { facts } = open();
    await projector.stop();
    await facts.start();
    for (const type of Object.keys(relyingPartyEvents.events)) {
      await given(`relyingParty-${type}`, { type, data: {} });
      await until(() => facts.isBehind('rp', type));
    }
  });

  it('know a client of the OpenID Connect provider by the log, until an event of it is seen', async () => {
    const { facts } = open();
    await projector.stop();
    await facts.start();
    const clientId = 'c1';
    const now = '2026-01-01T00:00:00.000Z';
    const registered = { ...clientSettings, clientId, relyingPartyId: 'r1', registeredAt: now };
    const data = { ...registered, secretHash: 'ff' };
    await given('oidcClient-c1', { type: 'OidcClientRegistered', data });
    await until(() => facts.isBehind('oidcClient', clientId));
    const known = await facts.get('oidcClient', clientId);
    expect(known).to.include({ status: 'ACTIVE', secretHash: 'ff' });
    expect(await facts.get('oidcClient', clientId)).to.equal(known);
    const ended = { type: 'OidcClientDeactivated', data: { clientId, deactivatedAt: now } };
    await given('oidcClient-c1', ended);
    await until(async () => (await facts.get('oidcClient', clientId))?.status === 'DEACTIVATED');
    expect(await facts.get('oidcClient', 'none')).to.equal(null);
  });

  it('read the tables again once they show the event', async () => {
    let reached: bigint | null = null;
    let look: () => void = () => undefined;
    const { facts } = open({
      ...neverStale,
      reached: () => reached,
      onLook: (listener) => {
        look = listener;
        return () => undefined;
      },
    });
    await facts.start();
    const position = await given('relyingParty-r1', relyingPartyRegistered('r1'));
    await until(() => facts.isBehind('rp', 'r1'));
    look();
    expect(facts.isBehind('rp', 'r1')).to.equal(true);
    reached = position;
    look();
    expect(facts.isBehind('rp', 'r1')).to.equal(false);
  });

  it('keep few marks that staleness tells as well, so that an outage does not fill the memory', async () => {
    let covers = true;
    const { facts } = open({ ...neverStale, covers: () => covers }, { mostMarks: 1 });
    await facts.start();
    const mark = async (id: string) => {
      await given(`relyingParty-${id}`, relyingPartyRegistered(id));
      await until(() => facts.isBehind('rp', id));
    };
    for (const id of ['r1', 'r2', 'r3']) await mark(id);
    expect(facts.isBehind('rp', 'r1')).to.equal(true);
    covers = false;
    await mark('r4');
    expect(['r1', 'r2', 'r3'].filter((id) => facts.isBehind('rp', id))).to.deep.equal([]);
  });

  it('are read from the log each time while a stale read model is all there is and the log is not followed', async () => {
    let isStale = false;
    const { referenceData, facts, asked } = open({ ...neverStale, isStale: () => isStale });
    await projected(await given('relyingParty-r1', relyingPartyRegistered('r1')));
    expect(await referenceData.relyingParty('r1')).to.include({ active: true });
    await projector.stop();
    await given('relyingParty-r1', {
      type: 'RelyingPartyDeactivated',
      data: { relyingPartyId: 'r1', deactivatedAt: '2026-01-02T00:00:00.000Z' },
    });
    expect(await referenceData.relyingParty('r1')).to.include({ active: true });
    isStale = true;
    expect(await referenceData.relyingParty('r1')).to.include({ active: false });
    await given('relyingParty-r1', {
      type: 'RelyingPartyReactivated',
      data: { relyingPartyId: 'r1', reactivatedAt: '2026-01-03T00:00:00.000Z' },
    });
    expect(await referenceData.relyingParty('r1')).to.include({ active: true });
    // Followed from here on: what was read before may have missed an event.
    await given('relyingParty-r1', {
      type: 'RelyingPartyDeactivated',
      data: { relyingPartyId: 'r1', deactivatedAt: '2026-01-04T00:00:00.000Z' },
    });
    await facts.start();
    expect(await referenceData.relyingParty('r1')).to.include({ active: false });
    expect(asked).to.deep.equal(['row']);
    const unknown = referenceData.relyingPartyBySecretHash('00');
    expect(await rejection(unknown)).to.include({ dependency: 'readModels' });
  });

  it('are read again after announcements may have been missed', async () => {
    const { referenceData, asked } = open();
    await projected(await given('relyingParty-r1', relyingPartyRegistered('r1')));
    await referenceData.relyingParty('r1');
    notifications.notifyAll();
    await referenceData.relyingParty('r1');
    expect(asked).to.deep.equal(['row', 'row']);
  });

  it('hold a phone once, whatever it was asked by', async () => {
    await givenPhone();
    const { referenceData, asked } = open();
    for (let round = 0; round < 3; round += 1) {
      await referenceData.citizen(byCivilId);
      await referenceData.activeDevicesOf(civilId);
      await referenceData.device('d1');
      await referenceData.certificate('0a');
    }
    expect(asked).to.deep.equal(['row', 'activeDevices', 'row', 'row', 'row']);
  });

  it('do not know the certificate of a forgotten citizen', async () => {
    await givenPhone();
    const { referenceData } = open();
    expect(await referenceData.certificate('0a')).to.include({ certificate: exampleCertificate });
    await side.vault.forget(civilId);
    expect(await referenceData.certificate('0a')).to.include({ serial: '0a', certificate: null });
  });

  it('show a device that appeared after none was found, and the next', async () => {
    const { referenceData } = open();
    expect(await referenceData.activeDevicesOf(civilId)).to.deep.equal([]);
    await givenPhone();
    const [device] = await referenceData.activeDevicesOf(civilId);
    expect(device).to.include({ documentNumber: 'd1', active: true, pushToken: 'token' });
    expect(device?.signing).to.include({
      serial: '0a',
      status: 'VALID',
      certificate: exampleCertificate,
    });

    const later = { enrolledAt: '2026-02-01T00:00:00.000Z' };
    await projected(await given('device-d2', deviceEnrolled('d2', later)));
    const devices = await referenceData.activeDevicesOf(civilId);
    expect(devices.map(({ documentNumber }) => documentNumber)).to.deep.equal(['d2', 'd1']);
  });

  for (const how of ['projected', 'seen in the log']) {
    it(`end with a revoked certificate and a deactivated device, once ${how}`, async () => {
      await givenPhone();
      const { referenceData, facts } = open();
      expect(await referenceData.activeDevicesOf(civilId)).to.have.length(1);
      const isSeen = how !== 'projected';
      if (isSeen) {
        await facts.start();
        await projector.stop();
      }
      const revocation = await given('certificate-0a', revoked);
      if (isSeen) await until(() => facts.isBehind('certificate', '0a'));
      else await projected(revocation);
      expect((await referenceData.device('d1'))?.signing.status).to.equal('REVOKED');
      const [device] = await referenceData.activeDevicesOf(civilId);
      expect(device?.signing.status).to.equal('REVOKED');
      const end = await given('device-d1', deactivated);
      if (isSeen) await until(() => facts.isBehind('device', 'd1'));
      else await projected(end);
      expect((await referenceData.device('d1'))?.active).to.equal(false);
      expect(await referenceData.activeDevicesOf(civilId)).to.deep.equal([]);
    });
  }

  it('keep no answer that changed while it was being read', async () => {
    await givenPhone();
    let release: (() => void) | undefined;
    const { referenceData } = openFacts(side, {
      notifications,
      around: (rows) => ({
        ...rows,
        row: async (...parameters) => {
          const row = await rows.row<never>(...parameters);
          if (release === undefined) await new Promise<void>((resolve) => (release = resolve));
          return row;
        },
      }),
    });
    const reading = referenceData.certificate('0a');
    await until(() => release !== undefined);
    await projected(await given('certificate-0a', revoked));
    release?.();
    expect((await reading)?.status).to.equal('VALID');
    expect((await referenceData.certificate('0a'))?.status).to.equal('REVOKED');
  });

  it('say that the database is unavailable while it is', async () => {
    const away = createDatabase<Database>(
      createPool({ url: 'postgres://nobody@127.0.0.1:1/none' }),
    );
    const { referenceData } = openFacts({ ...side, database: away });
    expect(await rejection(referenceData.device('d1'))).to.include({ dependency: 'database' });
    await away.destroy();
  });
});
