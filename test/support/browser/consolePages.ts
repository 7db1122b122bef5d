import { globSync, readFileSync } from 'node:fs';
import type { Capability } from '../../../domain/operator/capabilities.ts';

/** A page the navigation leads to. */
export interface ConsolePage {
  readonly path: string;
  /** Capability without which the page is refused; null: none. */
  readonly capability: Capability | null;
  /** Route the page reads, refused without the capability; null: it reads none when it opens. */
  readonly reads: string | null;
}

/** Routes of pages that read another than the one of their own path. */
const readsElsewhere: Readonly<Record<string, string | null>> = {
  '/registers': null,
  '/': '/v3/admin/account',
  '/statistics': '/v3/admin/stats',
  '/assistant': '/v3/admin/account',
  '/citizens': '/v3/admin/users',
  '/knowledge': '/api/v1/admin/ai/knowledge/articles',
};

const AREAS = 'apps/console/src/areas/*/area.ts';

/** Every page of the navigation, as the areas declare it (specification, Operator API). */
export const consolePages: readonly ConsolePage[] = globSync(AREAS).flatMap((area) => {
  const [, declared = ''] = readFileSync(area, 'utf8').split(/^ {2}nav: /m);
  const nav = declared.replaceAll(/^ *texts: .*,$/gm, '');
  return Array.from(nav.matchAll(/\{[^{}]*\bpath: '([^']+)'[^{}]*\}/g), ([entry, path = '']) => ({
    path,
    capability: (/capability: '([^']+)'/.exec(entry)?.[1] ?? null) as Capability | null,
    reads: path in readsElsewhere ? (readsElsewhere[path] ?? null) : `/v3/admin${path}`,
  }));
});
