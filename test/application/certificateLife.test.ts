import { expect } from 'chai';
import { createCertificates, createDevices } from '../../application/aggregates.ts';
import {
  createCertificateRevokingReactor,
  createDeviceEndingReactor,
  endDevice,
  endIdentity,
  reinstateCertificate,
  revokeCertificate,
} from '../../application/certificate/revocation.ts';
import { createGivingUp } from '../../application/reactors/giveUpAbandonedRequests.ts';
import type { Reactor } from '../../application/reactors/reactor.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { createLeaderLock } from '../../infrastructure/postgres/leaderLock.ts';
import { createCertificateLists } from '../../projections/certificates.ts';
import { createCheckpoints } from '../../projections/engine/checkpoints.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  certificateIssued,
  certificateRequested,
  deviceEnrolled,
  recordable,
} from '../support/events/exampleEvents.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { createMemoryDeadLetters } from '../support/doubles/memoryDeadLetters.ts';
import { systemRandomness } from '../../infrastructure/system.ts';
import { causedBy } from '../support/given/inMemory.ts';

const civilId = '100000000001';
const now = new Date('2026-11-20T12:00:00.000Z');

describe('The life of a certificate', () => {
  let side: ReadSide;
  let reactors: Reactor[];

  beforeEach(async () => {
    side = await openReadSide();
    reactors = [];
  });

  afterEach(async () => {
    await Promise.all(reactors.map((each) => each.stop()));
    await side.close();
  });

  const context = causedBy('operator', 'test');

  function ending() {
    const clock = { now: () => now };
    const stores = { eventStore: side.eventStore, clock, randomness: systemRandomness };
    return { devices: createDevices(stores), certificates: createCertificates(stores), clock };
  }

  async function given(stream: string, ...events: readonly DomainEvent[]) {
    const recorded = events.map((event) => recordable(event));
    await side.eventStore.append(stream, recorded, 'any');
  }

  const holder = (documentNumber: string) =>
    ({ kind: 'citizen', civilId, documentNumber }) as const;

  async function issued(serial: string, documentNumber: string) {
    const requested = certificateRequested(serial, { holder: holder(documentNumber) });
    await given(`certificate-${serial}`, requested, certificateIssued(serial, civilId));
  }

  /** An enrolled phone with certificates `<name>a` and `<name>b`. */
  async function phone(name: string) {
    await issued(`${name}a`, name);
    await issued(`${name}b`, name);
    const serials = { authenticationSerial: `${name}a`, signingSerial: `${name}b` };
    await given(`device-${name}`, deviceEnrolled(name, { civilId, ...serials }));
  }

  /** Events after enrolment: stream, event, reason. */
  const happened = () =>
    side.eventStore.events.flatMap(({ stream, event: { type, data } }) =>
      'reason' in data ? [`${stream} ${type} ${String(data.reason)}`] : [],
    );

  function startReactors() {
    const dependencies = {
      ...ending(),
      eventStore: side.eventStore,
      checkpoints: createCheckpoints(side.database),
      deadLetters: createMemoryDeadLetters(),
      leaderLock: createLeaderLock({ url: side.url, pollMs: 20 }),
      onFailure: (name: string, cause: unknown) =>
        side.failures.push({ name, cause, eventId: null }),
    };
    reactors = [
      createDeviceEndingReactor(dependencies),
      createCertificateRevokingReactor(dependencies),
    ];
    for (const reactor of reactors) reactor.start();
  }

  const wholePhone = (name: string, reason: number) => [
    `certificate-${name}a CertificateRevoked ${reason}`,
    `certificate-${name}b CertificateRevoked ${reason}`,
    `device-${name} DeviceDeactivated ${reason}`,
  ];

  it('ends with its phone and all that is on it, and nothing else', async () => {
    await phone('d1');
    await phone('d2');
    await revokeCertificate(ending(), 'D1:A', 3, context);
    expect(happened().sort()).to.deep.equal(wholePhone('d1', 3));
    expect(await revokeCertificate(ending(), 'd1b', 1, context)).to.equal(null);
    expect(happened()).to.have.length(3);
  });

  it('ends when its phone is deactivated', async () => {
    await phone('d1');
    await endDevice(ending(), 'd1', 1, context);
    expect(happened().sort()).to.deep.equal(wholePhone('d1', 1));
    expect(await endDevice(ending(), 'd1', 1, context)).to.equal(null);
    const refused = await rejection(endDevice(ending(), 'nobody', 1, context));
    expect(refused).to.have.property('code', 'DOCUMENT_NOT_FOUND');
  });

  it('is put on hold without touching the phone, and taken back', async () => {
    await phone('d1');
    await revokeCertificate(ending(), 'd1a', 6, context);
    const { state } = await ending().certificates.load('d1a');
    expect(state.status).to.equal('SUSPENDED');
    expect((await ending().devices.load('d1')).state.status).to.equal('ACTIVE');
    await reinstateCertificate(ending(), 'd1a', context);
    expect((await ending().certificates.load('d1a')).state.status).to.equal('ISSUED');
    expect(happened()).to.deep.equal([]);
  });

  it('is revoked with an incomplete enrolment that created no phone', async () => {
    await issued('d1a', 'd1');
    await revokeCertificate(ending(), 'd1a', 1, context);
    expect(happened()).to.deep.equal(['certificate-d1a CertificateRevoked 1']);
  });

  it('leaves the phone alone when another certificate had taken its place', async () => {
    await phone('d1');
    const { certificates } = ending();
    const superseded = { type: 'SupersedeCertificate', by: 'd1c', now: now.toISOString() } as const;
    await certificates.handle('d1a', superseded, context);
    await revokeCertificate(ending(), 'd1a', 4, context);
    startReactors();
    await phone('d2');
    await revokeCertificate(ending(), 'd2a', 1, context);
    await eventually(() =>
      expect(reactors.map((each) => each.status().position)).to.not.include(null),
    );
    expect(happened().filter((line) => line.includes('d1'))).to.deep.equal([
      'certificate-d1a CertificateRevoked 4',
    ]);
  });

  for (const [step, first] of [
    [
      'the certificate was revoked',
      { stream: 'certificate-d1a', type: 'CertificateRevoked', serial: 'd1a' },
    ],
    [
      'the phone was deactivated',
      { stream: 'device-d1', type: 'DeviceDeactivated', documentNumber: 'd1' },
    ],
  ] as const) {
    it(`ends completely when the process was killed after ${step}`, async () => {
      await phone('d1');
      const { stream, type, ...names } = first;
      const at = { revokedAt: now.toISOString(), deactivatedAt: now.toISOString() };
      const { revokedAt, deactivatedAt } = at;
      const data =
        type === 'CertificateRevoked'
          ? { ...names, reason: 1, revokedAt }
          : { ...names, reason: 1, deactivatedAt };
      await given(stream, { type, data });
      expect(happened()).to.have.length(1);
      startReactors();
      await eventually(() => expect(happened().sort()).to.deep.equal(wholePhone('d1', 1)));
      // A restart finds nothing more to do.
      await Promise.all(reactors.map((each) => each.stop()));
      startReactors();
      await phone('d2');
      await endDevice(ending(), 'd2', 5, context);
      await eventually(async () => {
        const head = await side.eventStore.head();
        expect(reactors.map((each) => each.status().position)).to.include(head);
      });
      expect(happened()).to.have.length(6);
      expect(side.failures).to.deep.equal([]);
    });
  }

  it('ends a phone that was enrolled with a certificate revoked meanwhile', async () => {
    startReactors();
    await issued('d1a', 'd1');
    await issued('d1b', 'd1');
    await revokeCertificate(ending(), 'd1b', 9, context);
    const serials = { authenticationSerial: 'd1a', signingSerial: 'd1b' };
    await given('device-d1', deviceEnrolled('d1', { civilId, ...serials }));
    await eventually(() => expect(happened().sort()).to.deep.equal(wholePhone('d1', 9)));
  });

  it('ends with the person: phones, certificates and requests', async () => {
    side.projector().start();
    await phone('d1');
    await issued('d2a', 'd2');
    await given('certificate-d2b', certificateRequested('d2b', { holder: holder('d2') }));
    const lists = createCertificateLists(side.database);
    await endIdentity(
      {
        ...ending(),
        holdings: lists,
        eventStore: side.eventStore,
        progress: {
          untilProjected: () =>
            eventually(async () => {
              expect(await lists.openCertificatesOf(civilId)).to.have.length(4);
              expect(await lists.activeDocumentNumbersOf(civilId)).to.have.length(1);
            }),
        },
      },
      civilId,
      context,
    );
    expect(happened().sort()).to.deep.equal(
      [
        ...wholePhone('d1', 5),
        'certificate-d2a CertificateRevoked 5',
        'certificate-d2b CertificateRevoked 5',
      ].sort(),
    );
  });

  it('is given up when a citizen did not finish the enrolment within a day', async () => {
    side.projector().start();
    const day = 24 * 3_600_000;
    const asked = (serial: string, ago: number, data = {}) => {
      const notBefore = new Date(now.getTime() - ago).toISOString();
      return given(`certificate-${serial}`, certificateRequested(serial, { notBefore, ...data }));
    };
    await asked('0a', day + 1000);
    await asked('0b', day - 1000);
    const service = { kind: 'service', purpose: 'TSA' } as const;
    await asked('0c', 2 * day, { holder: service, type: 'TSA', level: null });
    const lists = createCertificateLists(side.database);
    reactors = [
      createGivingUp({
        ...ending(),
        requests: lists,
        leaderLock: createLeaderLock({ url: side.url, pollMs: 20 }),
        onFailure: (name, cause) => side.failures.push({ name, cause, eventId: null }),
        everyMs: 20,
      }),
    ];
    for (const reactor of reactors) reactor.start();
    await eventually(async () => {
      const [given] = await lists
        .certificates({}, now, 10)
        .then((all) => all.filter(({ serial }) => serial === '0a'));
      expect(given).to.include({ status: 'REVOKED', reason: 5 });
    });
    expect(happened()).to.deep.equal(['certificate-0a CertificateRevoked 5']);
    expect(side.failures).to.deep.equal([]);
  });

  it('is listed with its holder and its status, expired by the clock alone', async () => {
    side.projector().start();
    await phone('d1');
    const service = { kind: 'service', purpose: 'TSA' } as const;
    const requested = { holder: service, type: 'TSA', level: null } as const;
    await given(
      'certificate-0c',
      certificateRequested('0c', { ...requested, notAfter: '2026-11-01T00:00:00.000Z' }),
      { ...certificateIssued('0c'), data: { ...certificateIssued('0c').data, civilId: null } },
    );
    const lists = createCertificateLists(side.database);
    await eventually(async () => {
      expect(await lists.certificates({}, now, 10)).to.have.length(3);
    });
    await revokeCertificate(ending(), 'd1a', 6, context);
    await eventually(async () => {
      const [held] = await lists.certificates({ documentNumber: 'd1' }, now, 1);
      expect(held).to.include({ serial: 'd1a', status: 'SUSPENDED', reason: 6 });
      expect(held?.holder).to.deep.equal(holder('d1'));
      expect(held?.revokedAt).to.equal(now.toISOString());
    });
    const [own, ...others] = await lists.certificates({ holderKind: 'service' }, now, 10);
    expect(own).to.deep.include({ serial: '0c', status: 'EXPIRED', holder: service, reason: null });
    expect(others).to.deep.equal([]);
    expect(await lists.certificates({ civilId }, now, 10)).to.have.length(2);
  });
});
