import { useSyncExternalStore } from 'react';
import {
  type Language,
  languages,
  type Say,
  type SayOfAll,
  type Texts,
  textsIn,
} from '../../../../api/pages/texts.ts';

export { defineTexts, languages, textsIn } from '../../../../api/pages/texts.ts';
export type { Language, Say, SayOfAll, Texts } from '../../../../api/pages/texts.ts';

const KEPT = 'tamga.language';

/** Language chosen earlier, else the browser's first supported one. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(KEPT), ...navigator.languages];
  const known = wanted.map((each) => languages.find((one) => each?.toLowerCase().startsWith(one)));
  return known.find((each) => each !== undefined) ?? languages[0];
}

let current = languages[0] as Language;
const watching = new Set<() => void>();

function say(language: Language): void {
  current = language;
  document.documentElement.lang = language;
  for (const changed of watching) changed();
}

/** Takes the first language; must run before a text is shown. */
export function startLanguages(): void {
  say(firstLanguage());
}

/** Switches the language and stores the choice. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(KEPT, language);
  say(language);
}

function watchLanguage(changed: () => void): () => void {
  watching.add(changed);
  return () => watching.delete(changed);
}

/** Current language; re-renders when it changes. */
export function useLanguage(): Language {
  return useSyncExternalStore(watchLanguage, () => current);
}

/** Texts of an area in the current language. */
export function useTexts<Key extends string>(texts: Texts<Key>): Say<Key> {
  const say = textsIn(useLanguage());
  return (...wanted) => say(texts, ...wanted);
}

/** Texts of several areas in the current language, for what shows all of them. */
export function useTextsOfAll(): SayOfAll {
  return textsIn(useLanguage());
}
