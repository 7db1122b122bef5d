import type { Kysely, Selectable } from 'kysely';
import type { CertificateFact, DeviceFact, DeviceFacts } from '../application/ports/facts.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import { factTopic } from '../application/ports/wake.ts';
import type { DeviceEvent } from '../domain/device/events.ts';
import { toCertificateFact } from './certificates.ts';
import type { DeviceRow, DeviceTable, Database } from './database.ts';
import { readModel } from './readModel.ts';
import { tallyDevice } from './tallied.ts';

// Projection

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
  return row === undefined
    ? undefined
    : { ...row, active: false, deactivated_at: event.data.deactivatedAt };
}

/** The devices read model, table `device_view`. */
export const devicesReadModel = readModel<DeviceRow, DeviceEvent>({
  name: 'devices',
  table: 'device_view',
  category: 'device',
  key: 'document_number',
  columns: {
    document_number: 'text',
    civil_id: 'text',
    platform: 'text',
    push_token: 'text',
    transport_key: 'text',
    authentication_serial: 'text',
    signing_serial: 'text',
    active: 'boolean',
    enrolled_at: 'timestamptz',
    deactivated_at: 'timestamptz',
    revision: 'int8',
  },
  evolve,
  topics: (row) => [factTopic('device', row.document_number), factTopic('citizen', row.civil_id)],
  tally: tallyDevice,
});

// Queries

/** Queries over the devices read model. A device is shown once both its certificates are. */
export function createDeviceFacts(
  database: Kysely<Database>,
  vault: PersonalDataVault,
): DeviceFacts {
  async function withCertificates(
    rows: readonly Selectable<DeviceTable>[],
  ): Promise<readonly DeviceFact[]> {
    if (rows.length === 0) return [];
    const serials = rows.flatMap((row) => [row.authentication_serial, row.signing_serial]);
    const found = await database
      .selectFrom('certificate_view')
      .selectAll()
      .where('serial', 'in', serials)
      .execute();
    const facts = new Map<string, CertificateFact>();
    for (const row of found) {
      const fact = await toCertificateFact(row, vault);
      if (fact !== null) facts.set(row.serial, fact);
    }
    return rows.flatMap((row) => {
      const authentication = facts.get(row.authentication_serial);
      const signing = facts.get(row.signing_serial);
      if (authentication === undefined || signing === undefined) return [];
      return [toFact(row, authentication, signing)];
    });
  }

  return {
    async device(documentNumber) {
      const rows = await database
        .selectFrom('device_view')
        .selectAll()
        .where('document_number', '=', documentNumber)
        .execute();
      const [device] = await withCertificates(rows);
      return device ?? null;
    },
    async activeDevicesOf(civilId) {
      const rows = await database
        .selectFrom('device_view')
        .selectAll()
        .where('civil_id', '=', civilId)
        .where('active', '=', true)
        .orderBy('enrolled_at', 'desc')
        .orderBy('document_number')
        .execute();
      return withCertificates(rows);
    },
  };
}

function toFact(
  row: Selectable<DeviceTable>,
  authentication: CertificateFact,
  signing: CertificateFact,
): DeviceFact {
  return {
    documentNumber: row.document_number,
    civilId: row.civil_id,
    active: row.active,
    platform: row.platform,
    pushToken: row.push_token,
    transportKey: row.transport_key,
    authentication,
    signing,
  };
}
