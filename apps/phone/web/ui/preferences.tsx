import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import { type Language, languages, type Say, textsOf } from './texts.ts';

export const themes = ['auto', 'light', 'dark'] as const;

export type Theme = (typeof themes)[number];

export interface Preferences {
  readonly language: Language;
  readonly theme: Theme;
  readonly say: Say;
  setLanguage(language: Language): void;
  setTheme(theme: Theme): void;
}

const Context = createContext<Preferences | null>(null);

/** Language and colours chosen by the citizen, else those of the browser. */
export function PreferencesProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useKept('language', languages, languageOfBrowser);
  const [theme, setTheme] = useKept<Theme>('theme', themes, () => 'auto');
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dataset['theme'] = theme;
  }, [language, theme]);
  const preferences = useMemo(
    () => ({ language, theme, say: textsOf(language), setLanguage, setTheme }),
    [language, theme, setLanguage, setTheme],
  );
  return <Context value={preferences}>{children}</Context>;
}

export function usePreferences(): Preferences {
  const preferences = use(Context);
  if (preferences === null) throw new Error('PreferencesProvider is missing above this component.');
  return preferences;
}

/** Texts of the chosen language. */
export function useTexts(): Say {
  return usePreferences().say;
}

/** Mongolian unless the browser prefers English. */
function languageOfBrowser(): Language {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2));
  return wanted.find((tag) => languages.some((known) => known === tag)) === 'en' ? 'en' : 'mn';
}

function useKept<Value extends string>(
  name: string,
  values: readonly Value[],
  fallback: () => Value,
): [Value, (value: Value) => void] {
  const key = `tamga-phone.${name}`;
  const [value, setValue] = useState<Value>(() => {
    const stored = localStorage.getItem(key);
    return values.find((each) => each === stored) ?? fallback();
  });
  const keep = useMemo(
    () => (chosen: Value) => {
      localStorage.setItem(key, chosen);
      setValue(chosen);
    },
    [key],
  );
  return [value, keep];
}

/** Date formats of the chosen language; browsers do not know Mongolian dates. */
export function useDates(): { day(iso: string): string; minute(iso: string): string } {
  const { language } = usePreferences();
  const [days, minutes] = [
    { dateStyle: 'medium' },
    { dateStyle: 'medium', timeStyle: 'short' },
  ] as const;
  const format = (iso: string, options: Intl.DateTimeFormatOptions) =>
    language === 'en'
      ? new Intl.DateTimeFormat('en-GB', options).format(new Date(iso))
      : new Intl.DateTimeFormat('sv-SE', { ...options, dateStyle: 'short' })
          .format(new Date(iso))
          .replaceAll('-', '.');
  return { day: (iso) => format(iso, days), minute: (iso) => format(iso, minutes) };
}
