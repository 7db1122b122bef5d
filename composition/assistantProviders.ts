import type { Embeddings } from '../application/ports/embeddings.ts';
import type { LanguageModel } from '../application/ports/languageModel.ts';
import { NotConfigured } from '../application/ports/providers.ts';
import type { SpeechToText } from '../application/ports/speechToText.ts';
import type { TextToSpeech } from '../application/ports/textToSpeech.ts';
import { createAnthropicModels } from '../infrastructure/assistant/anthropicModel.ts';
import { createOpenAiEmbeddings } from '../infrastructure/assistant/openAiEmbeddings.ts';
import { createOpenAiSpeechToText } from '../infrastructure/assistant/openAiSpeechToText.ts';
import { createOpenAiTextToSpeech } from '../infrastructure/assistant/openAiTextToSpeech.ts';
import type { Config } from '../infrastructure/config.ts';
import type { Foundation } from './foundation.ts';

/** The outside services the assistant stands on; one that is not configured refuses every call. */
export interface AssistantProviders {
  /** A model by its name. */
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
  readonly foundation: Pick<Foundation, 'metrics'>;
}): AssistantProviders {
  const { metrics } = foundation;
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
        : createAnthropicModels({
            ...{ apiKey, baseUrl, maxTokens: config.SVC_AI_MAX_TOKENS },
            onCalled: called('languageModel'),
          }),
    speechToText:
      stt === undefined
        ? { transcribe: refuse('speechToText', 'SVC_AI_STT_URL') }
        : createOpenAiSpeechToText({
            ...{ url: stt, key: config.SVC_AI_STT_KEY, model: config.SVC_AI_STT_MODEL },
            onCalled: called('speechToText'),
          }),
    textToSpeech:
      tts === undefined
        ? { speak: refuse('textToSpeech', 'SVC_AI_TTS_URL') }
        : createOpenAiTextToSpeech({
            ...{ url: tts, key: config.SVC_AI_TTS_KEY, model: config.SVC_AI_TTS_MODEL },
            ...{ voice: config.SVC_AI_TTS_VOICE, onCalled: called('textToSpeech') },
          }),
    embeddings:
      embeddings === undefined
        ? null
        : createOpenAiEmbeddings({
            ...{ url: embeddings, key: config.SVC_AI_EMBEDDINGS_KEY },
            ...{ model: config.SVC_AI_EMBEDDINGS_MODEL, onCalled: called('embeddings') },
          }),
  };
}

function refuse(...missing: ConstructorParameters<typeof NotConfigured>) {
  return () => Promise.reject(new NotConfigured(...missing));
}
