import { type Kysely, type Selectable, sql } from 'kysely';
import type { CitizenHoldings } from '../application/ports/citizenHoldings.ts';
import type { OpenRequests } from '../application/ports/openRequests.ts';
import type { CertificateStatuses } from '../application/ports/certificateStatuses.ts';
import type { CertificateFact, CertificateFacts } from '../application/ports/facts.ts';
import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../application/ports/personalDataVault.ts';
import { factTopic } from '../application/ports/wake.ts';
import type {
  CertificateEvent,
  CertificateHolder,
  CertificateType,
  IssuingAuthority,
} from '../domain/certificate/events.ts';
import type { CertificateLevel } from '../domain/shared/certificateLevel.ts';
import { unreachable } from '../domain/shared/decider.ts';
import { FORGOTTEN } from '../domain/shared/personalData.ts';
import { revocationReasons } from '../domain/shared/revocationReason.ts';
import type { CertificateRow, CertificateTable, Database } from './database.ts';
import { readModel } from './readModel.ts';
import { tallyCertificate } from './tallied.ts';

// Projection

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

async function seal(
  event: CertificateEvent,
  vault: PersonalDataVault,
): Promise<Partial<CertificateRow>> {
  if (event.type !== 'CertificateIssued') return {};
  const { civilId, certificate } = event.data;
  if (certificate === FORGOTTEN) return { certificate: null };
  try {
    return { certificate: await vault.seal(civilId, certificate) };
  } catch (error) {
    if (error instanceof SubjectForgotten) return { certificate: null };
    throw error;
  }
}

/** The certificates read model, table `certificate_view`. */
export const certificatesReadModel = readModel<CertificateRow, CertificateEvent>({
  name: 'certificates',
  table: 'certificate_view',
  category: 'certificate',
  key: 'serial',
  columns: {
    serial: 'text',
    type: 'text',
    level: 'text',
    key_type: 'text',
    key_label: 'text',
    holder_kind: 'text',
    civil_id: 'text',
    document_number: 'text',
    register: 'text',
    purpose: 'text',
    authority: 'text',
    issuer: 'text',
    public_key: 'text',
    not_before: 'timestamptz',
    not_after: 'timestamptz',
    status: 'text',
    certificate: 'text',
    fingerprint: 'text',
    revocation_reason: 'int8',
    revoked_at: 'timestamptz',
    superseded_by: 'text',
    revision: 'int8',
  },
  evolve: evolveCertificate,
  seal,
  personal: ['certificate'],
  tally: tallyCertificate,
  topics: (row) => [
    factTopic('certificate', row.serial),
    ...(row.document_number === null ? [] : [factTopic('device', row.document_number)]),
    ...(row.civil_id === null ? [] : [factTopic('citizen', row.civil_id)]),
  ],
});

// Queries

/** A citizen's certificate as a fact, opened; `null` while it is not issued, and for any other holder's. */
export async function toCertificateFact(
  row: Selectable<CertificateTable>,
  vault: PersonalDataVault,
): Promise<CertificateFact | null> {
  const { type, level, civil_id: civilId, document_number: documentNumber } = row;
  if (row.status === 'REQUESTED' || (type !== 'AUTH' && type !== 'SIGN')) return null;
  if (level === null || civilId === null || documentNumber === null) return null;
  return {
    ...{ serial: row.serial, type, level, keyType: row.key_type, civilId, documentNumber },
    status: row.status === 'VALID' && row.superseded_by !== null ? 'SUPERSEDED' : row.status,
    notBefore: row.not_before.toISOString(),
    notAfter: row.not_after.toISOString(),
    publicKey: row.public_key,
    certificate: row.certificate === null ? null : await vault.open(civilId, row.certificate),
  };
}

/** What OCSP asks of the certificates read model. */
export function createCertificateStatuses(database: Kysely<Database>): CertificateStatuses {
  return {
    async statuses(serials) {
      const rows = await database
        .selectFrom('certificate_view')
        .select(['serial', 'authority', 'status', 'revocation_reason', 'revoked_at'])
        .where('serial', '=', sql<string>`any(${[...serials]}::text[])`)
        .where('status', '<>', 'REQUESTED')
        .execute();
      return rows.map(({ serial, authority, revocation_reason: reason, revoked_at: at }) => ({
        serial,
        authority,
        revocation: at === null ? null : { reason: Number(reason ?? 0), at },
      }));
    },
  };
}

/** A certificate of any holder, for lists. */
export interface CertificateListing {
  readonly serial: string;
  readonly type: CertificateType;
  readonly level: CertificateLevel | null;
  readonly holder: CertificateHolder;
  readonly authority: IssuingAuthority;
  readonly status: 'REQUESTED' | 'VALID' | 'EXPIRED' | 'SUSPENDED' | 'REVOKED';
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Also from when it is suspended. */
  readonly revokedAt: Date | null;
  /** RFC 5280 CRLReason number. */
  readonly reason: number | null;
  readonly supersededBy: string | null;
}

export interface CertificateFilter {
  readonly civilId?: string;
  readonly documentNumber?: string;
  readonly holderKind?: CertificateHolder['kind'];
}

/** Lists and rare questions over the certificates read model. */
export function createCertificateLists(database: Kysely<Database>): CitizenHoldings &
  OpenRequests & {
    /** The newest first, at most `limit`. @param now decides what has expired */
    certificates(
      filter: CertificateFilter,
      now: Date,
      limit: number,
    ): Promise<readonly CertificateListing[]>;
  } {
  return {
    async certificates({ civilId, documentNumber, holderKind }, now, limit) {
      let query = database.selectFrom('certificate_view').selectAll();
      if (civilId !== undefined) query = query.where('civil_id', '=', civilId);
      if (documentNumber !== undefined) query = query.where('document_number', '=', documentNumber);
      if (holderKind !== undefined) query = query.where('holder_kind', '=', holderKind);
      const rows = await query
        .orderBy('not_before', 'desc')
        .orderBy('serial')
        .limit(limit)
        .execute();
      return rows.map((row) => toListing(row, now));
    },
    async openCertificatesOf(civilId) {
      const rows = await database
        .selectFrom('certificate_view')
        .select(['serial', 'status'])
        .where('civil_id', '=', civilId)
        .where('status', '<>', 'REVOKED')
        .execute();
      return rows.map(({ serial, status }) => ({ serial, isIssued: status !== 'REQUESTED' }));
    },
    async activeDocumentNumbersOf(civilId) {
      const rows = await database
        .selectFrom('device_view')
        .select('document_number')
        .where('civil_id', '=', civilId)
        .where('active', '=', true)
        .execute();
      return rows.map((row) => row.document_number);
    },
    async requestedBefore(time, limit, after) {
      const rows = await database
        .selectFrom('certificate_view')
        .select('serial')
        .where('status', '=', 'REQUESTED')
        .where('holder_kind', '=', 'citizen')
        // Valid from the moment it was asked for.
        .where('not_before', '<', time)
        .where('serial', '>', after ?? '')
        .orderBy('serial')
        .limit(limit)
        .execute();
      return rows.map(({ serial }) => serial);
    },
  };
}

function toListing(row: Selectable<CertificateTable>, now: Date): CertificateListing {
  return {
    ...{ serial: row.serial, type: row.type, level: row.level, authority: row.authority },
    holder: holderOf(row),
    status: row.status === 'VALID' && row.not_after < now ? 'EXPIRED' : row.status,
    notBefore: row.not_before,
    notAfter: row.not_after,
    revokedAt: row.revoked_at,
    reason: row.revocation_reason === null ? null : Number(row.revocation_reason),
    supersededBy: row.superseded_by,
  };
}

/** The reverse of {@link holderColumns}. */
function holderOf(row: Selectable<CertificateTable>): CertificateHolder {
  if (row.purpose !== null) return { kind: 'service', purpose: row.purpose };
  if (row.register !== null) return { kind: 'organization', register: row.register };
  const { civil_id: civilId, document_number: documentNumber } = row;
  return { kind: 'citizen', civilId: civilId ?? '', documentNumber: documentNumber ?? '' };
}

/** Queries over the certificates read model. */
export function createCertificateFacts(
  database: Kysely<Database>,
  vault: PersonalDataVault,
): CertificateFacts {
  return {
    async certificate(serial) {
      const row = await database
        .selectFrom('certificate_view')
        .selectAll()
        .where('serial', '=', serial)
        .executeTakeFirst();
      return row === undefined ? null : toCertificateFact(row, vault);
    },
  };
}
