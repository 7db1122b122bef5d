import { boolean, type Field, list, nullable, number, oneOf, text } from './eventFields.ts';
import { type FieldFault, Refusal } from './refusal.ts';
import {
  choiceOf,
  countOf,
  type Defaulted,
  entriesOf,
  visibleText,
  wholeNumber,
} from './requestFields.ts';

// Settings of an entity, each declared once: its events, its rows, and the requests and answers about it are made of
// the declarations. Adding one: docs/adding-a-field.md.

/** Kinds of settings: what a form, a command line or a table has to know of one. */
export type SettingKind = 'line' | 'word' | 'entries' | 'choices' | 'flag' | 'limit';

/** A value as it is kept, or why it cannot be: the index of an entry, null for the whole, with a sentence each. */
export type Usable<Value> =
  | { readonly value: Value }
  | { readonly faults: readonly { readonly index: number | null; readonly detail: string }[] };

/** One setting. */
export interface Setting<Value = unknown> {
  readonly kind: SettingKind;
  /** In events: no bounds, since what was bounded once is read for ever. */
  readonly event: Field<Value>;
  /** In requests, with bounds. */
  readonly request: Field<Value>;
  /** In answers. */
  readonly answer: Field<Value>;
  /** Of an entity about which nothing else was said. */
  readonly initial: Value;
  /** Normalizes a value for the comparisons it is made for. */
  usable(value: Value): Usable<Value>;
}

/** Settings by name. */
export type Settings = Readonly<Record<string, Setting>>;

/** The values of settings. */
export type SettingValues<Of extends Settings> = {
  readonly [Name in keyof Of]: Of[Name]['initial'];
};

type Parts<Of extends Settings, Part extends 'event' | 'request' | 'answer'> = {
  readonly [Name in keyof Of]: Of[Name][Part];
};

const asGiven = <Value>(value: Value): Usable<Value> => ({ value });

/** A line of text that people are shown. @param atMost characters of a request */
export function line(atMost: number): Setting<string> {
  return setting({ kind: 'line', event: text, request: visibleText(atMost), initial: '' });
}

/**
 * A list of lines.
 *
 * @param read an entry as it is kept, or a sentence that says why it can never match
 */
export function entries(
  atMost: number,
  read: (entry: string) => { readonly value: string } | { readonly fault: string },
): Setting<readonly string[]> {
  return {
    kind: 'entries',
    event: list(text),
    request: entriesOf(atMost),
    answer: list(text),
    initial: [],
    usable(given) {
      const results = given.map(read);
      const faults = results.flatMap((each, index) =>
        'fault' in each ? [{ index, detail: each.fault }] : [],
      );
      if (faults.length > 0) return { faults };
      return { value: results.flatMap((each) => ('value' in each ? [each.value] : [])) };
    },
  };
}

/** Some of these words, each once. */
export function choices<const Word extends string>(
  words: readonly Word[],
): Setting<readonly Word[]> {
  const event = list(oneOf(words));
  return setting({ kind: 'choices', event, request: choiceOf(words), initial: [] });
}

/** Yes or no, and no at first unless said otherwise. */
export function flag(initial = false): Setting<boolean> {
  return setting({ kind: 'flag', event: boolean, request: boolean, initial });
}

/** A count above 0, or null: the platform's default. */
export function limit(atMost: number): Setting<number | null> {
  return {
    kind: 'limit',
    event: nullable(number),
    request: nullable(countOf(atMost)),
    answer: nullable(wholeNumber),
    initial: null,
    usable: (value) =>
      value === null || (Number.isInteger(value) && value > 0)
        ? { value }
        : { faults: [{ index: null, detail: 'Must be a whole number above 0.' }] },
  };
}

/** A setting of another form, kept as it is given. @param answer default: as in events */
export function setting<Value>(declared: {
  readonly kind: SettingKind;
  readonly event: Field<Value>;
  readonly request: Field<Value>;
  readonly answer?: Field<Value>;
  readonly initial: NoInfer<Value>;
}): Setting<Value> {
  return { answer: declared.event, ...declared, usable: asGiven };
}

/** One of these words. */
export function word<const Word extends string>(
  words: readonly Word[],
  initial: NoInfer<Word>,
): Setting<Word> {
  return setting({ kind: 'word', event: oneOf(words), request: oneOf(words), initial });
}

/** A line that may be left out. @param request a field of requests */
export function optional(request: Field<string>): Setting<string | null> {
  const event = nullable(text);
  return setting({ kind: 'line', event, request: nullable(request), initial: null });
}

/** One part of every declaration, by the name of the setting. */
export function partOf<
  const Of extends Settings,
  const Part extends 'event' | 'request' | 'answer',
>(settings: Of, part: Part): Parts<Of, Part> {
  const parts = Object.entries(settings).map(([name, each]) => [name, each[part]] as const);
  return Object.fromEntries(parts) as Parts<Of, Part>;
}

/** The settings in requests that may leave them out. */
export function optionalRequests<const Of extends Settings>(
  settings: Of,
): { readonly [Name in keyof Of]: Defaulted<Of[Name]['request']> } {
  const parts = Object.entries(settings).map(
    ([name, { request, initial }]) => [name, request.default(initial)] as const,
  );
  return Object.fromEntries(parts) as { [Name in keyof Of]: Defaulted<Of[Name]['request']> };
}

/** The settings of an entity about which nothing was said. */
export function initialOf<const Of extends Settings>(settings: Of): SettingValues<Of> {
  const values = Object.entries(settings).map(([name, { initial }]) => [name, initial] as const);
  return Object.fromEntries(values) as SettingValues<Of>;
}

/** Extracts the settings from what has other fields too, in the order of their declaration. */
export function pickSettings<const Of extends Settings>(
  settings: Of,
  from: SettingValues<Of>,
): SettingValues<Of> {
  return Object.fromEntries(
    Object.keys(settings).map((name) => [name, from[name]]),
  ) as SettingValues<Of>;
}

/**
 * Settings normalized for the comparisons they are made for; what is no setting stays as it is.
 *
 * @param given all of them, or those to change
 * @throws Refusal INVALID_REQUEST naming every value that could never match
 */
export function usableOf<Given extends object>(settings: Settings, given: Given): Given {
  const faults: FieldFault[] = [];
  const usable: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) continue;
    const read = setting.usable(value);
    if ('value' in read) usable[name] = read.value;
    else {
      for (const { index, detail } of read.faults) {
        faults.push({ pointer: index === null ? `/${name}` : `/${name}/${index}`, detail });
      }
    }
  }
  if (faults.length > 0) {
    throw new Refusal('INVALID_REQUEST', {
      detail: faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; '),
      errors: faults,
    });
  }
  return { ...given, ...usable };
}
