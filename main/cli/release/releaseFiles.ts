import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions, semanticVersion } from './semanticVersion.ts';

/** OpenAPI 3.1 description of the service, as committed. */
export const openApiFile = 'docs/openapi.json';

/** Folder with the description of every release. */
const releasesFolder = 'docs/releases';

/** Path of the description of a release. */
export function releaseFile(version: string): string {
  return join(releasesFolder, `openapi-${version}.json`);
}

/** Versions with a description, oldest first. */
export function describedReleases(): readonly string[] {
  return readdirSync(releasesFolder)
    .map((name) => /^openapi-(.+)\.json$/.exec(name)?.[1])
    .filter((version) => version !== undefined)
    .sort((a, b) => compareVersions(semanticVersion(a), semanticVersion(b)));
}
