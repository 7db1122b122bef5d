import { sha256 } from '../../domain/shared/digest.ts';
import { asReactor } from '../reactors/reactor.ts';
import type { Clock } from '../ports/clock.ts';
import type { SeedArticle } from './ports/knowledgeArticles.ts';
import type { Articles } from './articles.ts';

/** Deterministic id of an article: an RFC 9562 UUID, version 8, of the SHA-256 of its name. */
export function seedArticleId(name: string): string {
  const bytes = sha256(`tamga knowledge ${name}`).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Articles written in parallel. */
const AT_ONCE = 8;

/**
 * Adds the program's own articles to the knowledge base at every start: each text once, and none that an operator
 * changed or removed.
 */
export async function seedKnowledge(
  { articles, clock }: { readonly articles: Articles; readonly clock: Clock },
  seeds: readonly SeedArticle[],
): Promise<void> {
  const waiting = [...seeds];
  const work = async () => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const { name, ...text } = seed;
      const articleId = seedArticleId(name);
      const now = clock.now().toISOString();
      const context = asReactor('knowledge-seed', articleId);
      await articles.handle(articleId, { type: 'SeedArticle', articleId, text, now }, context);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
