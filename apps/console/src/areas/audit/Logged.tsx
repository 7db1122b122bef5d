import { useReadable } from '../../shared/names.tsx';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useLanguage, useTexts } from '../../shared/texts.ts';
import { Timestamp } from '../../shared/ui/parts.tsx';
import { codeWord } from '../../../../../api/pages/words/codeWords.ts';

const CODE = /(?<=^|"|, )(?:[A-Z][A-Z\d_]+|[a-z]+:[a-z]+)(?=[" ,]|$)/g;

/** A moment of ISO 8601, as events hold it. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** Tells whether a value is absent or an empty list. */
function isNothing(value: unknown): value is null | undefined | [] {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** A list of texts or numbers with commas, anything else as JSON. */
function textOf(value: unknown): string {
  const isPlain =
    Array.isArray(value) && value.every((each) => ['string', 'number'].includes(typeof each));
  return isPlain ? value.join(', ') : JSON.stringify(value);
}

/**
 * Logged value: names instead of ids, words instead of codes and truths, times in the reader's zone, a list of texts with commas, other than texts as JSON, absent as a dash; as it was on
 * hover.
 */
export function Logged({ value }: { readonly value: unknown }) {
  const readable = useReadable();
  const language = useLanguage();
  const t = useTexts(sharedTexts);
  if (isNothing(value)) return '—';
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
  if (typeof value === 'string' && MOMENT.test(value)) return <Timestamp value={value} isExact />;
  const text = typeof value === 'string' ? value : textOf(value);
  const worded = text.replaceAll(CODE, (code) => codeWord(code, language) ?? code);
  const shown = readable(codeWord(text, language) ?? worded);
  return shown === text ? text : <span title={text}>{shown}</span>;
}
