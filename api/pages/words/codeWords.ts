import { problemTexts } from './problemTexts.ts';
import { isProblem, problemWords } from './problemWords.ts';
import { capabilityWords, roleWords } from './operatorWords.ts';
import { permissionWords } from './permissionWords.ts';
import { failureWords, methodWords, statusWords } from './verificationWords.ts';
import {
  certificateStatusWords,
  certificateTypeWords,
  endResultWords,
  levelWords,
  platformWords,
  sessionFlowWords,
  sessionKindWords,
} from './recordWords.ts';
import { defineTexts, type Language } from '../texts.ts';

/** Codes of logged values that no other table names. */
const loggedWords = defineTexts({
  common: {
    ACTIVE: 'active',
    DEACTIVATED: 'deactivated',
    REJECTED: 'rejected',
    RUNNING: 'running',
  },
  mn: {
    DRAFT: 'Ноорог',
    PENDING_APPROVAL: 'Гарын үсэг хүлээж байна',
    APPROVED: 'Зөвшөөрсөн',
    COMPLETE: 'Дууссан',
    CLIENT_AUTHENTICATION_FAILED: 'Клиент өөрийгөө баталж чадаагүй',
    CODE_REPLAYED: 'Нэвтрэх кодыг хоёр дахь удаа ашигласан',
    REFRESH_TOKEN_REPLAYED: 'Сунгах токеныг хоёр дахь удаа ашигласан',
    CODE_VERIFIER_WRONG: 'PKCE-ийн нотолгоо буруу',
  },
  en: {
    DRAFT: 'Draft',
    PENDING_APPROVAL: 'Awaiting signatures',
    APPROVED: 'Approved',
    COMPLETE: 'Complete',
    CLIENT_AUTHENTICATION_FAILED: 'The client could not prove itself',
    CODE_REPLAYED: 'An authorization code was used twice',
    REFRESH_TOKEN_REPLAYED: 'A refresh token was used twice',
    CODE_VERIFIER_WRONG: 'The PKCE code verifier is wrong',
  },
});

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
