import { certificateDecider } from '../../domain/certificate/certificate.ts';
import type { CertificateEvent } from '../../domain/certificate/events.ts';
import { deviceDecider } from '../../domain/device/device.ts';
import type { DeviceEvent } from '../../domain/device/events.ts';
import { given } from '../support/deciderSpecification.ts';

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

  it('is deactivated once, and only when it exists', () => {
    const command = { type: 'DeactivateDevice', reason: 1, now } as const;
    device([]).when(command).thenRefuses('DOCUMENT_NOT_FOUND');
    device([enrolled]).when(command).then([deactivated]);
    device([enrolled, deactivated]).when(command).then([]);
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
    certificate([requested]).when(revoke).thenRefuses('CERTIFICATE_NOT_ACTIVE');
    certificate([requested, issued]).when(revoke).then([revoked]);
    certificate([requested, issued, revoked]).when(revoke).then([]);
  });
});
