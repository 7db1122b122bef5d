import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../../application/ports/personalDataVault.ts';
import { referenceDataTopic } from '../../domain/shared/streams.ts';
import {
  type CertificateEvent,
  certificateEvents,
  type CertificateHolder,
  type CertificateType,
  type IssuingAuthority,
  type KeyType,
  type ServicePurpose,
} from '../../domain/certificate/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import { unreachable } from '../../domain/shared/decider.ts';
import { FORGOTTEN } from '../../domain/shared/personalData.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import { int8, nullable, type RowOf, type TableOf, text, timestamptz } from '../engine/columns.ts';
import { ofHour, readModel, type Tally } from '../engine/readModel.ts';

const columns = {
  serial: text(),
  type: text<CertificateType>(),
  level: nullable(text<CertificateLevel>()),
  key_type: text<KeyType>(),
  /** Label of the private key in the platform's key vault; null: with the holder. */
  key_label: nullable(text()),
  holder_kind: text<CertificateHolder['kind']>(),
  civil_id: nullable(text()),
  document_number: nullable(text()),
  register: nullable(text()),
  purpose: nullable(text<ServicePurpose>()),
  authority: text<IssuingAuthority>(),
  issuer: text(),
  /** SubjectPublicKeyInfo, base64 DER. */
  public_key: text(),
  not_before: timestamptz(),
  not_after: timestamptz(),
  status: text<'REQUESTED' | 'VALID' | 'SUSPENDED' | 'REVOKED'>(),
  /** Base64 DER, encrypted under the citizen's key; null before it is issued and when forgotten before this row was written. */
  certificate: nullable(text()),
  /** SHA-256 of the DER, lower-case hexadecimal. */
  fingerprint: nullable(text()),
  /** RFC 5280 CRLReason number; 6 while suspended. */
  revocation_reason: nullable(int8()),
  /** Also from when it is suspended. */
  revoked_at: nullable(timestamptz()),
  /** Serial of the certificate that took its place. */
  superseded_by: nullable(text()),
  revision: int8(),
};

export type CertificateRow = RowOf<typeof columns>;
export type CertificateTable = TableOf<typeof columns>;

/** The row after an event; personal columns stay as they were. */
export function evolveCertificate(
  row: CertificateRow | undefined,
  event: CertificateEvent,
): CertificateRow | undefined {
  if (event.type === 'CertificateRequested') {
    const { data } = event;
    return {
      serial: data.serial,
      type: data.type,
      level: data.level,
      key_type: data.keyType,
      key_label: data.keyLabel,
      ...holderColumns(data.holder),
      authority: data.authority,
      issuer: data.issuer,
      public_key: data.publicKey,
      not_before: data.notBefore,
      not_after: data.notAfter,
      status: 'REQUESTED',
      certificate: null,
      fingerprint: null,
      revocation_reason: null,
      revoked_at: null,
      superseded_by: null,
      revision: 0n,
    };
  }
  if (row === undefined) return undefined;
  switch (event.type) {
    case 'CertificateIssued':
      return { ...row, status: 'VALID', fingerprint: event.data.fingerprint };
    case 'CertificateSuperseded':
      return { ...row, superseded_by: event.data.supersededBy };
    case 'CertificateSuspended':
      return {
        ...row,
        status: 'SUSPENDED',
        revocation_reason: BigInt(revocationReasons.certificateHold),
        revoked_at: event.data.suspendedAt,
      };
    case 'CertificateReinstated':
      return { ...row, status: 'VALID', revocation_reason: null, revoked_at: null };
    case 'CertificateRevoked':
      return {
        ...row,
        status: 'REVOKED',
        revocation_reason: BigInt(event.data.reason),
        revoked_at: event.data.revokedAt,
      };
    default:
      return unreachable(event);
  }
}

function holderColumns(
  holder: CertificateHolder,
): Pick<CertificateRow, 'holder_kind' | 'civil_id' | 'document_number' | 'register' | 'purpose'> {
  const none = { civil_id: null, document_number: null, register: null, purpose: null };
  switch (holder.kind) {
    case 'citizen':
      return {
        ...none,
        holder_kind: 'citizen',
        civil_id: holder.civilId,
        document_number: holder.documentNumber,
      };
    case 'organization':
      return { ...none, holder_kind: 'organization', register: holder.register };
    case 'service':
      return { ...none, holder_kind: 'service', purpose: holder.purpose };
    default:
      return unreachable(holder);
  }
}

async function encrypt(
  event: CertificateEvent,
  vault: PersonalDataVault,
): Promise<Partial<CertificateRow>> {
  if (event.type !== 'CertificateIssued') return {};
  const { civilId, certificate } = event.data;
  if (certificate === FORGOTTEN) return { certificate: null };
  try {
    return { certificate: await vault.encrypt(civilId, certificate) };
  } catch (error) {
    if (error instanceof SubjectForgotten) return { certificate: null };
    throw error;
  }
}

/** By status and the day it ends, so that which have expired is known without touching any; by hour of issue and end. */
function tally(row: CertificateRow): readonly Tally[] {
  const { type, status, authority } = row;
  if (status === 'REQUESTED') return [];
  const bucket = `${row.not_after.slice(0, 10)}T00:00:00.000Z`;
  return [
    { metric: 'certificate', bucket, relyingPartyId: '', label: `${type} ${status} ${authority}` },
    ofHour('issued', row.not_before, type),
    ...(row.revoked_at === null ? [] : [ofHour('revoked', row.revoked_at, `${type} ${status}`)]),
  ];
}

/** The certificates read model, table `certificate_view`. */
export const certificatesReadModel = readModel({
  name: 'certificates',
  table: 'certificate_view',
  events: certificateEvents,
  key: 'serial',
  columns,
  shown: ['type', 'level', 'status', 'revocation_reason', 'revoked_at', 'superseded_by'],
  evolve: evolveCertificate,
  encrypt,
  personal: ['certificate'],
  tally,
  topics: (row) => [
    referenceDataTopic('certificate', row.serial),
    ...(row.document_number === null ? [] : [referenceDataTopic('device', row.document_number)]),
    ...(row.civil_id === null ? [] : [referenceDataTopic('citizen', row.civil_id)]),
  ],
});
