import { text } from '../shared/eventFields.ts';
import { emailAddress } from '../shared/requestFields.ts';
import {
  pickSettings,
  type Setting,
  setting,
  type SettingValues,
  usableOf,
  word,
} from '../shared/settings.ts';
import { operatorRoles } from './capabilities.ts';

/** Characters (RFC 5321 §4.5.3.1). */
export const longestEmail = 254;

/** An e-mail address in its normal form. */
const email: Setting<string> = {
  ...setting({ kind: 'line', event: text, request: emailAddress(longestEmail), initial: '' }),
  usable: (given) => ({ value: foldEmail(given) }),
};

/** Settings of an operator. Their order is that of stored events. */
export const operatorSettings = {
  /** Lower case; unique, deactivated operators included. */
  email,
  role: word(operatorRoles, 'SUPPORT'),
};

export type OperatorSettings = SettingValues<typeof operatorSettings>;

/** Extracts the settings from what has other fields too, in a fixed order. */
export function settingsIn(from: OperatorSettings): OperatorSettings {
  return pickSettings(operatorSettings, from);
}

/** Extracts the settings in their normal forms. */
export function usableSettings(from: OperatorSettings): OperatorSettings {
  return usableOf(operatorSettings, settingsIn(from));
}

/** Normal form of e-mail addresses for storage and comparison. */
export function foldEmail(email: string): string {
  return email.normalize('NFC').trim().toLowerCase();
}
