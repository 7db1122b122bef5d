import { expect } from 'chai';
import { sql } from 'kysely';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { createNotificationHub } from '../../infrastructure/postgres/notifications.ts';
import {
  createCertificateStatuses,
  createCurrentStatuses,
} from '../../projections/certificates.ts';
import type { Projector } from '../../projections/engine/projector.ts';
import { createStalenessWatch } from '../../projections/engine/staleness.ts';
import { createLoggedRow } from '../../projections/engine/loggedRow.ts';
import { createParkedRows } from '../../projections/parkedRows.ts';
import { readModels } from '../../projections/readModels.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';
import {
  certificateIssued,
  certificateRequested,
  deviceEnrolled,
  recordable,
  relyingPartyRegistered,
} from '../support/events/exampleEvents.ts';
import { openFacts } from '../support/events/openFacts.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

const phone = 'd0000000-0000-4000-8000-000000000001';
const [bank, shop] = ['bank', 'shop'];
const at = '2026-02-01T00:00:00.000Z';

describe('Facts of which an event is parked', () => {
  let side: ReadSide;
  let projector: Projector;
  let stops: (() => Promise<void>)[];

  beforeEach(async () => {
    side = await openReadSide();
    stops = [];
    projector = side.projector();
    projector.start();
    for (const [serial, type] of [
      ['0a', 'SIGN'],
      ['0b', 'AUTH'],
      ['0c', 'SIGN'],
    ] as const) {
      const requested = certificateRequested(serial, { type });
      await given(`certificate-${serial}`, requested, certificateIssued(serial));
    }
    await given(`device-${phone}`, deviceEnrolled(phone));
    for (const id of [bank, shop]) await given(`relyingParty-${id}`, relyingPartyRegistered(id));
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
  });

  afterEach(async () => {
    await Promise.all(stops.map((stop) => stop()));
    await side.close();
  });

  const given = (stream: string, ...events: readonly { type: string; data: object }[]) =>
    side.eventStore.append(
      stream,
      events.map((event) => recordable(event as never)),
      'any',
    );

  /** Makes every change of a table fail, which is no outage. */
  const broken = (table: string) =>
    sql
      .raw(
        `create or replace function fail() returns trigger language plpgsql as
           $$ begin raise exception 'broken' using errcode = '22000'; end $$;
         create trigger broken before insert or update on ${table} for each row execute function fail()`,
      )
      .execute(side.database);

  async function parks(count: number): Promise<void> {
    await until(() => side.parked.length === count);
  }

  /** A process that sees in the log what comes from now on. */
  async function started() {
    const { database, eventStore, vault } = side;
    const notifications = createNotificationHub();
    const staleness = createStalenessWatch({
      database,
      eventStore,
      names: readModels.map(({ name }) => name),
      findProjectors: () => Promise.resolve(['host:1']),
      maxMs: 60_000,
      everyMs: 5,
    });
    const { facts, referenceData, failures } = openFacts(side, { staleness, notifications });
    await staleness.start();
    await facts.start();
    stops.push(staleness.stop, facts.stop);
    const names = ['certificates', 'devices', 'relyingParties', 'citizens'];
    await until(() => names.every((name) => !staleness.isStale(name)));
    const { statuses } = createCurrentStatuses(createCertificateStatuses(database), {
      isBehind: (serial) => facts.isBehind('certificate', serial),
      logged: createLoggedRow(eventStore, vault),
      staleness,
    });
    return {
      ...referenceData,
      staleness,
      facts,
      failures,
      notifications,
      /** Answers of OCSP. */
      ocsp: async (...serials: readonly string[]) =>
        Object.fromEntries(
          (await statuses(serials)).map((status) => [
            status.serial,
            'unavailable' in status ? 'tryLater' : (status.revocation?.reason ?? 'good'),
          ]),
        ),
    };
  }

  const unavailable = async (asked: Promise<unknown>) =>
    expect(await rejection(asked)).to.include({ dependency: 'readModels' });

  /** A revocation that no release can fold. */
  const poison = { type: 'CertificateRevoked', data: { serial: '0a', revokedAt: at } };

  for (const follows of [true, false]) {
    const which = follows ? 'a process that saw it' : 'one that started later';

    it(`a revocation that cannot be read: neither good nor used by ${which}, others are`, async () => {
      const before = follows ? await started() : null;
      await given('certificate-0a', poison);
      await parks(1);
      const service = before ?? (await started());
      await until(() => service.staleness.parked('certificates').size > 0);

      expect(await service.ocsp('0a', '0c')).to.deep.equal({ '0a': 'tryLater', '0c': 'good' });
      await unavailable(service.certificate('0a'));
      await unavailable(service.device(phone));
      await unavailable(service.activeDevicesOf('100000000001'));
      expect(await service.certificate('0c')).to.include({ status: 'VALID' });
      expect(await service.relyingParty(bank)).to.include({ active: true });
    });

    it(`rows that cannot be written: told from the log by ${which}, until they are`, async () => {
      const before = follows ? await started() : null;
      for (const table of ['certificate_view', 'device_view', 'relying_party_view']) {
        await broken(table);
      }
      await given('certificate-0a', {
        type: 'CertificateRevoked',
        data: { ...poison.data, reason: 1 },
      });
      await given(`device-${phone}`, {
        type: 'DeviceDeactivated',
        data: { documentNumber: phone, reason: 4, deactivatedAt: at },
      });
      await given(`relyingParty-${bank}`, {
        type: 'SecretRotated',
        data: { relyingPartyId: bank, secretHash: sha256Hex('new'), rotatedAt: at },
      });
      await parks(3);
      const service = before ?? (await started());
      await until(() => service.staleness.parked('relyingParties').size > 0);

      const answers = async () => ({
        ...(await service.ocsp('0a', '0c')),
        phone: (await service.device(phone))?.active,
        phones: await service.activeDevicesOf('100000000001').catch(String),
        former: await service.relyingPartyBySecretHash(sha256Hex(bank)).catch(String),
        other: (await service.relyingPartyBySecretHash(sha256Hex(shop)))?.relyingPartyId,
      });
      const right = { '0a': 1, '0c': 'good', phone: false, other: shop };
      expect(await answers()).to.deep.equal({ ...right, phones: [], former: null });
      const present = service.relyingPartyBySecretHash(sha256Hex('new'));
      if (follows) expect(await present).to.include({ relyingPartyId: bank });
      else await unavailable(present);
      await unavailable(service.relyingPartyBySecretHash(sha256Hex('unknown')));

      for (const table of ['certificate_view', 'device_view', 'relying_party_view']) {
        await sql.raw(`drop trigger broken on ${table}`).execute(side.database);
      }
      await createParkedRows(side.database).retry();
      const { staleness } = service;
      await until(() =>
        ['certificates', 'devices', 'relyingParties'].every((name) => !staleness.parked(name).size),
      );
      expect(await answers()).to.deep.equal({ ...right, phones: [], former: null });
      expect(await service.relyingPartyBySecretHash(sha256Hex('unknown'))).to.equal(null);
    });
  }

  it('an event that cannot be decoded counts by its type before it is parked, and following goes on', async () => {
    const service = await started();
    await projector.stop();
    await given('certificate-0a', poison);
    await given('certificate-0c', {
      type: 'CertificateRevoked',
      data: { ...poison.data, serial: '0c', reason: 4 },
    });
    await until(() => service.facts.isBehind('certificate', '0c'));
    expect(await service.ocsp('0a', '0b', '0c')).to.deep.equal({
      '0a': 'tryLater',
      '0b': 'good',
      '0c': 4,
    });
    expect(service.failures).to.deep.equal([]);
  });

  it('announces what is parked, so that nothing remembered of it is answered', async () => {
    const service = await started();
    const heard = new Set<string>();
    service.notifications.subscribe(['certificate', 'citizen', 'device', 'rp'], (topics) => {
      for (const topic of topics === 'all' ? [] : topics) heard.add(topic);
    });
    await given('certificate-0a', poison);
    await until(() => heard.has('certificate:0a'));
    expect([...heard]).to.deep.equal(['certificate:0a']);
  });
});
