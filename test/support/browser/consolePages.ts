import type { Capability } from '../../../domain/operator/capabilities.ts';

/** A page the navigation leads to. */
export interface ConsolePage {
  readonly path: string;
  /** Capability without which the page is refused; null: none. */
  readonly capability: Capability | null;
  /** Route the page reads, refused without the capability. */
  readonly reads: string;
}

/** Every page of the navigation (specification, Operator API). A new one is a row here. */
export const consolePages: readonly ConsolePage[] = [
  { path: '/', capability: null, reads: '/v3/admin/account' },
  { path: '/statistics', capability: 'audit:read', reads: '/v3/admin/stats' },
  { path: '/assistant', capability: null, reads: '/v3/admin/account' },
  { path: '/citizens', capability: 'user:read', reads: '/v3/admin/users' },
  { path: '/devices', capability: 'device:read', reads: '/v3/admin/devices' },
  { path: '/certificates', capability: 'cert:read', reads: '/v3/admin/certificates' },
  { path: '/sessions', capability: 'session:read', reads: '/v3/admin/audit' },
  {
    path: '/identity-verifications',
    capability: 'user:read',
    reads: '/v3/admin/identity-verifications',
  },
  { path: '/organizations', capability: 'org:read', reads: '/v3/admin/organizations' },
  { path: '/documents', capability: 'session:read', reads: '/v3/admin/documents' },
  { path: '/oidc-clients', capability: 'rp:read', reads: '/v3/admin/oidc-clients' },
  { path: '/relying-parties', capability: 'rp:read', reads: '/v3/admin/relying-parties' },
  { path: '/approvals', capability: 'audit:read', reads: '/v3/admin/approvals' },
  { path: '/audit', capability: 'audit:read', reads: '/v3/admin/audit' },
  { path: '/knowledge', capability: 'config:read', reads: '/api/v1/admin/ai/knowledge/articles' },
  { path: '/system', capability: 'config:read', reads: '/v3/admin/system' },
  { path: '/admins', capability: 'admin:manage', reads: '/v3/admin/admins' },
];
