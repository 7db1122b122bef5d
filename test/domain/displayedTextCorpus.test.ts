import { expect } from 'chai';
import { faultOfDisplayed } from '../../domain/shared/requestFields.ts';

type Verdict = 'shown' | 'unseen' | 'blank' | 'mark' | 'lines' | 'mixed';

const faults: Readonly<Record<Exclude<Verdict, 'shown'>, RegExp>> = {
  unseen: /invisible characters/,
  blank: /visible characters, not only/,
  mark: /combining mark/,
  lines: /empty lines/,
  mixed: /look alike/,
};

/** Texts of interactions, which may have lines, each with its verdict. */
const corpus: Readonly<Record<Verdict, readonly string[]>> = {
  shown: [
    ...['Нэвтрэх үү?', 'Гэрээнд гарын үсэг зурах', 'Шилжүүлэг: 1 000 000 ₮', '100кг', 'A4цаас'],
    ...['PDF-ийн', 'PDF-ийг', 'SMSээр', 'QRкод', 'QRкодоор', 'iOSд', 'XXIзуун', 'XIXзууны'],
    ...['SMSийн', 'SMSүүд', 'PDFийг', 'PINээ', 'PINкод', 'GPSтэй', 'USBтэй', 'VIPхаалга'],
    ...['Gmailаар', 'Gmailээр', 'Facebookоор', 'Facebookын', 'YouTubeээс', 'Zoomоор', 'Wifiгүй'],
    ...['Androidын', 'iPhoneоос', 'SIMкарт', 'SIMкартын', 'ISBNдугаар', 'URLруу', 'Linkээр'],
    ...['eID-ээр нэвтрэх', 'e-Mongolia', 'и-мэйл', 'E-баримт', 'Wi-Fi', 'ХХК', 'ТӨХК', '«ҮҮЛ» ХХК'],
    ...['Khan Bank', 'Khan Bank-ны апп', 'Хаан банк', 'Golomt ба Хаан', 'Visa карт', 'Tamga Demo'],
    ...['№5 гэрээ', '§ 12.3', '50%', '1/2', '+976 9911-2233', 'a@b.mn', 'https://tamga.example/x'],
    ...[
      'Гэрээ_v2 (final).pdf',
      'гэрээ.docx',
      'Report 2026.pdf',
      'тайлан-2026-11.xlsx',
      '.gitignore',
    ],
    ...[
      'Нийт: 5\nОгноо: 2026.11.27',
      'а\n\nб',
      'а\n\n\nб',
      ' эхэндээ зайтай',
      'төгсгөлдөө зайтай ',
    ],
    ...['10\u00a0000 ₮', 'а\u3000б', '3\u20095', '1\u202f000', '–', '…', '?', '₮', '0', '→'],
    ...[
      'cafe\u0301',
      'и\u0306',
      'Й',
      'ё',
      'Z\u030c',
      'a\u0323\u0301',
      'ᠮᠣᠩᠭᠣᠯ',
      'ᠪᠠᠶ\u180bᠢᠨ\u180eᠠ',
    ],
    ...[
      '👍🏽',
      '❤\ufe0f',
      '👨\u200d👩\u200d👧',
      '🏳\ufe0f\u200d🌈',
      '1\ufe0f\u20e3',
      '🇲🇳',
      '株式会社',
      '한국',
    ],
    ...[
      'α and β',
      '5 \u00b5m',
      'Хаан™',
      '10 ㎡',
      'Köln',
      'Łódź',
      'İstanbul',
      'Ελλάδα',
      'Երևան',
      '\ufffd',
    ],
    ...['עברית', 'العربية', 'हिन्दी', 'ไทย', 'Қазақша', 'Українська', 'Српски', 'x²', 'H₂O', '½'],
  ],
  blank: [
    ...[
      ' ',
      '   ',
      '\u00a0',
      '\u3000',
      '\u2003\u2003',
      '\u202f',
      '\u1680',
      '\u205f',
      ' \u00a0\u3000',
    ],
    ...['\n', '\n\n', ' \n ', '\u2000', '\u2001', '\u2002', '\u2004', '\u2005', '\u2006', '\u2007'],
    ...[
      '\u2008',
      '\u2009',
      '\u200a',
      '\u0301',
      '\u0301\u0301',
      ' \u0301',
      '\u20dd',
      '\u0488',
      '\u0903',
    ],
  ],
  unseen: [
    ...[
      '\u2800',
      '\u2800\u2800',
      '\u3164',
      '\uffa0',
      '\u115f',
      '\u1160',
      '\u200b',
      '\u200c',
      '\u200d',
    ],
    ...[
      '\u2060',
      '\ufeff',
      '\u00ad',
      '\u034f',
      '\u061c',
      '\u180e',
      '\ufe0f',
      '\u2028',
      '\u2029',
      '\t',
    ],
    ...[
      'а\tб',
      'а\rб',
      'а\u0000',
      'а\u001b[2J',
      'а\u007f',
      'а\u0085б',
      'а\u200bб',
      'а\u200dб',
      'а\u200cб',
    ],
    ...[
      'Khan \u202eknaB',
      '\u2066а\u2069',
      'а\u200e',
      'а\u200f',
      'а\u202a',
      'а\u{e0041}',
      'а\ud800',
      '\udc00а',
    ],
    ...[
      'Bank\ufe0f',
      'Ba\u180bnk',
      '1\ufe0f000',
      'а\ue000',
      'а\u{f0000}',
      'а\uffff',
      'а\u0378',
      'а\ufff9',
    ],
    ...['а\u206a', 'а\u17b4', 'а\u2064', 'а\ufe00', 'а\u{1d173}', 'Хаан\u3164банк'],
  ],
  mark: [
    ...[
      'а \u0301б',
      'а\n\u0301',
      '\u0301а',
      'а\u0301\u0302\u0303\u0304\u0305',
      '\u20ddа',
      '\u0308 гэрээ',
    ],
    ...['5 \u20d2', '\u093fа'],
  ],
  lines: ['а\n\n\n\nб', 'а\n \n \n \nб', 'а\n\u3000\n\u3000\n\u3000\nб', '\n\n\n\nа'],
  mixed: [
    ...[
      'ХAАН',
      'XAАН',
      'MОНГОЛ',
      'МOНГОЛ',
      'Хaaн',
      'Xаан',
      'Банk',
      'Kарт',
      'cанал',
      'Tөр',
      'Eрөнхий',
    ],
    ...[
      'ATMын',
      'XAAHд',
      'mонгол',
      'nомин',
      'Zooм',
      'Amazoп',
      'Twitteг',
      'Googlе',
      'Gооgle',
      'Аpple',
      'Applе',
      'PаyPal',
      'PayPаl',
      'Facebооk',
      'Kh\u0430n',
      'Visа',
      'аpp',
    ],
    ...[
      'Lоор',
      'Isаас',
      'Yahоо',
      'ATМ',
      'SMSа',
      'HTTРээр',
      'Gmailа',
      'Gmail\u0456',
      'SMSі',
      'SMSѕээр',
    ],
    ...[
      'кодQR',
      'SMSээрx',
      'G\u03bfogle',
      'М\u03bfнгол',
      'Bank\u0578',
      '\u13a0ank',
      'Х\u{1d41a}ан',
      'Х\uff41ан',
    ],
    ...['\uff33\uff2d\uff33ээр', '\u{1d412}МСээр', 'Khаn\nBank', 'cop\u0443', 'HAТВ', 'ABCН'],
  ],
};

describe('F4, F14: the corpus of displayed texts', () => {
  const all = Object.values(corpus).flat();

  it('has 200 texts and more, each once', () => {
    expect(all.length).to.be.at.least(200);
    expect(new Set(all).size).to.equal(all.length);
  });

  for (const [verdict, texts] of Object.entries(corpus) as [Verdict, readonly string[]][]) {
    for (const text of texts) {
      it(`is ${verdict}: ${JSON.stringify(text)}`, () => {
        const fault = faultOfDisplayed(text, 'lines');
        if (verdict === 'shown') expect(fault).to.equal(null);
        else expect(fault).to.match(faults[verdict]);
      });
    }
  }
});
