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
    STANDBY: 'Run by another process',
    RETRYING: 'Waiting',
    FAILED: 'Stopped',
    behind: '{{value}} s behind',
    failedHelp:
      'Stopped at an event ({{error}}). Later changes do not show here; everything else works. Fix the cause, then rebuild it: ./tamga rebuild {{id}}.',
    retryingHelp: 'Waiting for the database or the log; it continues by itself once they are back.',
    behindHelp: 'Recent changes may not show here yet; logins work.',
    parked: 'Rows waiting: {{count}}',
    parkedHelp: 'These rows show an old state; everything else works. Fix the cause, then retry.',
    reactor: 'Follow-up work {{id}}',
    deadLetters: 'Not done: {{count}}',
    deadLettersHelp:
      'The consequences of these events (notices, revocations) were not carried out. Fix the cause, then run: ./tamga reactor retry {{id}}.',
  },
});
