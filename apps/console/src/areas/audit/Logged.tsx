import { useReadable } from '../../shared/names.tsx';
import { problemTexts } from '../../shared/problemTexts.ts';
import { capabilityWords, roleWords } from '../../shared/records/operatorWords.ts';
import { permissionWords } from '../../shared/records/permissionWords.ts';
import { failureWords, statusWords } from '../../shared/records/verificationWords.ts';
import {
  certificateStatusWords,
  certificateTypeWords,
  endResultWords,
  levelWords,
  platformWords,
  sessionFlowWords,
  sessionKindWords,
} from '../../shared/records/words.ts';
import { useLanguage } from '../../shared/texts.ts';
import { loggedWords } from './texts.ts';

/** Words of codes that events hold; the first table that knows a code names it. */
const tables = [
  loggedWords,
  endResultWords,
  roleWords,
  capabilityWords,
  permissionWords,
  certificateStatusWords,
  certificateTypeWords,
  levelWords,
  platformWords,
  sessionFlowWords,
  sessionKindWords,
  failureWords,
  statusWords,
  problemTexts,
];

const CODE = /(?<=")(?:[A-Z][A-Z\d_]+|[a-z]+:[a-z]+)(?=[" ])/g;

/**
 * Logged value: names instead of ids, words instead of codes, other than texts as JSON, absent as a dash; as it was on
 * hover.
 */
export function Logged({ value }: { readonly value: unknown }) {
  const readable = useReadable();
  const language = useLanguage();
  if (value === undefined || value === null) return '—';
  const wordOf = (code: string) =>
    tables.find(({ keys }) => Object.hasOwn(keys, code))?.said[language][code];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const worded = text.replaceAll(CODE, (code) => wordOf(code) ?? code);
  const shown = readable(wordOf(text) ?? worded);
  return shown === text ? text : <span title={text}>{shown}</span>;
}
