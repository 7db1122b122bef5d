import type { Request } from 'express';
import { en, type Texts } from './en.ts';
import { mn } from './mn.ts';

export type { Texts };

/** Languages of the pages; the first is the default. */
export const languages = ['mn', 'en'] as const;
export type Language = (typeof languages)[number];

export const texts: Readonly<Record<Language, Texts>> = { mn, en };

/** Language by its code; null: not supported. */
export function languageNamed(name: unknown): Language | null {
  return languages.find((language) => language === name) ?? null;
}

/** Preferred language of the browser (Accept-Language). */
export function preferredLanguage(request: Request): Language {
  const accepted = request.acceptsLanguages([...languages]);
  return accepted === false ? 'mn' : (languageNamed(accepted) ?? 'mn');
}

/** Fills the `{placeholders}` of a text. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
