import { defineTexts } from '../texts.ts';

/** Sentences on the health of the service: what is so, what follows, what to do. */
export const healthTexts = defineTexts({
  common: { degraded: 'doesNotAnswer' },
  mn: {
    up: 'Ажиллаж байна',
    down: 'Ажиллахгүй байна',
    RUNNING: 'Хоцролтгүй',
    STANDBY: 'Өөр процесс шинэчилж байна',
    RETRYING: 'Хүлээж байна',
    FAILED: 'Зогссон',
    behind: '{{value}} с хоцорсон',
    failedHelp:
      'Нэг үйл явдал дээр зогссон ({{error}}): түүнээс хойшхи өөрчлөлт энд харагдахгүй, бусад нь хэвийн. Шалтгааныг арилгаад ./tamga rebuild {{id}} командаар дахин байгуулна уу.',
    retryingHelp: 'Өгөгдлийн сан эсвэл бүртгэлийг хүлээж байна; холбогдмогц өөрөө үргэлжилнэ.',
    behindHelp: 'Саяхны өөрчлөлт энд хараахан харагдахгүй байж болно; нэвтрэлт үргэлжилнэ.',
    parked: 'Хүлээж буй мөр: {{count}}',
    parkedHelp:
      'Эдгээр мөр өмнөх төлөвөөрөө харагдана, бусад нь хэвийн. Шалтгааныг арилгаад дахин оролдоно уу.',
    reactor: 'Дагалдах ажил {{id}}',
    deadLetters: 'Хийгдээгүй: {{count}}',
    deadLettersHelp:
      'Эдгээр үйл явдлын дагалдах ажил (мэдэгдэл, хүчингүй болголт) хийгдээгүй. Шалтгааныг арилгаад ./tamga reactor retry {{id}} командаар дахин хийнэ үү.',
  },
  en: {
    up: 'Up',
    down: 'Down',
    RUNNING: 'Up to date',
    STANDBY: 'Kept by another process',
    RETRYING: 'Waiting',
    FAILED: 'Stopped',
    behind: '{{value}} s behind',
    failedHelp:
      'Stopped at an event ({{error}}): later changes do not show here, everything else goes on. Repair the cause, then make it anew: ./tamga rebuild {{id}}.',
    retryingHelp: 'Waits for the database or the log, and goes on by itself once it is there.',
    behindHelp: 'What was done just now may not show here yet; logins go on.',
    parked: 'Rows that wait: {{count}}',
    parkedHelp:
      'These rows show as they were, everything else goes on. Repair the cause, then try again.',
    reactor: 'Follow-up work {{id}}',
    deadLetters: 'Not done: {{count}}',
    deadLettersHelp:
      'What follows from these events (notices, revocations) was not done. Repair the cause, then: ./tamga reactor retry {{id}}.',
  },
});
