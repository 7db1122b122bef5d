import { z } from 'zod';
import { hostWithPort, url } from './addresses.ts';
import { count, list, setting } from './settings.ts';

/** Settings of the proxy in front of the operator API (role `console`). */
export const consoleSettings = {
  SVC_CONSOLE_PORT: setting(
    count(0, 65535).default(8090),
    'Port of the operator console; 0 picks a free one.',
  ),
  SVC_CONSOLE_HOSTS: setting(
    list.pipe(z.array(hostWithPort).min(1)).optional(),
    'Hosts that the console answers to, as browsers send them (`Host`), including a non-default port. Others get 404.',
    'development: localhost and 127.0.0.1 with its port',
  ),
  SVC_CONSOLE_UPSTREAM: setting(
    url.optional(),
    'Origin of the operator API behind the console.',
    'this process',
  ),
  SVC_CONSOLE_TIMEOUT: setting(
    count(1, 600).default(30),
    'Time the operator API may take to begin its answer and may pause in it, in seconds; the assistant has at least 55.',
  ),
} as const;

type ConsoleConfig = Readonly<Partial<Record<string, unknown>>> & {
  readonly SVC_ROLES: readonly string[];
  readonly SVC_PROFILE: string;
};

/** True when this process runs the console alone: it then needs neither database nor keys. */
export function isConsoleAlone({ SVC_ROLES: roles }: Pick<ConsoleConfig, 'SVC_ROLES'>): boolean {
  return roles.every((role) => role === 'console');
}

/** Missing settings of the console. @returns faults by name */
export function incompleteConsole(config: ConsoleConfig): readonly string[] {
  if (!config.SVC_ROLES.includes('console')) return [];
  const faults: string[] = [];
  if (config.SVC_PROFILE !== 'development' && config['SVC_CONSOLE_HOSTS'] === undefined) {
    faults.push('SVC_CONSOLE_HOSTS: required, because the console answers only to these hosts');
  }
  if (config['SVC_CONSOLE_UPSTREAM'] === undefined && !config.SVC_ROLES.includes('api')) {
    faults.push('SVC_CONSOLE_UPSTREAM: required if another process has the role api');
  }
  return faults;
}
