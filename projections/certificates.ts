import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type {
  CertificateStatus,
  CertificateStatuses,
  UnavailableStatus,
} from '../application/certificate/ports/certificateStatuses.ts';
import type { CitizenHoldings } from '../application/ports/citizenHoldings.ts';
import { Unavailable } from '../application/ports/faults.ts';
import type { CertificateData } from '../application/ports/referenceData.ts';
import type { Staleness } from '../application/ports/staleness.ts';
import type { OpenRequests } from '../application/reactors/ports/openRequests.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import type {
  CertificateHolder,
  CertificateType,
  IssuingAuthority,
} from '../domain/certificate/events.ts';
import type { CertificateLevel } from '../domain/shared/certificateLevel.ts';
import type { Database } from './database.ts';
import { records } from './engine/readModel.ts';
import type { LoggedRow } from './engine/loggedRow.ts';
import {
  type CertificateRow,
  certificatesReadModel,
  type CertificateTable,
} from './models/certificates.ts';
import type {
  RevocationState,
  RevocationStates,
} from '../application/certificate/ports/revocationLists.ts';

const toCitizenCertificate = records([
  ...(['serial', 'type', 'level', 'key_type', 'civil_id', 'document_number', 'status'] as const),
  ...(['not_before', 'not_after', 'public_key', 'certificate', 'superseded_by'] as const),
]);

/** A citizen's certificate as reference data, opened; `null` while it is not issued, and for any other holder's. */
export async function toCertificateData(
  row: CertificateRow,
  vault: PersonalDataVault,
): Promise<CertificateData | null> {
  const { supersededBy, certificate, ...record } = toCitizenCertificate(row);
  const { type, level, civilId, documentNumber } = record;
  if (row.status === 'REQUESTED' || (type !== 'AUTH' && type !== 'SIGN')) return null;
  if (level === null || civilId === null || documentNumber === null) return null;
  return {
    ...record,
    type,
    level,
    civilId,
    documentNumber,
    status: row.status === 'VALID' && supersededBy !== null ? 'SUPERSEDED' : row.status,
    notBefore: new Date(row.not_before).toISOString(),
    notAfter: new Date(row.not_after).toISOString(),
    certificate: certificate === null ? null : await vault.decrypt(civilId, certificate),
  };
}

/** OCSP's queries over the certificates read model. */
export function createCertificateStatuses(database: Kysely<Database>): CertificateStatuses {
  return {
    async statuses(serials) {
      const rows = await database
        .selectFrom('certificate_view')
        .select(['serial', 'authority', 'status', 'revocation_reason', 'revoked_at'])
        .where('serial', '=', sql<string>`any(${[...serials]}::text[])`)
        .where('status', '<>', 'REQUESTED')
        .unionAll((union) =>
          union
            .selectFrom('lost_revocation')
            .select(['serial', 'authority'])
            .select(sql<CertificateTable['status']>`'REVOKED'`.as('status'))
            .select(sql<bigint>`reason`.as('revocation_reason'))
            .select('revoked_at')
            .where('serial', '=', sql<string>`any(${[...serials]}::text[])`),
        )
        .execute();
      return rows.map(({ serial, authority, revocation_reason: reason, revoked_at: at }) => ({
        serial,
        authority,
        revocation: at === null ? null : { reason: Number(reason ?? 0), at },
      }));
    },
  };
}

export interface CurrentStatusesOptions {
  /** Tells whether the log has events that the certificate's row does not show. */
  readonly isBehind: (serial: string) => boolean;
  readonly logged: LoggedRow;
  readonly staleness: Pick<Staleness, 'isStale'>;
}

/**
 * Statuses for OCSP: of a row that is behind the log from the log, otherwise from the read model while it is current.
 */
export function createCurrentStatuses(
  shown: CertificateStatuses,
  { isBehind, logged, staleness }: CurrentStatusesOptions,
): CertificateStatuses {
  async function statusesShown(serials: readonly string[]) {
    if (serials.length === 0) return [];
    if (!staleness.isStale(certificatesReadModel.name)) return shown.statuses(serials);
    const unavailable = new Unavailable('readModels');
    return serials.map((serial): UnavailableStatus => ({ serial, unavailable }));
  }

  async function loggedStatus(
    serial: string,
  ): Promise<readonly (CertificateStatus | UnavailableStatus)[]> {
    try {
      const row = await logged<CertificateRow>(certificatesReadModel, serial);
      if (row === null || row.status === 'REQUESTED') return [];
      const { authority, revocation_reason: reason, revoked_at: at } = row;
      const revocation = at === null ? null : { reason: Number(reason ?? 0n), at: new Date(at) };
      return [{ serial, authority, revocation }];
    } catch (error) {
      if (error instanceof Unavailable) return [{ serial, unavailable: error }];
      throw error;
    }
  }

  return {
    async statuses(serials) {
      const [read, followed] = await Promise.all([
        statusesShown(serials.filter((serial) => !isBehind(serial))),
        Promise.all(serials.filter(isBehind).map(loggedStatus)),
      ]);
      return [...read, ...followed.flat()];
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
  /** ISO 8601, as all times here. */
  readonly notBefore: string;
  readonly notAfter: string;
  /** Also from when it is suspended. */
  readonly revokedAt: string | null;
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

const toListed = records([
  ...(['serial', 'type', 'level', 'authority', 'not_before', 'not_after'] as const),
  ...(['revoked_at', 'revocation_reason', 'superseded_by'] as const),
]);

function toListing(row: Selectable<CertificateTable>, now: Date): CertificateListing {
  const { revocationReason: reason, ...record } = toListed(row);
  const status = row.status === 'VALID' && row.not_after < now ? 'EXPIRED' : row.status;
  return { ...record, status, reason, holder: holderOf(row) };
}

/** The reverse of {@link holderColumns}. */
function holderOf(row: Selectable<CertificateTable>): CertificateHolder {
  if (row.purpose !== null) return { kind: 'service', purpose: row.purpose };
  if (row.register !== null) return { kind: 'organization', register: row.register };
  const { civil_id: civilId, document_number: documentNumber } = row;
  return { kind: 'citizen', civilId: civilId ?? '', documentNumber: documentNumber ?? '' };
}

const PAGE = 5000;

/** RFC 5280 CRLReason `certificateHold`. */
const CERTIFICATE_HOLD = 6;

const toText = (time: RawBuilder<unknown>) =>
  sql<string>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** Times as text: a driver's Date for each of a million rows would cost more than all else. */
const iso = (column: string) => toText(sql.ref(column));

const isParked = sql`read_model = ${certificatesReadModel.name} and skipped_at is null`;

/** Revoked certificates, from the certificates read model and of what a restored backup had not. */
export function createRevocationStates(database: Kysely<Database>): RevocationStates {
  return {
    snapshot: (endingAfter, onPage) =>
      // Rows and checkpoint are committed together, so that one snapshot of both fits exactly.
      database
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (snapshot) => {
          const checkpoint = await snapshot
            .selectFrom('checkpoint')
            .select('position')
            .where('name', '=', certificatesReadModel.name)
            .executeTakeFirst();
          const parked = await select(snapshot)
            .where(sql<boolean>`serial in (select row_key from parked_event where ${isParked})`)
            .where('not_after', '>', endingAfter)
            .execute();
          await onPage(parked.map(toState));
          await onPage(await lostRevocations(snapshot, endingAfter));
          let last = '';
          for (;;) {
            const page = await select(snapshot)
              .where('status', 'in', ['REVOKED', 'SUSPENDED'])
              .where('not_after', '>', endingAfter)
              .where('serial', '>', last)
              .orderBy('serial')
              .limit(PAGE)
              .execute();
            await onPage(page.filter((row) => row.parkedSince === null).map(toState));
            if (page.length < PAGE) return checkpoint?.position ?? null;
            last = page.at(-1)?.serial ?? last;
          }
        }),
    of: async (serials) => {
      const rows = await select(database).where('serial', 'in', serials).execute();
      return rows.map(toState);
    },
  };
}

async function lostRevocations(
  database: Kysely<Database>,
  endingAfter: Date,
): Promise<readonly RevocationState[]> {
  const rows = await database
    .selectFrom('lost_revocation')
    .select(['serial', 'authority', 'reason'])
    .select([iso('revoked_at').as('revokedAt'), iso('not_after').as('notAfter')])
    .where('not_after', '>', endingAfter)
    .execute();
  return rows.map((row) => ({ ...row, state: 'revoked', isLost: true }));
}

function select(database: Kysely<Database>) {
  return database
    .selectFrom('certificate_view')
    .select(['serial', 'authority', 'status', 'revocation_reason'])
    .select([iso('revoked_at').as('revokedAt'), iso('not_after').as('notAfter')])
    .select(
      sql<string | null>`(
        select ${toText(sql`min(since)`)} from parked_event where row_key = serial and ${isParked}
      )`.as('parkedSince'),
    );
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

const states = { SUSPENDED: 'held', REVOKED: 'revoked' } as const;

function toState(row: Row): RevocationState {
  const { status, serial, authority, revokedAt, notAfter, parkedSince } = row;
  if (status === 'SUSPENDED' || status === 'REVOKED' || parkedSince === null) {
    return {
      serial,
      authority,
      state: status === 'SUSPENDED' || status === 'REVOKED' ? states[status] : 'clear',
      reason: Number(row.revocation_reason ?? 0n),
      revokedAt,
      notAfter,
    };
  }
  return {
    serial,
    authority,
    state: 'held',
    isParked: true,
    reason: CERTIFICATE_HOLD,
    revokedAt: parkedSince,
    notAfter,
  };
}
