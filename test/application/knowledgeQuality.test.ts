import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { createKnowledgeSearch } from '../../application/assistant/searchKnowledge.ts';
import type { SeedArticle } from '../../application/assistant/ports/knowledgeArticles.ts';
import type { KnowledgeSearch } from '../../application/assistant/ports/knowledgeSearch.ts';
import { readSeedArticles } from '../../infrastructure/assistant/seedArticles.ts';
import { hashedEmbeddings, indexOver, recordOf } from '../support/assistant/seededKnowledge.ts';

interface Labelled {
  readonly language: 'mn' | 'en';
  /** Name of the article that answers, without its language. */
  readonly article: string;
  readonly question: string;
}

const questions = JSON.parse(
  readFileSync('test/fixtures/knowledgeQuestions.json', 'utf8'),
) as readonly Labelled[];

/** Prints how well fifty questions are answered by the articles that come with the program. */
describe('The quality of search_knowledge on the labelled questions', () => {
  let seeds: readonly SeedArticle[];

  before(async () => {
    seeds = await readSeedArticles();
  });

  it('has an article for every question, in its language', () => {
    expect(questions).to.have.length(50);
    const names = seeds.map(({ name }) => name);
    for (const { language, article } of questions)
      expect(names).to.include(`${language}/${article}`);
    expect(names.filter((name) => name.startsWith('mn/')).length).to.equal(names.length / 2);
  });

  it('by words', async () => {
    const index = await indexOver(seeds.map(recordOf), false);
    const search = createKnowledgeSearch({ index, embeddings: null, onFallback: rethrow });
    const quality = await measure('keyword', search);
    expect(quality.recallAt4).to.be.at.least(0.9);
    expect(quality.meanReciprocalRank).to.be.at.least(0.8);
  });

  it('by the vectors of the double, which know words and no meaning', async () => {
    const index = await indexOver(seeds.map(recordOf), true);
    const search = createKnowledgeSearch({
      index,
      embeddings: hashedEmbeddings,
      onFallback: rethrow,
    });
    // Scores below 0.35 count as no match: many questions score so on hashed words alone.
    const quality = await measure('vector', search);
    expect(quality.recallAt4).to.be.at.least(0.3);
  });

  async function measure(mode: 'vector' | 'keyword', search: KnowledgeSearch) {
    const titles = new Map(seeds.map(({ name, title }) => [name, title]));
    const ranks: number[] = [];
    for (const { language, article, question } of questions) {
      const found = await search.search(question, new AbortController().signal);
      expect(found.mode).to.equal(mode);
      const wanted = titles.get(`${language}/${article}`);
      const rank = found.results.findIndex(({ title }) => title === wanted) + 1;
      ranks.push(rank);
      if (rank !== 1) missed(mode, question, rank, found.results[0]?.title);
    }
    const within = (most: number) =>
      ranks.filter((rank) => rank > 0 && rank <= most).length / ranks.length;
    const quality = {
      recallAt1: within(1),
      recallAt4: within(4),
      meanReciprocalRank:
        ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / rank), 0) / ranks.length,
    };
    console.log(
      `      ${mode}: recall@1 ${quality.recallAt1.toFixed(2)}, recall@4 ${quality.recallAt4.toFixed(2)}, ` +
        `MRR ${quality.meanReciprocalRank.toFixed(2)} over ${ranks.length} questions`,
    );
    return quality;
  }
});

function missed(mode: string, question: string, rank: number, first: string | undefined): void {
  if (process.env['KNOWLEDGE_MISSES'] === undefined) return;
  console.log(
    `      ${mode} ${rank === 0 ? 'misses' : `has at ${rank}`}: ${question} (first: ${first ?? 'nothing'})`,
  );
}

function rethrow(cause: unknown): never {
  throw cause;
}
