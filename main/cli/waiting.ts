import type { PatientStartOptions } from '../composition/patientStart.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { formatError } from './formatError.ts';

/**
 * Patience of a command: it waits for log and database as long as `serve` does, and tells on standard error what it
 * waits for, once, and again when that changes.
 *
 * @param signal ends the waiting
 */
export function commandPatience(
  { SVC_START_WAIT: seconds }: Pick<Config, 'SVC_START_WAIT'>,
  signal: AbortSignal = new AbortController().signal,
): PatientStartOptions {
  let told = '';
  return {
    waitMs: seconds * 1000,
    signal,
    onWaiting: (cause) => {
      if (cause.message === told) return;
      told = cause.message;
      process.stderr.write(
        `${formatError(cause)}\nWaiting for up to ${seconds} s (SVC_START_WAIT) …\n`,
      );
    },
  };
}
