import { rotateMasterKey } from '../composition/masterKeyRotation.ts';
import { commandConfig } from './openService.ts';
import { say } from './say.ts';

/** Wraps everything under the new master key. */
export async function rotate(): Promise<void> {
  const { persons, softwareKeys } = await rotateMasterKey(commandConfig(), (done, all) =>
    process.stderr.write(`\r${done} of ${all} persons' keys …`),
  );
  if (persons > 0) process.stderr.write('\n');
  say(`Wrapped under the new master key: ${persons} persons' keys, ${softwareKeys} software keys.`);
  say(
    'Nothing is wrapped under the previous one any more. Remove SVC_SW_MASTER_KEY_PREVIOUS and restart the processes. Keep the previous key for backups that were made earlier.',
  );
}
