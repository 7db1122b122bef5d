import type { Embeddings } from '../../application/assistant/ports/embeddings.ts';
import { ProviderFailure } from '../../application/assistant/ports/providers.ts';
import { callOpenAi, jsonOf, type OpenAiServer } from './openAiHttp.ts';

/** Some hundred vectors of 3072 decimal numbers. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Longest vector; those of known models have 4096 numbers at most. */
const MOST_NUMBERS = 8192;

/** `POST /embeddings` of an OpenAI-compatible server. */
export function createOpenAiEmbeddings(server: OpenAiServer): Embeddings {
  return {
    model: server.model,
    async embed(texts, signal) {
      if (texts.length === 0) return [];
      const bytes = await callOpenAi(server, {
        provider: 'embeddings',
        path: '/embeddings',
        signal,
        maxBytes: MAX_BYTES,
        body: { model: server.model, input: texts, encoding_format: 'float' },
      });
      return vectorsOf(jsonOf('embeddings', bytes), texts.length);
    },
  };
}

/** Vectors in the order of the texts, in whatever order the server sent them. */
function vectorsOf(answer: unknown, count: number): readonly Float32Array[] {
  const { data } = (answer ?? {}) as { readonly data?: unknown };
  if (!Array.isArray(data) || data.length !== count) throw odd('not one vector for each text');
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const entry of data as ({ index?: unknown; embedding?: unknown } | null)[]) {
    const index = entry?.index;
    if (typeof index !== 'number' || !(index in vectors)) throw odd('a vector of no text');
    vectors[index] = vectorOf(entry?.embedding);
  }
  return vectors.map((vector) => {
    if (vector?.length !== vectors[0]?.length || vector === undefined) throw odd('uneven vectors');
    return vector;
  });
}

function vectorOf(numbers: unknown): Float32Array {
  const isVector =
    Array.isArray(numbers) &&
    numbers.length <= MOST_NUMBERS &&
    numbers.some((number) => number !== 0) &&
    numbers.every(isFloat);
  if (!isVector) throw odd('no vector');
  return Float32Array.from(numbers as number[]);
}

/** Finite also in single precision. */
function isFloat(number: unknown): boolean {
  return typeof number === 'number' && Number.isFinite(Math.fround(number));
}

function odd(what: string): ProviderFailure {
  return new ProviderFailure('embeddings', {
    isTransient: false,
    cause: new Error(`The server answered ${what}.`),
  });
}
