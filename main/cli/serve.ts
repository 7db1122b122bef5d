import { Misconfigured } from '../../application/ports/faults.ts';
import { createConsoleService } from '../composition/console.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { isConsoleAlone } from '../../infrastructure/config/consoleSettings.ts';
import { createService } from '../main.ts';
import { runUntilSignal } from './runUntilSignal.ts';
import { keepFilesPrivate, unsafeSurroundings } from './surroundings.ts';

/** Runs the service, or the console alone, until a signal, or until the upgrade to a newer release was finished. */
export function serve(): Promise<void> {
  const config = readConfig(process.env);
  if (config.SVC_PROFILE !== 'development') keepFilesPrivate();
  if (config.SVC_PROFILE === 'production') expectSafeSurroundings();
  if (isConsoleAlone(config)) return runUntilSignal(createConsoleService(config));
  const { promise: outdated, reject: onOutdated } = Promise.withResolvers<never>();
  // Heard once the service is started.
  outdated.catch(() => undefined);
  return runUntilSignal(createService(config, { onOutdated }), () => outdated);
}

/** @throws Misconfigured */
function expectSafeSurroundings(): void {
  const faults = unsafeSurroundings({ environment: process.env, switches: process.execArgv });
  if (faults.length === 0) return;
  throw new Misconfigured(
    `Production does not start with these settings:\n- ${faults.join('\n- ')}`,
  );
}
