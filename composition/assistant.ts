import { createAssistantGuards } from '../api/assistant/guard.ts';
import { publicAssistantRoutes } from '../api/assistant/publicRoutes.ts';
import { type AssistantApi, assistantRoutes } from '../api/assistant/routes.ts';
import { widgetRoutes } from '../api/assistant/widgetPage.ts';
import { createAddressLimit } from '../api/http/rateLimit.ts';
import { costOf, createBudget } from '../application/assistant/budget.ts';
import { type ChatDependencies, createChat } from '../application/assistant/chat.ts';
import { speak } from '../application/assistant/speak.ts';
import { createSearchKnowledgeTool } from '../application/assistant/tools/searchKnowledge.ts';
import { createServerTimeTool } from '../application/assistant/tools/serverTime.ts';
import { transcribe } from '../application/assistant/transcribe.ts';
import { createTranslate } from '../application/assistant/translate.ts';
import type { FindSignedInUser } from '../application/platform/signedInUsers.ts';
import type {
  AssistantCaller,
  AssistantPrompts,
  AssistantTool,
} from '../application/ports/assistant.ts';
import type { KnowledgeSearch } from '../application/ports/knowledgeSearch.ts';
import type { Log } from '../application/ports/log.ts';
import type { ModelUsage } from '../application/ports/languageModel.ts';
import type { ProviderFailure } from '../application/ports/providers.ts';
import type { Config } from '../infrastructure/config.ts';
import { createPostgresSpending } from '../infrastructure/postgres/assistantSpending.ts';
import type { AssistantProviders } from './assistantProviders.ts';
import type { Foundation } from './foundation.ts';
import type { ServicePart } from './part.ts';

/** What the knowledge base and the operator queries bring into the assistant. */
export interface AssistantKnowledge {
  readonly prompts: AssistantPrompts;
  /** Behind `search_knowledge`: all that the public chat has, and the signed-in have it too. */
  readonly search: KnowledgeSearch;
  /** Further tools of the signed-in; each says by `isFor` whose. */
  readonly tools: readonly AssistantTool[];
}

export interface AssistantOptions {
  readonly findUser: FindSignedInUser;
  readonly providers: AssistantProviders;
  readonly knowledge: AssistantKnowledge;
}

/** What of the core the assistant needs. */
export interface AssistantCore {
  readonly config: Config;
  readonly foundation: Pick<Foundation, 'clock' | 'redis' | 'metrics' | 'pool'> & {
    readonly log: Log;
  };
}

/** Chat, speech and translation, for the signed-in and for visitors. */
export function composeAssistant(core: AssistantCore, options: AssistantOptions): ServicePart {
  const { findUser, providers, knowledge } = options;
  const guards = createAssistantGuards(findUser);
  const { config, foundation } = core;
  const { clock, log, redis, metrics } = foundation;
  const { languageModel, speechToText, textToSpeech } = providers;
  const timeoutMs = config.SVC_AI_TIMEOUT * 1000;
  const budget = openBudget(core);
  const searchTool = createSearchKnowledgeTool(knowledge.search);
  const onRetry = ({ provider }: ProviderFailure) => metrics.retried(provider);
  const onUsage = (usage: ModelUsage) => {
    const cost = costOf(config.SVC_AI_PRICES, usage);
    metrics.assistant.used(usage, cost);
    return cost;
  };

  const chat = (own: Pick<ChatDependencies, 'model' | 'tools' | 'isPublic'>) => {
    const kind = own.isPublic ? 'public_chat' : 'chat';
    return createChat({
      ...own,
      ...{ prompts: knowledge.prompts, speechToText, budget, timeoutMs, onRetry, onUsage },
      ...{ maxSteps: config.SVC_AI_MAX_STEPS, toolTimeoutMs: config.SVC_AI_TOOL_TIMEOUT * 1000 },
      onToolRun: (tool, outcome, cause) => {
        metrics.assistant.toolRun(tool, outcome);
        if (outcome === 'failed') log.warn({ tool, err: cause }, 'A tool of the assistant failed.');
      },
      onDegraded: (reason, { requestId }: AssistantCaller, cause) => {
        metrics.assistant.degraded(kind, reason);
        if (reason === 'gone') return;
        log.warn({ requestId, kind, reason, err: cause }, 'The assistant did not answer.');
      },
    });
  };

  /** The time of a request that only speaks, or only listens. */
  const inTime = (gone: AbortSignal) => ({
    signal: AbortSignal.any([gone, AbortSignal.timeout(timeoutMs)]),
    onRetry,
  });
  const api: AssistantApi = {
    has: {
      languageModel: config.ANTHROPIC_API_KEY !== undefined,
      speechToText: config.SVC_AI_STT_URL !== undefined,
    },
    transcribe: (clip, gone) => transcribe(speechToText, clip, inTime(gone)),
    speak: (utterance, gone) => speak(textToSpeech, utterance, inTime(gone)),
    onRequest: (kind) => metrics.assistant.requested(kind),
    onStreamFailed: (cause, requestId) =>
      log.error({ requestId, err: cause }, 'The assistant failed in the midst of a stream.'),
  };
  const limit = (name: string, perMinute: number) =>
    createAddressLimit({ name: `tamga:ai:${name}`, redis: redis?.client ?? null }, perMinute);
  const perMinute = config.SVC_AI_REQUESTS_PER_MINUTE;

  return {
    routes: [
      ...widgetRoutes(),
      ...assistantRoutes({
        ...{ ...api, guards, limit: limit('signedIn', perMinute) },
        chat: chat({
          model: languageModel(config.SVC_AI_MODEL),
          tools: [searchTool, createServerTimeTool(clock), ...knowledge.tools],
          isPublic: false,
        }),
        translate: createTranslate({
          model: languageModel(config.SVC_AI_MODEL),
          ...{ speechToText, textToSpeech, budget, timeoutMs, onRetry, onUsage },
          onDegraded: (reason, cause) => {
            metrics.assistant.degraded('translate', reason);
            log.warn({ reason, err: cause }, 'A translation is not complete.');
          },
        }),
      }),
      ...publicAssistantRoutes({
        ...api,
        chat: chat({
          model: languageModel(config.SVC_AI_PUBLIC_MODEL),
          tools: [searchTool],
          isPublic: true,
        }),
        chatLimit: limit('publicChat', config.SVC_AI_PUBLIC_CHATS_PER_MINUTE),
        speechLimit: limit('publicSpeech', perMinute),
      }),
    ],
  };
}

/** What was spent is counted in PostgreSQL, for all processes. */
function openBudget({ config, foundation }: AssistantCore) {
  const { pool, clock, log } = foundation;
  const { SVC_AI_DAILY_BUDGET: all, SVC_AI_PUBLIC_DAILY_BUDGET: ofVisitors } = config;
  return createBudget({
    ledger: createPostgresSpending({ pool }),
    clock,
    daily: { all: all ?? null, public: ofVisitors ?? null },
    onFailure: (cause) => log.warn({ err: cause }, 'What the assistant spent is not counted.'),
  });
}
