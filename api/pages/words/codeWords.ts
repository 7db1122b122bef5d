import { problemTexts } from './problemTexts.ts';
import { isProblem, problemWords } from './problemWords.ts';
import { capabilityWords, roleWords } from './operatorWords.ts';
import { permissionWords } from './permissionWords.ts';
import { failureWords, methodWords, statusWords } from './verificationWords.ts';
import { approvalTexts } from './approvalTexts.ts';
import { revocationTexts } from './revocationReasons.ts';
import {
  authorityWords,
  certificateStatusWords,
  certificateTypeWords,
  endResultWords,
  levelWords,
  platformWords,
  sessionFlowWords,
  sessionKindWords,
} from './recordWords.ts';
import { signalWords } from '../signalWords.ts';
import { defineTexts, type Language, type Texts } from '../texts.ts';

/** Codes of logged values that no other table names. */
const loggedWords = defineTexts({
  common: {
    ACTIVE: 'active',
    DEACTIVATED: 'deactivated',
    REJECTED: 'rejected',
    RUNNING: 'running',
    ADMIN: 'administrator',
    MANAGER: 'signer',
    REQUEST: 'request',
    true: 'yes',
    false: 'no',
  },
  mn: {
    ADDED: 'Нэмсэн',
    CHANGED: 'Өөрчлөгдсөн',
    CREATED: 'Үүсгэсэн',
    DELETED: 'Устгасан',
    INVITED: 'Урьсан',
    GRANTED: 'Эрх олгосон',
    WITHDRAWN: 'Эрхийг цуцалсан',
    RENAMED: 'Нэрийг өөрчилсөн',
    CERTIFIED: 'Тамганы гэрчилгээ олгосон',
    DEVICE_ENROLLED: 'Утас бүртгэсэн',
    RIGHT_CHANGED: 'Төлөөлөх эрх өөрчлөгдсөн',
    ORGANIZATION_CHANGED: 'Байгууллагын бүртгэл өөрчлөгдсөн',
    IDENTITY_UNUSABLE: 'Иргэн нэвтрэх боломжгүй болсон',
    PERSON_FORGOTTEN: 'Иргэний мэдээллийг устгасан',
    DOCUMENT_SIGNER: 'Баримтын тэмдэг',
    SIGNER: 'Гарын үсэг зурагчийн тэмдэг',
    STAMP: 'Баримтын тэмдэгт зориулсан',
    DIGEST: 'Зөвхөн хураангуй',
    PDF: 'PDF файл',
    pades: 'PDF доторх гарын үсэг (PAdES)',
    detached: 'Тусдаа гарын үсэг',
    approval: 'Цахим зөвшөөрөл',
    eid_signature: 'eID-ийн гарын үсэг',
    EID: 'eID',
    DAN: 'ДАН систем',
    CONTRACT: 'Гэрээ',
    APPROVAL: 'Зөвшөөрөл',
    PASSWORD: 'Нууц үг',
    SECOND_FACTOR: 'Баталгаажуулагчийн код',
    UNKNOWN: 'Танигдаагүй',
    WRONG: 'Буруу',
    REPLAYED: 'Хоёр дахь удаа ашигласан',
    PLATFORM: 'Платформын өөрийн',
    OPERATOR: 'Операторын',
    operator: 'Операторын шалгасан',
    PIN1: 'ПИН1',
    PIN2: 'ПИН2',
    enabled: 'Асаалттай',
    paused: 'Түр зогссон',
    disabled: 'Унтраалттай',
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
    ADDED: 'Added',
    CHANGED: 'Changed',
    CREATED: 'Created',
    DELETED: 'Deleted',
    INVITED: 'Invited',
    GRANTED: 'Right granted',
    WITHDRAWN: 'Right withdrawn',
    RENAMED: 'Renamed',
    CERTIFIED: 'Seal certificate issued',
    DEVICE_ENROLLED: 'Phone enrolled',
    RIGHT_CHANGED: 'Right to represent changed',
    ORGANIZATION_CHANGED: 'Record of the organization changed',
    IDENTITY_UNUSABLE: 'The citizen can no longer log in',
    PERSON_FORGOTTEN: 'The citizen was forgotten',
    DOCUMENT_SIGNER: 'Stamp of the platform',
    SIGNER: 'Stamp with the signature',
    STAMP: 'For a stamp',
    DIGEST: 'A digest alone',
    PDF: 'PDF file',
    pades: 'Signature in the PDF (PAdES)',
    detached: 'Detached signature',
    approval: 'Electronic approval',
    eid_signature: 'Signature by eID',
    EID: 'eID',
    DAN: 'DAN system',
    CONTRACT: 'Contract',
    APPROVAL: 'Approval',
    PASSWORD: 'Password',
    SECOND_FACTOR: 'Code of the authenticator',
    UNKNOWN: 'Unknown',
    WRONG: 'Wrong',
    REPLAYED: 'Used twice',
    PLATFORM: 'Of the platform',
    OPERATOR: 'Of an operator',
    operator: 'By an operator',
    PIN1: 'PIN1',
    PIN2: 'PIN2',
    enabled: 'Enabled',
    paused: 'Paused',
    disabled: 'Disabled',
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

const registerWords = defineTexts({
  mn: { civil: 'Иргэний бүртгэл', organizations: 'Байгууллагын бүртгэл' },
  en: { civil: 'Civil register', organizations: 'Register of organizations' },
});

/** Words of codes that mean something else elsewhere, by the field that holds them. */
const ofField: Readonly<Record<string, Texts<string>>> = {
  authority: authorityWords,
  operation: approvalTexts,
  permissions: permissionWords,
  register: registerWords,
  signals: defineTexts(signalWords),
  type: certificateTypeWords,
};

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

/**
 * Words of a code; of a refusal that no table knows, the title of its problem.
 *
 * @param field that holds it, as events name it
 * @returns undefined: it is no code
 */
export function codeWord(code: string, language: Language, field = ''): string | undefined {
  if (field === 'reason' || field === 'revocationReason') {
    const reason = revocationTexts.said[language][`reason${code}`];
    if (reason !== undefined) return reason;
  }
  const own = Object.hasOwn(ofField, field) ? ofField[field] : undefined;
  const known = [...(own === undefined ? [] : [own]), ...tables].find(({ keys }) =>
    Object.hasOwn(keys, code),
  )?.said[language][code];
  if (known !== undefined) return known;
  return isProblem(code) ? problemWords(code, language).title : undefined;
}
