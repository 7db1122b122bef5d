import type { OperatorGuards } from '../../api/admin/guard.ts';
import { knowledgeRoutes } from '../../api/admin/knowledgeRoutes.ts';
import { promptRoutes } from '../../api/admin/promptRoutes.ts';
import type { Submit } from '../../application/approval/submitCommand.ts';
import { createArticles } from '../../application/assistant/articles.ts';
import { createKnowledgeIndex } from '../../application/assistant/knowledgeIndex.ts';
import { createReindexing } from '../../application/assistant/reindexKnowledge.ts';
import { createKnowledgeSearch } from '../../application/assistant/searchKnowledge.ts';
import { seedKnowledge } from '../../application/assistant/seedKnowledge.ts';
import { createOperatorTools } from '../../application/assistant/tools/operatorTools.ts';
import type { Embeddings } from '../../application/assistant/ports/embeddings.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import { createArticleEmbedding } from '../../application/reactors/embedChangedArticles.ts';
import { createPostgresPassageVectors } from '../../infrastructure/assistant/postgresPassageVectors.ts';
import { readSeedArticles } from '../../infrastructure/assistant/seedArticles.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createPromptRecords } from '../../projections/assistantPrompts.ts';
import { createKnowledgeArticles } from '../../projections/knowledgeArticles.ts';
import { createRelyingPartyPages } from '../../projections/relyingParties.ts';
import { createStatisticsView } from '../../projections/statistics.ts';
import type { AssistantKnowledge } from './assistant.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';

export interface KnowledgeOptions {
  readonly guards: OperatorGuards;
  readonly submit: Submit;
  /** The operator's current role; null: not an operator (any more). */
  readonly roleOf: (operatorId: string) => Promise<OperatorRole | null>;
  /** Null: the knowledge base is searched by words. */
  readonly embeddings: Embeddings | null;
}

/** Read-only tools for operators, over the queries of the operator API. */
function operatorTools(
  { database, clock, lists, auditTrail }: Core['foundation'],
  roleOf: KnowledgeOptions['roleOf'],
) {
  return createOperatorTools({
    roleOf,
    statistics: failingFast(createStatisticsView(database)),
    ...failingFast(createRelyingPartyPages({ database, lists })),
    auditTrail,
    clock,
  });
}

/** The assistant's knowledge base, and the prompts that operators edit. */
export function composeKnowledge(
  { config, foundation, effects }: Core,
  { guards, submit, roleOf, embeddings }: KnowledgeOptions,
): AssistantKnowledge & { readonly module: ServiceModule } {
  const { database, pool, notifications, outageLog, eventStore, clock, randomness, leaderLock } =
    foundation;
  const records = failingFast(createPromptRecords(database));
  const articles = failingFast(createKnowledgeArticles(database));
  const vectors = createPostgresPassageVectors(pool);
  const index = createKnowledgeIndex({
    articles,
    vectors,
    model: embeddings?.model ?? null,
    feed: notifications,
    onFailure: (cause) =>
      outageLog.error({ err: cause }, 'The knowledge index could not be updated.'),
  });
  const search = createKnowledgeSearch({
    index,
    embeddings,
    onFallback: (cause) =>
      outageLog.warn({ err: cause }, 'Embeddings failed. The search used words instead.'),
  });
  const reindexing = createReindexing({
    articles,
    vectors,
    embeddings,
    index,
    onFailure: (cause) => outageLog.error({ err: cause }, 'Embedding the knowledge base failed.'),
  });
  const embedding =
    embeddings === null
      ? []
      : [
          createArticleEmbedding({
            articles,
            vectors,
            embeddings,
            leaderLock,
            notifications,
            onFailure: effects.onFailure,
          }),
        ];

  const has = (role: (typeof config.SVC_ROLES)[number]) => config.SVC_ROLES.includes(role);
  const module: ServiceModule = {
    routes: [
      ...promptRoutes({ guards, records, submit }),
      ...knowledgeRoutes({ guards, articles, search, reindexing, submit, randomness }),
    ],
    reactors: embedding,
    async start() {
      if (has('worker') && config.SVC_AI_SEED_KNOWLEDGE) {
        const written = createArticles({ eventStore, clock, randomness });
        await seedKnowledge({ articles: written, clock }, await readSeedArticles());
      }
      if (has('api')) index.start();
    },
    async stop() {
      await reindexing.stop();
      await index.stop();
    },
  };
  return {
    module,
    search,
    tools: config.SVC_AI_OPERATOR_TOOLS ? operatorTools(foundation, roleOf) : [],
    prompts: {
      current: async () => {
        const all = await records.prompts();
        const textOf = (name: string) => all.find(({ prompt }) => prompt === name)?.content ?? '';
        return { scope: textOf('scope'), instructions: textOf('instructions') };
      },
    },
  };
}
