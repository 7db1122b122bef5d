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
    foreign: 'Энэ файл PDF биш байна. Гарын үсэг зурсан PDF файлаа сонгоно уу.',
  },
  several: {
    title: 'Файлд хэд хэдэн гарын үсэг байна',
    text: 'Шалгах гарын үсгээ сонгоно уу; сүүлд зурсан нь эхэндээ.',
    nothing: 'Энэ дугаараар гарын үсэг олдсонгүй',
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
  lead: 'Choose a PDF or enter a session number to see who signed it, when, and whether the signature is valid.',
  file: {
    title: 'With the PDF',
    choose: 'Choose a signed PDF, or drop it here',
    privacy: 'The file is read in your browser only; nothing is sent anywhere.',
    working: 'Reading…',
    none: 'This file was not stamped by this platform. Choose the signed copy, or ask the sender of the document for its session number. Check signatures made elsewhere with a PDF reader.',
    large: 'The file is larger than 100 MB and cannot be read here. Enter its session number.',
    impossible: 'The file could not be read. Choose it again.',
    foreign: 'This file is not a PDF. Choose the signed PDF.',
  },
  several: {
    title: 'The file carries several signatures',
    text: 'Choose the one to verify; the latest comes first.',
    nothing: 'No signature was found under this number',
  },
  number: {
    title: 'With the session number',
    label: 'Session number, or link to the verification page',
    hint: 'You find it at the bottom of the last page of the PDF, next to the QR code.',
    wrong:
      'This contains no session number, which has 32 characters (0–9, a–f) in the form 8-4-4-4-12.',
    check: 'Verify',
  },
};

export const startTexts: Readonly<Record<Language, typeof mn>> = { mn, en };
