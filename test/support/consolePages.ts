import type { Capability } from '../../domain/operator/capabilities.ts';

/** A page the navigation leads to. */
export interface ConsolePage {
  readonly path: string;
  /** Who lacks it gets a page that says so; null: everybody may. */
  readonly capability: Capability | null;
  /** What the page reads, below `/v3/admin`: refused to who forces it. */
  readonly reads: string;
}

/** Every page of the navigation (specification, Operator API). A new one is a row here. */
export const consolePages: readonly ConsolePage[] = [
  { path: '/', capability: null, reads: '/account' },
  { path: '/statistics', capability: 'audit:read', reads: '/stats' },
  { path: '/relying-parties', capability: 'rp:read', reads: '/relying-parties' },
  { path: '/system', capability: 'config:read', reads: '/system' },
  { path: '/admins', capability: 'admin:manage', reads: '/admins' },
];
