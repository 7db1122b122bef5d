import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions, semanticVersion } from './semanticVersion.ts';

/** The description of the service in OpenAPI 3.1, as committed. */
export const openApiFile = 'docs/openapi.json';

/** The folder with what every release was described as. */
export const releasesFolder = 'docs/releases';

/** Where the description of a release is kept. */
export function releaseFile(version: string): string {
  return join(releasesFolder, `openapi-${version}.json`);
}

/** Versions whose description is kept, oldest first. */
export function describedReleases(): readonly string[] {
  return readdirSync(releasesFolder)
    .map((name) => /^openapi-(.+)\.json$/.exec(name)?.[1])
    .filter((version) => version !== undefined)
    .sort((a, b) => compareVersions(semanticVersion(a), semanticVersion(b)));
}
