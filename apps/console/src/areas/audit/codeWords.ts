import { problemTexts } from '../../shared/problemTexts.ts';
import { isProblem, problemWords } from '../../shared/problemWords.ts';
import { capabilityWords, roleWords } from '../../shared/records/operatorWords.ts';
import { permissionWords } from '../../shared/records/permissionWords.ts';
import { failureWords, methodWords, statusWords } from '../../shared/records/verificationWords.ts';
import {
  certificateStatusWords,
  certificateTypeWords,
  endResultWords,
  levelWords,
  platformWords,
  sessionFlowWords,
  sessionKindWords,
} from '../../shared/records/words.ts';
import type { Language } from '../../shared/texts.ts';
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
  methodWords,
  problemTexts,
];

/** Words of a code; of a refusal that no table knows, the title of its problem. Undefined: it is no code. */
export function codeWord(code: string, language: Language): string | undefined {
  const known = tables.find(({ keys }) => Object.hasOwn(keys, code))?.said[language][code];
  if (known !== undefined) return known;
  return isProblem(code) ? problemWords(code, language).title : undefined;
}
