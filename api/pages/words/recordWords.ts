import { defineTexts } from '../texts.ts';

export const certificateStatusWords = defineTexts({
  common: { VALID: 'valid', EXPIRED: 'expired', REVOKED: 'revoked' },
  mn: {
    REQUESTED: 'Хүссэн',
    SUPERSEDED: 'Шинээр сольсон',
    SUSPENDED: 'Түдгэлзүүлсэн',
  },
  en: {
    REQUESTED: 'Requested',
    SUPERSEDED: 'Superseded',
    SUSPENDED: 'On hold',
  },
});

export const certificateTypeWords = defineTexts({
  common: { SIGN: 'signature' },
  mn: {
    AUTH: 'Нэвтрэлт',
    SEAL: 'Цахим тамга',
    OCSP: 'OCSP хариулагч',
    TSA: 'Цагийн тэмдэг',
    DOCUMENT: 'Баримтын тэмдэг',
  },
  en: {
    AUTH: 'Authentication',
    SEAL: 'Seal',
    OCSP: 'OCSP responder',
    TSA: 'Time stamps',
    DOCUMENT: 'Document stamps',
  },
});

export const authorityWords = defineTexts({
  mn: { root: 'Үндсэн CA', personal: 'Иргэний CA', organization: 'Байгууллагын CA' },
  en: { root: 'Root CA', personal: 'Personal CA', organization: 'Organization CA' },
});

export const levelWords = defineTexts({
  mn: {
    ADVANCED: 'Нэмэлт түвшин (ADVANCED)',
    QUALIFIED: 'Мэргэшсэн (QUALIFIED)',
    QSCD: 'Мэргэшсэн, төхөөрөмжид (QSCD)',
  },
  en: { ADVANCED: 'Advanced', QUALIFIED: 'Qualified', QSCD: 'Qualified, on a device (QSCD)' },
});

export const platformWords = defineTexts({
  mn: { APNS: 'iPhone', FCM: 'Android', SIM: 'Туршилтын утас' },
  en: { APNS: 'iPhone', FCM: 'Android', SIM: 'Simulated phone' },
});

export const sessionKindWords = defineTexts({
  common: { SIGNATURE: 'signature' },
  mn: {
    AUTHENTICATION: 'Нэвтрэлт',
    CERTIFICATE_CHOICE: 'Гэрчилгээ сонгох',
  },
  en: {
    AUTHENTICATION: 'Authentication',
    CERTIFICATE_CHOICE: 'Certificate choice',
  },
});

export const sessionFlowWords = defineTexts({
  mn: { NOTIFICATION: 'Мэдэгдлээр', DEVICE_LINK: 'Холбоос, QR кодоор' },
  en: { NOTIFICATION: 'By notification', DEVICE_LINK: 'By link or QR code' },
});

/** Names of end results (contract §3). */
export const endResultWords = defineTexts({
  mn: {
    OK: 'Баталгаажсан',
    TIMEOUT: 'Хугацаа дууссан',
    USER_REFUSED: 'Иргэн татгалзсан',
    USER_REFUSED_DISPLAYTEXTANDPIN: 'Бичвэр, ПИН кодын дэлгэц дээр татгалзсан',
    USER_REFUSED_VC_CHOICE: 'Код сонгох дэлгэц дээр татгалзсан',
    USER_REFUSED_CONFIRMATIONMESSAGE: 'Баталгаажуулах дэлгэц дээр татгалзсан',
    USER_REFUSED_CERT_CHOICE: 'Гэрчилгээ сонгохоос татгалзсан',
    USER_REFUSED_INTERACTION: 'Дэлгэц дээр татгалзсан',
    USER_REFUSED_NOT_ME: '«Үүнийг би хийгээгүй» гэсэн',
    WRONG_VC: 'Баталгаажуулах код зөрсөн',
    DOCUMENT_UNUSABLE: 'Төхөөрөмжийг ашиглах боломжгүй',
    PROTOCOL_FAILURE: 'Протоколын алдаа',
    REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP: 'Аппликейшн энэ дэлгэцийг дэмждэггүй',
    EXPECTED_LINKED_SESSION: 'Холбоотой гарын үсгийг хүлээж байсан',
    SERVER_ERROR: 'Серверийн алдаа',
    CANCELLED_BY_RP: 'Байгууллага буцаасан',
  },
  en: {
    OK: 'Confirmed',
    TIMEOUT: 'Timed out',
    USER_REFUSED: 'Refused by the citizen',
    USER_REFUSED_DISPLAYTEXTANDPIN: 'Refused at the text and PIN',
    USER_REFUSED_VC_CHOICE: 'Refused at the choice of codes',
    USER_REFUSED_CONFIRMATIONMESSAGE: 'Refused at the confirmation',
    USER_REFUSED_CERT_CHOICE: 'Refused to choose a certificate',
    USER_REFUSED_INTERACTION: 'Refused at an interaction',
    USER_REFUSED_NOT_ME: 'Answered “It was not me”',
    WRONG_VC: 'Wrong verification code',
    DOCUMENT_UNUSABLE: 'Device unusable',
    PROTOCOL_FAILURE: 'Protocol failure',
    REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP: 'Interaction not supported by the app',
    EXPECTED_LINKED_SESSION: 'Another session was expected',
    SERVER_ERROR: 'Server error',
    CANCELLED_BY_RP: 'Taken back by the relying party',
  },
});

/** Names of events on a timeline, by their type. */
export const eventWords = defineTexts({
  common: { CertificateRevoked: 'revoked' },
  mn: {
    SessionStarted: 'Сесс эхэлсэн',
    SessionClaimed: 'Утас хүлээн авсан',
    SessionConfirmed: 'ПИН кодоор баталгаажуулсан',
    CertificateChosen: 'Гэрчилгээ сонгосон',
    SessionRefused: 'Иргэн татгалзсан',
    SessionDisowned: 'Иргэн «Үүнийг би хийгээгүй» гэсэн',
    RiskSignalsTold: 'Утасны эрсдэлийн мэдээллийг дамжуулсан',
    SessionFailed: 'Амжилтгүй болсон',
    SessionExpired: 'Хугацаа дууссан',
    SessionCancelled: 'Байгууллага буцаасан',
    DocumentStamped: 'Баримтад тэмдэг дарсан',
    CertificateRequested: 'Хүссэн',
    CertificateIssued: 'Олгосон',
    CertificateSuperseded: 'Шинээр сольсон',
    CertificateSuspended: 'Түдгэлзүүлсэн',
    CertificateReinstated: 'Сэргээсэн',
    IdentityVerificationStarted: 'Шалгалт эхэлсэн',
    IdentityVerificationAttempted: 'Оролдсон',
    IdentityVerificationAttemptFailed: 'Оролдлого амжилтгүй болсон',
    IdentityVerificationSucceeded: 'Хэн болохыг тогтоосон',
    IdentityVerificationExhausted: 'Оролдлого дууссан',
    IdentityVerificationExpired: 'Хугацаа дууссан',
    IdentityVerificationCancelled: 'Цуцалсан',
  },
  en: {
    SessionStarted: 'Session started',
    SessionClaimed: 'Taken by a phone',
    SessionConfirmed: 'Confirmed with a PIN',
    CertificateChosen: 'Certificate chosen',
    SessionRefused: 'Refused by the citizen',
    SessionDisowned: 'The citizen answered “It was not me”',
    RiskSignalsTold: 'Risk signals of the phone told',
    SessionFailed: 'Failed',
    SessionExpired: 'Ran out of time',
    SessionCancelled: 'Taken back by the relying party',
    DocumentStamped: 'Document stamped',
    CertificateRequested: 'Requested',
    CertificateIssued: 'Issued',
    CertificateSuperseded: 'Superseded',
    CertificateSuspended: 'Put on hold',
    CertificateReinstated: 'Reinstated',
    IdentityVerificationStarted: 'Started',
    IdentityVerificationAttempted: 'Attempted',
    IdentityVerificationAttemptFailed: 'The attempt failed',
    IdentityVerificationSucceeded: 'The person is known',
    IdentityVerificationExhausted: 'Out of attempts',
    IdentityVerificationExpired: 'Ran out of time',
    IdentityVerificationCancelled: 'Given up',
  },
});
