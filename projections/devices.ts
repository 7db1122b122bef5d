import type { Kysely, Selectable } from 'kysely';
import type {
  CertificateData,
  DeviceData,
  DeviceReferenceData,
} from '../application/ports/referenceData.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import { toCertificateData } from './certificates.ts';
import type { Database } from './database.ts';
import type { DeviceTable } from './models/devices.ts';

/** Queries over the devices read model. A device is shown once both its certificates are. */
export function createDeviceReferenceData(
  database: Kysely<Database>,
  vault: PersonalDataVault,
): DeviceReferenceData {
  async function withCertificates(
    rows: readonly Selectable<DeviceTable>[],
  ): Promise<readonly DeviceData[]> {
    if (rows.length === 0) return [];
    const serials = rows.flatMap((row) => [row.authentication_serial, row.signing_serial]);
    const found = await database
      .selectFrom('certificate_view')
      .selectAll()
      .where('serial', 'in', serials)
      .execute();
    const certificates = new Map<string, CertificateData>();
    for (const row of found) {
      const certificate = await toCertificateData(row, vault);
      if (certificate !== null) certificates.set(row.serial, certificate);
    }
    return rows.flatMap((row) => {
      const authentication = certificates.get(row.authentication_serial);
      const signing = certificates.get(row.signing_serial);
      if (authentication === undefined || signing === undefined) return [];
      return [toDeviceData(row, authentication, signing)];
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

/** A device with its certificates as reference data. */
export function toDeviceData(
  row: Omit<Selectable<DeviceTable>, 'enrolled_at' | 'deactivated_at'>,
  authentication: CertificateData,
  signing: CertificateData,
): DeviceData {
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
