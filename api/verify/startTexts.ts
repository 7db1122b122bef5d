import type { Language } from './texts.ts';

const mn = {
  title: 'Гарын үсэг шалгах',
  lead: 'PDF файлаа сонгох эсвэл сессийн дугаараа бичнэ үү. Гарын үсгийг хэн, хэзээ зурсан, одоо хүчинтэй эсэхийг харуулна.',
  file: {
    title: 'PDF файлаар',
    choose: 'Гарын үсэгтэй PDF файлаа сонгох эсвэл энд чирж тавих',
    privacy: 'Файлыг зөвхөн таны хөтөч уншина; хаашаа ч илгээхгүй.',
    working: 'Уншиж байна…',
    none: 'Энэ файлд платформын тэмдэг алга. Гарын үсэг зурсан хувийг, эсвэл баримт илгээсэн байгууллагаас сессийн дугаарыг асууна уу. Өөр газар зурсан гарын үсгийг PDF уншигчаар шалгана уу.',
    large: 'Файл 100 МБ-аас том тул энд уншихгүй. Сессийн дугаараар шалгана уу.',
    impossible: 'Файлыг уншиж чадсангүй. Дахин сонгоно уу.',
    several: 'Файлд хэд хэдэн тэмдэг байна; сүүлийнх нь эхэндээ:',
  },
  number: {
    title: 'Сессийн дугаараар',
    label: 'Сессийн дугаар эсвэл шалгах хуудасны холбоос',
    hint: 'PDF-ийн сүүлийн хуудасны доод хэсэгт QR кодын хамт байгаа.',
    wrong: 'Энд сессийн дугаар алга: 8-4-4-4-12 гэж хуваасан 32 тэмдэгт (0–9, a–f) байдаг.',
    check: 'Шалгах',
  },
};

const en: typeof mn = {
  title: 'Verify a signature',
  lead: 'Choose a PDF, or enter the number of a session. You see who signed it and when, and whether the signature is valid.',
  file: {
    title: 'By the PDF',
    choose: 'Choose a signed PDF, or drop it here',
    privacy: 'The file is read in your browser alone; nothing of it is sent anywhere.',
    working: 'Reading…',
    none: 'This file bears no mark of this platform. Choose the signed copy, or ask the sender of the document for the number of its session. Check signatures made elsewhere with a PDF reader.',
    large: 'The file is larger than 100 MB and is not read here. Enter the number of its session.',
    impossible: 'The file could not be read. Choose it again.',
    several: 'The file bears several marks, the latest first:',
  },
  number: {
    title: 'By the number of the session',
    label: 'Number of the session, or the link to its page',
    hint: 'It stands at the foot of the last page of the PDF, with the QR code.',
    wrong: 'There is no session number in this: it has 32 characters (0–9, a–f), split 8-4-4-4-12.',
    check: 'Verify',
  },
};

export const startTexts: Readonly<Record<Language, typeof mn>> = { mn, en };
