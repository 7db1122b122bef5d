import type { SettingKind, Settings, SettingValues } from '../../domain/shared/settings.ts';
import type { Column, SqlType } from './columns.ts';

// Columns of a read model that are settings of its entity: one each, named as PostgreSQL names things.

/** `callbackHosts` as a column: `callback_hosts`. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** Value in rows: a whole number is bigint there. */
type Stored<Value> = Value extends number ? bigint : Value;

/** Columns of settings. */
export type SettingColumns<Of extends Settings> = {
  readonly [Name in keyof Of & string as Snake<Name>]: Column<Stored<Of[Name]['initial']>>;
};

/** The part of a row that those columns are. */
export type SettingRow<Of extends Settings> = {
  readonly [Name in keyof Of & string as Snake<Name>]: Stored<Of[Name]['initial']>;
};

const sqlTypes: Readonly<Record<SettingKind, SqlType>> = {
  line: 'text',
  word: 'text',
  entries: 'jsonb',
  choices: 'jsonb',
  flag: 'boolean',
  limit: 'int8',
};

function columnName(setting: string): string {
  return setting.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The columns of settings. */
export function settingColumns<const Of extends Settings>(settings: Of): SettingColumns<Of> {
  const columns = Object.entries(settings).map(([name, { kind }]) => [
    columnName(name),
    sqlTypes[kind],
  ]);
  return Object.fromEntries(columns) as SettingColumns<Of>;
}

/** The names of those columns. */
export function settingColumnNames<const Of extends Settings>(
  settings: Of,
): readonly (keyof SettingColumns<Of> & string)[] {
  return Object.keys(settings).map(columnName) as (keyof SettingColumns<Of> & string)[];
}

/** Settings as their columns hold them. */
export function settingRow<const Of extends Settings>(
  settings: Of,
  values: SettingValues<Of>,
): SettingRow<Of> {
  const row = Object.keys(settings).map((name) => {
    const value: unknown = values[name];
    return [columnName(name), typeof value === 'number' ? BigInt(value) : value];
  });
  return Object.fromEntries(row) as SettingRow<Of>;
}

/** The settings that a row's columns hold. */
export function settingsOfRow<const Of extends Settings>(
  settings: Of,
  row: SettingRow<Of>,
): SettingValues<Of> {
  const columns = row as Readonly<Record<string, unknown>>;
  const values = Object.keys(settings).map((name) => {
    const value = columns[columnName(name)];
    return [name, typeof value === 'bigint' ? Number(value) : value];
  });
  return Object.fromEntries(values) as SettingValues<Of>;
}
