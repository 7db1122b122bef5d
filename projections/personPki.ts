import type { Kysely } from 'kysely';
import type {
  ActivityFilter,
  ActivityFlow,
  PersonCertificateStatus,
  PersonPki,
} from '../application/ports/personPki.ts';
import type { Database } from './database.ts';

/** Queries of the person PKI panel, over certificates, devices and sessions. */
export function createPersonPki(database: Kysely<Database>): PersonPki {
  const sessionsOf = ({ civilId, relyingPartyId, flow }: ActivityFilter) =>
    database
      .selectFrom('session_view')
      .where('civil_id', '=', civilId)
      .where('relying_party_id', '=', relyingPartyId)
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
        const { type, level, document_number: documentNumber } = row;
        if ((type !== 'AUTH' && type !== 'SIGN') || level === null) return [];
        const isOver = row.status === 'VALID' && row.not_after <= now;
        return {
          ...{ documentNumber: documentNumber ?? '', type, serial: row.serial, level },
          status: isOver ? ('EXPIRED' as const) : (row.status as PersonCertificateStatus),
          ...{ notBefore: row.not_before, notAfter: row.not_after, issuer: row.issuer },
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
      return rows.map((row) => ({
        ...{ documentNumber: row.document_number, platform: row.platform, active: row.active },
        ...{ enrolledAt: row.enrolled_at, deactivatedAt: row.deactivated_at },
      }));
    },
    async personSessions(filter, { limit, offset }) {
      const rows = await sessionsOf(filter)
        .select(['session_id', 'kind', 'end_result', 'started_at'])
        .orderBy('started_at', 'desc')
        .orderBy('session_id')
        .limit(limit)
        .offset(offset)
        .execute();
      return rows.map((row) => ({
        ...{ sessionId: row.session_id, flow: row.kind as ActivityFlow },
        ...{ endResult: row.end_result, startedAt: row.started_at },
      }));
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
