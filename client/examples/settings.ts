import { readFileSync } from 'node:fs';
import { createRevocationChecker, EidClient } from '@tamga/client';

/** A setting of the environment; with `./tamga up` running, `. .tamga/demo.env` sets all the examples need. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set.`);
  return value;
}

/** A client that believes the platform's CAs and asks them whether a certificate was revoked. */
export function createClient(): EidClient {
  return new EidClient({
    baseUrl: setting('RP_API_BASE'),
    credentials: {
      rpUUID: setting('RP_UUID'),
      rpName: setting('RP_NAME'),
      apiSecret: setting('RP_SECRET'),
    },
    trust: {
      trustAnchorsPem: readFileSync(setting('TRUST_ANCHORS'), 'utf8'),
      intermediatesPem: readFileSync(setting('TRUST_INTERMEDIATES'), 'utf8'),
      revocation: createRevocationChecker(),
    },
  });
}
