import { type Command, Option } from 'commander';
import { operatorSettings } from '../../domain/operator/settings.ts';
import { organizationSettings } from '../../domain/organization/settings.ts';
import { wordsOf } from '../../infrastructure/config/config.ts';
import {
  initialOf,
  type Setting,
  type SettingKind,
  type Settings,
  type SettingValues,
} from '../../domain/shared/settings.ts';

/** Options of a command, one for each of these settings. */
export interface SettingOptions<Values> {
  addTo(command: Command): Command;
  /**
   * Reads the settings, as they are initially where nothing was said.
   *
   * @throws Error naming an option whose value no request may have
   */
  read(given: object): Values;
}

/**
 * Declares the options of settings.
 *
 * @param options flags and help of each, and what reads one value of several; a setting without is an argument
 * @param usual values of the command line where they are not the initial ones
 */
export function settingOptions<const Of extends Settings, const Name extends keyof Of & string>(
  settings: Of,
  options: Readonly<
    Record<Name, readonly [flags: string, help: string, entry?: (given: string) => unknown]>
  >,
  usual: Partial<SettingValues<Of>> = {},
): SettingOptions<Pick<SettingValues<Of>, Name>> {
  const initial = initialOf(settings);
  const declared = (Object.keys(options) as Name[]).map((name) => {
    const [flags, help, entry] = options[name];
    const option = new Option(flags, help);
    if (entry !== undefined) {
      option.argParser((given, before: readonly unknown[]) => [...before, entry(given)]);
    }
    if (settings[name]?.kind === 'limit') option.argParser(Number);
    else {
      const value = usual[name] ?? initial[name];
      if (value !== null) option.default(value);
    }
    return { name, option };
  });
  return {
    addTo(command) {
      for (const { option } of declared) command.addOption(option);
      return command;
    },
    read(given) {
      const said = given as Readonly<Record<string, unknown>>;
      const values = declared.map(({ name, option }) => {
        const value = said[option.attributeName()];
        if (value === undefined || value === option.defaultValue)
          return [name, value ?? initial[name]];
        return [name, checked(settings[name], option, value)];
      });
      return Object.fromEntries(values) as Pick<SettingValues<Of>, Name>;
    },
  };
}

/** Kinds that whoever reads the options folds first, or tells one by one. */
const readElsewhere: readonly SettingKind[] = ['word', 'entries', 'choices'];

/** Value of an option within the bounds of requests. */
function checked(setting: Setting | undefined, option: Option, value: unknown): unknown {
  if (setting === undefined || readElsewhere.includes(setting.kind)) return value;
  const { success, data, error } = setting.request.safeParse(value, { error: wordsOf });
  if (success) return data;
  throw new Error(`${option.long ?? option.flags}: ${error.issues[0]?.message ?? 'not usable'}`);
}

/** The option of each setting of an organization but the name, which is an argument. */
export const organizationOptions = settingOptions(organizationSettings, {
  nameLatin: ['--name-latin <name>', 'Latin name, for certificates'],
});

/** The option of each setting of an operator but the e-mail address, which is an argument. */
export const operatorOptions = settingOptions(
  operatorSettings,
  { role: ['--role <role>', 'SUPER_ADMIN, RP_OPERATOR, SUPPORT, AUDITOR or SECURITY_OFFICER'] },
  { role: 'SUPER_ADMIN' },
);
