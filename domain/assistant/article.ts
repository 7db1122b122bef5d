import { type Decider, unreachable } from '../shared/decider.ts';
import { sha256Hex } from '../shared/digest.ts';
import { type History, newestFirst, remembering } from '../shared/history.ts';
import { Refusal } from '../shared/refusal.ts';
import { expectVersion } from './edition.ts';
import type {
  ArticleText,
  KnowledgeArticleAdded,
  KnowledgeArticleChanged,
  KnowledgeArticleEvent,
} from './events.ts';

/** Limits of an article, in characters; `tags` is their number. */
export const articleLimits = { title: 200, content: 20_000, tags: 20, tag: 60, source: 500 };

/** SHA-256 (lower-case hexadecimal) of an article's text. */
export function articleHash({ title, content, tags, language, source }: ArticleText): string {
  return sha256Hex(JSON.stringify([title, content, tags, language, source]));
}

// State

export interface WrittenArticle {
  readonly status: 'ACTIVE' | 'REMOVED';
  readonly text: ArticleText;
  readonly contentHash: string;
  /** Number of times it was added, changed or removed. */
  readonly version: number;
  /** True once an operator changed it: then the program leaves it alone. */
  readonly isOperators: boolean;
  /** Hashes of the texts shipped with the program: each is written once. */
  readonly seeded: History<string>;
}

export type Article = { readonly status: 'NONE' } | WrittenArticle;

const initial: Article = { status: 'NONE' };

function evolve(article: Article, event: KnowledgeArticleEvent): Article {
  const before =
    article.status === 'NONE' ? { version: 0, isOperators: false, seeded: null } : article;
  const version = before.version + 1;
  if (event.type === 'KnowledgeArticleRemoved') {
    if (article.status === 'NONE') return article;
    return { ...article, status: 'REMOVED', isOperators: true, version };
  }
  const { origin, contentHash } = event.data;
  const byPlatform = origin === 'PLATFORM';
  return {
    status: 'ACTIVE',
    text: textOf(event.data),
    contentHash,
    version,
    isOperators: before.isOperators || !byPlatform,
    seeded: byPlatform ? remembering(before.seeded, contentHash) : before.seeded,
  };
}

function textOf({ title, content, tags, language, source }: ArticleText): ArticleText {
  return { title, content, tags, language, source };
}

// Commands

export type ArticleCommand =
  | { readonly type: 'AddArticle'; readonly text: ArticleText; readonly now: string }
  | {
      readonly type: 'ChangeArticle';
      readonly text: ArticleText;
      /** Version the edit is based on; null: any. */
      readonly expected: number | null;
      readonly now: string;
    }
  | { readonly type: 'RemoveArticle'; readonly expected: number | null; readonly now: string }
  /** The text shipped with the program, seeded at every start. */
  | { readonly type: 'SeedArticle'; readonly text: ArticleText; readonly now: string };

/** A command for the article of this id. */
export type ArticleCommandFor = ArticleCommand & { readonly articleId: string };

// Decisions

function decide(command: ArticleCommandFor, article: Article): readonly KnowledgeArticleEvent[] {
  switch (command.type) {
    case 'AddArticle':
      return add(command, article);
    case 'ChangeArticle':
      return change(command, article);
    case 'RemoveArticle': {
      const { articleId, expected, now } = command;
      if (article.status === 'NONE') throw new Refusal('ARTICLE_NOT_FOUND');
      if (article.status === 'REMOVED') return [];
      expectVersion(expected, article.version);
      return [{ type: 'KnowledgeArticleRemoved', data: { articleId, removedAt: now } }];
    }
    case 'SeedArticle':
      return seed(command, article);
    default:
      return unreachable(command);
  }
}

type Of<Type extends ArticleCommand['type']> = Extract<ArticleCommandFor, { readonly type: Type }>;

function add({ articleId, text, now }: Of<'AddArticle'>, article: Article) {
  if (article.status === 'NONE') return [added(articleId, text, 'OPERATOR', now)];
  if (article.status === 'ACTIVE' && article.contentHash === articleHash(text)) return [];
  throw new Refusal('CONFLICT', { detail: 'An article with this id already exists.' });
}

function change({ articleId, text, expected, now }: Of<'ChangeArticle'>, article: Article) {
  if (article.status !== 'ACTIVE') throw new Refusal('ARTICLE_NOT_FOUND');
  if (article.contentHash === articleHash(text)) return [];
  expectVersion(expected, article.version);
  return [changed(articleId, text, 'OPERATOR', now)];
}

/** Overwrites neither an operator's change or removal, nor a newer text with that of an older program. */
function seed({ articleId, text, now }: Of<'SeedArticle'>, article: Article) {
  if (article.status === 'NONE') return [added(articleId, text, 'PLATFORM', now)];
  if (article.isOperators || newestFirst(article.seeded).some((hash) => hash === articleHash(text)))
    return [];
  return [changed(articleId, text, 'PLATFORM', now)];
}

function added(
  articleId: string,
  text: ArticleText,
  origin: KnowledgeArticleAdded['data']['origin'],
  addedAt: string,
): KnowledgeArticleAdded {
  const written = { ...textOf(text), contentHash: articleHash(text) };
  return { type: 'KnowledgeArticleAdded', data: { articleId, ...written, origin, addedAt } };
}

function changed(
  articleId: string,
  text: ArticleText,
  origin: KnowledgeArticleChanged['data']['origin'],
  changedAt: string,
): KnowledgeArticleChanged {
  const written = { ...textOf(text), contentHash: articleHash(text) };
  return { type: 'KnowledgeArticleChanged', data: { articleId, ...written, origin, changedAt } };
}

/** An article of the knowledge base. Stream `knowledgeArticle-<uuid>`. */
export const articleDecider: Decider<Article, ArticleCommandFor, KnowledgeArticleEvent> = {
  initial,
  evolve,
  decide,
};
