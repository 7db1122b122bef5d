import { originOf, reachedAt } from '../../domain/shared/hosts.ts';
import type { Config } from './config.ts';

/** Public addresses of the platform; none ends with a slash. */
export interface PublicAddresses {
  /** Origin of the relying-party API, without `/v3`. */
  readonly rpApi: string;
  /** Origin of the platform API. */
  readonly platform: string;
  /** Address that a device link or QR code opens. */
  readonly deviceLink: string;
  /** Origin of the verification pages. */
  readonly verify: string;
  /** Address in certificates (OCSP, CRL, CA); http. */
  readonly pki: string;
}

/** Derives the addresses that are not configured from those that are. */
export function publicAddresses(config: Config): PublicAddresses {
  const rpApi =
    config.SVC_RP_API_BASE ?? originOf('http', reachedAt(config.SVC_HOST), config.SVC_PORT);
  const base = config.SVC_BASE_URL ?? rpApi;
  return {
    rpApi,
    platform: base,
    deviceLink: config.SVC_DEVICE_LINK_BASE ?? `${rpApi}/device-link`,
    verify: config.SVC_VERIFY_BASE ?? rpApi,
    pki: config.SVC_PKI_BASE ?? base.replace(/^https:/, 'http:'),
  };
}
