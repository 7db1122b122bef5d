import i18next from 'i18next';
import { type CommonWord, commonWords } from '../../../../api/pages/commonWords.ts';
import { initReactI18next, useTranslation } from 'react-i18next';

/** Languages of the console; the first is the fallback. */
export const languages = ['mn', 'en'] as const;
export type Language = (typeof languages)[number];

const KEPT = 'tamga.language';

/** Language chosen earlier, else the browser's first supported one. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(KEPT), ...navigator.languages];
  const known = wanted.map((each) => languages.find((one) => each?.toLowerCase().startsWith(one)));
  return known.find((each) => each !== undefined) ?? languages[0];
}

/** Initializes the texts; must run before the first is shown. */
export function startLanguages(): void {
  void i18next.use(initReactI18next).init({
    lng: firstLanguage(),
    fallbackLng: false,
    initAsync: false,
    interpolation: { escapeValue: false },
    returnNull: false,
    resources: pending,
  });
  document.documentElement.lang = i18next.language;
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language;
  });
}

/** Switches the language and stores the choice. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(KEPT, language);
  void i18next.changeLanguage(language);
}

/** Current language; re-renders when it changes. */
export function useLanguage(): Language {
  return useTranslation().i18n.language as Language;
}

/** Texts of an area in all languages: a key missing in one fails to compile. */
export interface Texts<Key extends string> {
  readonly namespace: string;
  /** Type only. */
  readonly keys: Readonly<Record<Key, string>>;
}

/** Texts registered before the languages start. */
const pending: Record<Language, Record<string, Readonly<Record<string, string>>>> = {
  mn: {},
  en: {},
};

/**
 * Declares the texts of an area. `{{name}}` stands for a value.
 *
 * ```ts
 * export const texts = defineTexts('devices', { mn: { title: 'Утаснууд' }, en: { title: 'Phones' } });
 * ```
 *
 * @param namespace unique in the console; by convention the area's folder
 * @param texts by language; `common`: those that other tables have too, by their name in {@link commonWords}
 */
export function defineTexts<const Key extends string, const CommonKey extends string = never>(
  namespace: string,
  texts: {
    readonly mn: Readonly<Record<Key, string>>;
    readonly en: Readonly<Record<NoInfer<Key>, string>>;
    readonly common?: Readonly<Record<CommonKey, CommonWord>>;
  },
): Texts<Key | CommonKey> {
  for (const [index, language] of languages.entries()) {
    const words = Object.entries<CommonWord>(texts.common ?? {}).map(([key, word]) => [
      key,
      commonWords[word][index],
    ]);
    const all = { ...(Object.fromEntries(words) as Record<CommonKey, string>), ...texts[language] };
    pending[language][namespace] = all;
    if (i18next.isInitialized) i18next.addResourceBundle(language, namespace, all);
  }
  return { namespace, keys: pending.mn[namespace] as Record<Key | CommonKey, string> };
}

/** Text by key, with values for `{{…}}`. */
export type Say<Key extends string> = (
  key: Key,
  values?: Readonly<Record<string, string | number>>,
) => string;

/** Texts of an area in the current language. */
export function useTexts<Key extends string>({ namespace }: Texts<Key>): Say<Key> {
  const { t } = useTranslation(namespace);
  return (key, values) => t(key as string, { ...values });
}
