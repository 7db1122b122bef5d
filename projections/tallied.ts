import type { AuditRow, CertificateRow, DeviceRow, SessionRow } from './database.ts';
import { stepOf } from './percentiles.ts';
import type { Tally } from './readModel.ts';

// What rows of read models count for on the dashboard. Times are ISO 8601 in UTC, so their beginnings are hours and days.

/** Of counts that are not of a time. */
const always = new Date(0).toISOString();

function ofHour(metric: string, time: string, label: string, relyingPartyId = ''): Tally {
  return { metric, bucket: `${time.slice(0, 13)}:00:00.000Z`, relyingPartyId, label };
}

/** By the hour it was started in, relying party, kind and outcome; how long the citizen took. */
export function tallySession(row: SessionRow): readonly Tally[] {
  const { started_at: startedAt, completed_at: completedAt, relying_party_id: party } = row;
  const outcome = row.end_result ?? 'RUNNING';
  const session = ofHour('session', startedAt, `${row.kind} ${outcome}`, party);
  if (completedAt === null || outcome !== 'OK') return [session];
  const step = stepOf(Date.parse(completedAt) - Date.parse(startedAt));
  return [session, ofHour('latency', startedAt, String(step))];
}

/** By the hour and platform of the enrolment; by state. */
export function tallyDevice(row: DeviceRow): readonly Tally[] {
  const state = row.active ? 'active' : 'deactivated';
  return [
    ofHour('enrolment', row.enrolled_at, row.platform),
    { metric: 'device', bucket: always, relyingPartyId: '', label: state },
  ];
}

/** By status and the day it ends, so that which have expired is known without touching any; by hour of issue and end. */
export function tallyCertificate(row: CertificateRow): readonly Tally[] {
  const { type, status, authority } = row;
  if (status === 'REQUESTED') return [];
  const bucket = `${row.not_after.slice(0, 10)}T00:00:00.000Z`;
  return [
    { metric: 'certificate', bucket, relyingPartyId: '', label: `${type} ${status} ${authority}` },
    ofHour('issued', row.not_before, type),
    ...(row.revoked_at === null ? [] : [ofHour('revoked', row.revoked_at, `${type} ${status}`)]),
  ];
}

/** Seals, by hour and outcome. */
export function tallyAudit(
  row: Pick<AuditRow, 'type' | 'outcome' | 'happened_at'>,
): readonly Tally[] {
  return row.type === 'ORG_SEAL' ? [ofHour('seal', row.happened_at, row.outcome)] : [];
}
