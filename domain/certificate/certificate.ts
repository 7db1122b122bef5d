import { type Decider, unreachable } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import { assertReason, revocationReasons } from '../shared/revocationReason.ts';
import type {
  CertificateEvent,
  CertificateIssued,
  CertificateRequested,
  CertificateType,
} from './events.ts';

// State

export type Certificate =
  | { readonly status: 'NONE' }
  | { readonly status: 'REQUESTED'; readonly requested: CertificateRequested['data'] }
  | (Issued & { readonly status: 'ISSUED' })
  | (Issued & { readonly status: 'SUSPENDED'; readonly suspendedAt: string })
  | {
      readonly status: 'REVOKED';
      readonly requested: CertificateRequested['data'];
      /** Null: never issued; the request was abandoned. */
      readonly issued: CertificateIssued['data'] | null;
      readonly supersededBy: string | null;
      /** RFC 5280 CRLReason number. */
      readonly reason: number;
    };

interface Issued {
  readonly requested: CertificateRequested['data'];
  readonly issued: CertificateIssued['data'];
  /** Serial of its successor. */
  readonly supersededBy: string | null;
}

const initial: Certificate = { status: 'NONE' };

function evolve(certificate: Certificate, event: CertificateEvent): Certificate {
  if (event.type === 'CertificateRequested') {
    return { status: 'REQUESTED', requested: event.data };
  }
  switch (certificate.status) {
    case 'NONE':
    case 'REVOKED':
      return certificate;
    case 'REQUESTED':
      return afterRequest(certificate.requested, event);
    case 'ISSUED':
    case 'SUSPENDED':
      return afterIssue(certificate, event);
    default:
      return unreachable(certificate);
  }
}

function afterRequest(
  requested: CertificateRequested['data'],
  event: CertificateEvent,
): Certificate {
  if (event.type === 'CertificateIssued') {
    return { status: 'ISSUED', requested, issued: event.data, supersededBy: null };
  }
  return event.type === 'CertificateRevoked'
    ? {
        status: 'REVOKED',
        requested,
        issued: null,
        supersededBy: null,
        reason: event.data.reason,
      }
    : { status: 'REQUESTED', requested };
}

function afterIssue(
  certificate: Extract<Certificate, { status: 'ISSUED' | 'SUSPENDED' }>,
  event: CertificateEvent,
): Certificate {
  const { requested, issued, supersededBy } = certificate;
  switch (event.type) {
    case 'CertificateSuperseded':
      return { ...certificate, supersededBy: event.data.supersededBy };
    case 'CertificateSuspended':
      return { ...certificate, status: 'SUSPENDED', suspendedAt: event.data.suspendedAt };
    case 'CertificateReinstated':
      return { status: 'ISSUED', requested, issued, supersededBy };
    case 'CertificateRevoked':
      return { status: 'REVOKED', requested, issued, supersededBy, reason: event.data.reason };
    default:
      return certificate;
  }
}

// Commands

export type CertificateCommand =
  | { readonly type: 'RequestCertificate'; readonly requested: CertificateRequested['data'] }
  | { readonly type: 'RecordIssued'; readonly issued: CertificateIssued['data'] }
  | { readonly type: 'SupersedeCertificate'; readonly by: string; readonly now: string }
  /** Reason 6 (certificateHold) suspends. */
  | { readonly type: 'RevokeCertificate'; readonly reason: number; readonly now: string }
  | { readonly type: 'ReinstateCertificate'; readonly now: string }
  /** Abandons a request that will not be resumed. */
  | { readonly type: 'AbandonRequest'; readonly now: string };

/**
 * Citizens' and organizations' certificates may be put on hold. The platform's own may not: a verifier of revoked
 * timestamps or OCSP responses could not know later that they were only on hold.
 */
function maySuspend(type: CertificateType): boolean {
  return type === 'AUTH' || type === 'SIGN' || type === 'SEAL';
}

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
      return recordIssued(command.issued, certificate);
    case 'SupersedeCertificate':
      return supersede(command, certificate);
    case 'RevokeCertificate':
      return revoke(command, certificate);
    case 'ReinstateCertificate':
      return reinstate(command.now, certificate);
    case 'AbandonRequest':
      return certificate.status === 'REQUESTED'
        ? revoked(certificate, revocationReasons.cessationOfOperation, command.now)
        : [];
    default:
      return unreachable(command);
  }
}

function recordIssued(
  issued: CertificateIssued['data'],
  certificate: Certificate,
): readonly CertificateEvent[] {
  if (certificate.status === 'NONE') throw new Refusal('CONFLICT');
  if (certificate.status === 'REQUESTED') return [{ type: 'CertificateIssued', data: issued }];
  // Abandoned meanwhile: the certificate just signed must not be issued.
  if (certificate.status === 'REVOKED' && certificate.issued === null) {
    throw new Refusal('CERTIFICATE_NOT_ACTIVE');
  }
  return [];
}

function supersede(
  { by, now }: Extract<CertificateCommand, { type: 'SupersedeCertificate' }>,
  certificate: Certificate,
): readonly CertificateEvent[] {
  switch (certificate.status) {
    case 'NONE':
    case 'REQUESTED':
      throw new Refusal('CERTIFICATE_NOT_ACTIVE');
    case 'REVOKED':
      return [];
    default: {
      if (certificate.supersededBy !== null) return [];
      const { serial } = certificate.requested;
      const data = { serial, supersededBy: by, supersededAt: now };
      return [{ type: 'CertificateSuperseded', data }];
    }
  }
}

function revoke(
  { reason, now }: Extract<CertificateCommand, { type: 'RevokeCertificate' }>,
  certificate: Certificate,
): readonly CertificateEvent[] {
  assertReason(reason);
  const isHold = reason === revocationReasons.certificateHold;
  switch (certificate.status) {
    case 'NONE':
      throw new Refusal('CERTIFICATE_NOT_FOUND');
    case 'REQUESTED':
      throw new Refusal('CERTIFICATE_NOT_ACTIVE');
    case 'REVOKED':
      return [];
    case 'SUSPENDED':
      // X.509, reason code extension: after a hold, the revocation date stays that of the hold.
      return isHold ? [] : revoked(certificate, reason, certificate.suspendedAt);
    case 'ISSUED':
      return isHold ? suspended(certificate, now) : revoked(certificate, reason, now);
    default:
      return unreachable(certificate);
  }
}

function suspended(
  { requested: { serial, type } }: Issued,
  suspendedAt: string,
): readonly CertificateEvent[] {
  if (!maySuspend(type)) throw new Refusal('SUSPENSION_NOT_ALLOWED');
  return [{ type: 'CertificateSuspended', data: { serial, suspendedAt } }];
}

function revoked(
  { requested: { serial } }: { readonly requested: CertificateRequested['data'] },
  reason: number,
  revokedAt: string,
): readonly CertificateEvent[] {
  return [{ type: 'CertificateRevoked', data: { serial, reason, revokedAt } }];
}

function reinstate(reinstatedAt: string, certificate: Certificate): readonly CertificateEvent[] {
  switch (certificate.status) {
    case 'NONE':
      throw new Refusal('CERTIFICATE_NOT_FOUND');
    case 'ISSUED':
      return [];
    case 'SUSPENDED': {
      const { serial } = certificate.requested;
      return [{ type: 'CertificateReinstated', data: { serial, reinstatedAt } }];
    }
    default:
      throw new Refusal('CERTIFICATE_NOT_ACTIVE');
  }
}

/** The certificate aggregate: requested, issued once, put on hold and back, revoked once. Stream `certificate-<serial>`. */
export const certificateDecider: Decider<Certificate, CertificateCommand, CertificateEvent> = {
  initial,
  evolve,
  decide,
};
