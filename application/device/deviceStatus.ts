import type { CertificateType } from '../../domain/certificate/events.ts';
import type { DevicePin, DevicePlatform } from '../../domain/device/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import { personEtsi } from '../../domain/shared/etsi.ts';
import type { CertificateData, DeviceData } from '../ports/referenceData.ts';

/** Status of a device, for the device itself. */
export interface DeviceStatus {
  readonly documentNumber: string;
  readonly etsi: string;
  readonly active: boolean;
  readonly platform: DevicePlatform;
  /** PINs whose keys can never be used again. */
  readonly lockedPins: readonly DevicePin[];
  readonly certificates: readonly {
    readonly type: CertificateType;
    readonly serialNumber: string;
    readonly certificateLevel: CertificateLevel;
    readonly status: CertificateData['status'] | 'EXPIRED';
    readonly notBefore: string;
    readonly notAfter: string;
    /** Base64 DER; null when the person was forgotten. */
    readonly value: string | null;
  }[];
}

/** @param lockedPins default: none, of a phone just enrolled */
export function deviceStatus(
  device: DeviceData,
  now: Date,
  lockedPins: readonly DevicePin[] = [],
): DeviceStatus {
  return {
    documentNumber: device.documentNumber,
    etsi: personEtsi(device.civilId),
    active: device.active,
    platform: device.platform,
    lockedPins,
    certificates: [device.authentication, device.signing].map((certificate) => ({
      type: certificate.type,
      serialNumber: certificate.serial,
      certificateLevel: certificate.level,
      status:
        certificate.status === 'VALID' && now.getTime() > Date.parse(certificate.notAfter)
          ? 'EXPIRED'
          : certificate.status,
      notBefore: certificate.notBefore,
      notAfter: certificate.notAfter,
      value: certificate.certificate,
    })),
  };
}
