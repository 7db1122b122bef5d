import type { TreeKey, TreeKeys } from '../../application/audit/treeKeys.ts';
import { pem } from '../../domain/shared/pem.ts';
import { anyone } from '../http/handling.ts';
import { type Route, route } from '../http/route.ts';

/** Keys of tree heads as PEM, the current one first, then the certificates of those that the Root CA certified. */
export function treeKeysPem(keys: readonly TreeKey[]): string {
  const certificates = keys.flatMap(({ certificate }) => certificate ?? []);
  return [
    ...keys.map(({ publicKey }) => pem('PUBLIC KEY', publicKey)),
    ...certificates.map((certificate) => pem('CERTIFICATE', certificate)),
  ].join('');
}

/** Keys of current and former signed tree heads, for auditors who verify an export. Public. */
export function auditKeysRoute(keys: Pick<TreeKeys, 'all'>): Route {
  return route({
    name: 'auditKeys',
    summary: 'List the keys that sign tree heads of the event log',
    method: 'GET',
    path: '/audit/keys.pem',
    guard: anyone,
    response: { 200: 'application/x-pem-file' },
    handle: async () => ({
      body: Buffer.from(treeKeysPem(await keys.all())),
      contentType: 'application/x-pem-file',
      headers: { 'cache-control': 'public, max-age=3600' },
    }),
  });
}
