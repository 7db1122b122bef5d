import { causeOf, configChecks } from '../composition/configChecks.ts';
import { proxyConfigCheck } from '../composition/proxyCheck.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import { type Config, ConfigurationError, readConfig } from '../../infrastructure/config/config.ts';
import { doubtful } from '../../infrastructure/config/productionRules.ts';
import { formatError } from './formatError.ts';
import { remarksOnSurroundings, unsafeSurroundings } from './surroundings.ts';

/** Time of each check, ms. */
const CHECK_MS = 20_000;

/** Outcome of one thing that was tried. */
export type Mark = 'ok' | 'warns' | 'fails';
type Tell = (mark: Mark, text: string) => void;

/**
 * Tries what the environment configures and prints a line for each; starts and changes nothing.
 *
 * @param say writes one line
 * @param proxy address to ask the running service through, `true` for the public one; default: it is not asked
 * @returns exit code: 1 when anything fails
 */
export async function checkConfig(
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
  proxy: string | boolean = false,
): Promise<0 | 1> {
  let code: 0 | 1 = 0;
  const tell: Tell = (mark, text) => {
    if (mark === 'fails') code = 1;
    say(`${mark.padEnd(5)} ${text}`);
  };
  await tryConfig(environment, tell, proxy);
  return code;
}

/**
 * Tries what the environment configures; starts and changes nothing.
 *
 * @param tell is told of each thing tried
 * @returns null when the settings themselves are wrong
 */
export async function tryConfig(
  environment: NodeJS.ProcessEnv,
  tell: Tell,
  proxy: string | boolean = false,
): Promise<Config | null> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const fault of error.faults) tell('fails', fault);
    return null;
  }
  tell('ok', 'format of each setting');
  checkSurroundings(config, environment, tell);
  const checks = [...configChecks(config)];
  if (proxy !== false) {
    const base = proxy === true ? publicAddresses(config).rpApi : proxy;
    checks.push(proxyConfigCheck(config, base));
  }
  for (const { settings, run } of checks) {
    try {
      const remarks = await within(run());
      if (remarks.length === 0) tell('ok', settings);
      for (const remark of remarks) tell('warns', `${settings}: ${remark}`);
    } catch (error) {
      tell('fails', `${settings}: ${formatError(causeOf(error)).replaceAll('\n', '\n      ')}`);
    }
  }
  return config;
}

function checkSurroundings(config: Config, environment: NodeJS.ProcessEnv, tell: Tell): void {
  const { SVC_PROFILE: profile, SVC_MAX_CONNECTIONS: connections } = config;
  const surroundings = { environment, switches: process.execArgv };
  for (const remark of doubtful(config)) tell('warns', remark);
  for (const fault of unsafeSurroundings(surroundings)) {
    tell(profile === 'production' ? 'fails' : 'warns', fault);
  }
  for (const remark of remarksOnSurroundings(surroundings, connections)) {
    tell('warns', `surroundings: ${remark}`);
  }
}

/** Result of work that is given 20 s. @throws Error when it is late */
export async function within<Result>(running: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, CHECK_MS, new Error(`No answer for ${CHECK_MS / 1000} s.`));
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}
