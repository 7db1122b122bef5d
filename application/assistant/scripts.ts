import type { AssistantLanguage } from '../ports/assistant.ts';

/** Letters a text needs before they say what it is written in. */
const fewestLetters = 20;
/** The part of them that is enough: names, codes and addresses stay as they are in every language. */
const enough = 0.2;

const scripts: Readonly<Record<AssistantLanguage, RegExp>> = {
  mn: /\p{Script=Cyrillic}/gu,
  en: /\p{Script=Latin}/gu,
  zh: /\p{Script=Han}/gu,
  ru: /\p{Script=Cyrillic}/gu,
};

/** Whether a text may be in a language, by its letters alone: Mongolian and Russian are not told apart. */
export function isInScriptOf(lang: AssistantLanguage, text: string): boolean {
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0;
  const all = count(/\p{L}/gu);
  return all < fewestLetters || count(scripts[lang]) >= all * enough;
}
