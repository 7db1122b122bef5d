import { weighted } from '../http/weighted.ts';
import { common } from '../pages/commonWords.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import type { EndResult } from '../../domain/session/events.ts';
import type {
  RevocationStatus,
  CheckName,
  CheckResult,
  Verdict,
} from '../../application/verification/verification.ts';

/** Languages of the page; the first is the default. */
export const languages = ['mn', 'en'] as const;

export type Language = (typeof languages)[number];

interface Texts {
  readonly languageName: string;
  readonly title: string;
  readonly verdict: Readonly<Record<Verdict, readonly [title: string, text: string]>>;
  readonly unsigned: readonly [title: string, text: string];
  readonly notFound: readonly [title: string, text: string];
  /** Link to the start of another verification. */
  readonly another: string;
  readonly unavailable: readonly [title: string, text: string];
  readonly checks: Readonly<Record<CheckName, readonly [title: string, question: string]>>;
  readonly results: Readonly<Record<CheckResult, string>>;
  readonly levels: Readonly<Record<CertificateLevel, string>>;
  readonly statuses: Readonly<Record<RevocationStatus, string>>;
  readonly endResults: Readonly<Partial<Record<EndResult, string>>> & { readonly other: string };
  readonly reasons: Readonly<Record<number, string>>;
  readonly labels: Readonly<Record<Label, string>>;
  readonly signerForgotten: string;
  readonly chainForgotten: string;
  readonly notYet: string;
  readonly noTimestamp: string;
  readonly timestampWrong: string;
  readonly file: FileTexts;
  readonly footer: string;
}

type Label =
  | 'signer'
  | 'document'
  | 'relyingParty'
  | 'organization'
  | 'session'
  | 'outcome'
  | 'completedAt'
  | 'endedAt'
  | 'digest'
  | 'algorithm'
  | 'serial'
  | 'issuer'
  | 'level'
  | 'validity'
  | 'root'
  | 'atSigning'
  | 'now'
  | 'since'
  | 'reason'
  | 'time'
  | 'authority'
  | 'policy'
  | 'recordedAt';

/** Texts of the part that hashes a file in the browser. */
interface FileTexts {
  readonly title: string;
  readonly choose: string;
  readonly privacy: string;
  /** Instead of `privacy`, where the page asks the service. */
  readonly asked: string;
  readonly working: string;
  readonly same: string;
  readonly stamped: string;
  readonly different: string;
  readonly unknown: string;
  readonly impossible: string;
  /** Titles of the page for a file that is not what was signed, and for one of which nothing is known. */
  readonly refused: string;
  readonly unsure: string;
  /** Before the verdict on the session, once the title is about another file. */
  readonly original: string;
  /** A file of which the start page left the digest alone, and it is not known. */
  readonly again: string;
  /** A known file with something behind it. */
  readonly altered: string;
  readonly added: {
    readonly title: string;
    readonly kinds: Readonly<Record<Addition, string>>;
  };
  /** Link to the file without what was added. */
  readonly signedPart: string;
}

/** Kinds of addition the script tells apart; `{count}` is a number. */
type Addition =
  | 'replaced'
  | 'bytes'
  | 'pages'
  | 'contents'
  | 'annotations'
  | 'fields'
  | 'signatures'
  | 'material'
  | 'scripts'
  | 'layers'
  | 'files'
  | 'compressed'
  | 'other';

const mn: Texts = {
  languageName: common.mn.languageName,
  title: 'Гарын үсгийн шалгалт',
  verdict: {
    valid: ['Гарын үсэг хүчинтэй', 'Доорх шалгалтууд үүнийг баталж байна.'],
    revokedSince: [
      'Гарын үсэг зурах үед хүчинтэй байсан',
      'Гарын үсгийг зурсны дараа гэрчилгээг түдгэлзүүлсэн эсвэл хүчингүй болгосон байна.',
    ],
    invalid: ['Гарын үсэг хүчингүй', 'Доорх шалгалтын аль нэгийг даваагүй тул итгэж болохгүй.'],
    undecided: [
      'Бүрэн шалгах боломжгүй',
      'Шалгалтад шаардлагатай мэдээллийн зарим нь хадгалагдаагүй байна.',
    ],
  },
  unsigned: ['Гарын үсэг зураагүй', 'Энэ хүсэлтээр гарын үсэг зурагдаагүй байна.'],
  notFound: [
    'Шалгах зүйл олдсонгүй',
    'Энэ хаягт гарын үсгийн мэдээлэл алга. Холбоос эсвэл QR кодыг дахин шалгана уу. Гарын үсэг зурж дуусаагүй, эсвэл нэвтрэлт байсан бол шалгах зүйл байхгүй.',
  ],
  another: 'Өөр гарын үсэг шалгах',
  unavailable: ['Одоогоор шалгах боломжгүй', 'Хэсэг хугацааны дараа дахин оролдоно уу.'],
  checks: {
    outcome: ['Зөвшөөрөл', 'Иргэн утсан дээрээ ПИН кодоор баталгаажуулсан уу?'],
    signature: [common.mn.signature, 'Гарын үсэг энэ баримтын хураангуйд тохирч байна уу?'],
    chain: [common.mn.certificate, 'Гэрчилгээг итгэмжлэгдсэн байгууллага олгосон уу?'],
    revocation: ['Хүчинтэй байдал', 'Гарын үсэг зурах үед гэрчилгээ хүчинтэй байсан уу?'],
    timestamp: [
      'Цагийн тэмдэг',
      'Гарын үсэг хэзээ байсныг цагийн тэмдгийн байгууллага баталсан уу?',
    ],
  },
  results: { passed: common.mn.yes, failed: common.mn.no, open: 'Тодорхойгүй' },
  levels: {
    ADVANCED: 'Нэмэлт түвшин',
    QUALIFIED: 'Мэргэшсэн',
    QSCD: 'Мэргэшсэн, төхөөрөмжид',
  },
  statuses: { good: 'Хүчинтэй', held: 'Түдгэлзүүлсэн', revoked: common.mn.revoked },
  endResults: {
    OK: 'Гарын үсэг зурсан',
    TIMEOUT: 'Хугацаа дууссан',
    WRONG_VC: 'Баталгаажуулах код зөрсөн',
    DOCUMENT_UNUSABLE: 'Төхөөрөмжийг ашиглах боломжгүй байсан',
    other: 'Гарын үсэг зурахаас татгалзсан',
  },
  reasons: {
    0: 'Шалтгаан заагаагүй',
    1: 'Түлхүүр алдагдсан',
    2: 'Гэрчилгээжүүлэх байгууллагын түлхүүр алдагдсан',
    3: 'Харьяалал өөрчлөгдсөн',
    4: 'Шинэ гэрчилгээгээр сольсон',
    5: 'Ашиглалтаас гарсан',
    9: 'Эрхийг цуцалсан',
    10: 'Шинж чанарын гэрчилгээ олгогчийн түлхүүр алдагдсан',
  },
  labels: {
    signer: 'Гарын үсэг зурсан хүн',
    document: common.mn.document,
    relyingParty: 'Хүсэлт гаргагч',
    organization: 'Төлөөлж буй байгууллага',
    session: common.mn.session,
    outcome: common.mn.outcome,
    completedAt: 'Зурсан цаг',
    endedAt: 'Дууссан цаг',
    digest: 'Гарын үсэг зурсан хураангуй',
    algorithm: common.mn.algorithm,
    serial: common.mn.serialNumber,
    issuer: 'Олгогч',
    level: common.mn.level,
    validity: 'Хүчинтэй хугацаа',
    root: 'Үндсэн CA-ийн гэрчилгээний хураангуй',
    atSigning: 'Зурах үед',
    now: 'Одоо',
    since: 'Хэзээнээс',
    reason: common.mn.reason,
    time: 'Баталсан цаг',
    authority: 'Цагийн тэмдэг олгогч',
    policy: 'Бодлого',
    recordedAt: 'Платформд бүртгэсэн цаг',
  },
  signerForgotten: 'Хувийн мэдээллийг хуулийн дагуу устгасан',
  chainForgotten: 'Гэрчилгээ эзэмшигчийн нэрийг агуулдаг тул хамт устгагдсан.',
  notYet: 'Хараахан үгүй',
  noTimestamp: 'Баримтад тамга дараагүй тул цагийг платформын бүртгэлээс авлаа.',
  timestampWrong: 'Хадгалсан цагийн тэмдэг шалгалтыг даваагүй.',
  file: {
    title: 'Таны файл мөн үү?',
    choose: 'Файлаа сонгох эсвэл энд чирж тавих',
    privacy: 'Файлыг зөвхөн таны хөтөч дээр шалгана; хаашаа ч илгээхгүй.',
    asked:
      'Файл таны хөтчөөс гарахгүй; зөвхөн хяналтын нийлбэрийг нь (SHA-256) энэ үйлчилгээнээс асууна.',
    working: 'Шалгаж байна…',
    same: 'Тийм: энэ бол гарын үсэг зурсан файл мөн.',
    stamped: 'Тийм: платформын гаргасан, гарын үсэг бүхий хувь бөгөөд өөрчлөгдөөгүй байна.',
    different: 'Үгүй: энэ бол гарын үсэг зурсан файл биш.',
    unknown:
      'Танигдсангүй: энэ хуудас зөвхөн платформын гаргасан хувийг таньдаг. PDF доторх гарын үсгийг PDF уншигчаар шалгана уу.',
    impossible: 'Энэ хөтөч дээр шалгах боломжгүй.',
    refused: 'Таны сонгосон файлд итгэж болохгүй',
    unsure: 'Таны сонгосон файлыг шалгаж чадсангүй',
    original: 'Гарын үсэг зурсан баримтын тухайд:',
    again:
      'Таны сонгосон файл өөрчлөгдөөгүй хувь биш байна. Юу нь өөр болохыг харахын тулд энд дахин сонгоно уу.',
    altered:
      'Анхаар: гарын үсэг зурснаас хойш файлд нэмэлт хийсэн байна. Уншигч дээр харагдаж буй зүйл нь гарын үсэг зурсан баримт биш байж болно.',
    added: {
      title: 'Нэмсэн зүйл:',
      kinds: {
        replaced: 'Гарын үсэг зурсан баримтын {count} хэсгийг сольсон',
        bytes: 'Нийт {count} байт',
        pages: 'Хуудас',
        contents: 'Хуудсан дээрх бичвэр, зураг',
        annotations: 'Тайлбар тэмдэглэл',
        fields: 'Маягтын талбар',
        signatures: 'Өөр гарын үсэг',
        material: 'Гарын үсэг шалгах мэдээлэл',
        scripts: 'Скрипт, автомат үйлдэл',
        layers: 'Нуугдах давхарга',
        files: 'Хавсаргасан файл',
        compressed: 'Энд уншигдахгүй шахсан хэсэг',
        other: 'Тодорхойгүй өгөгдөл',
      },
    },
    signedPart: 'Нэмэлтгүй файлыг татах',
  },
  footer: 'Шалгалтыг хуудсыг нээх бүрд бүртгэлээс шинээр хийнэ.',
};

const en: Texts = {
  languageName: common.en.languageName,
  title: 'Signature verification',
  verdict: {
    valid: ['The signature is valid', 'The checks below confirm it.'],
    revokedSince: [
      'The signature was valid when it was made',
      'The certificate was suspended or revoked after signing.',
    ],
    invalid: ['The signature is not valid', 'It failed a check below; do not rely on it.'],
    undecided: [
      'Not everything can be checked',
      'Some of the data the checks need is no longer kept.',
    ],
  },
  unsigned: ['There is no signature', 'Nothing was signed in answer to this request.'],
  notFound: [
    'Nothing to verify',
    'There is no signature at this address. Check the link or the QR code. Logins, and requests that are not signed yet, cannot be verified.',
  ],
  another: 'Verify another signature',
  unavailable: ['Verification is unavailable', 'Try again in a while.'],
  checks: {
    outcome: ['Consent', 'Did the citizen confirm on the phone, with the PIN?'],
    signature: [common.en.signature, "Is the signature over this document's digest?"],
    chain: [common.en.certificate, 'Was the certificate issued by a trusted authority?'],
    revocation: ['Status', 'Was the certificate in force when the signature was made?'],
    timestamp: ['Timestamp', 'Did a time-stamping authority attest when the signature existed?'],
  },
  results: { passed: common.en.yes, failed: common.en.no, open: 'Not known' },
  levels: {
    ADVANCED: 'Advanced',
    QUALIFIED: 'Qualified',
    QSCD: 'Qualified, on a device',
  },
  statuses: { good: 'In force', held: 'Suspended', revoked: common.en.revoked },
  endResults: {
    OK: 'Signed',
    TIMEOUT: 'The time ran out',
    WRONG_VC: 'The verification code was wrong',
    DOCUMENT_UNUSABLE: 'The device could not be used',
    other: 'Signing was refused',
  },
  reasons: {
    0: 'No reason given',
    1: 'Key compromised',
    2: "Authority's key compromised",
    3: 'Affiliation changed',
    4: 'Replaced by a new certificate',
    5: 'No longer in operation',
    9: 'Privilege withdrawn',
    10: "Attribute authority's key compromised",
  },
  labels: {
    signer: 'Signer',
    document: common.en.document,
    relyingParty: 'Requested by',
    organization: 'On behalf of',
    session: common.en.session,
    outcome: common.en.outcome,
    completedAt: 'Signed at',
    endedAt: 'Ended at',
    digest: 'Signed digest',
    algorithm: common.en.algorithm,
    serial: common.en.serialNumber,
    issuer: 'Issuer',
    level: common.en.level,
    validity: 'Valid',
    root: 'Fingerprint of the root',
    atSigning: 'At signing',
    now: 'Now',
    since: 'Since',
    reason: common.en.reason,
    time: 'Attested time',
    authority: 'Authority',
    policy: 'Policy',
    recordedAt: 'Recorded by the platform at',
  },
  signerForgotten: 'Personal data was erased as required by law',
  chainForgotten: "The certificate carries the holder's name and was erased with it.",
  notYet: 'Not yet',
  noTimestamp: "The document has not been stamped; the time comes from the platform's log.",
  timestampWrong: 'The stored timestamp does not verify.',
  file: {
    title: 'Is it your file?',
    choose: 'Choose a file, or drop it here',
    privacy: 'The file is checked in your browser only; nothing is sent anywhere.',
    asked: 'The file stays in your browser; only its digest (SHA-256) is sent to this service.',
    working: 'Checking…',
    same: 'Yes: this is the file that was signed.',
    stamped: 'Yes: this is an unchanged copy with the signature, as the platform made it.',
    different: 'No: this is not the file that was signed.',
    unknown:
      'Not recognised: this page only knows the copies that the platform made. Check the signature inside the PDF with a PDF reader.',
    impossible: 'This browser cannot check files here.',
    refused: 'Do not rely on the file you chose',
    unsure: 'The file you chose could not be verified',
    original: 'About the document that was signed:',
    again: 'The file you chose is not an unchanged copy. Choose it here again to see what differs.',
    altered:
      'Warning: something was added to this file after it was signed. What your reader shows may not be what was signed.',
    added: {
      title: 'Added:',
      kinds: {
        replaced: '{count} parts of the signed document were replaced',
        bytes: '{count} bytes in all',
        pages: 'Pages',
        contents: 'Text or pictures on pages',
        annotations: 'Annotations',
        fields: 'Form fields',
        signatures: 'Another signature',
        material: 'Validation material of signatures',
        scripts: 'Scripts or automatic actions',
        layers: 'Layers that can be hidden',
        files: 'Attached files',
        compressed: 'Compressed parts that cannot be read here',
        other: 'Data of an unknown kind',
      },
    },
    signedPart: 'Download the file without the additions',
  },
  footer: 'Everything is checked again from the log each time this page is opened.',
};

export const texts: Readonly<Record<Language, Texts>> = { mn, en };

/** Language of the query, else the browser's preference (RFC 9110 §12.5.4), else the default. */
export function chooseLanguage(
  asked: string | undefined,
  acceptLanguage: string | undefined,
): Language {
  const find = (tag: string) =>
    languages.find((language) => tag === language || tag.startsWith(`${language}-`));
  const chosen = find((asked ?? '').toLowerCase());
  if (chosen !== undefined) return chosen;
  const preferences = weighted(acceptLanguage).flatMap(({ value, weight }) => {
    const language = find(value);
    return language === undefined || !(weight > 0) ? [] : [{ language, weight }];
  });
  // A stable sort preserves the order of equal weights.
  return preferences.sort((a, b) => b.weight - a.weight)[0]?.language ?? languages[0];
}
