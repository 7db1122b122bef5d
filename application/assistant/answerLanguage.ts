import { comparable, wordsOf } from '../../domain/assistant/wordSearch.ts';
import type { AssistantLanguage } from './ports/assistant.ts';

/** Fewest letters from which a language can be detected. */
const fewestLetters = 20;
/**
 * Share of letters in the expected script that suffices: names, codes and addresses stay the same in every language.
 */
const enough = 0.2;

const scripts: Readonly<Record<AssistantLanguage, RegExp>> = {
  mn: /\p{Script=Cyrillic}/gu,
  en: /\p{Script=Latin}/gu,
  zh: /\p{Script=Han}/gu,
  ru: /\p{Script=Cyrillic}/gu,
};

/** Words frequent in one of the two languages and absent from the other. */
const tellingWords = {
  mn: new Set(
    (
      'нь байна байгаа байх бол болно болон болох бөгөөд эсвэл юм гэж гэсэн энэ дээр та таны танд таныг хэрэв буюу тухай ' +
      'биш ямар дараа дахин тул шинэ нэг хоёр хийх хийнэ авах уу үү вэ юу рүү руу'
    ).split(' '),
  ),
  ru: new Set(
    (
      'и в во не на что с по для это этот эта как или вы если при к у из от чтобы вам вас ваш ваша ваше можно нужно ' +
      'также есть будет был быть он она они мы его который которые только уже после через'
    ).split(' '),
  ),
};
/** Letters of Mongolian that Russian lacks, including those typed instead of them on some keyboards. */
const mongolianLetters = /[өүєї]/u;
/** Distinctive words of the other language before an answer counts as written in it. */
const fewestTelling = 2;

/**
 * Checks if an answer may be in a language: by its script, and between Mongolian and Russian, which share theirs, by
 * distinctive words. True in doubt: repeating a request needlessly costs more than it corrects.
 */
export function mayBeIn(lang: AssistantLanguage, text: string): boolean {
  return isInScriptOf(lang, text) && !isInItsNeighbour(lang, text);
}

function isInScriptOf(lang: AssistantLanguage, text: string): boolean {
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0;
  const all = count(/\p{L}/gu);
  return all < fewestLetters || count(scripts[lang]) >= all * enough;
}

function isInItsNeighbour(lang: AssistantLanguage, text: string): boolean {
  if (lang !== 'mn' && lang !== 'ru') return false;
  const words = wordsOf(comparable(text));
  const telling = {
    mn: words.filter((word) => tellingWords.mn.has(word) || mongolianLetters.test(word)).length,
    ru: words.filter((word) => tellingWords.ru.has(word)).length,
  };
  const [own, other] = lang === 'mn' ? [telling.mn, telling.ru] : [telling.ru, telling.mn];
  // A factor of two: right answers also quote names and texts of the other language.
  return other >= fewestTelling && other > own * 2;
}
