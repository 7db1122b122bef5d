import { common } from '../pages/commonWords.ts';
import type { Language } from '../verify/texts.ts';

/** Reasons of a failed login, each with a text. */
export type FailureKind =
  | 'refused'
  | 'wrongCode'
  | 'timeout'
  | 'phoneUnusable'
  | 'unknownPerson'
  | 'invalidInput'
  | 'busy'
  | 'notPermitted'
  | 'notBelieved'
  | 'wrongBrowser'
  | 'noRight'
  | 'serviceAway';

/** Words of a payment. */
interface PaymentWords {
  readonly amount: string;
  readonly payee: string;
  readonly account: string;
  readonly reference: string;
}

const en = {
  footer: 'This page never asks for a PIN. Enter your PIN only in the app on your phone.',
  choose: {
    title: (client: string) => `Log in to ${client}`,
    returns: (host: string) => `You will return to ${host} afterwards.`,
    methods: 'Ways to log in',
    push: {
      title: 'Request to my phone',
      label: 'Civil id or registration number',
      hint: '12 digits, or 2 letters and 8 digits',
      button: 'Send to my phone',
    },
    qr: {
      title: 'QR code',
      text: 'Scan a code with the app on your phone.',
      button: 'Show the code',
    },
    app: {
      title: 'App on this device',
      text: 'Use this if you are reading this page on the phone that has the app.',
      button: 'Use the app here',
    },
    abort: (client: string) => `Go back to ${client} without logging in`,
  },
  wait: {
    title: 'Confirm on your phone',
    client: (client: string) => `Login to ${client}`,
    payment: (client: string, { amount, payee, account, reference }: PaymentWords) =>
      `${client}: pay ${amount} to ${payee}, account ${account}, for ${reference}`,
    code: common.en.verificationCode,
    push: [
      'Open the app on your phone.',
      'Choose the code shown here. If it is not there, refuse.',
      'Enter PIN1.',
    ],
    qr: [
      'Open the app and scan this code.',
      'Compare the verification code on the phone with the one shown here.',
      'Enter PIN1.',
    ],
    app: [
      'Open the app with the button below.',
      'Compare the verification code in the app with the one shown here.',
      'Enter PIN1. The app brings you back to this browser.',
    ],
    qrLabel: 'QR code to scan with the app',
    openApp: 'Open the app',
    left: 'Time left',
    waiting: 'Waiting for your phone …',
    confirmed: 'Confirmed. Return to this browser from the app.',
    trouble: 'The connection was interrupted. Trying again …',
    noScript: 'This page updates by itself every few seconds.',
    cancel: 'Choose another way',
  },
  payment: {
    title: 'Payment',
    amount: 'Amount',
    payee: 'Payee',
    account: 'Account',
    reference: 'Reference',
  },
  organization: {
    title: 'Who are you acting for?',
    text: (client: string) => `${client} also serves organizations.`,
    legend: 'I am acting',
    myself: 'for myself',
    right: { ADMIN: 'administrator', MANAGER: 'signer' },
    button: common.en.continue,
  },
  consent: {
    title: (client: string) => `${client} asks for your consent`,
    actsFor: (register: string) => `You are acting for the organization ${register}.`,
    text: 'It wants to:',
    sensitive: 'sensitive',
    granted: 'already allowed',
    more: (host: string) => `Your data will be sent to ${host}.`,
    allow: 'Allow',
    deny: 'Deny',
    later: 'You can withdraw it at any time:',
    website: 'About the service',
  },
  consents: {
    title: 'My consents',
    link: 'See and withdraw my consents',
    before: 'Log in to see which services may receive your data, and to stop that.',
    logIn: 'Log in',
    text: 'You gave these services the following access. If you withdraw it, it ends at once, and the service must ask you again.',
    none: 'No service has access to your data or may act in your name.',
    since: (day: string) => `Since ${day}`,
    withdraw: 'Withdraw',
    withdrawOf: (client: string) => `Withdraw the consent to ${client}`,
    withdrawn: 'Withdrawn. The service no longer has access.',
    logOut: 'Log out',
    myPage: common.en.myPage,
  },
  onward: { title: 'One moment …', link: common.en.continue },
  failed: {
    again: common.en.tryAgain,
    from: 'You can try again from',
    request: common.en.request,
    titles: {
      refused: 'You refused on your phone',
      wrongCode: 'The verification code was wrong',
      timeout: 'Time ran out',
      phoneUnusable: 'This phone cannot confirm the login',
      unknownPerson: 'The login could not be started',
      invalidInput: 'This is neither a civil id nor a registration number',
      busy: 'Too many attempts',
      notPermitted: 'This service cannot log people in at the moment',
      notBelieved: 'The answer from your phone was not accepted',
      wrongBrowser: 'This login was started in another browser',
      noRight: 'You cannot act for this organization',
      serviceAway: 'The service is unavailable at the moment',
    } satisfies Record<FailureKind, string>,
    texts: {
      refused: 'Nobody was logged in. If you did not start this login, you need do nothing more.',
      wrongCode:
        'The code chosen on the phone was not the one on this page. If somebody tells you to confirm a login you did not start, refuse.',
      timeout:
        'Your phone did not answer in time. Have it at hand with the app open, and try again.',
      phoneUnusable:
        'A PIN may be locked, a certificate no longer valid, or the app too old. The app says which, and what to do.',
      unknownPerson: 'Check the number. You also need a phone with the app and valid certificates.',
      invalidInput:
        'Enter the 12 digits of your civil id, or the 2 letters and 8 digits of your registration number.',
      busy: 'You have to wait before you try again.',
      notPermitted: 'There is nothing you can do. Please tell the service you came from.',
      notBelieved: 'Nobody was logged in. Try again. If it keeps happening, ask for help.',
      wrongBrowser:
        'This login has ended, or was started in another browser. Go back to the service and start again.',
      noRight: 'Your right to represent it has ended or changed. Choose again.',
      serviceAway: 'Wait a moment, then try again.',
    } satisfies Record<FailureKind, string>,
  },
  logout: {
    title: 'Log out',
    question: 'Do you want to log out?',
    questionOf: (client: string) => `${client} asks whether you want to log out.`,
    everywhere: 'Log out everywhere',
    onlyHere: (client: string) => `Only from ${client}`,
    explained: 'Everywhere means all services you logged in to with this browser.',
  },
  loggedOut: { title: 'You are logged out', text: 'You can close this page.' },
  error: {
    title: 'This request cannot be processed',
    text: 'Go back to the service you came from and start again.',
    whatToDo: {
      invalid_client: 'The service is not, or no longer, registered here. Please tell the service.',
      invalid_redirect_uri:
        'The service asked for the answer to go to an address that is not its own. Stop here and tell the service.',
      server_error: 'Something went wrong here. Wait a moment, then start again.',
      temporarily_unavailable: 'The service is busy. Wait a moment, then start again.',
    },
    forDevelopers: 'For the developers of the service',
    code: 'Error',
    description: common.en.details,
    request: common.en.request,
  },
};

const mn: typeof en = {
  footer: 'Энэ хуудас ПИН код хэзээ ч асуухгүй. ПИН кодыг зөвхөн утасны аппликейшнд оруулна.',
  choose: {
    title: (client) => `${client} системд нэвтрэх`,
    returns: (host) => `Дараа нь ${host} хаяг руу буцна.`,
    methods: 'Нэвтрэх арга',
    push: {
      title: 'Утсандаа мэдэгдэл авах',
      label: 'Иргэний дугаар эсвэл регистрийн дугаар',
      hint: '12 орон, эсвэл 2 үсэг, 8 орон',
      button: 'Утас руу илгээх',
    },
    qr: {
      title: 'QR код',
      text: 'Утасныхаа аппликейшнээр код уншуулна.',
      button: 'Кодыг харуулах',
    },
    app: {
      title: 'Энэ төхөөрөмж дээрх аппликейшн',
      text: 'Та энэ хуудсыг аппликейшнтэй утсаараа үзэж байгаа бол.',
      button: 'Аппликейшн ашиглах',
    },
    abort: (client) => `Нэвтрэхгүйгээр ${client} руу буцах`,
  },
  wait: {
    title: 'Утсан дээрээ баталгаажуулна уу',
    client: (client) => `${client} системд нэвтрэх`,
    payment: (client, { amount, payee, account, reference }) =>
      `${client}: ${amount} төлөх. Хүлээн авагч: ${payee}, данс ${account}, утга: ${reference}`,
    code: common.mn.verificationCode,
    push: [
      'Утасныхаа аппликейшнийг нээнэ.',
      'Энд харагдаж буй кодтой ижил кодыг сонгоно. Ийм код байхгүй бол татгалзана.',
      'ПИН1 кодоо оруулна.',
    ],
    qr: [
      'Аппликейшнээ нээж, энэ кодыг уншуулна.',
      'Утсан дээрх баталгаажуулах кодыг энд харагдаж буй кодтой тулгана.',
      'ПИН1 кодоо оруулна.',
    ],
    app: [
      'Товчийг дарж аппликейшнээ нээнэ.',
      'Аппликейшн дэх баталгаажуулах кодыг энд харагдаж буй кодтой тулгана.',
      'ПИН1 кодоо оруулна. Аппликейшн таныг энэ хөтөч рүү буцаана.',
    ],
    qrLabel: 'Аппликейшнээр уншуулах QR код',
    openApp: 'Аппликейшн нээх',
    left: 'Үлдсэн хугацаа',
    waiting: 'Таны утасны хариуг хүлээж байна …',
    confirmed: 'Баталгаажлаа. Аппликейшнээс энэ хөтөч рүү буцна уу.',
    trouble: 'Холболт тасарлаа. Дахин оролдож байна …',
    noScript: 'Энэ хуудас хэдэн секунд тутам өөрөө шинэчлэгдэнэ.',
    cancel: 'Өөр арга сонгох',
  },
  payment: {
    title: 'Төлбөр',
    amount: 'Дүн',
    payee: 'Хүлээн авагч',
    account: 'Данс',
    reference: 'Гүйлгээний утга',
  },
  organization: {
    title: 'Та хэнийг төлөөлж байна вэ?',
    text: (client) => `${client} байгууллагад бас үйлчилдэг.`,
    legend: 'Би',
    myself: 'өөрийгөө төлөөлнө',
    right: { ADMIN: 'администратор', MANAGER: 'гарын үсэг зурагч' },
    button: common.mn.continue,
  },
  consent: {
    title: (client) => `${client} таны зөвшөөрлийг хүсэж байна`,
    actsFor: (register) => `Та ${register} дугаартай байгууллагыг төлөөлж байна.`,
    text: 'Дараах зүйлийг хүсэж байна:',
    sensitive: 'эмзэг',
    granted: 'өмнө зөвшөөрсөн',
    more: (host) => `Мэдээллийг ${host} хаяг руу дамжуулна.`,
    allow: 'Зөвшөөрөх',
    deny: 'Татгалзах',
    later: 'Та үүнийг хэдийд ч цуцалж болно:',
    website: 'Үйлчилгээний тухай',
  },
  consents: {
    title: 'Миний зөвшөөрлүүд',
    link: 'Зөвшөөрлүүдээ харах, цуцлах',
    before: 'Ямар үйлчилгээнд мэдээллээ дамжуулахыг зөвшөөрснөө харах, цуцлахын тулд нэвтэрнэ үү.',
    logIn: 'Нэвтрэх',
    text: 'Та эдгээр үйлчилгээнд дараах зүйлийг зөвшөөрсөн. Цуцлахад хандах эрх нь шууд дуусна; дараагийн удаа дахин асууна.',
    none: 'Таны нэрийн өмнөөс ямар ч үйлчилгээ мэдээлэл авах, үйлдэл хийх эрхгүй байна.',
    since: (day) => `Зөвшөөрсөн өдөр: ${day}`,
    withdraw: 'Цуцлах',
    withdrawOf: (client) => `${client} үйлчилгээнд өгсөн зөвшөөрлийг цуцлах`,
    withdrawn: 'Цуцлагдлаа. Уг үйлчилгээ цаашид хандах эрхгүй.',
    logOut: 'Гарах',
    myPage: common.mn.myPage,
  },
  onward: { title: 'Түр хүлээнэ үү …', link: common.mn.continue },
  failed: {
    again: common.mn.tryAgain,
    from: 'Дахин оролдох боломжтой цаг',
    request: common.mn.request,
    titles: {
      refused: 'Та утсан дээрээ татгалзлаа',
      wrongCode: 'Баталгаажуулах код буруу байна',
      timeout: 'Хугацаа дууслаа',
      phoneUnusable: 'Энэ утсаар нэвтрэлтийг баталгаажуулах боломжгүй',
      unknownPerson: 'Нэвтрэлтийг эхлүүлж чадсангүй',
      invalidInput: 'Иргэний дугаар ч, регистрийн дугаар ч биш байна',
      busy: 'Хэт олон оролдлого хийлээ',
      notPermitted: 'Энэ үйлчилгээ одоогоор нэвтрүүлэх боломжгүй',
      notBelieved: 'Утасны хариуг хүлээн авсангүй',
      wrongBrowser: 'Энэ нэвтрэлт өөр хөтчид эхэлсэн байна',
      noRight: 'Та энэ байгууллагыг төлөөлөх боломжгүй',
      serviceAway: 'Үйлчилгээ одоогоор ажиллахгүй байна',
    },
    texts: {
      refused: 'Хэн ч нэвтрээгүй. Нэвтрэлтийг та эхлүүлээгүй бол одоо бүх зүйл хэвийн.',
      wrongCode:
        'Утсан дээр сонгосон код энэ хуудсан дээрх код биш байна. Өөрийн эхлүүлээгүй нэвтрэлтийг хэн нэгний хүсэлтээр бүү баталгаажуулна уу.',
      timeout:
        'Утас хугацаандаа хариулсангүй. Аппликейшнээ нээгээд бэлэн байлгаж, дахин оролдоно уу.',
      phoneUnusable:
        'ПИН код түгжигдсэн, гэрчилгээ хүчингүй болсон, эсвэл аппликейшн хуучирсан байж болно. Аль нь болох, юу хийхийг аппликейшнээсээ харна уу.',
      unknownPerson:
        'Дугаараа шалгана уу. Мөн аппликейшнтэй утас, хүчинтэй гэрчилгээ шаардлагатай.',
      invalidInput: 'Иргэний дугаарын 12 орон, эсвэл регистрийн дугаарын 2 үсэг, 8 орныг бичнэ үү.',
      busy: 'Дахин оролдохын өмнө хүлээнэ үү.',
      notPermitted: 'Үүнийг та өөрөө засах боломжгүй тул ирсэн үйлчилгээндээ мэдэгдэнэ үү.',
      notBelieved: 'Хэн ч нэвтрээгүй. Дахин оролдоно уу; давтагдвал тусламж хүснэ үү.',
      wrongBrowser:
        'Нэвтрэлт дууссан, эсвэл өөр хөтчид эхэлсэн байна. Үйлчилгээ рүүгээ буцаж, шинээр эхэлнэ үү.',
      noRight: 'Төлөөлөх эрх дууссан, эсвэл өөрчлөгдсөн байна. Дахин сонгоно уу.',
      serviceAway: 'Түр хүлээгээд дахин оролдоно уу.',
    },
  },
  logout: {
    title: 'Гарах',
    question: 'Та гарахыг хүсэж байна уу?',
    questionOf: (client) => `${client} таныг гарахыг хүсэж байгаа эсэхийг асууж байна.`,
    everywhere: 'Бүгдээс гарах',
    onlyHere: (client) => `Зөвхөн эндээс гарах: ${client}`,
    explained: 'Бүгдээс гэдэг нь энэ хөтчөөр нэвтэрсэн бүх үйлчилгээг хэлнэ.',
  },
  loggedOut: { title: 'Та гарлаа', text: 'Энэ хуудсыг хааж болно.' },
  error: {
    title: 'Энэ хүсэлтийг биелүүлэх боломжгүй',
    text: 'Ирсэн үйлчилгээ рүүгээ буцаж, шинээр эхэлнэ үү.',
    whatToDo: {
      invalid_client: 'Үйлчилгээ энд бүртгэлгүй, эсвэл хасагдсан байна. Үйлчилгээнд мэдэгдэнэ үү.',
      invalid_redirect_uri:
        'Үйлчилгээ өөрийн бус хаяг руу хариу авахыг хүсэж байна. Бүү үргэлжлүүлнэ үү; үйлчилгээнд мэдэгдэнэ үү.',
      server_error: 'Манай талд алдаа гарлаа. Түр хүлээгээд шинээр эхэлнэ үү.',
      temporarily_unavailable: 'Үйлчилгээ завгүй байна. Түр хүлээгээд шинээр эхэлнэ үү.',
    },
    forDevelopers: 'Үйлчилгээг хөгжүүлэгчид зориулсан мэдээлэл',
    code: 'Алдаа',
    description: common.mn.details,
    request: common.mn.request,
  },
};

export type Texts = typeof en;

export const texts: Readonly<Record<Language, Texts>> = { mn, en };
