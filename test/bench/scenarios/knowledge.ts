import { createVectorTable } from '../../../application/assistant/vectorTable.ts';
import { createWordIndex } from '../../../domain/assistant/wordIndex.ts';
import { comparable } from '../../../domain/assistant/wordSearch.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import type { Bench, Scenario } from '../support/scenario.ts';

/** Search of the assistant's knowledge base in memory: exact, by vectors and by words. */
export const knowledgeScenario: Scenario = {
  id: 'KNOWLEDGE',
  title: 'Search of the knowledge base',
  run,
};

/** Vector length of widely used models. */
const DIMENSIONS = 1536;
const SEARCHES = 20;

async function run(bench: Bench): Promise<readonly Row[]> {
  const size = bench.size(10_000, 1000);
  bench.progress(`making ${size} passages`);
  const table = createVectorTable<number>(DIMENSIONS);
  for (let each = 0; each < size; each += 1) table.set(String(each), randomVector(), each);
  const words = createWordIndex();
  const building: number[] = [];
  for (let each = 0; each < size; each += 1) {
    const articleId = String(each);
    const heading = comparable(`Гарчиг ${each}`);
    const text = { articleId, heading, body: comparable(randomText(160)) };
    const startedAt = performance.now();
    words.set(articleId, [text]);
    building.push(performance.now() - startedAt);
  }

  const runs = await interleave(
    bench.rounds,
    {
      vectors: () => perSearch(() => table.nearest(randomVector(), 8)),
      words: () => perSearch(() => words.search(randomText(5))),
    },
    bench.progress,
  );
  bench.note(
    `${size} passages, vectors of ${DIMENSIONS}; nobody else is served during one search.`,
  );
  const indexing = building.reduce((sum, each) => sum + each, 0);
  bench.note(
    `Words were indexed in ${Math.round(indexing)} ms, a passage at a time, the longest took ${Math.max(...building).toFixed(1)} ms.`,
  );
  bench.note(`The vectors take ${Math.round((size * DIMENSIONS * 4) / 1e6)} MB.`);
  return [
    row('search by vectors', 'ms', { subject: measured('exact cosine', runs.vectors) }),
    row('search by words', 'ms', { subject: measured('stems', runs.words) }),
  ];
}

/** Time of one search, ms. */
function perSearch(search: () => unknown): Promise<number> {
  const startedAt = performance.now();
  for (let each = 0; each < SEARCHES; each += 1) search();
  return Promise.resolve((performance.now() - startedAt) / SEARCHES);
}

function randomVector(): Float32Array {
  return new Float32Array(DIMENSIONS).map(() => Math.random() - 0.5);
}

const roots = Array.from({ length: 8000 }, () => randomLetters(3 + Math.floor(Math.random() * 4)));
const endings = Array.from({ length: 60 }, () => randomLetters(Math.floor(Math.random() * 6)));

/**
 * Random words with the distribution of a language: few are frequent, most are rare, all have
 * endings.
 */
function randomText(count: number): string {
  const rare = (most: number) => Math.floor(most ** Math.random());
  const word = () => `${roots[rare(roots.length)] ?? ''}${endings[rare(endings.length)] ?? ''}`;
  return Array.from({ length: count }, word).join(' ');
}

function randomLetters(count: number): string {
  const letters = 'абвгдеёжзийклмноөпрстуүхцчшэюя';
  const letter = () => letters[Math.floor(Math.random() * letters.length)] ?? '';
  return Array.from({ length: count }, letter).join('');
}
