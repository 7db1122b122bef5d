import { type Command, Option } from 'commander';
import {
  initialRelyingPartySettings,
  permissions,
  relyingPartySettings,
  type RelyingPartySettings,
  settingsIn,
  usableSettings,
} from '../../domain/relyingParty/settings.ts';

/** Permissions unless others are given: citizens can log in and sign. */
const usual = { permissions: ['AUTH', 'SIGN'] } as const;

/** The option of each setting but the name, which is an argument: its flags and its help. */
const options: Readonly<
  Record<Exclude<keyof RelyingPartySettings, 'name'>, readonly [flags: string, help: string]>
> = {
  callbackHosts: ['--callback-host <host...>', 'hosts an App2App return URL may have'],
  permissions: ['--permission <name...>', permissions.join(', ')],
  firstParty: ['--first-party', 'unrestricted: one of our own services'],
  ipAllowlist: ['--allow-ip <address...>', 'addresses or CIDR blocks calls may come from'],
  clientCertificates: [
    '--client-certificate <sha256...>',
    'fingerprints of client certificates accepted',
  ],
  requestsPerMinute: ['--requests-per-minute <count>', 'session-creating requests a minute'],
  smartIdStatuses: ['--smart-id-statuses', 'answer with 471, 472, 480 and 580 as Smart-ID does'],
};

const names = Object.keys(options) as (keyof typeof options)[];

/** Adds the options of a relying party's settings to a command. */
export function addSettingOptions(command: Command): Command {
  for (const name of names) {
    const option = new Option(...options[name]);
    if (relyingPartySettings[name].kind === 'limit') option.argParser(Number);
    else option.default({ ...initialRelyingPartySettings, ...usual }[name]);
    command.addOption(option);
  }
  return command;
}

/**
 * The settings of a relying party as options say them.
 *
 * @throws Error naming permissions that are none
 * @throws Refusal INVALID_REQUEST naming values that could never match
 */
export function settingsFromOptions(name: string, given: object): RelyingPartySettings {
  const said = given as Readonly<Record<string, unknown>>;
  const values = names.map((setting) => [
    setting,
    said[new Option(options[setting][0]).attributeName()] ?? initialRelyingPartySettings[setting],
  ]);
  const settings = { ...(Object.fromEntries(values) as RelyingPartySettings), name };
  const unknown = settings.permissions.filter((each) => !permissions.includes(each));
  if (unknown.length > 0) {
    throw new Error(`Unknown permission ${unknown.join(', ')}; known: ${permissions.join(', ')}`);
  }
  return usableSettings(settingsIn(settings));
}
