import { expect } from 'chai';
import fc from 'fast-check';
import {
  type ArticleCommandFor,
  articleDecider,
  articleHash,
} from '../../domain/assistant/article.ts';
import type { ArticleText, KnowledgeArticleEvent } from '../../domain/assistant/events.ts';
import { longestPassage, passagesOf } from '../../domain/assistant/passages.ts';
import { defaultPrompts, promptDecider } from '../../domain/assistant/prompt.ts';
import { worthAnswering } from '../../domain/assistant/ranking.ts';
import { createWordIndex } from '../../domain/assistant/wordIndex.ts';
import { comparable, type SearchedText, stemsOf } from '../../domain/assistant/wordSearch.ts';
import { given } from '../support/assertions/deciderSpecification.ts';
import { searchLinearly } from '../support/assistant/linearWordSearch.ts';

const now = '2026-01-01T00:00:00.000Z';

describe('A prompt of the assistant', () => {
  const prompt = given(promptDecider);
  const change = { type: 'ChangePrompt', prompt: 'scope', now } as const;
  const changed = (content: string) =>
    ({
      type: 'AssistantPromptChanged',
      data: { prompt: 'scope', content, changedAt: now },
    }) as const;

  it('is changed to what it is not yet', () => {
    prompt([])
      .when({ ...change, content: 'Only taxes.', expected: null })
      .then([changed('Only taxes.')]);
    prompt([])
      .when({ ...change, content: defaultPrompts.scope, expected: null })
      .then([]);
    prompt([changed('a')])
      .when({ ...change, content: 'a', expected: 7 })
      .then([]);
  });

  it('is changed from the version that was seen', () => {
    prompt([])
      .when({ ...change, content: 'a', expected: 0 })
      .then([changed('a')]);
    prompt([changed('a')])
      .when({ ...change, content: 'b', expected: 0 })
      .thenRefuses('PRECONDITION_FAILED');
    prompt([changed('a')])
      .when({ ...change, content: 'b', expected: 1 })
      .then([changed('b')]);
  });
});

describe('An article of the knowledge base', () => {
  const articleId = '5b9b0f0e-7d0a-4a53-9a5e-0d1c2b3a4f50';
  const text: ArticleText = {
    title: 'Lost phone',
    content: 'Call us.',
    tags: ['phone'],
    language: 'en',
    source: null,
  };
  const other: ArticleText = { ...text, content: 'Call us at once.' };
  const article = (past: readonly KnowledgeArticleEvent[]) => given(articleDecider)(past);
  const written = (what: ArticleText, origin: 'OPERATOR' | 'PLATFORM' = 'OPERATOR') => ({
    articleId,
    ...what,
    origin,
    contentHash: articleHash(what),
  });
  const added = (what: ArticleText, origin?: 'PLATFORM'): KnowledgeArticleEvent => ({
    type: 'KnowledgeArticleAdded',
    data: { ...written(what, origin), addedAt: now },
  });
  const changed = (what: ArticleText, origin?: 'PLATFORM'): KnowledgeArticleEvent => ({
    type: 'KnowledgeArticleChanged',
    data: { ...written(what, origin), changedAt: now },
  });
  const removed: KnowledgeArticleEvent = {
    type: 'KnowledgeArticleRemoved',
    data: { articleId, removedAt: now },
  };
  const command = (
    type: 'AddArticle' | 'ChangeArticle' | 'SeedArticle',
    what: ArticleText,
    expected: number | null = null,
  ): ArticleCommandFor => ({ type, articleId, text: what, expected, now });
  const remove = (expected: number | null = null): ArticleCommandFor => ({
    type: 'RemoveArticle',
    articleId,
    expected,
    now,
  });

  it('is added once', () => {
    article([])
      .when(command('AddArticle', text))
      .then([added(text)]);
    article([added(text)])
      .when(command('AddArticle', text))
      .then([]);
    article([added(text)])
      .when(command('AddArticle', other))
      .thenRefuses('CONFLICT');
  });

  it('is changed and removed from the version that was seen, while it is there', () => {
    article([added(text)])
      .when(command('ChangeArticle', other, 1))
      .then([changed(other)]);
    article([added(text)])
      .when(command('ChangeArticle', other, 2))
      .thenRefuses('PRECONDITION_FAILED');
    article([added(text)])
      .when(command('ChangeArticle', text, 9))
      .then([]);
    article([added(text), changed(other)])
      .when(remove(1))
      .thenRefuses('PRECONDITION_FAILED');
    article([added(text)])
      .when(remove(1))
      .then([removed]);
    article([added(text), removed])
      .when(remove(1))
      .then([]);
    article([added(text), removed])
      .when(command('ChangeArticle', other))
      .thenRefuses('ARTICLE_NOT_FOUND');
    article([]).when(remove()).thenRefuses('ARTICLE_NOT_FOUND');
  });

  it('that comes with the program is written once a text', () => {
    article([])
      .when(command('SeedArticle', text))
      .then([added(text, 'PLATFORM')]);
    const seeded = [added(text, 'PLATFORM')];
    article(seeded).when(command('SeedArticle', text)).then([]);
    article(seeded)
      .when(command('SeedArticle', other))
      .then([changed(other, 'PLATFORM')]);
    // An older program that starts again does not take the newer text back.
    article([...seeded, changed(other, 'PLATFORM')])
      .when(command('SeedArticle', text))
      .then([]);
  });

  it('is left alone by the program once an operator wrote or removed it', () => {
    const newer = { ...text, content: 'The program says otherwise now.' };
    const seeded = added(text, 'PLATFORM');
    article([seeded, changed(other)])
      .when(command('SeedArticle', newer))
      .then([]);
    article([seeded, removed]).when(command('SeedArticle', newer)).then([]);
  });

  it('has the hash of what it says', () => {
    expect(articleHash(text)).to.equal(articleHash({ ...text, tags: ['phone'] }));
    expect(articleHash({ ...text, tags: ['a', 'b'] })).to.not.equal(
      articleHash({ ...text, tags: ['a,b'] }),
    );
  });
});

describe('The passages of an article', () => {
  const text = { title: 'T', tags: [], language: 'en', source: null } as const;
  const contents = (content: string) =>
    passagesOf({ ...text, content }).map((each) => each.content);

  it('are whole paragraphs while they fit', () => {
    expect(contents('One.\n\nTwo.')).to.deep.equal(['One.\n\nTwo.']);
    const long = 'word '.repeat(200).trim();
    expect(contents(`${long}\n\n${long}\n\nEnd.`)).to.deep.equal([long, `${long}\n\nEnd.`]);
  });

  it('are sentences of a long paragraph, and pieces of a text without any', () => {
    const sentence = `${'үг '.repeat(200)}төгсгөл.`;
    expect(contents(`${sentence} ${sentence} ${sentence}`)).to.deep.equal([
      ...[sentence, sentence, sentence],
    ]);
    expect(contents('😀'.repeat(1000)).every((part) => part.isWellFormed())).to.equal(true);
  });

  it('hold every word, and none is longer than allowed', () => {
    const words = fc.array(fc.constantFrom('нэг', 'two', 'гурав.', '\n\n', 'x'.repeat(700)), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(words, (parts) => {
        const content = parts.join(' ');
        const found = contents(content);
        for (const part of found) expect(part.length).to.be.within(1, longestPassage);
        expect(found.join('').replaceAll(/\s/g, '')).to.equal(content.replaceAll(/\s/g, ''));
      }),
    );
  });

  it('keep their hash while they and their heading stay', () => {
    const paragraph = 'word '.repeat(200).trim();
    const hashes = (content: string, title = 'T') =>
      passagesOf({ ...text, title, content }).map(({ hash }) => hash);
    const [first, second] = hashes(`${paragraph}\n\n${paragraph}b`);
    const [same, changed] = hashes(`${paragraph}\n\n${paragraph}c`);
    expect(same).to.equal(first);
    expect(changed).to.not.equal(second);
    expect(hashes(paragraph, 'Other')[0]).to.not.equal(first);
  });
});

describe('search_knowledge, vector', () => {
  const scores = (...given: readonly number[]) =>
    worthAnswering(given.map((score) => ({ score }))).map(({ score }) => score);

  it('answers nothing when the best is below 0.35', () => {
    expect(scores(0.3499, 0.34)).to.deep.equal([]);
    expect(scores()).to.deep.equal([]);
    expect(scores(0.35, 0.34)).to.deep.equal([0.35, 0.34]);
  });

  it('drops what is more than 0.03 below the best', () => {
    expect(scores(0.9, 0.88, 0.875, 0.86)).to.deep.equal([0.9, 0.88, 0.875]);
  });

  it('keeps two at least, where there are two', () => {
    expect(scores(0.9, 0.2, 0.1)).to.deep.equal([0.9, 0.2]);
    expect(scores(0.9)).to.deep.equal([0.9]);
  });

  it('keeps four at most, of the eight best', () => {
    expect(scores(0.9, 0.9, 0.9, 0.9, 0.9, 0.9)).to.deep.equal([0.9, 0.9, 0.9, 0.9]);
  });
});

describe('search_knowledge, keyword', () => {
  const texts = [
    { articleId: 'phone', heading: 'утсаа алдсан бол', body: 'гэрчилгээгээ хүчингүй болгоно.' },
    { articleId: 'pin', heading: 'pin code', body: 'three wrong attempts block the certificate.' },
    { articleId: 'pin', heading: 'pin code', body: 'choose another code.' },
    {
      articleId: 'seal',
      heading: 'e-seal',
      body: 'the organization has a certificate of its own.',
    },
  ];
  const index = indexOf(texts);
  const found = (question: string) => index.search(question).map(({ articleId }) => articleId);

  it('finds the whole question, whatever its case, and nothing else then', () => {
    expect(found(' THREE wrong ATTEMPTS ')).to.deep.equal(['pin']);
    expect(found('Утсаа АЛДСАН')).to.deep.equal(['phone']);
  });

  it('else the three longest words of four letters or more, cut to six', () => {
    expect(stemsOf('How do I revoke the certificates of my organisation?')).to.deep.equal([
      ...['certif', 'organi', 'revoke'],
    ]);
    expect(stemsOf('Гэрчилгээг хэрхэн хүчингүй болгох вэ?')).to.deep.equal([
      'гэрчил',
      'хүчинг',
      'хэрхэн',
    ]);
    expect(stemsOf('who are you')).to.deep.equal([]);
    expect(found('гэрчилгээнийхээ талаар')).to.deep.equal(['phone']);
    expect(found('certification by whom')).to.have.members(['pin', 'seal']);
  });

  it('counts a stem by how few texts hold it', () => {
    expect(found('certificates organizational')[0]).to.equal('seal');
  });

  it('finds one passage of an article, and nothing for nothing', () => {
    expect(found('code')).to.deep.equal(['pin']);
    expect(found('codes codeword')).to.deep.equal([]);
    expect(found('   ')).to.deep.equal([]);
    expect(found('!?')).to.deep.equal([]);
  });

  it('does not care how a letter is composed', () => {
    expect(comparable('Й')).to.equal('й');
  });

  it('is the rule walked through text by text, also after articles were changed and removed', () => {
    const letters = fc.constantFrom('гэрч', 'гэрчилгээ', 'pin', 'код', 'ab', 'б', '𐐷𐐷', 'й', '1');
    const joints = fc.constantFrom('', '', ' ', '-', '. ', '\n');
    const some = (maxLength: number) =>
      fc
        .array(fc.tuple(letters, joints), { maxLength })
        .map((parts) => comparable(parts.flat().join('')));
    const article = fc.array(fc.record({ heading: some(3), body: some(8) }), { maxLength: 3 });
    const edits = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), article), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(edits, fc.array(some(4), { minLength: 1, maxLength: 5 }), (made, questions) => {
        const changing = createWordIndex();
        const now = new Map<string, readonly SearchedText[]>();
        for (const [articleId, parts] of made) {
          const articleTexts = parts.map((part) => ({ articleId, ...part }));
          changing.set(articleId, articleTexts);
          now.set(articleId, articleTexts);
        }
        const inOrder = [...now.keys()].sort().flatMap((id) => now.get(id) ?? []);
        for (const question of questions) {
          expect(changing.search(question)).to.deep.equal(searchLinearly(inOrder, question));
        }
      }),
      { numRuns: 500 },
    );
  });
});

function indexOf(texts: readonly SearchedText[]) {
  const index = createWordIndex();
  for (const id of new Set(texts.map(({ articleId }) => articleId))) {
    index.set(
      id,
      texts.filter(({ articleId }) => articleId === id),
    );
  }
  return index;
}
