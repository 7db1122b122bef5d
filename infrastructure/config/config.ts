import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { Misconfigured } from '../../application/ports/faults.ts';
import { isUsedByCommands, neededByCommands } from './commandSettings.ts';
import { incompleteAssistant } from './assistantSettings.ts';
import { unusableBrand } from './brandSettings.ts';
import { incompleteConsole, isConsoleAlone } from './consoleSettings.ts';
import { incompleteObjectStores } from './objectStoreSettings.ts';
import { incompleteIdentityVerification } from './identityVerificationSettings.ts';
import { incompleteArchive } from './archiveSettings.ts';
import { missing, unsafe } from './productionRules.ts';
import { type Config, settings } from './configSettings.ts';

export { settings };
export type { Config, Role } from './configSettings.ts';

/** All faults of the environment at once; the message lists them by name and never shows a value. */
export class ConfigurationError extends Misconfigured {
  override readonly name = 'ConfigurationError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length} fault(s):\n- ${faults.join('\n- ')}`);
    this.faults = faults;
  }
}

/**
 * Reads the configuration. An empty variable counts as unset; a secret `X` may come from the file named by `X_FILE`.
 *
 * @throws ConfigurationError
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return parse(environment, () => true, unsafe);
}

/**
 * Reads what a maintenance command uses of the configuration; the settings of servers have their defaults, whatever the
 * environment says.
 *
 * @throws ConfigurationError
 */
export function readCommandConfig(environment: NodeJS.ProcessEnv): Config {
  return parse(environment, isUsedByCommands, (config) =>
    config.SVC_PROFILE === 'development' ? [] : missing(config, neededByCommands),
  );
}

function parse(
  environment: NodeJS.ProcessEnv,
  isUsed: (name: string) => boolean,
  unsafeFor: (config: Config) => readonly string[],
): Config {
  const faults: string[] = [];
  const faulty: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { schema, secret: isSecret }] of Object.entries(settings)) {
    const raw = isUsed(name) ? valueOf(name, isSecret, environment, faults) : undefined;
    const parsed = schema.safeParse(raw, { error: wordsOf });
    values[name] = parsed.success ? parsed.data : schema.safeParse(undefined).data;
    if (parsed.success) continue;
    faulty.push(name);
    faults.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  for (const name of Object.keys(environment)) {
    if (name.startsWith('SVC_') && !knownNames().includes(name)) {
      faults.push(`${name}: there is no such setting`);
    }
  }
  const config = values as Config;
  // Faults that name a setting of a wrong format come from the value it lacks.
  const isKnown = (fault: string) =>
    !faulty.some((name) => new RegExp(`\\b${name}\\b`).test(fault));
  faults.push(...[...unsafeFor(config), ...incomplete(config)].filter(isKnown));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return Object.freeze(config);
}

/** Fault of a value in words for those who set it; undefined: the setting has words of its own. */
export function wordsOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'must be set';
      return issue.expected === 'int' ? 'must be a whole number' : `must be a ${issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`;
    case 'too_small':
      return `must ${isText(issue.origin) ? 'have' : 'be'} at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must ${isText(issue.origin) ? 'have' : 'be'} at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_format':
      if (issue.format === 'email') return 'must be an e-mail address';
      return issue.format === 'base64' ? 'must be base64' : undefined;
    default:
      return undefined;
  }
}

const isText = (origin: string) => origin === 'string';
const unitOf = (origin: string) => (isText(origin) ? ' characters' : '');

/** Every variable the environment may set. */
export function knownNames(): readonly string[] {
  return Object.entries(settings).flatMap(([name, { secret: isSecret }]) =>
    isSecret ? [name, `${name}_FILE`] : [name],
  );
}

function valueOf(
  name: string,
  isSecret: boolean,
  environment: NodeJS.ProcessEnv,
  faults: string[],
): string | undefined {
  const direct = environment[name] === '' ? undefined : environment[name];
  const file = isSecret ? environment[`${name}_FILE`] : undefined;
  if (file === undefined || file === '') return direct;
  if (direct !== undefined)
    faults.push(`${name}: set both directly and by ${name}_FILE; remove one`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    faults.push(`${name}_FILE: the file it names cannot be read`);
    return undefined;
  }
}

/** Settings that require each other. */
function incomplete(config: Config): readonly string[] {
  const faults: string[] = [];
  const together = (...names: (keyof Config)[]) => {
    const missing = names.filter((name) => config[name] === undefined);
    const [given] = names.filter((name) => config[name] !== undefined);
    if (given === undefined || missing.length === 0) return;
    faults.push(`${missing.join(', ')}: needed together with ${given}`);
  };
  together('SVC_PKCS11_MODULE', 'SVC_PKCS11_TOKEN', 'SVC_PKCS11_PIN');
  if (config.SVC_SEAL_QSCD && config.SVC_PKCS11_MODULE === undefined) {
    faults.push(
      'SVC_SEAL_QSCD: seal keys of a qualified device need a hardware module; set SVC_PKCS11_MODULE, SVC_PKCS11_TOKEN and SVC_PKCS11_PIN, or set it to false',
    );
  }
  if (config.SVC_HSMPROXY_ORG_ISSUING_CERT !== undefined) {
    together('SVC_HSMPROXY_ORG_ISSUING_CERT', 'SVC_HSMPROXY_ORG_KEY_LABEL');
  }
  together('SVC_TLS_CERT', 'SVC_TLS_KEY');
  faults.push(...samePorts(config));
  faults.push(...incompleteConsole(config), ...incompleteAssistant(config));
  faults.push(...incompleteIdentityVerification(config), ...incompleteObjectStores(config));
  together('SVC_BRAND_ACCENT', 'SVC_BRAND_ACCENT_DARK');
  faults.push(...unusableBrand(config));
  together('SVC_ADMIN_SEED_EMAIL', 'SVC_ADMIN_SEED_PASSWORD');
  together('SVC_TSA_URL', 'SVC_TSA_CA');
  if (config.SVC_TLS_CLIENT_CA !== undefined && config.SVC_TLS_CERT === undefined) {
    faults.push('SVC_TLS_CLIENT_CA: needs SVC_TLS_CERT and SVC_TLS_KEY');
  }
  return [...faults, ...incompleteArchive(config)];
}

/** Settings of the ports that a process opens, and the ports; without those it takes as they come (0). */
export function portsOf(config: Config): readonly (readonly [setting: string, port: number])[] {
  const roles = config.SVC_ROLES;
  const ports = [
    ['SVC_PORT', isConsoleAlone(config) ? 0 : config.SVC_PORT],
    ['SVC_MANAGEMENT_PORT', config.SVC_MANAGEMENT_PORT ?? 0],
    ['SVC_CONSOLE_PORT', roles.includes('console') ? config.SVC_CONSOLE_PORT : 0],
  ] as const;
  return ports.filter(([, port]) => port !== 0);
}

function samePorts(config: Config): readonly string[] {
  return portsOf(config).flatMap(([name, port], index, ports) => {
    const other = ports.slice(0, index).find(([, each]) => each === port);
    return other === undefined ? [] : [`${name}: is also the port of ${other[0]}; choose another`];
  });
}

/** Text of docs/configuration.md. */
export function configurationTable(): string {
  const rows = Object.entries(settings).map(([name, { description, shown, secret: isSecret }]) => {
    const names = isSecret ? `\`${name}\` or \`${name}_FILE\`` : `\`${name}\``;
    return `| ${names} | ${shown} | ${description} |`;
  });
  return [
    '# Configuration',
    '',
    'All configuration comes from environment variables. If some are wrong, the service reports all of them at once, by name. A',
    'secret may come from a file: set `<NAME>_FILE` to its path. `./tamga docs` generates this page from',
    '`infrastructure/config/config.ts`.',
    '',
    '| Variable | Default | Meaning |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** Time for which codes of authenticators, and proofs of phones, count at most, and a clock that is fast, ms. */
const SETTLE_MS = 120_000;

/** Time after a restore in which what was under way before the loss ends by itself, ms: sessions, codes, proofs. */
export const settleMsOf = ({ SVC_SESSION_WINDOW: seconds }: Config): number =>
  Math.max(SETTLE_MS, seconds * 1000);
