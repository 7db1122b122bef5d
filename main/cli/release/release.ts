import { packRelease } from './packRelease.ts';
import { say } from '../say.ts';

export interface ReleaseOptions {
  readonly to: string;
  readonly commit: string;
}

/** Builds and packs a release. */
export async function release({ to, commit }: ReleaseOptions): Promise<void> {
  const { SOURCE_DATE_EPOCH: sourceDate } = process.env;
  const { digests } = await packRelease(to, commit, sourceDate === '' ? undefined : sourceDate);
  for (const [name, digest] of digests) say(`${digest}  ${name}`);
  say(`In ${to}, with SHA256SUMS. Another build of the same commit gives the same digests.`);
}
