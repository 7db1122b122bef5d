import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import type { ReferenceData } from '../../application/ports/referenceData.ts';
import { createCachedReferenceData } from '../../infrastructure/postgres/cachedReferenceData.ts';
import { createPool, createDatabase } from '../../infrastructure/postgres/pool.ts';
import {
  createNotificationHub,
  type NotificationHub,
} from '../../infrastructure/postgres/notifications.ts';
import type { Database } from '../../projections/database.ts';
import { createReferenceData } from '../../projections/referenceData.ts';
import type { Projector } from '../../projections/engine/projector.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import {
  bat,
  certificateIssued,
  certificateRequested,
  citizenEnrolled,
  deviceEnrolled,
  recordable,
  relyingPartyRegistered,
  exampleCertificate,
} from '../support/events/exampleEvents.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

const civilId = '100000000001';

describe('Cached reference data', () => {
  let side: ReadSide;
  let notifications: NotificationHub;
  let projector: Projector;
  let asked: string[];
  let referenceData: ReferenceData;

  beforeEach(async () => {
    side = await openReadSide();
    notifications = createNotificationHub();
    projector = side.projector({ notifications });
    projector.start();
    asked = [];
    const counting = new Proxy(createReferenceData(side.database, side.vault), {
      get(target, name: keyof ReferenceData) {
        asked.push(name);
        return target[name];
      },
    });
    referenceData = createCachedReferenceData({
      referenceData: counting,
      feed: notifications,
      vault: side.vault,
    });
  });

  afterEach(() => side.close());

  async function given(stream: string, ...events: DomainEvent[]) {
    const { position } = await side.eventStore.append(
      stream,
      events.map((event) => recordable(event)),
      'any',
    );
    await projector.untilProjected(position);
  }

  async function givenPhone() {
    await given(`citizen-${civilId}`, citizenEnrolled(civilId));
    await given('certificate-0a', certificateRequested('0a'), certificateIssued('0a'));
    await given(
      'certificate-0b',
      certificateRequested('0b', { type: 'AUTH' }),
      certificateIssued('0b'),
    );
    await given('device-d1', deviceEnrolled('d1'));
  }

  it('find a relying party by its secret until the secret is rotated', async () => {
    await given('relyingParty-r1', relyingPartyRegistered('r1', { smartIdStatuses: true }));
    const found = await referenceData.relyingPartyBySecretHash(sha256Hex('r1'));
    expect(found).to.include({
      relyingPartyId: 'r1',
      active: true,
      requestsPerMinute: 600,
      smartIdStatuses: true,
    });

    await given('relyingParty-r1', {
      type: 'SecretRotated',
      data: { relyingPartyId: 'r1', secretHash: 'ff', rotatedAt: '2026-01-01T00:00:00.000Z' },
    });
    expect(await referenceData.relyingPartyBySecretHash(sha256Hex('r1'))).to.equal(null);
    expect(await referenceData.relyingPartyBySecretHash('ff')).to.include({ relyingPartyId: 'r1' });
  });

  it('answer repeated questions from memory', async () => {
    await givenPhone();
    for (let round = 0; round < 3; round += 1) {
      await referenceData.citizen({ type: 'civilId', civilId });
      await referenceData.activeDevicesOf(civilId);
      await referenceData.device('d1');
      await referenceData.certificate('0a');
    }
    expect(asked).to.deep.equal(['citizen', 'activeDevicesOf', 'device', 'certificate']);
  });

  it('share one query among questions asked at once', async () => {
    await givenPhone();
    await Promise.all(Array.from({ length: 50 }, () => referenceData.device('d1')));
    expect(asked).to.deep.equal(['device']);
  });

  it('find a citizen by civil id and by registration number, either case', async () => {
    await givenPhone();
    expect(await referenceData.citizen({ type: 'civilId', civilId })).to.deep.equal({
      civilId,
      identity: bat,
    });
    const registrationNumber = bat.registrationNumber.toUpperCase();
    expect(
      await referenceData.citizen({ type: 'registrationNumber', registrationNumber }),
    ).to.deep.equal({
      civilId,
      identity: bat,
    });
  });

  it('do not know a forgotten citizen, nor the certificate itself', async () => {
    await givenPhone();
    expect(await referenceData.citizen({ type: 'civilId', civilId })).not.to.equal(null);
    await side.vault.forget(civilId);
    expect(await referenceData.citizen({ type: 'civilId', civilId })).to.equal(null);
    expect(await referenceData.certificate('0a')).to.include({ serial: '0a', certificate: null });
  });

  it('show a device that appeared after none was found', async () => {
    expect(await referenceData.activeDevicesOf(civilId)).to.deep.equal([]);
    await givenPhone();
    const [device] = await referenceData.activeDevicesOf(civilId);
    expect(device).to.include({ documentNumber: 'd1', active: true, pushToken: 'token' });
    expect(device?.signing).to.include({
      serial: '0a',
      status: 'VALID',
      certificate: exampleCertificate,
    });

    await given('device-d2', deviceEnrolled('d2', { enrolledAt: '2026-02-01T00:00:00.000Z' }));
    const devices = await referenceData.activeDevicesOf(civilId);
    expect(devices.map(({ documentNumber }) => documentNumber)).to.deep.equal(['d2', 'd1']);
  });

  it('drop what they remembered when a device is deactivated or a certificate revoked', async () => {
    await givenPhone();
    expect(await referenceData.activeDevicesOf(civilId)).to.have.length(1);
    await given('certificate-0a', {
      type: 'CertificateRevoked',
      data: { serial: '0a', reason: 4, revokedAt: '2026-01-02T00:00:00.000Z' },
    });
    expect((await referenceData.device('d1'))?.signing.status).to.equal('REVOKED');
    expect((await referenceData.activeDevicesOf(civilId))[0]?.signing.status).to.equal('REVOKED');
    await given('device-d1', {
      type: 'DeviceDeactivated',
      data: { documentNumber: 'd1', reason: 4, deactivatedAt: '2026-01-03T00:00:00.000Z' },
    });
    expect((await referenceData.device('d1'))?.active).to.equal(false);
    expect(await referenceData.activeDevicesOf(civilId)).to.deep.equal([]);
  });

  it('ask again for everything after announcements may have been missed', async () => {
    await givenPhone();
    await referenceData.device('d1');
    notifications.notifyAll();
    await referenceData.device('d1');
    expect(asked).to.deep.equal(['device', 'device']);
  });

  it('do not keep an answer that was changed while it was being read', async () => {
    await givenPhone();
    const stale = await createReferenceData(side.database, side.vault).device('d1');
    let release: () => void = () => undefined;
    const slow = createCachedReferenceData({
      referenceData: {
        ...createReferenceData(side.database, side.vault),
        device: (documentNumber) =>
          release === first
            ? new Promise((resolve) => (release = () => resolve(stale)))
            : createReferenceData(side.database, side.vault).device(documentNumber),
      },
      feed: notifications,
      vault: side.vault,
    });
    const first = release;
    const reading = slow.device('d1');
    await given('device-d1', {
      type: 'DeviceDeactivated',
      data: { documentNumber: 'd1', reason: 4, deactivatedAt: '2026-01-03T00:00:00.000Z' },
    });
    release();
    expect((await reading)?.active).to.equal(true);
    expect((await slow.device('d1'))?.active).to.equal(false);
  });

  it('say that the database is unavailable while it is', async () => {
    const pool = createPool({ url: 'postgres://nobody@127.0.0.1:1/none' });
    const away = createDatabase<Database>(pool);
    const unreachable = createCachedReferenceData({
      referenceData: createReferenceData(away, side.vault),
      feed: notifications,
      vault: side.vault,
    });
    const failure = await unreachable.device('d1').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Unavailable).and.include({ dependency: 'database' });
    await away.destroy();
  });
});
