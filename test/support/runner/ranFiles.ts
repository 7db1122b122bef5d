import { relative } from 'node:path';
import type { Suite } from 'mocha';

/** `this` of a root hook. */
export interface RootHook {
  readonly test?: { readonly parent?: Suite };
}

/** Files whose tests the hook surrounds, such as `pdf/limits`: one where several processes run. */
export function ranFiles(hook: RootHook): string {
  const files = new Set(hook.test?.parent?.suites.map(({ file }) => file ?? ''));
  return [...files].map((file) => relative('dist/test', file).replace(/\.test\.js$/, '')).join(' ');
}
