import MiniSearch from 'minisearch';
import type { Page } from './page.ts';
import { type Found, searchOptions } from './searchOptions.ts';

/** Characters of a passage that a result shows. */
const EXCERPT = 140;

/** Index of all pages by passage, for the browser. */
export function searchIndex(pages: readonly Page[]): string {
  const index = new MiniSearch<Found & { readonly id: number; readonly text: string }>(
    searchOptions,
  );
  const passages = pages.flatMap((page) =>
    page.passages.map(({ heading, text }) => ({
      page: page.title,
      heading: heading?.text ?? page.title,
      address: heading === null || heading.level === 1 ? page.path : `${page.path}#${heading.id}`,
      text,
      excerpt: text.length > EXCERPT ? `${text.slice(0, EXCERPT)} …` : text,
      language: page.language,
    })),
  );
  index.addAll(
    passages
      .filter(({ text, heading, page }) => text.trim() !== '' || heading !== page)
      .map((passage, id) => ({ ...passage, id })),
  );
  return JSON.stringify(index);
}
