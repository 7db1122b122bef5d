import { referenceDataTopic } from '../../domain/shared/streams.ts';
import { type DeviceEvent, deviceEvents, type DevicePlatform } from '../../domain/device/events.ts';
import {
  boolean,
  int8,
  nullable,
  type RowOf,
  type TableOf,
  text,
  timestamptz,
} from '../engine/columns.ts';
import { always, ofHour, readModel, type Tally } from '../engine/readModel.ts';

const columns = {
  document_number: text(),
  civil_id: text(),
  platform: text<DevicePlatform>(),
  push_token: nullable(text()),
  /** SubjectPublicKeyInfo, base64 DER. */
  transport_key: text(),
  authentication_serial: text(),
  signing_serial: text(),
  active: boolean(),
  enrolled_at: timestamptz(),
  deactivated_at: nullable(timestamptz()),
  revision: int8(),
};

export type DeviceRow = RowOf<typeof columns>;
export type DeviceTable = TableOf<typeof columns>;

function evolve(row: DeviceRow | undefined, event: DeviceEvent): DeviceRow | undefined {
  if (event.type === 'DeviceEnrolled') {
    const { data } = event;
    return {
      document_number: data.documentNumber,
      civil_id: data.civilId,
      platform: data.platform,
      push_token: data.pushToken,
      transport_key: data.transportKey,
      authentication_serial: data.authenticationSerial,
      signing_serial: data.signingSerial,
      active: true,
      enrolled_at: data.enrolledAt,
      deactivated_at: null,
      revision: 0n,
    };
  }
  if (event.type === 'DevicePinLocked') return row;
  return row === undefined
    ? undefined
    : { ...row, active: false, deactivated_at: event.data.deactivatedAt };
}

/** By the hour and platform of the enrolment; by state. */
function tally(row: DeviceRow): readonly Tally[] {
  const state = row.active ? 'active' : 'deactivated';
  return [
    ofHour('enrolment', row.enrolled_at, row.platform),
    { metric: 'device', bucket: always, relyingPartyId: '', label: state },
  ];
}

/** The devices read model, table `device_view`. */
export const devicesReadModel = readModel({
  name: 'devices',
  table: 'device_view',
  events: deviceEvents,
  key: 'document_number',
  columns,
  shown: [
    'platform',
    'authentication_serial',
    'signing_serial',
    'active',
    'enrolled_at',
    'deactivated_at',
  ],
  evolve,
  topics: (row) => [
    referenceDataTopic('device', row.document_number),
    referenceDataTopic('citizen', row.civil_id),
  ],
  tally,
});
