import { common } from '../../../../api/pages/commonWords.ts';

/** Texts about the phone's certificates, in both languages. */
export const certificateTexts = {
  mn: {
    cert_AUTH: 'Нэвтрэх гэрчилгээ · ПИН1',
    cert_SIGN: 'Гарын үсгийн гэрчилгээ · ПИН2',
    level: common.mn.level,
    level_ADVANCED: 'Нэмэлт түвшин',
    level_QUALIFIED: 'Мэргэшсэн',
    level_QSCD: 'Мэргэшсэн, төхөөрөмжид',
    status: common.mn.status,
    status_VALID: common.mn.valid,
    status_REVOKED: common.mn.noLongerValid,
    status_EXPIRED: common.mn.expired,
    status_SUSPENDED: 'Түр зогсоосон',
  },
  en: {
    cert_AUTH: 'Authentication · PIN1',
    cert_SIGN: 'Signature · PIN2',
    level: common.en.level,
    level_ADVANCED: 'Advanced',
    level_QUALIFIED: 'Qualified',
    level_QSCD: 'Qualified, on a device',
    status: common.en.status,
    status_VALID: common.en.valid,
    status_REVOKED: common.en.noLongerValid,
    status_EXPIRED: common.en.expired,
    status_SUSPENDED: 'Suspended',
  },
} as const;
