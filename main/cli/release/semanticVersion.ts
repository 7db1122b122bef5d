/** A version without pre-release and build: major, minor, patch (semantic versioning 2.0.0 §2). */
export type SemanticVersion = readonly [major: number, minor: number, patch: number];

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/** @throws Error when the text is not a version */
export function semanticVersion(text: string): SemanticVersion {
  const [, major, minor, patch] = VERSION.exec(text) ?? [];
  if (patch === undefined) throw new Error(`Not a semantic version: ${text}`);
  return [Number(major), Number(minor), Number(patch)];
}

/** Compares versions by precedence (§11): below zero when `a` is older. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
