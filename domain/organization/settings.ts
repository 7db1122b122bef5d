import { visibleText } from '../shared/requestFields.ts';
import { line, optional, pickSettings, type SettingValues } from '../shared/settings.ts';

/** Longest name, characters. */
export const maxOrganizationName = 200;

/** Settings a registration fixes. Their order is that of stored events. */
export const organizationSettings = {
  /** In its own letters. */
  name: line(maxOrganizationName),
  /** Upper case, in the letters of ICAO Doc 9303; null: none yet. */
  nameLatin: optional(visibleText(maxOrganizationName)),
};

export type OrganizationSettings = SettingValues<typeof organizationSettings>;

/** Extracts the settings from what has other fields too, in a fixed order. */
export function settingsIn(from: OrganizationSettings): OrganizationSettings {
  return pickSettings(organizationSettings, from);
}

/** The names among the settings: no other organization may have one that looks the same. */
export function namesOf(settings: OrganizationSettings): readonly string[] {
  return [settings.name, settings.nameLatin].filter((each) => each !== null);
}
