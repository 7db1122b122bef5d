import { certificateDecider } from '../../domain/certificate/certificate.ts';
import type { CertificateEvent } from '../../domain/certificate/events.ts';
import { deviceDecider } from '../../domain/device/device.ts';
import type { DeviceEvent } from '../../domain/device/events.ts';
import { given } from '../support/assertions/deciderSpecification.ts';

const now = '2026-01-01T00:00:00.000Z';

describe('A device', () => {
  const device = given(deviceDecider);
  const enrolled: Extract<DeviceEvent, { type: 'DeviceEnrolled' }> = {
    type: 'DeviceEnrolled',
    data: {
      documentNumber: 'd1',
      civilId: '110000000001',
      platform: 'APNS',
      pushToken: null,
      transportKey: 'AA==',
      authenticationSerial: '01',
      signingSerial: '02',
      enrolledAt: now,
    },
  };
  const deactivated: DeviceEvent = {
    type: 'DeviceDeactivated',
    data: { documentNumber: 'd1', reason: 1, deactivatedAt: now },
  };

  it('is enrolled once', () => {
    device([]).when({ type: 'EnrolDevice', enrolled: enrolled.data }).then([enrolled]);
    device([enrolled]).when({ type: 'EnrolDevice', enrolled: enrolled.data }).then([]);
  });

  it('c7: knows its locked PINs, each once', () => {
    const command = { type: 'LockPin', pin: 'PIN2', now } as const;
    const locked: DeviceEvent = {
      type: 'DevicePinLocked',
      data: { documentNumber: 'd1', pin: 'PIN2', lockedAt: now },
    };
    device([]).when(command).thenRefuses('DOCUMENT_NOT_FOUND');
    device([enrolled]).when(command).then([locked]);
    device([enrolled, locked]).when(command).then([]);
    device([enrolled, locked, deactivated]).when(command).then([]);
  });

  it('is deactivated once, and only when it exists', () => {
    const command = { type: 'DeactivateDevice', reason: 1, now } as const;
    device([]).when(command).thenRefuses('DOCUMENT_NOT_FOUND');
    device([enrolled]).when(command).then([deactivated]);
    device([enrolled, deactivated]).when(command).then([]);
    for (const reason of [6, 7, 8, 11]) {
      device([enrolled])
        .when({ ...command, reason })
        .thenRefuses('REVOCATION_REASON_INVALID');
    }
  });
});

describe('A certificate', () => {
  const certificate = given(certificateDecider);
  const requested: Extract<CertificateEvent, { type: 'CertificateRequested' }> = {
    type: 'CertificateRequested',
    data: {
      serial: '0a',
      type: 'AUTH',
      level: 'QUALIFIED',
      keyType: 'P-256',
      keyLabel: null,
      holder: { kind: 'citizen', civilId: '110000000001', documentNumber: 'd1' },
      authority: 'personal',
      issuer: 'CN=CA',
      publicKey: 'AA==',
      notBefore: now,
      notAfter: '2029-01-01T00:00:00.000Z',
      requestedAt: now,
    },
  };
  const issued: Extract<CertificateEvent, { type: 'CertificateIssued' }> = {
    type: 'CertificateIssued',
    data: {
      serial: '0a',
      civilId: '110000000001',
      certificate: 'AA==',
      fingerprint: 'ff',
      issuedAt: now,
    },
  };
  const revoked: CertificateEvent = {
    type: 'CertificateRevoked',
    data: { serial: '0a', reason: 1, revokedAt: now },
  };
  const revoke = { type: 'RevokeCertificate', reason: 1, now } as const;

  it('is requested before it is issued, and issued once', () => {
    certificate([]).when({ type: 'RecordIssued', issued: issued.data }).thenRefuses('CONFLICT');
    certificate([])
      .when({ type: 'RequestCertificate', requested: requested.data })
      .then([requested]);
    certificate([requested])
      .when({ type: 'RequestCertificate', requested: requested.data })
      .thenRefuses('CONFLICT');
    certificate([requested]).when({ type: 'RecordIssued', issued: issued.data }).then([issued]);
    certificate([requested, issued]).when({ type: 'RecordIssued', issued: issued.data }).then([]);
  });

  it('is revoked once, and only after it was issued', () => {
    certificate([]).when(revoke).thenRefuses('CERTIFICATE_NOT_FOUND');
    certificate([requested]).when(revoke).thenRefuses('CERTIFICATE_NOT_ACTIVE');
    certificate([requested, issued]).when(revoke).then([revoked]);
    certificate([requested, issued, revoked]).when(revoke).then([]);
    certificate([requested, issued, revoked])
      .when({ ...revoke, reason: 4 })
      .then([]);
  });

  it('is revoked for the reasons of RFC 5280 alone', () => {
    for (const reason of [0, 1, 2, 3, 4, 5, 9, 10]) {
      const data = { serial: '0a', reason, revokedAt: now };
      certificate([requested, issued])
        .when({ ...revoke, reason })
        .then([{ type: 'CertificateRevoked', data }]);
    }
    for (const reason of [7, 8, 11, -1, 1.5, Number.NaN]) {
      const command = { ...revoke, reason };
      certificate([requested, issued]).when(command).thenRefuses('REVOCATION_REASON_INVALID');
      certificate([requested, issued, revoked])
        .when(command)
        .thenRefuses('REVOCATION_REASON_INVALID');
    }
  });

  const suspended: CertificateEvent = {
    type: 'CertificateSuspended',
    data: { serial: '0a', suspendedAt: now },
  };
  const later = '2026-02-01T00:00:00.000Z';
  const reinstated: CertificateEvent = {
    type: 'CertificateReinstated',
    data: { serial: '0a', reinstatedAt: later },
  };
  const hold = { ...revoke, reason: 6 };
  const reinstate = { type: 'ReinstateCertificate', now: later } as const;

  it('is put on hold by reason 6 and back, any number of times', () => {
    certificate([requested, issued]).when(hold).then([suspended]);
    certificate([requested, issued, suspended]).when(hold).then([]);
    certificate([requested, issued, suspended]).when(reinstate).then([reinstated]);
    certificate([requested, issued, suspended, reinstated]).when(reinstate).then([]);
    certificate([requested, issued, suspended, reinstated]).when(hold).then([suspended]);
    certificate([]).when(reinstate).thenRefuses('CERTIFICATE_NOT_FOUND');
    certificate([requested, issued, revoked]).when(reinstate).thenRefuses('CERTIFICATE_NOT_ACTIVE');
  });

  it('counts as revoked from its hold on when it is revoked out of one', () => {
    certificate([requested, issued, suspended])
      .when({ ...revoke, now: later })
      .then([revoked]);
  });

  it('of the platform cannot be put on hold', () => {
    for (const type of ['OCSP', 'TSA', 'DOCUMENT'] as const) {
      const own: CertificateEvent = { ...requested, data: { ...requested.data, type } };
      certificate([own, issued]).when(hold).thenRefuses('SUSPENSION_NOT_ALLOWED');
      certificate([own, issued]).when(revoke).then([revoked]);
    }
  });

  it('is superseded once, also on hold, and can be revoked afterwards', () => {
    const superseded: CertificateEvent = {
      type: 'CertificateSuperseded',
      data: { serial: '0a', supersededBy: '0b', supersededAt: now },
    };
    const supersede = { type: 'SupersedeCertificate', by: '0b', now } as const;
    certificate([requested, issued]).when(supersede).then([superseded]);
    certificate([requested, issued, suspended]).when(supersede).then([superseded]);
    certificate([requested, issued, superseded])
      .when({ ...supersede, by: '0c' })
      .then([]);
    certificate([requested, issued, revoked]).when(supersede).then([]);
    certificate([requested]).when(supersede).thenRefuses('CERTIFICATE_NOT_ACTIVE');
    certificate([requested, issued, superseded]).when(revoke).then([revoked]);
  });

  it('that was never issued can be given up, and is revoked then', () => {
    const giveUp = { type: 'AbandonRequest', now } as const;
    const givenUp: CertificateEvent = {
      type: 'CertificateRevoked',
      data: { serial: '0a', reason: 5, revokedAt: now },
    };
    certificate([requested]).when(giveUp).then([givenUp]);
    certificate([requested, issued]).when(giveUp).then([]);
    certificate([requested, givenUp]).when(giveUp).then([]);
    certificate([]).when(giveUp).then([]);
    certificate([requested, givenUp])
      .when({ type: 'RecordIssued', issued: issued.data })
      .thenRefuses('CERTIFICATE_NOT_ACTIVE');
  });
});
