import { z } from 'zod';
import { pem } from '../../domain/shared/pem.ts';
import { anyone } from '../http/guards.ts';
import { type Route, route } from '../http/route.ts';

const nothing = z.object({});

/**
 * The public keys that heads of the tree over the log are and were signed with, as PEM, the present one first: what an
 * auditor verifies an export with, for everybody.
 *
 * @param publicKeys SubjectPublicKeyInfo, DER
 */
export function auditKeysRoute(publicKeys: () => Promise<readonly Buffer[]>): Route {
  return route({
    name: 'auditKeys',
    summary: 'The public keys that heads of the tree over the event log are signed with',
    method: 'GET',
    path: '/audit/keys.pem',
    listedUnder: null,
    guard: anyone,
    params: nothing,
    query: nothing,
    body: null,
    response: { 200: 'application/x-pem-file' },
    handle: async () => ({
      body: Buffer.from((await publicKeys()).map((key) => pem('PUBLIC KEY', key)).join('')),
      contentType: 'application/x-pem-file',
      headers: { 'cache-control': 'public, max-age=3600' },
    }),
  });
}
