import { createConsoleService } from '../composition/console.ts';
import { readConfig } from '../infrastructure/config/config.ts';
import { isConsoleAlone } from '../infrastructure/config/consoleSettings.ts';
import { createService } from '../main.ts';
import { runUntilSignal } from './runUntilSignal.ts';

/** Runs the service, or the console alone, until a signal. */
export function serve(): Promise<void> {
  const config = readConfig(process.env);
  return runUntilSignal(
    isConsoleAlone(config) ? createConsoleService(config) : createService(config),
  );
}
