import { type Decider, unreachable } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import type { CertificateEvent, CertificateIssued, CertificateRequested } from './events.ts';

// State

export type Certificate =
  | { readonly status: 'NONE' }
  | { readonly status: 'REQUESTED'; readonly requested: CertificateRequested['data'] }
  | {
      readonly status: 'ISSUED' | 'REVOKED';
      readonly requested: CertificateRequested['data'];
      readonly issued: CertificateIssued['data'];
    };

const initial: Certificate = { status: 'NONE' };

function evolve(certificate: Certificate, event: CertificateEvent): Certificate {
  switch (event.type) {
    case 'CertificateRequested':
      return { status: 'REQUESTED', requested: event.data };
    case 'CertificateIssued':
      return certificate.status === 'REQUESTED'
        ? { status: 'ISSUED', requested: certificate.requested, issued: event.data }
        : certificate;
    case 'CertificateRevoked':
      return certificate.status === 'ISSUED' ? { ...certificate, status: 'REVOKED' } : certificate;
    default:
      return unreachable(event);
  }
}

// Commands

export type CertificateCommand =
  | { readonly type: 'RequestCertificate'; readonly requested: CertificateRequested['data'] }
  | { readonly type: 'RecordIssued'; readonly issued: CertificateIssued['data'] }
  | { readonly type: 'RevokeCertificate'; readonly reason: number; readonly now: string };

// Decisions

function decide(
  command: CertificateCommand,
  certificate: Certificate,
): readonly CertificateEvent[] {
  switch (command.type) {
    case 'RequestCertificate':
      if (certificate.status !== 'NONE') throw new Refusal('CONFLICT');
      return [{ type: 'CertificateRequested', data: command.requested }];
    case 'RecordIssued':
      if (certificate.status === 'NONE') throw new Refusal('CONFLICT');
      if (certificate.status !== 'REQUESTED') return [];
      return [{ type: 'CertificateIssued', data: command.issued }];
    case 'RevokeCertificate':
      if (certificate.status === 'REVOKED') return [];
      if (certificate.status !== 'ISSUED') throw new Refusal('CERTIFICATE_NOT_ACTIVE');
      return [
        {
          type: 'CertificateRevoked',
          data: {
            serial: certificate.requested.serial,
            reason: command.reason,
            revokedAt: command.now,
          },
        },
      ];
    default:
      return unreachable(command);
  }
}

/** The certificate aggregate: requested, issued once, revoked once. Stream `certificate-<serial>`. */
export const certificateDecider: Decider<Certificate, CertificateCommand, CertificateEvent> = {
  initial,
  evolve,
  decide,
};
