import type { EndingReason } from '../../application/citizen/ownPhones.ts';
import type { DevicePlatform } from '../../domain/device/events.ts';
import type { CertificateViewStatus } from '../../projections/peopleViews.ts';
import type { OrganizationChange, RightChange } from '../../domain/notice/events.ts';
import type { SessionKind } from '../../domain/session/events.ts';
import { common } from '../pages/commonWords.ts';
import type { Language } from '../verify/texts.ts';

/** Failures of these pages, each with a text. */
export type OwnFailure =
  'notHere' | 'busy' | 'notConfirmed' | 'over' | 'tooNew' | 'noPhone' | 'away';

const en = {
  title: common.en.myPage,
  before: 'Log in with your phone to see your phones, certificates, rights and history.',
  logIn: 'Log in',
  logOut: 'Log out',
  back: 'Back to my page',
  when: common.en.when,
  code: common.en.verificationCode,
  phones: {
    title: 'My phones',
    none: 'You have no phone set up.',
    phone: { APNS: 'iPhone', FCM: 'Android phone', SIM: 'Phone in the browser' } satisfies Record<
      DevicePlatform,
      string
    > as Readonly<Record<string, string>>,
    since: (day: string) => `set up on ${day}`,
    ended: (day: string) => `Deactivated on ${day}`,
    number: common.en.documentNumber,
    end: 'Deactivate this phone',
    endOf: (name: string) => `Deactivate this phone: ${name}`,
    isEnded: 'The phone was deactivated and its certificates revoked.',
  },
  certificates: {
    title: 'My certificates',
    none: 'You have no certificates.',
    type: { AUTH: 'Logging in (PIN1)', SIGN: 'Signing (PIN2)' } as Readonly<Record<string, string>>,
    until: (day: string) => `until ${day}`,
    serial: common.en.serialNumber,
    status: {
      REQUESTED: 'Being issued',
      VALID: common.en.valid,
      SUPERSEDED: 'Replaced',
      SUSPENDED: common.en.suspended,
      EXPIRED: common.en.expired,
      REVOKED: common.en.noLongerValid,
    } satisfies Record<CertificateViewStatus, string>,
  },
  rights: {
    title: 'Organizations I may act for',
    none: 'You do not represent any organization.',
    type: { ADMIN: common.en.administrator, MANAGER: common.en.signer },
    until: (day: string) => `until ${day}`,
  },
  history: {
    title: 'History',
    none: 'Nobody has asked you for anything yet.',
    all: 'Full history',
    newer: 'Newer',
    older: 'Older',
    kind: {
      AUTHENTICATION: 'Login',
      SIGNATURE: 'Signature',
      CERTIFICATE_CHOICE: 'Certificate',
    } satisfies Record<SessionKind, string>,
    running: 'Waiting for your answer',
    open: (who: string, at: string) => `${who}, ${at}`,
    asked: 'Who asked',
    sentName: 'Name it used',
    result: common.en.outcome,
    text: 'What you were shown',
    file: common.en.file,
    onBehalfOf: 'On behalf of',
    told: 'What it learned of your phone',
    answered: 'Answered',
    phone: 'On the phone',
    id: 'Request number',
    numbers: 'Numbers for the help desk',
  },
  block: {
    title: 'What happens now',
    blocked: (who: string, at: string) =>
      `${who} cannot send you requests until ${at}. Links and QR codes that you open yourself still work.`,
    over: 'This service may send you requests again.',
    undo: 'Allow its requests again',
    phone: 'If somebody else has your phone or knows its PIN, deactivate it:',
    call: (line: string | null) =>
      line === null
        ? 'If somebody is acting in your name, call the help desk.'
        : `If somebody is acting in your name, call the help desk: ${line}`,
  },
  services: {
    title: 'Services with my consent',
    none: 'No service has access to your data or may act in your name.',
    all: 'See and withdraw my consents',
  },
  notices: {
    title: 'Notices',
    none: 'There are no notices.',
    device: (phone: string) => `Another phone was set up in your name (${phone}).`,
    change: {
      REQUESTED: 'the right of an administrator was requested',
      INVITED: 'invited to sign',
      GRANTED: 'may now represent it',
      WITHDRAWN: 'may no longer represent it',
      RENAMED: 'its name was changed',
      CERTIFIED: 'a seal certificate was issued',
    } satisfies Record<RightChange | OrganizationChange, string>,
  },
  ending: {
    title: 'Deactivate this phone?',
    text: 'Its certificates are revoked at once. To use the phone again, you must set it up anew.',
    why: 'Why?',
    on: 'Which phone will you confirm this on?',
    reason: {
      unused: 'I no longer use it',
      lost: 'It is lost or stolen, or somebody else may know its PIN',
    } satisfies Record<EndingReason, string>,
    confirm: 'Confirm with PIN1 on a phone',
    only: 'This is your only phone. Without it, you cannot log in until you set up another.',
    waits: 'Confirm on your phone',
    about: (name: string) => `Phone to deactivate: ${name}`,
    cancel: 'Keep this phone',
  },
  failed: {
    title: {
      notHere: 'Nothing to show here',
      busy: 'Too many attempts',
      notConfirmed: 'The phone was not deactivated',
      over: 'This request has ended',
      tooNew: 'This phone cannot deactivate the other one yet',
      noPhone: 'None of your phones can confirm this',
      away: 'The service is unavailable at the moment',
    } satisfies Record<OwnFailure, string>,
    text: {
      notHere: 'It belongs to somebody else, has ended, or never existed.',
      busy: 'You have to wait before you try again.',
      notConfirmed: 'It was not confirmed with PIN1. You can try again.',
      over: 'Check on your page whether the phone was deactivated. If not, try again.',
      tooNew:
        'The phone you confirmed on was set up recently. Confirm on the older one, or call the help desk.',
      noPhone: 'Call the help desk to deactivate the phone.',
      away: 'Wait a moment, then try again.',
    } satisfies Record<OwnFailure, string>,
    result: common.en.outcome,
    from: 'You can try again from',
  },
};

export type OwnTexts = typeof en;

const mn: OwnTexts = {
  title: common.mn.myPage,
  before: 'Утас, гэрчилгээ, төлөөлөх эрх, түүхээ харахын тулд утсаараа нэвтэрнэ үү.',
  logIn: 'Нэвтрэх',
  logOut: 'Гарах',
  back: 'Миний хуудас руу буцах',
  when: common.mn.when,
  code: common.mn.verificationCode,
  phones: {
    title: 'Миний утас',
    none: 'Танд бүртгэлтэй утас алга.',
    phone: { APNS: 'iPhone утас', FCM: 'Android утас', SIM: 'Хөтөч дэх утас' },
    since: (day) => `бүртгэсэн: ${day}`,
    ended: (day) => `Идэвхгүй болсон: ${day}`,
    number: common.mn.documentNumber,
    end: 'Энэ утсыг идэвхгүй болгох',
    endOf: (name) => `Энэ утсыг идэвхгүй болгох: ${name}`,
    isEnded: 'Утас идэвхгүй, түүний гэрчилгээ хүчингүй боллоо.',
  },
  certificates: {
    title: 'Миний гэрчилгээ',
    none: 'Танд гэрчилгээ алга.',
    type: { AUTH: 'Нэвтрэх (ПИН1)', SIGN: 'Гарын үсэг зурах (ПИН2)' },
    until: (day) => `${day} хүртэл`,
    serial: common.mn.serialNumber,
    status: {
      REQUESTED: 'Үүсгэж байна',
      VALID: common.mn.valid,
      SUPERSEDED: 'Сольсон',
      SUSPENDED: common.mn.suspended,
      EXPIRED: common.mn.expired,
      REVOKED: common.mn.noLongerValid,
    },
  },
  rights: {
    title: 'Миний төлөөлөх байгууллага',
    none: 'Та ямар ч байгууллагыг төлөөлөхгүй.',
    type: { ADMIN: common.mn.administrator, MANAGER: common.mn.signer },
    until: (day) => `${day} хүртэл`,
  },
  history: {
    title: 'Түүх',
    none: 'Танаас хэн ч юу ч хүсээгүй байна.',
    all: 'Бүх түүх',
    newer: 'Шинэ нь',
    older: 'Хуучин нь',
    kind: {
      AUTHENTICATION: 'Нэвтрэлт',
      SIGNATURE: common.mn.signature,
      CERTIFICATE_CHOICE: common.mn.certificate,
    },
    running: 'Таны хариуг хүлээж байна',
    open: (who, at) => `${who}, ${at}`,
    asked: 'Хэн хүссэн',
    sentName: 'Өөрийгөө нэрлэсэн нэр',
    result: common.mn.outcome,
    text: 'Танд харуулсан бичвэр',
    file: common.mn.file,
    onBehalfOf: 'Хэний өмнөөс',
    told: 'Таны утасны талаар мэдсэн зүйл',
    answered: 'Хариулсан',
    phone: 'Хариулсан утас',
    id: 'Хүсэлтийн дугаар',
    numbers: 'Тусламжийн төвд хэлэх дугаар',
  },
  block: {
    title: 'Одоо юу болох вэ',
    blocked: (who, at) =>
      `${who} танд ${at} хүртэл хүсэлт илгээж чадахгүй. Таны өөрөө нээдэг холбоос, QR код ажилласаар байна.`,
    over: 'Энэ үйлчилгээ танд дахин хүсэлт илгээж болно.',
    undo: 'Дахин хүсэлт илгээхийг зөвшөөрөх',
    phone: 'Утас тань өөр хүний гарт орсон, эсвэл ПИН кодыг нь мэддэг бол хүчингүй болгоно уу:',
    call: (line) =>
      line === null
        ? 'Хэн нэгэн таны нэрээр үйлдэл хийж байвал тусламжийн төвд хандана уу.'
        : `Хэн нэгэн таны нэрээр үйлдэл хийж байвал тусламжийн төвд хандана уу: ${line}`,
  },
  services: {
    title: 'Миний зөвшөөрөл авсан үйлчилгээ',
    none: 'Таны нэрийн өмнөөс ямар ч үйлчилгээ мэдээлэл авах, үйлдэл хийх эрхгүй байна.',
    all: 'Зөвшөөрлүүдээ харах, цуцлах',
  },
  notices: {
    title: 'Мэдэгдэл',
    none: 'Шинэ мэдэгдэл алга.',
    device: (phone) => `Таны нэр дээр өөр утас бүртгэгдсэн (${phone}).`,
    change: {
      REQUESTED: 'администратор эрх хүссэн',
      INVITED: 'гарын үсэг зурагчаар урьсан',
      GRANTED: 'төлөөлөх эрх авсан',
      WITHDRAWN: 'төлөөлөх эрх нь хасагдсан',
      RENAMED: 'нэр өөрчлөгдсөн',
      CERTIFIED: 'тамганы гэрчилгээ олгогдсон',
    },
  },
  ending: {
    title: 'Энэ утсыг идэвхгүй болгох уу?',
    text: 'Гэрчилгээ нь шууд хүчингүй болно. Утсыг дахин ашиглах боломжгүй; ашиглахын тулд шинээр бүртгүүлнэ.',
    why: 'Яагаад?',
    on: 'Аль утсан дээрээ баталгаажуулах вэ?',
    reason: {
      unused: 'Би цаашид ашиглахгүй',
      lost: 'Гээсэн, хулгайд алдсан, эсвэл ПИН кодыг өөр хүн мэдэж болзошгүй',
    },
    confirm: 'Утсан дээрээ ПИН1 кодоор баталгаажуулах',
    only: 'Энэ бол таны цорын ганц утас: өөр утас бүртгүүлэх хүртэл та нэвтэрч чадахгүй.',
    waits: 'Утсан дээрээ баталгаажуулна уу',
    about: (name) => `Идэвхгүй болгох утас: ${name}`,
    cancel: 'Идэвхгүй болгохгүй',
  },
  failed: {
    title: {
      notHere: 'Энд таных гэх зүйл алга',
      busy: 'Хэт олон оролдлого хийлээ',
      notConfirmed: 'Утсыг идэвхгүй болгосонгүй',
      over: 'Энэ асуултын хугацаа дууссан',
      tooNew: 'Энэ утсаар нөгөөг нь хараахан идэвхгүй болгож болохгүй',
      noPhone: 'Танд үүнийг баталгаажуулах утас алга',
      away: 'Үйлчилгээ одоогоор ажиллахгүй байна',
    },
    text: {
      notHere: 'Өөр хүнийх, дууссан, эсвэл огт байгаагүй байна.',
      busy: 'Дахин оролдохын өмнө хүлээнэ үү.',
      notConfirmed: 'ПИН1 кодоор баталгаажуулаагүй. Дахин оролдож болно.',
      over: 'Утас идэвхгүй болсон эсэхийг хуудаснаасаа харна уу. Болоогүй бол дахин оролдоно уу.',
      tooNew:
        'Таны баталгаажуулсан утас саяхан бүртгэгдсэн. Хуучин утсан дээрээ баталгаажуулах, эсвэл тусламжийн төвд хандана уу.',
      noPhone: 'Тусламжийн төвд хандана уу: тэд утсыг идэвхгүй болгоно.',
      away: 'Түр хүлээгээд дахин оролдоно уу.',
    },
    result: common.mn.outcome,
    from: 'Дахин оролдох боломжтой цаг',
  },
};

/** Texts of a citizen's own page. */
export const ownTexts: Readonly<Record<Language, OwnTexts>> = { mn, en };
