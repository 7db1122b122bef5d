/** Source and circumstances of a build. */
export interface BuiltFrom {
  /** 40 hexadecimal digits. */
  readonly gitCommit: string;
  /** Of `package-lock.json`, which names every package by its digest. */
  readonly lockSha256: string;
  /** Seconds since the epoch. */
  readonly sourceDate: string;
}

/**
 * An in-toto Statement v1 with SLSA Provenance v1: which commit, packages and tools these files were made of. Without
 * times and places of the build, which repeats to the same bytes.
 *
 * @param digests SHA-256 of each file, by its name
 */
export function provenanceOf(
  digests: ReadonlyMap<string, string>,
  { gitCommit, lockSha256, sourceDate }: BuiltFrom,
): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: Array.from(digests, ([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:tamga:build:release:1',
        externalParameters: { command: './tamga release', commit: gitCommit },
        internalParameters: { SOURCE_DATE_EPOCH: sourceDate },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit } },
          { name: 'package-lock.json', digest: { sha256: lockSha256 } },
          { name: 'node', annotations: { version: process.version, platform: process.platform } },
        ],
      },
      runDetails: { builder: { id: 'urn:tamga:builder:command-line' } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}
