import { createAssistantGuards } from '../../api/assistant/guard.ts';
import { publicAssistantRoutes } from '../../api/assistant/publicRoutes.ts';
import { type AssistantApi, assistantRoutes } from '../../api/assistant/routes.ts';
import { widgetRoutes } from '../../api/assistant/widgetPage.ts';
import type { Brand } from '../../api/pages/brand.ts';
import { createAddressLimit } from '../../api/bounds/admission.ts';
import { costOf, createBudget } from '../../application/assistant/budget.ts';
import { type ChatDependencies, createChat } from '../../application/assistant/chat.ts';
import type {
  AssistantCaller,
  AssistantPrompts,
  AssistantTool,
} from '../../application/assistant/ports/assistant.ts';
import type { Embeddings } from '../../application/assistant/ports/embeddings.ts';
import type { KnowledgeSearch } from '../../application/assistant/ports/knowledgeSearch.ts';
import type { LanguageModel, ModelUsage } from '../../application/assistant/ports/languageModel.ts';
import {
  type AssistantProvider,
  NotConfigured,
  ProviderFailure,
} from '../../application/assistant/ports/providers.ts';
import type { SpeechToText } from '../../application/assistant/ports/speechToText.ts';
import type { TextToSpeech } from '../../application/assistant/ports/textToSpeech.ts';
import { speak } from '../../application/assistant/speak.ts';
import { createSearchKnowledgeTool } from '../../application/assistant/tools/searchKnowledge.ts';
import { createServerTimeTool } from '../../application/assistant/tools/serverTime.ts';
import { transcribe } from '../../application/assistant/transcribe.ts';
import { createTranslate } from '../../application/assistant/translate.ts';
import type { FindSignedInUser } from '../../application/platform/signedInUsers.ts';
import type { Log } from '../../application/ports/log.ts';
import { createAnthropicModels } from '../../infrastructure/assistant/anthropicModel.ts';
import { createOpenAiEmbeddings } from '../../infrastructure/assistant/openAiEmbeddings.ts';
import { createOpenAiSpeechToText } from '../../infrastructure/assistant/openAiSpeechToText.ts';
import { createOpenAiTextToSpeech } from '../../infrastructure/assistant/openAiTextToSpeech.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { withinBound } from '../../infrastructure/outside/access.ts';
import { createPostgresSpending } from '../../infrastructure/postgres/assistantSpending.ts';
import type { Foundation } from './foundation.ts';
import type { ServiceModule } from './serviceModule.ts';

/** Contributions of the knowledge base and the operator queries to the assistant. */
export interface AssistantKnowledge {
  readonly prompts: AssistantPrompts;
  /** Search behind `search_knowledge`: the only tool of the public chat, also offered to signed-in users. */
  readonly search: KnowledgeSearch;
  /** Further tools for signed-in users; `isFor` of each decides for whom. */
  readonly tools: readonly AssistantTool[];
}

export interface AssistantOptions {
  readonly findUser: FindSignedInUser;
  readonly providers: AssistantProviders;
  readonly knowledge: AssistantKnowledge;
}

/** Dependencies of the assistant within the core. */
export interface AssistantCore {
  readonly config: Config;
  readonly brand: Brand;
  readonly foundation: Pick<Foundation, 'clock' | 'redis' | 'metrics' | 'outside' | 'pool'> & {
    readonly log: Log;
  };
}

/** Chat, speech and translation, for signed-in users and visitors. */
export function composeAssistant(core: AssistantCore, options: AssistantOptions): ServiceModule {
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
      prompts: knowledge.prompts,
      speechToText,
      budget,
      timeoutMs,
      onRetry,
      onUsage,
      maxSteps: config.SVC_AI_MAX_STEPS,
      toolTimeoutMs: config.SVC_AI_TOOL_TIMEOUT * 1000,
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

  /** Timeout of a speech or translation request. */
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
      log.error({ requestId, err: cause }, 'The assistant failed in the middle of a stream.'),
  };
  const limit = (
    name: string,
    setting: 'SVC_AI_REQUESTS_PER_MINUTE' | 'SVC_AI_PUBLIC_CHATS_PER_MINUTE',
  ) =>
    createAddressLimit(
      { name: `tamga:ai:${name}`, setting, redis: redis?.client ?? null },
      config[setting],
    );

  return {
    routes: [
      ...widgetRoutes(core.brand),
      ...assistantRoutes({
        ...api,
        guards,
        limit: limit('signedIn', 'SVC_AI_REQUESTS_PER_MINUTE'),
        chat: chat({
          model: languageModel(config.SVC_AI_MODEL),
          tools: [searchTool, createServerTimeTool(clock), ...knowledge.tools],
          isPublic: false,
        }),
        translate: createTranslate({
          model: languageModel(config.SVC_AI_MODEL),
          speechToText,
          textToSpeech,
          budget,
          timeoutMs,
          onRetry,
          onUsage,
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
        chatLimit: limit('publicChat', 'SVC_AI_PUBLIC_CHATS_PER_MINUTE'),
        speechLimit: limit('publicSpeech', 'SVC_AI_REQUESTS_PER_MINUTE'),
      }),
    ],
  };
}

/** Spending is stored in PostgreSQL, shared by all processes. */
function openBudget({ config, foundation }: AssistantCore) {
  const { pool, clock, log } = foundation;
  const { SVC_AI_DAILY_BUDGET: all, SVC_AI_PUBLIC_DAILY_BUDGET: ofVisitors } = config;
  return createBudget({
    ledger: createPostgresSpending({ pool }),
    clock,
    daily: { all: all ?? null, public: ofVisitors ?? null },
    onFailure: (cause) =>
      log.warn({ err: cause }, 'The spending of the assistant could not be recorded.'),
  });
}

/** External services of the assistant; an unconfigured one refuses every call. */
export interface AssistantProviders {
  /** Returns a model by name. */
  readonly languageModel: (model: string) => LanguageModel;
  readonly speechToText: SpeechToText;
  readonly textToSpeech: TextToSpeech;
  /** Null: not configured, the knowledge base is searched by words. */
  readonly embeddings: Embeddings | null;
}

export function composeAssistantProviders({
  config,
  foundation,
}: {
  readonly config: Config;
  readonly foundation: Pick<Foundation, 'metrics' | 'outside'>;
}): AssistantProviders {
  const { metrics, outside } = foundation;
  const bounded = <Adapter extends object>(provider: AssistantProvider, adapter: Adapter) =>
    withinBound(
      outside.open(provider, {
        refusal: (cause) => new ProviderFailure(provider, { isTransient: false, cause }),
        isOutage: (error) => error instanceof ProviderFailure,
      }),
      adapter,
    );
  const boundedModels = (models: (model: string) => LanguageModel) => (model: string) =>
    bounded('languageModel', models(model));
  const called = (system: string) => (operation: string, status: string, seconds: number) =>
    metrics.externalRequest(system, operation, status, seconds);
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl } = config;
  const stt = config.SVC_AI_STT_URL;
  const tts = config.SVC_AI_TTS_URL;
  const embeddings = config.SVC_AI_EMBEDDINGS_URL;
  return {
    languageModel:
      apiKey === undefined
        ? () => ({ reply: refuse('languageModel', 'ANTHROPIC_API_KEY') })
        : boundedModels(
            createAnthropicModels({
              apiKey,
              baseUrl,
              maxTokens: config.SVC_AI_MAX_TOKENS,
              onCalled: called('languageModel'),
            }),
          ),
    speechToText:
      stt === undefined
        ? { transcribe: refuse('speechToText', 'SVC_AI_STT_URL') }
        : bounded(
            'speechToText',
            createOpenAiSpeechToText({
              url: stt,
              key: config.SVC_AI_STT_KEY,
              model: config.SVC_AI_STT_MODEL,
              onCalled: called('speechToText'),
            }),
          ),
    textToSpeech:
      tts === undefined
        ? { speak: refuse('textToSpeech', 'SVC_AI_TTS_URL') }
        : bounded(
            'textToSpeech',
            createOpenAiTextToSpeech({
              url: tts,
              key: config.SVC_AI_TTS_KEY,
              model: config.SVC_AI_TTS_MODEL,
              voice: config.SVC_AI_TTS_VOICE,
              onCalled: called('textToSpeech'),
            }),
          ),
    embeddings:
      embeddings === undefined
        ? null
        : bounded(
            'embeddings',
            createOpenAiEmbeddings({
              url: embeddings,
              key: config.SVC_AI_EMBEDDINGS_KEY,
              model: config.SVC_AI_EMBEDDINGS_MODEL,
              onCalled: called('embeddings'),
            }),
          ),
  };
}

function refuse(...missing: ConstructorParameters<typeof NotConfigured>) {
  return () => Promise.reject(new NotConfigured(...missing));
}
