import { expect } from 'chai';
import { mayBeIn } from '../../application/assistant/answerLanguage.ts';
import { atItsLimitToday, cannotAnswerNow } from '../../application/assistant/fixedTexts.ts';
import { assistantLanguages } from '../../application/assistant/ports/assistant.ts';
import { readSeedArticles } from '../../infrastructure/assistant/seedArticles.ts';

const russian = [
  'Если вы потеряли телефон, сообщите об этом в службу поддержки.',
  'ПИН-код состоит из четырёх цифр. Никому его не сообщайте.',
  'Сертификат можно отозвать на сайте или в пункте обслуживания.',
  'Это означает, что код на телефоне не совпал с кодом на экране.',
  'Проверьте код на экране и введите ПИН1, если они совпадают.',
  'Да, подпись действительна и после отзыва сертификата, если на ней есть метка времени.',
];
const mongolian = [
  'Утсаа алдсан бол тусламжийн төв рүү залгана уу.',
  'Код таарвал ПИН1-ээ оруулна.',
  'Гэрчилгээ хүчингүй болно.',
  'Тийм, болно.',
  'Таны асуултад одоогоор хариулах мэдээлэл алга байна.',
];

describe('The language of an answer (specification, assistant rule 6)', () => {
  it('Russian is not taken for Mongolian, and Mongolian not for Russian', () => {
    for (const text of russian) {
      expect(mayBeIn('mn', text), text).to.equal(false);
      expect(mayBeIn('ru', text), text).to.equal(true);
    }
    for (const text of mongolian) expect(mayBeIn('mn', text), text).to.equal(true);
    expect(mongolian.filter((text) => mayBeIn('ru', text))).to.deep.equal([
      // Nothing in them is of one language alone: they are let through.
      ...['Код таарвал ПИН1-ээ оруулна.', 'Тийм, болно.'],
    ]);
  });

  it('no sentence of the shipped articles, and no fixed text, is taken for one of another language', async () => {
    const wrong: string[] = [];
    let sentences = 0;
    for (const { language, content } of await readSeedArticles()) {
      const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
      for (const { segment } of segmenter.segment(content)) {
        sentences += 1;
        if (!mayBeIn(language, segment)) wrong.push(segment);
      }
    }
    expect(wrong).to.deep.equal([]);
    expect(sentences).to.be.above(300);
    for (const texts of [cannotAnswerNow, atItsLimitToday]) {
      for (const lang of assistantLanguages)
        expect(mayBeIn(lang, texts[lang]), lang).to.equal(true);
      expect(mayBeIn('mn', texts.ru)).to.equal(false);
      expect(mayBeIn('ru', texts.mn)).to.equal(false);
    }
  });

  it('names and quotations of the other language stand in right answers', () => {
    expect(
      mayBeIn('mn', 'Орос хэлээр «введите код и нажмите на кнопку» гэж бичсэн байна.'),
    ).to.equal(true);
    expect(mayBeIn('ru', 'Обратитесь в центр «Иргэний үйлчилгээ» в Улан-Баторе.')).to.equal(true);
    expect(mayBeIn('ru', 'Да.')).to.equal(true);
    expect(mayBeIn('mn', '')).to.equal(true);
  });
});
