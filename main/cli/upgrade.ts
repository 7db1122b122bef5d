import { type UpgradeState, withUpgrade } from '../composition/upgrade.ts';
import { commandConfig } from './openService.ts';
import { say } from './say.ts';

/** Shows how far the upgrade to this release is. */
export function status(): Promise<void> {
  return withUpgrade(commandConfig(), async (upgrade) => {
    for (const line of described(await upgrade.state())) say(line);
  });
}

/** Ends the way back to the former release. */
export function finish(): Promise<void> {
  return withUpgrade(commandConfig(), async (upgrade) => {
    const { level } = await upgrade.finish();
    say(`The upgrade is finished: the installation is at level ${level}.`);
  });
}

/** Lines of `./tamga upgrade status`. */
export function described(state: UpgradeState): readonly string[] {
  const { level, known, processes, waiting, isOpen } = state;
  return [
    `The installation is at level ${level}; this release knows ${known}.`,
    ...processes.map(({ name, release, level: of, since }) => {
      const mark = of < known ? 'former ' : of > known ? 'newer  ' : 'current';
      const what =
        release === null ? 'of a release before levels' : `release ${release}, level ${of}`;
      return `  ${mark}  ${name}  ${what}, since ${since.toISOString()}`;
    }),
    ...(processes.length === 0 ? ['  No process runs.'] : []),
    ...(waiting.length === 0 ? [] : [`Migrations that wait: ${waiting.join(', ')}.`]),
    isOpen
      ? 'The former release can be started again until ./tamga upgrade finish.'
      : 'Nothing waits to be finished.',
  ];
}
