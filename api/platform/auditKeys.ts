import { pem } from '../../domain/shared/pem.ts';
import { anyone } from '../http/guards.ts';
import { type Route, route } from '../http/route.ts';

/**
 * Public keys of current and former signed tree heads, as PEM, the current one first, for auditors
 * who verify an export. Public.
 *
 * @param publicKeys SubjectPublicKeyInfo, DER
 */
export function auditKeysRoute(publicKeys: () => Promise<readonly Buffer[]>): Route {
  return route({
    name: 'auditKeys',
    summary: 'The public keys that heads of the tree over the event log are signed with',
    method: 'GET',
    path: '/audit/keys.pem',
    guard: anyone,
    response: { 200: 'application/x-pem-file' },
    handle: async () => ({
      body: Buffer.from((await publicKeys()).map((key) => pem('PUBLIC KEY', key)).join('')),
      contentType: 'application/x-pem-file',
      headers: { 'cache-control': 'public, max-age=3600' },
    }),
  });
}
