import { causeOf, configChecks } from '../composition/configChecks.ts';
import { proxyConfigCheck } from '../composition/proxyCheck.ts';
import { publicAddresses } from '../infrastructure/config/publicAddresses.ts';
import { type Config, ConfigurationError, readConfig } from '../infrastructure/config/config.ts';
import { doubtful } from '../infrastructure/config/productionRules.ts';
import { formatError } from './formatError.ts';
import { remarksOnSurroundings, unsafeSurroundings } from './surroundings.ts';

/** Time of each check, ms. */
const CHECK_MS = 20_000;

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
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const fault of error.faults) say(`fails ${fault}`);
    return 1;
  }
  say('ok    format of each setting');
  let code = checkSurroundings(config, environment, say);
  const checks = [...configChecks(config)];
  if (proxy !== false) {
    const base = proxy === true ? publicAddresses(config).rpApi : proxy;
    checks.push(proxyConfigCheck(config, base));
  }
  for (const { settings, run } of checks) {
    try {
      const remarks = await within(run());
      if (remarks.length === 0) say(`ok    ${settings}`);
      for (const remark of remarks) say(`warns ${settings}: ${remark}`);
    } catch (error) {
      code = 1;
      say(`fails ${settings}: ${formatError(causeOf(error)).replaceAll('\n', '\n      ')}`);
    }
  }
  return code;
}

/** @returns 1 in production with surroundings that are unsafe */
function checkSurroundings(
  config: Config,
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
): 0 | 1 {
  const { SVC_PROFILE: profile, SVC_MAX_CONNECTIONS: connections } = config;
  const surroundings = { environment, switches: process.execArgv };
  const faults = unsafeSurroundings(surroundings);
  const isProduction = profile === 'production';
  for (const remark of doubtful(config)) say(`warns ${remark}`);
  for (const fault of faults) say(`${isProduction ? 'fails' : 'warns'} ${fault}`);
  for (const remark of remarksOnSurroundings(surroundings, connections)) {
    say(`warns surroundings: ${remark}`);
  }
  return isProduction && faults.length > 0 ? 1 : 0;
}

async function within<Result>(running: Promise<Result>): Promise<Result> {
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
