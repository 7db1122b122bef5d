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
 * @throws Error naming the setting whose file cannot be read
 */
export function readTlsFiles(config: Config): { readonly tls?: TlsFiles } {
  const { SVC_TLS_CERT: cert, SVC_TLS_KEY: key, SVC_TLS_CLIENT_CA: clientCa } = config;
  if (cert === undefined || key === undefined) return {};
  return {
    tls: {
      cert: read('SVC_TLS_CERT', cert),
      key: read('SVC_TLS_KEY', key),
      ...(clientCa === undefined ? {} : { clientCa: read('SVC_TLS_CLIENT_CA', clientCa) }),
    },
  };
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`${name}: the file it names cannot be read.`, { cause });
  }
}
