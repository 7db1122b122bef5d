import type { Kysely, Selectable } from 'kysely';
import type { CertificateFact, CertificateFacts } from '../application/ports/facts.ts';
import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../application/ports/personalDataVault.ts';
import { factTopic } from '../application/ports/wake.ts';
import type { CertificateEvent } from '../domain/certificate/events.ts';
import { unreachable } from '../domain/shared/decider.ts';
import { FORGOTTEN } from '../domain/shared/personalData.ts';
import type { CertificateRow, CertificateTable, Database } from './database.ts';
import { readModel } from './readModel.ts';

// Projection

function evolve(
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
      civil_id: data.civilId,
      document_number: data.documentNumber,
      issuer: data.issuer,
      public_key: data.publicKey,
      not_before: data.notBefore,
      not_after: data.notAfter,
      status: 'REQUESTED',
      certificate: null,
      fingerprint: null,
      revocation_reason: null,
      revoked_at: null,
      revision: 0n,
    };
  }
  if (row === undefined) return undefined;
  switch (event.type) {
    case 'CertificateIssued':
      return { ...row, status: 'VALID', fingerprint: event.data.fingerprint };
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
    civil_id: 'text',
    document_number: 'text',
    issuer: 'text',
    public_key: 'text',
    not_before: 'timestamptz',
    not_after: 'timestamptz',
    status: 'text',
    certificate: 'text',
    fingerprint: 'text',
    revocation_reason: 'int8',
    revoked_at: 'timestamptz',
    revision: 'int8',
  },
  evolve,
  seal,
  topics: (row) => [
    factTopic('certificate', row.serial),
    factTopic('device', row.document_number),
    factTopic('citizen', row.civil_id),
  ],
});

// Queries

/** A certificate row as a fact, its certificate opened; `null` while it is not issued. */
export async function toCertificateFact(
  row: Selectable<CertificateTable>,
  vault: PersonalDataVault,
): Promise<CertificateFact | null> {
  if (row.status === 'REQUESTED') return null;
  return {
    serial: row.serial,
    type: row.type,
    level: row.level,
    keyType: row.key_type,
    civilId: row.civil_id,
    documentNumber: row.document_number,
    status: row.status,
    notBefore: row.not_before.toISOString(),
    notAfter: row.not_after.toISOString(),
    publicKey: row.public_key,
    certificate: row.certificate === null ? null : await vault.open(row.civil_id, row.certificate),
  };
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
