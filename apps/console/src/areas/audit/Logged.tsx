import { isEffect } from '../../../../../api/pages/words/effectWords.ts';
import { useReadable } from '../../shared/names.tsx';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useLanguage, useTexts } from '../../shared/texts.ts';
import { Effects } from '../../shared/ui/FourEyes.tsx';
import { Timestamp } from '../../shared/ui/parts.tsx';
import { codeWord } from '../../../../../api/pages/words/codeWords.ts';

/** A code in JSON. */
const CODE = /(?<=")(?:[A-Z][A-Z\d_]+|[a-z]+:[a-z]+)(?=")/g;

/** A moment of ISO 8601, as events hold it. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** Tells whether a value is absent or an empty list. */
function isNothing(value: unknown): value is null | undefined | [] {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** A list of texts or numbers, each by itself, with commas; a text; anything else as JSON. */
function textOf(value: unknown, wordOf: (each: string) => string): string {
  if (typeof value === 'string' || typeof value === 'number') return wordOf(String(value));
  const isPlain =
    Array.isArray(value) && value.every((each) => ['string', 'number'].includes(typeof each));
  return isPlain
    ? value.map((each) => wordOf(String(each))).join(', ')
    : JSON.stringify(value).replaceAll(CODE, wordOf);
}

/**
 * Logged value: names instead of ids, words instead of codes and truths, times in the reader's zone, a list of texts with
 * commas, effects of commands as such, other than texts as JSON, absent as a dash; as it was on hover.
 *
 * @param field that holds it: some codes mean different things in different fields
 */
export function Logged({ value, field }: { readonly value: unknown; readonly field: string }) {
  const readable = useReadable();
  const language = useLanguage();
  const t = useTexts(sharedTexts);
  if (isNothing(value)) return '—';
  if (Array.isArray(value) && value.every(isEffect)) return <Effects effects={value} />;
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
  if (typeof value === 'string' && MOMENT.test(value)) return <Timestamp value={value} isExact />;
  const text = textOf(value, String);
  const shown = readable(textOf(value, (each) => codeWord(each, language, field) ?? each));
  return shown === text ? text : <span title={text}>{shown}</span>;
}
