import { readFileSync } from 'node:fs';
import type { Config } from './config.ts';

/** PEM texts. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string;
}

/**
 * Reads certificate and key for HTTPS from the configured files; empty for plain HTTP.
 * @throws Error when unreadable
 */
export function readTlsFiles(config: Config): { readonly tls?: TlsFiles } {
  const { SVC_TLS_CERT: cert, SVC_TLS_KEY: key, SVC_TLS_CLIENT_CA: clientCa } = config;
  if (cert === undefined || key === undefined) return {};
  return {
    tls: {
      cert: readFileSync(cert, 'utf8'),
      key: readFileSync(key, 'utf8'),
      ...(clientCa === undefined ? {} : { clientCa: readFileSync(clientCa, 'utf8') }),
    },
  };
}
