import { createVectorTable } from '../../application/assistant/vectorTable.ts';
import { comparable, searchByWords } from '../../domain/assistant/wordSearch.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import type { Bench, Scenario } from '../support/scenario.ts';

/** Searching the assistant's knowledge in memory: by vectors, exactly, and by words. */
export const knowledgeScenario: Scenario = {
  id: 'KNOWLEDGE',
  title: 'Search of the knowledge base',
  run,
};

/** Numbers of a vector of widely used models. */
const DIMENSIONS = 1536;
const SEARCHES = 20;

async function run(bench: Bench): Promise<readonly Row[]> {
  const size = bench.size(10_000, 1000);
  bench.progress(`making ${size} passages`);
  const table = createVectorTable<number>(DIMENSIONS);
  for (let each = 0; each < size; each += 1) table.set(String(each), randomVector(), each);
  const texts = Array.from({ length: size }, (_, each) => ({
    articleId: String(each),
    heading: comparable(`Гарчиг ${each}`),
    body: comparable(randomWords(160)),
  }));

  const runs = await interleave(
    bench.rounds,
    {
      vectors: () => perSearch(() => table.nearest(randomVector(), 8)),
      words: () => perSearch(() => searchByWords(texts, 'гэрчилгээгээ хүчингүй болгуулах хүсэлт')),
    },
    bench.progress,
  );
  bench.note(
    `${size} passages, vectors of ${DIMENSIONS}; nobody else is served during one search.`,
  );
  bench.note(`The vectors take ${Math.round((size * DIMENSIONS * 4) / 1e6)} MB.`);
  return [
    row('search by vectors', 'ms', { subject: measured('exact cosine', runs.vectors) }),
    row('search by words', 'ms', { subject: measured('stems', runs.words) }),
  ];
}

/** Milliseconds of one. */
function perSearch(search: () => unknown): Promise<number> {
  const startedAt = performance.now();
  for (let each = 0; each < SEARCHES; each += 1) search();
  return Promise.resolve((performance.now() - startedAt) / SEARCHES);
}

function randomVector(): Float32Array {
  return new Float32Array(DIMENSIONS).map(() => Math.random() - 0.5);
}

function randomWords(count: number): string {
  const letters = 'абвгдеёжзийклмноөпрстуүхцчшэюя';
  const letter = () => letters[Math.floor(Math.random() * letters.length)] ?? '';
  return Array.from({ length: count }, () => Array.from({ length: 6 }, letter).join('')).join(' ');
}
