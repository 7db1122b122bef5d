import i18next from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';

/** Languages of the console; the first is what is shown where the browser asks for none of them. */
export const languages = ['mn', 'en'] as const;
export type Language = (typeof languages)[number];

const KEPT = 'tamga.language';

/** The language chosen earlier, else the browser's first that we have. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(KEPT), ...navigator.languages];
  const known = wanted.map((each) => languages.find((one) => each?.toLowerCase().startsWith(one)));
  return known.find((each) => each !== undefined) ?? languages[0];
}

/** Must run before the first text is shown. */
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

/** Switches and remembers. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(KEPT, language);
  void i18next.changeLanguage(language);
}

/** The language shown now; re-renders when it changes. */
export function useLanguage(): Language {
  return useTranslation().i18n.language as Language;
}

/** The texts of an area in every language: a key that one of them lacks does not compile. */
export interface Texts<Key extends string> {
  readonly namespace: string;
  /** Only for its type. */
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
 */
export function defineTexts<const Key extends string>(
  namespace: string,
  texts: {
    readonly mn: Readonly<Record<Key, string>>;
    readonly en: Readonly<Record<NoInfer<Key>, string>>;
  },
): Texts<Key> {
  for (const language of languages) {
    pending[language][namespace] = texts[language];
    if (i18next.isInitialized) i18next.addResourceBundle(language, namespace, texts[language]);
  }
  return { namespace, keys: texts.mn };
}

/** Says a text of these; values fill `{{…}}`. */
export type Say<Key extends string> = (
  key: Key,
  values?: Readonly<Record<string, string | number>>,
) => string;

/** The texts of an area in the language shown. */
export function useTexts<Key extends string>({ namespace }: Texts<Key>): Say<Key> {
  const { t } = useTranslation(namespace);
  return (key, values) => t(key as string, { ...values });
}
