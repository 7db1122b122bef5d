import { readFileSync } from 'node:fs';

/** The version of the program, semantic (specification, Versioning). */
export function programVersion(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
}
