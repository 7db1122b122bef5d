import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { SeedArticle } from '../../application/assistant/ports/knowledgeArticles.ts';
import { articleLimits } from '../../domain/assistant/article.ts';
import { assistantLanguages } from '../../domain/assistant/events.ts';

// The articles lie beside the sources; compiled programs run from below dist/.
const directories = ['./articles/', '../../../infrastructure/assistant/articles/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

const head = z.strictObject({
  title: z.string().min(1).max(articleLimits.title),
  tags: z.string().transform((tags) => tags.split(',').map((tag) => tag.trim())),
  source: z.string().max(articleLimits.source),
});

/**
 * Reads the articles shipped with the program: `<language>/<name>.md`, a front matter of `key: value` lines between
 * lines of `---`, then the text.
 *
 * @throws Error that names the malformed file
 */
export async function readSeedArticles(): Promise<readonly SeedArticle[]> {
  const directory = directories.find((each) => existsSync(each));
  if (directory === undefined)
    throw new Error('The articles shipped with the program are missing. Reinstall the program.');
  const articles: SeedArticle[] = [];
  for (const language of assistantLanguages) {
    const folder = join(directory, language);
    if (!existsSync(folder)) continue;
    for (const file of (await readdir(folder)).filter((each) => each.endsWith('.md')).sort()) {
      const name = `${language}/${file.slice(0, -3)}`;
      const text = await readFile(join(folder, file), 'utf8');
      articles.push({ name, language, ...parse(name, text) });
    }
  }
  return articles;
}

function parse(name: string, text: string) {
  const [, lines = '', content = ''] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? [];
  const fields = lines.split('\n').map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const parsed = head.safeParse(Object.fromEntries(fields));
  const body = content.trim();
  if (!parsed.success || body === '' || body.length > articleLimits.content) {
    throw new Error(`${name} is not an article: front matter is missing or malformed.`);
  }
  return { ...parsed.data, content: body };
}
