import { comparable, wordsOf } from '../../domain/assistant/wordSearch.ts';
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

/** Words that are frequent in one of the two languages and none in the other. */
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
/** No Russian word has them; Mongolian ones do, also where a keyboard has the letters beside them instead. */
const mongolianLetters = /[өүєї]/u;
/** Telling words of the other language before an answer is taken for one of it. */
const fewestTelling = 2;

/**
 * Whether an answer may be in a language: by its letters, and between Mongolian and Russian, which share theirs, by words
 * that only one of them has. In doubt it may: to ask again for an answer that was right costs more than it mends.
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
  // Twice as many: names and quotations of the other language stand in right answers, too.
  return other >= fewestTelling && other > own * 2;
}
