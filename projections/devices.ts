import type { CertificateData, DeviceData } from '../application/ports/referenceData.ts';
import type { DeviceRow } from './models/devices.ts';

/** A device with its certificates as reference data. */
export function toDeviceData(
  row: DeviceRow,
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
