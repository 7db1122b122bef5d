import { readFileSync } from 'node:fs';
import { breakingChanges, type BreakingChange } from './apiChanges.ts';
import { type ChangelogSection, readChangelog } from './changelog.ts';
import type { OpenApiDocument } from './openApiDocument.ts';
import { describedReleases, openApiFile, releaseFile } from './releaseFiles.ts';
import { semanticVersion } from './semanticVersion.ts';

/** Descriptions and changelog to compare. */
export interface Surfaces {
  readonly released: OpenApiDocument;
  readonly present: OpenApiDocument;
  readonly changelog: readonly ChangelogSection[];
}

/**
 * Finds unannounced breaking changes since the last release: the major version has not risen, and
 * no unreleased entry of the changelog under Removed or Changed names the operation as `METHOD
 * /path`.
 */
export function unannouncedChanges({
  released,
  present,
  changelog,
}: Surfaces): readonly BreakingChange[] {
  const [before] = semanticVersion(released.info.version);
  const [now] = semanticVersion(present.info.version);
  if (now > before) return [];
  const announced = changelog
    .filter(({ version }) => version === null)
    .flatMap(({ entries }) => [
      ...(entries.get('Removed') ?? []),
      ...(entries.get('Changed') ?? []),
    ])
    .join('\n');
  return breakingChanges(released, present).filter(
    ({ operation }) => !announced.includes(`\`${operation}\``),
  );
}

/**
 * Compares the committed description with that of the last release and prints breaking changes.
 *
 * @returns exit code
 */
export function checkApi(): number {
  const version = describedReleases().at(-1) ?? '';
  const found = unannouncedChanges({
    released: read(releaseFile(version)),
    present: read(openApiFile),
    changelog: readChangelog(readFileSync('CHANGELOG.md', 'utf8')),
  });
  for (const { operation, changes } of found) {
    process.stderr.write(`${operation}\n${changes.map((each) => `  ${each}\n`).join('')}`);
  }
  if (found.length === 0) return 0;
  process.stderr.write(
    `This breaks callers of ${version} (docs/adr/0032). Raise the major version, or name the operation in CHANGELOG.md, ` +
      'Unreleased, under Removed or Changed, as `METHOD /path`.\n',
  );
  return 1;
}

function read(file: string): OpenApiDocument {
  return JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument;
}
