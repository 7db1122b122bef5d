import { z } from 'zod';
import type { SensitiveCommand } from '../../application/approval/operations.ts';
import type { Submit } from '../../application/approval/submitCommand.ts';
import type { Reindexing } from '../../application/assistant/reindexKnowledge.ts';
import type {
  ArticleRecord,
  KnowledgeArticles,
} from '../../application/assistant/ports/knowledgeArticles.ts';
import type { KnowledgeSearch } from '../../application/assistant/ports/knowledgeSearch.ts';
import { NotYetShown } from '../../application/ports/faults.ts';
import type { Randomness } from '../../application/ports/randomness.ts';
import { articleHash, articleLimits } from '../../domain/assistant/article.ts';
import {
  articleOrigins,
  type ArticleText,
  assistantLanguages,
} from '../../domain/assistant/events.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { asEnvelope, enveloped, envelopeOf } from '../schemas/envelope.ts';
import { count, moment } from '../schemas/answers.ts';
import { viewBy } from '../http/handling.ts';
import { type Reply, type Route, route } from '../http/route.ts';
import { visibleText } from '../../domain/shared/requestFields.ts';
import { proseText } from '../schemas/text.ts';
import { approvalView } from './approvalRoutes.ts';
import { expectedVersion, tagOf } from './edition.ts';
import type { OperatorGuards } from './guard.ts';
import { pageQuery, snapshotAnswer, snapshotListOf } from './paging.ts';
import { pending } from './promptRoutes.ts';
import { emptyIsNull, searchText } from './search.ts';
import { comment, commentBody, type Submission, submitFor } from './submitting.ts';

export interface KnowledgeRouteDependencies {
  readonly guards: OperatorGuards;
  readonly articles: KnowledgeArticles;
  readonly search: KnowledgeSearch;
  readonly reindexing: Reindexing;
  readonly submit: Submit;
  readonly randomness: Randomness;
}

/** Longest wait of a request for the re-embedding, ms; below the timeouts of proxies. */
const REINDEX_WAIT_MS = 20_000;
/** Longest trial question, characters; the same as for the assistant. */
const longestQuestion = 500;

const base = '/api/v1/admin/ai/knowledge';
const language = z.enum(assistantLanguages);

const articleShape = {
  title: z.string(),
  content: z.string(),
  tags: z.array(z.string()).readonly(),
  language,
  source: z.string().nullable(),
};

const articleView = z
  .strictObject({
    id: z.uuid(),
    ...articleShape,
    origin: z.enum(articleOrigins).meta({ description: 'PLATFORM: delivered with the program' }),
    version: count.meta({ description: 'The same as in ETag' }),
    added_at: moment,
    changed_by: z.string(),
    changed_at: moment,
  })
  .meta({ id: 'KnowledgeArticle' });

const articleBody = z.object({
  title: visibleText(articleLimits.title),
  content: proseText(articleLimits.content).refine((text) => text !== '', 'Must not be empty.'),
  tags: z
    .array(visibleText(articleLimits.tag))
    .max(articleLimits.tags)
    .default([])
    .transform((tags) => [...new Set(tags)]),
  language,
  source: visibleText(articleLimits.source).nullable().default(null),
  comment,
});

const progressView = z
  .strictObject({
    mode: z.enum(['vector', 'keyword']),
    model: z.string().nullable(),
    articles: count,
    passages: count,
    embedded: count.meta({ description: 'Passages that have an embedding of this model' }),
    running: z.boolean(),
    failed: z.boolean().meta({ description: 'Whether the last run requested here failed' }),
  })
  .meta({ id: 'KnowledgeProgress' });

const resultsView = z
  .strictObject({
    results: z.array(
      z.strictObject({
        title: z.string(),
        content: z.string(),
        source: z.string().optional(),
        score: z.number().optional(),
      }),
    ),
    count,
    mode: z.enum(['vector', 'keyword']),
  })
  .meta({ id: 'KnowledgeResults' });

const params = z.object({
  id: z.string().transform((text) => {
    const id = z.uuid().safeParse(text.toLowerCase());
    if (!id.success) throw new Refusal('ARTICLE_NOT_FOUND');
    return id.data;
  }),
});

/** Knowledge base of the assistant, for operators. */
export function knowledgeRoutes(dependencies: KnowledgeRouteDependencies): readonly Route[] {
  const { guards, articles, search, reindexing, submit, randomness } = dependencies;
  const common = {
    refusedAs: asEnvelope,
  } as const;
  const reading = { ...common, guard: guards.withCapability('config:read') } as const;
  const writing = { ...common, guard: guards.withCapability('config:write') } as const;

  async function one(id: string): Promise<ArticleRecord> {
    const article = await articles.article(id);
    if (article === null) throw new Refusal('ARTICLE_NOT_FOUND');
    return article;
  }

  /** @throws NotYetShown while the read model does not show the change */
  async function changed(
    request: Submission,
    command: SensitiveCommand & ArticleText & { readonly articleId: string },
  ) {
    const submitted = await submitFor(submit, request, command);
    if (submitted.kind === 'PENDING') return pending(submitted.approval);
    const article = await articles.article(command.articleId);
    if (article?.contentHash !== articleHash(command)) throw new NotYetShown();
    return answer(article);
  }

  return [
    route({
      ...reading,
      name: 'admin.assistant.articles.list',
      summary: 'List articles of the knowledge base, last changed first',
      method: 'GET',
      path: `${base}/articles`,
      query: z.object({
        q: searchText,
        language: emptyIsNull(language),
        origin: emptyIsNull(z.enum(articleOrigins)),
        ...pageQuery,
      }),
      response: { 200: envelopeOf(snapshotListOf(articleView)) },
      handle: async ({ query: { q: query, ...filter } }) => {
        const page = await articles.articlePage({ query, ...filter });
        return enveloped(snapshotAnswer({ ...page, items: page.items.map(view) }, filter).body);
      },
    }),
    route({
      ...reading,
      name: 'admin.assistant.articles.read',
      summary: 'Get an article of the knowledge base',
      method: 'GET',
      path: `${base}/articles/:id`,
      params,
      response: { 200: envelopeOf(articleView) },
      handle: async ({ params: { id } }) => answer(await one(id)),
    }),
    route({
      ...writing,
      name: 'admin.assistant.articles.add',
      summary: 'Add an article to the knowledge base',
      method: 'POST',
      path: `${base}/articles`,
      body: articleBody,
      response: { 201: envelopeOf(articleView), 202: envelopeOf(approvalView) },
      handle: async (request) => {
        const text = textIn(request.body);
        const articleId = randomness.uuid();
        const reply = await changed(request, {
          operation: 'assistant.changeKnowledge',
          change: 'ADD',
          articleId,
          expected: null,
          ...text,
        });
        return reply.status === 202 ? reply : { ...reply, status: 201 };
      },
    }),
    route({
      ...writing,
      name: 'admin.assistant.articles.change',
      summary: 'Replace an article; If-Match names the version it was edited from',
      method: 'PUT',
      path: `${base}/articles/:id`,
      params,
      body: articleBody,
      response: { 200: envelopeOf(articleView), 202: envelopeOf(approvalView) },
      handle: (request) => {
        const text = textIn(request.body);
        const { id: articleId } = request.params;
        const expected = expectedVersion(request.context);
        return changed(request, {
          operation: 'assistant.changeKnowledge',
          change: 'CHANGE',
          articleId,
          expected,
          ...text,
        });
      },
    }),
    route({
      ...writing,
      name: 'admin.assistant.articles.remove',
      summary: 'Remove an article; If-Match names the version you have seen',
      method: 'DELETE',
      path: `${base}/articles/:id`,
      params,
      body: commentBody,
      response: { 200: envelopeOf(z.null()), 202: envelopeOf(approvalView) },
      handle: async (request): Promise<Reply> => {
        const { id: articleId } = request.params;
        const expected = expectedVersion(request.context);
        const submitted = await submitFor(submit, request, {
          operation: 'assistant.changeKnowledge',
          change: 'REMOVE',
          articleId,
          expected,
        });
        return submitted.kind === 'PENDING' ? pending(submitted.approval) : enveloped(null);
      },
    }),
    route({
      ...writing,
      name: 'admin.assistant.knowledge.reindex',
      summary: 'Create embeddings for changed articles; 202 while this is running',
      method: 'POST',
      path: `${base}/reindex`,
      response: {
        200: envelopeOf(z.strictObject({ embedded: count })),
        202: envelopeOf(z.strictObject({ embedded: count })),
      },
      handle: async () => {
        const { embedded, isDone } = await reindexing.run(REINDEX_WAIT_MS);
        return isDone
          ? enveloped({ embedded })
          : { ...enveloped({ embedded }, 'still embedding'), status: 202 };
      },
    }),
    route({
      ...reading,
      name: 'admin.assistant.knowledge.progress',
      summary: 'Get the progress of the embeddings',
      method: 'GET',
      path: `${base}/reindex`,
      response: { 200: envelopeOf(progressView) },
      handle: async () => enveloped(await reindexing.progress()),
    }),
    route({
      ...common,
      name: 'admin.assistant.knowledge.search',
      summary: 'Search the knowledge base as the assistant does',
      method: 'POST',
      path: `${base}/search`,
      guard: guards.withCapability('config:read'),
      body: z.object({ query: proseText(longestQuestion).pipe(z.string().min(1)) }),
      response: { 200: envelopeOf(resultsView) },
      handle: async ({ body: { query }, context }) => {
        const gone = new AbortController();
        const unregister = context.onGone(() => gone.abort());
        try {
          return enveloped(await search.search(query, gone.signal));
        } finally {
          unregister();
        }
      },
    }),
  ];
}

function textIn({ title, content, tags, language: of, source }: z.output<typeof articleBody>) {
  return { title, content, tags, language: of, source };
}

function answer(article: ArticleRecord): Reply {
  return { ...enveloped(view(article)), headers: tagOf(article.version) };
}

const viewOf = viewBy(articleView);

function view({ articleId: id, ...article }: ArticleRecord) {
  const { addedAt: added_at, changedBy: changed_by, changedAt: changed_at } = article;
  return viewOf(article, { id, added_at, changed_by, changed_at });
}
