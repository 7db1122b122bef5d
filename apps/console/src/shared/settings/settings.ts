// Settings of a record, each declared once: its form, its facts and what an edit sends are made of the declarations.

/** Kinds of settings by how they are edited and shown; `other`: by the area itself. */
export type SettingKind = 'line' | 'address' | 'list' | 'limit' | 'flag' | 'other';

/** One setting. */
export interface Setting<Value = unknown, Field = unknown, Kind extends SettingKind = SettingKind> {
  readonly kind: Kind;
  /** Value in a form that registers a record. */
  readonly initial: Value;
  /** Converts a value to what a form has. */
  fieldOf(value: Value): Field;
  /** Converts what a form has to what the API takes. */
  valueOf(field: Field): Value;
  /** Key of the text shown of a record that has none; null: a dash. */
  readonly otherwise: string | null;
  /** True for half of the form's width. */
  readonly isHalf: boolean;
  readonly isRequired: boolean;
}

/** Settings by name, in the order of the form. */
export type Settings = Readonly<Record<string, Setting>>;

/** Values as the API has them. */
export type Values<Of extends Settings> = { -readonly [Name in keyof Of]: Of[Name]['initial'] };

/** Values as a form has them. */
export type Fields<Of extends Settings> = {
  -readonly [Name in keyof Of]: ReturnType<Of[Name]['fieldOf']>;
};

/** The names of settings of one kind. */
export type NamesOf<Of extends Settings, Kind extends SettingKind> = {
  [Name in keyof Of]: Of[Name]['kind'] extends Kind ? Name : never;
}[keyof Of] &
  string;

/** Properties that a declaration may set beside the kind. */
type Looks = Partial<Pick<Setting, 'otherwise' | 'isHalf' | 'isRequired'>>;

const plain = { otherwise: null, isHalf: false, isRequired: false };
const same = <Value>(value: Value) => value;

/** A line of text, trimmed, or none. */
function optional<const Kind extends SettingKind>(kind: Kind, looks: Looks) {
  return {
    ...plain,
    ...looks,
    kind,
    initial: null,
    fieldOf: (value) => value ?? '',
    valueOf: (field) => field.trim() || null,
  } satisfies Setting<string | null, string> as Setting<string | null, string, Kind>;
}

/** A line of text that may be left out. */
export const line = (looks: Looks = {}) => optional('line', looks);

/** An address that may be left out. */
export const address = (looks: Looks = {}) => optional('address', looks);

/** A line of text that must be there. */
export function name(looks: Looks = {}): Setting<string, string, 'line'> {
  return {
    ...plain,
    isRequired: true,
    ...looks,
    kind: 'line',
    initial: '',
    fieldOf: same,
    valueOf: (field) => field.trim(),
  };
}

/** Entries, one a line. @param separators between entries */
export function list(separators: RegExp, looks: Looks = {}): Setting<string[], string, 'list'> {
  return {
    ...plain,
    ...looks,
    kind: 'list',
    initial: [],
    fieldOf: (entries) => entries.join('\n'),
    valueOf: (text) => text.split(separators).filter((entry) => entry !== ''),
  };
}

/** Records, one a line. @param form between a record and its line, which has no line break */
export function records<Entry>(
  form: { readonly lineOf: (entry: Entry) => string; readonly recordOf: (line: string) => Entry },
  looks: Looks = {},
): Setting<Entry[], string, 'list'> {
  const lines = list(/\s*\n\s*/, looks);
  return {
    ...lines,
    initial: [],
    fieldOf: (entries) => lines.fieldOf(entries.map(form.lineOf)),
    valueOf: (text) => lines.valueOf(text.trim()).map(form.recordOf),
  };
}

/** A count above 0, or none. */
export function limit(looks: Looks = {}): Setting<number | null, number | string, 'limit'> {
  return {
    ...plain,
    ...looks,
    kind: 'limit',
    initial: null,
    fieldOf: (value) => value ?? '',
    valueOf: (field) => (field === '' ? null : Number(field)),
  };
}

/** Yes or no. */
export function flag(looks: Looks = {}): Setting<boolean, boolean, 'flag'> {
  return { ...plain, ...looks, kind: 'flag', initial: false, fieldOf: same, valueOf: same };
}

/** A setting that the area edits and shows itself. */
export function other<Value>(initial: Value, looks: Looks = {}): Setting<Value, Value, 'other'> {
  return { ...plain, ...looks, kind: 'other', initial, fieldOf: same, valueOf: same };
}

function mapped<Of extends Settings>(
  settings: Of,
  value: (name: string, setting: Setting) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [name, value(name, setting)]),
  );
}

/** Values of a form that registers a record. */
export function initialOf<Of extends Settings>(settings: Of): Values<Of> {
  return mapped(settings, (_, { initial }) => initial) as Values<Of>;
}

/** The settings of a record that has other fields too. */
export function settingsIn<Of extends Settings>(settings: Of, record: Values<Of>): Values<Of> {
  return mapped(settings, (each) => record[each]) as Values<Of>;
}

/** Values as a form has them. */
export function fieldsOf<Of extends Settings>(settings: Of, values: Values<Of>): Fields<Of> {
  return mapped(settings, (each, setting) => setting.fieldOf(values[each])) as Fields<Of>;
}

/** Values of a form as the API takes them. */
export function valuesOf<Of extends Settings>(settings: Of, fields: Fields<Of>): Values<Of> {
  return mapped(settings, (each, setting) => setting.valueOf(fields[each])) as Values<Of>;
}
