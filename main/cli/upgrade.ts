import { createInterface } from 'node:readline/promises';
import { type UpgradeState, withUpgrade } from '../composition/upgrade.ts';
import { commandConfig, withService } from './openService.ts';
import { say } from './say.ts';

/** Shows how far the upgrade to this release is. */
export function status(): Promise<void> {
  return withUpgrade(commandConfig(), async (upgrade) => {
    for (const line of described(await upgrade.state())) say(line);
  });
}

export interface FinishOptions {
  /** Asks nothing. */
  readonly yes?: true;
}

/** Ends the way back to the former release, and leaves that in the audit. */
export async function finish({ yes }: FinishOptions = {}): Promise<void> {
  const level = await finishConfirmed(yes !== undefined);
  // The first level needs no upgrade. Repeated, the log is told what an interrupted one left out.
  if (level > 1) await withService(({ noteUpgrade }) => noteUpgrade(level));
}

async function finishConfirmed(isConfirmed: boolean): Promise<number> {
  let level = 1;
  await withUpgrade(commandConfig(), async (upgrade) => {
    const before = await upgrade.state();
    if (before.isOpen) {
      for (const line of unseen(before)) say(line);
      if (!isConfirmed) await confirm();
    }
    ({ level } = await upgrade.finish());
    say(`The upgrade is finished: the installation is at level ${level}.`);
  });
  return level;
}

/** @throws Error unless somebody at a terminal agrees */
async function confirm(): Promise<void> {
  if (!process.stdin.isTTY) throw new Error('Nothing was done. Confirm with --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Finish the upgrade? yes or no: ');
  terminal.close();
  if (answer.trim() !== 'yes') throw new Error('Nothing was done.');
}

/** Lists what the end of an upgrade cannot see, and somebody has to know before. */
export function unseen({ lastBackup }: Pick<UpgradeState, 'lastBackup'>): readonly string[] {
  const backup =
    lastBackup === null
      ? 'that a backup was made: none is recorded. Make one with ./tamga backup'
      : `that the backup of ${lastBackup.toISOString()} is kept and can be restored`;
  return [
    'After this, the former release no longer starts. The only way back is to restore a backup that was made earlier.',
    'This command sees only the processes that are connected to the database. Check yourself:',
    `- ${backup} (docs/operations.md, Backup);`,
    '- processes that are down or cut off from the database: they end once they learn of it;',
    '- running commands of the former release, such as a copy of the log (./tamga log copy), a backup or a ceremony: let them end;',
    '- that the record of the key ceremony is kept (docs/ceremony.md).',
  ];
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
    ...(waiting.length === 0 ? [] : [`Waiting migrations: ${waiting.join(', ')}.`]),
    isOpen
      ? 'The former release can be started again until you run ./tamga upgrade finish.'
      : 'No upgrade is waiting to be finished.',
  ];
}
