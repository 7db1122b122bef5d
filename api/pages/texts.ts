import { type CommonWord, commonWords } from './commonWords.ts';

/** Languages of texts; the first is the fallback. */
export const languages = ['mn', 'en'] as const;
export type Language = (typeof languages)[number];

/** Texts of an area in all languages: a key missing in one fails to compile. */
export interface Texts<Key extends string> {
  /** In the first language. */
  readonly keys: Readonly<Record<Key, string>>;
  readonly said: Readonly<Record<Language, Readonly<Record<string, string>>>>;
}

/**
 * Declares the texts of an area. `{{name}}` stands for a value.
 *
 * ```ts
 * export const texts = defineTexts({ mn: { title: 'Утаснууд' }, en: { title: 'Phones' } });
 * ```
 *
 * @param texts by language; `common`: those that other tables have too, by their name in {@link commonWords}
 */
export function defineTexts<
  const Key extends string,
  const CommonKey extends string = never,
>(texts: {
  readonly mn: Readonly<Record<Key, string>>;
  readonly en: Readonly<Record<NoInfer<Key>, string>>;
  readonly common?: Readonly<Record<CommonKey, CommonWord>>;
}): Texts<Key | CommonKey> {
  const saidIn = (language: Language, index: 0 | 1) => {
    const words = Object.entries<CommonWord>(texts.common ?? {}).map(([key, word]) => [
      key,
      commonWords[word][index],
    ]);
    return {
      ...(Object.fromEntries(words) as Record<CommonKey, string>),
      ...texts[language],
    } as Record<Key | CommonKey, string>;
  };
  const said = { mn: saidIn('mn', 0), en: saidIn('en', 1) };
  return { keys: said.mn, said };
}

/** Text by key, with values for `{{…}}`. */
export type Say<Key extends string> = (
  key: Key,
  values?: Readonly<Record<string, string | number>>,
) => string;

/** Text of any area by key; see {@link Say}. */
export type SayOfAll = <Key extends string>(
  texts: Texts<Key>,
  ...wanted: Parameters<Say<Key>>
) => string;

/** Texts in a language; of a key without one, the key. */
export function textsIn(language: Language): SayOfAll {
  return ({ said }, key, values = {}) =>
    (said[language][key] ?? key).replace(/\{\{(\w+)\}\}/g, (_, name: string) =>
      String(values[name] ?? ''),
    );
}
