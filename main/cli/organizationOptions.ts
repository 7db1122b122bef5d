import { organizationSettings } from '../../domain/organization/settings.ts';
import { settingOptions } from './settingOptions.ts';

/** The option of each setting but the name, which is an argument. */
export const organizationOptions = settingOptions(organizationSettings, {
  nameLatin: ['--name-latin <name>', 'Latin name, for certificates'],
});
