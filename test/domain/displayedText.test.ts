import { expect } from 'chai';
import { faultOfDisplayed } from '../../domain/shared/requestFields.ts';

describe('F3: texts a citizen is shown', () => {
  const shown: readonly [string, string][] = [
    ['nothing', ''],
    ['Mongolian', 'Өргөө үүлэн дээр, «ҮҮЛ» ХХК-ийн №5 гэрээ'],
    ['Latin names in Mongolian', 'Khan Bank-ны апп, eID-ээр нэвтрэх'],
    ['a file name of two scripts', 'Гэрээ_v2 (final).pdf'],
    ['traditional Mongolian with its selectors', 'ᠮᠣᠩᠭᠣᠯ ᠪᠠᠶ\u180bᠢᠨ\u180eᠠ'],
    ['emoji, one with a selector', '👍🏽 ❤\ufe0f'],
    ['a replacement character', '\ufffd'],
    ['other writing', '株式会社カタカナ 한국'],
    ['accents as marks of their own', 'cafe\u0301 Й и\u0306'],
    ['micrometres and a trade mark', '5 \u00b5m, Хаан™, 10 ㎡'],
    ['Greek beside Latin', 'α and β'],
  ];
  for (const [what, text] of shown) {
    it(`admits ${what}`, () => {
      expect(faultOfDisplayed(text, 'one line')).to.equal(null);
    });
  }

  const unseen: readonly [string, string][] = [
    ['a line feed', 'a\nb'],
    ['a tabulator', 'a\tb'],
    ['an escape', 'a\u001b[2J'],
    ['a delete', 'a\u007f'],
    ['C1', 'a\u0085b'],
    ['a turn of direction', 'Khan \u202eknaB'],
    ['an isolate', '\u2066a\u2069'],
    ['a direction mark', 'a\u200f'],
    ['an Arabic letter mark', 'a\u061c'],
    ['a zero-width space', 'Khan\u200bBank'],
    ['a joiner', 'a\u200db'],
    ['a non-joiner', 'a\u200cb'],
    ['a word joiner', 'a\u2060b'],
    ['a byte order mark', '\ufeffa'],
    ['a soft hyphen', 'a\u00adb'],
    ['a grapheme joiner', 'a\u034fb'],
    ['a blank letter', 'a\u3164'],
    ['a blank braille pattern', 'a\u2800'],
    ['a line separator', 'a\u2028b'],
    ['a tag', 'a\u{e0041}'],
    ['half a surrogate pair', 'a\ud800'],
    ['a selector without an emoji', 'Bank\ufe0f'],
    ['a Mongolian selector in Latin', 'Ba\u180bnk'],
  ];
  for (const [what, text] of unseen) {
    it(`refuses ${what}`, () => {
      expect(faultOfDisplayed(text, 'one line')).to.match(/invisible/);
    });
  }

  const mixed: readonly [string, string][] = [
    ['Cyrillic а in Latin', 'Kh\u0430n Bank'],
    ['Latin a in Cyrillic', 'Х\u0061\u0061н банк'],
    ['Greek ο in Latin', 'G\u03bfogle'],
    ['Greek ο in Cyrillic', 'М\u03bfнгол'],
    ['an Armenian letter in Latin', 'Bank\u0578'],
    ['a Cherokee letter in Latin', '\u13a0ank'],
    ['a mathematical Latin letter in Cyrillic', 'Х\u{1d41a}ан'],
    ['a full-width Latin letter in Cyrillic', 'Х\uff41ан'],
  ];
  for (const [what, text] of mixed) {
    it(`refuses ${what}`, () => {
      expect(faultOfDisplayed(text, 'one line')).to.match(/look alike/);
    });
  }

  it('keeps line feeds, and no other line breaks, where a text may have lines', () => {
    expect(faultOfDisplayed('Гэрээ\nДүн: 5', 'lines')).to.equal(null);
    for (const text of ['a\r\nb', 'a\u0085b', 'a\u2029b']) {
      expect(faultOfDisplayed(text, 'lines'), text).to.match(/invisible/);
    }
    expect(faultOfDisplayed('Khan\nбанк', 'lines')).to.equal(null);
    expect(faultOfDisplayed('Khаn\nBank', 'lines')).to.match(/look alike/);
  });
});
