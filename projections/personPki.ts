import type { Kysely } from 'kysely';
import {
  type HasSnapshot,
  type ListPart,
  placeAt,
  snapshotBehind,
} from '../application/ports/listSnapshot.ts';
import type { Database } from './database.ts';
import { records } from './engine/readModel.ts';
import type { ListedTable } from './engine/snapshots.ts';
import { beginningOf, isBehind, isUpTo } from './engine/snapshots.ts';
import type { CitizenCertificateType } from '../domain/certificate/events.ts';
import type { DevicePlatform } from '../domain/device/events.ts';
import type { EndResult } from '../domain/session/events.ts';
import type { CertificateLevel } from '../domain/shared/certificateLevel.ts';

// A person's certificates, devices and sessions for a relying party with PKI_READ (contract §9); lists hold no personal
// data. Times are ISO 8601.

export type PersonCertificateStatus = 'VALID' | 'REVOKED' | 'EXPIRED' | 'SUSPENDED';

export interface PersonCertificate {
  readonly documentNumber: string;
  readonly type: CitizenCertificateType;
  /** Hexadecimal. */
  readonly serial: string;
  readonly level: CertificateLevel;
  readonly status: PersonCertificateStatus;
  readonly notBefore: string;
  readonly notAfter: string;
  /** RFC 4514 name. */
  readonly issuer: string;
}

export interface PersonDevice {
  readonly documentNumber: string;
  readonly platform: DevicePlatform;
  readonly enrolledAt: string;
  readonly active: boolean;
  readonly deactivatedAt: string | null;
}

export type ActivityFlow = 'AUTHENTICATION' | 'SIGNATURE';

export interface PersonSession {
  readonly sessionId: string;
  readonly flow: ActivityFlow;
  /** Null: RUNNING. */
  readonly endResult: EndResult | null;
  readonly startedAt: string;
}

/** Filter of sessions. */
export interface ActivityFilter {
  readonly civilId: string;
  /** Only this relying party's. */
  readonly relyingPartyId: string;
  /** Null: both. */
  readonly flow: ActivityFlow | null;
}

export interface PersonPki {
  /** Issued ones, the newest first. @param now decides which have expired */
  personCertificates(civilId: string, now: Date): Promise<readonly PersonCertificate[]>;
  /** The newest first. */
  personDevices(civilId: string): Promise<readonly PersonDevice[]>;
  /** The newest first. */
  personSessions(
    filter: ActivityFilter,
    page: ListPart,
  ): Promise<HasSnapshot & { readonly sessions: readonly PersonSession[] }>;
  countSessions(filter: ActivityFilter): Promise<Readonly<Record<ActivityFlow, number>>>;
}

const sessions: ListedTable = { table: 'session_view', time: 'started_at', key: 'session_id' };

const toCertificate = records([
  ...(['document_number', 'type', 'serial', 'level'] as const),
  ...(['not_before', 'not_after', 'issuer'] as const),
]);
const toDevice = records([
  ...(['document_number', 'platform', 'active', 'enrolled_at', 'deactivated_at'] as const),
]);
const sessionColumns = ['session_id', 'kind', 'end_result', 'started_at'] as const;
const toSession = records(sessionColumns);

/** Queries of the person PKI panel, over certificates, devices and sessions. */
export function createPersonPki(database: Kysely<Database>): PersonPki {
  const sessionsOf = ({ civilId, relyingPartyId, flow }: ActivityFilter) =>
    database
      .selectFrom('session_view')
      .where('civil_id', '=', civilId)
      .where('relying_party_id', '=', relyingPartyId)
      .where('openid_login', '=', false)
      .where('kind', 'in', flow === null ? ['AUTHENTICATION', 'SIGNATURE'] : [flow]);

  return {
    async personCertificates(civilId, now) {
      const rows = await database
        .selectFrom('certificate_view')
        .selectAll()
        .where('civil_id', '=', civilId)
        .where('status', '<>', 'REQUESTED')
        .orderBy('not_before', 'desc')
        .orderBy('serial')
        .execute();
      return rows.flatMap((row) => {
        const { type, level, documentNumber, ...record } = toCertificate(row);
        if ((type !== 'AUTH' && type !== 'SIGN') || level === null) return [];
        const isOver = row.status === 'VALID' && row.not_after <= now;
        return {
          ...record,
          documentNumber: documentNumber ?? '',
          type,
          level,
          status: isOver ? ('EXPIRED' as const) : (row.status as PersonCertificateStatus),
        };
      });
    },
    async personDevices(civilId) {
      const rows = await database
        .selectFrom('device_view')
        .selectAll()
        .where('civil_id', '=', civilId)
        .orderBy('enrolled_at', 'desc')
        .orderBy('document_number')
        .execute();
      return rows.map(toDevice);
    },
    async personSessions(filter, { limit, offset, snapshot = null }) {
      const beginning = beginningOf({ offset, snapshot });
      const rows = await sessionsOf(filter)
        .where(isUpTo(sessions, snapshot))
        .where(isBehind(sessions, beginning.after))
        .select(sessionColumns)
        .orderBy('started_at', 'desc')
        .orderBy('session_id', 'desc')
        .limit(limit)
        .offset(beginning.offset)
        .execute();
      const places = rows.map((row) => placeAt(row.started_at, row.session_id));
      // The first page's own first row: the newest of all sessions is in no index.
      const newest = snapshot ?? (offset > 0 ? null : (places[0] ?? null));
      return {
        snapshot: snapshotBehind(newest, offset + rows.length, places.at(-1)),
        sessions: rows.map((row) => {
          const { kind, ...record } = toSession(row);
          return { ...record, flow: kind as ActivityFlow };
        }),
      };
    },
    async countSessions(filter) {
      const rows = await sessionsOf(filter)
        .select(({ fn }) => ['kind', fn.countAll<bigint>().as('count')])
        .groupBy('kind')
        .execute();
      const count = (kind: ActivityFlow) =>
        Number(rows.find((row) => row.kind === kind)?.count ?? 0);
      return { AUTHENTICATION: count('AUTHENTICATION'), SIGNATURE: count('SIGNATURE') };
    },
  };
}
