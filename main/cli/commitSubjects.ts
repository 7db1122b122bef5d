import { execFileSync } from 'node:child_process';

/** Lines of `git log --format='%h %s'` whose subject is longer than 72 characters (CONTRIBUTING.md). */
export function longSubjects(log: string): readonly string[] {
  return log.split('\n').filter((line) => line.slice(line.indexOf(' ') + 1).length > 72);
}

/** Long subjects of commits that `origin/main` does not have; none in a clone without that ref. */
export function longSubjectsOfBranch(): readonly string[] {
  const log = ['log', '--no-merges', '--format=%h %s', 'origin/main..HEAD', '--'];
  try {
    return longSubjects(
      execFileSync('git', log, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
  } catch {
    return [];
  }
}
