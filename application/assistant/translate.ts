import type { AssistantLanguage } from './ports/assistant.ts';
import { Unavailable } from '../ports/faults.ts';
import type { LanguageModel, ModelUsage } from './ports/languageModel.ts';
import { ProviderFailure } from './ports/providers.ts';
import type { AudioClip, SpeechToText } from './ports/speechToText.ts';
import type { TextToSpeech } from './ports/textToSpeech.ts';
import type { Budget } from './budget.ts';
import { askWithRetries, type Retrying } from './retries.ts';
import { speak, type SpokenAudio } from './speak.ts';
import { translationPrompt } from './systemPrompt.ts';
import { transcribe } from './transcribe.ts';

export interface TranslateDependencies {
  readonly model: LanguageModel;
  readonly speechToText: SpeechToText;
  readonly textToSpeech: TextToSpeech;
  readonly budget: Budget;
  /** Records the cost of a call in the metrics. @returns millionths of the currency */
  readonly onUsage: (usage: ModelUsage) => number;
  readonly onRetry: (failure: ProviderFailure) => void;
  /** Called when a translation, or its speech, could not be made. */
  readonly onDegraded: (reason: 'failed' | 'budget' | 'speech', cause?: unknown) => void;
  /** Timeout of the whole request, milliseconds. */
  readonly timeoutMs: number;
}

/** Source of a translation: a text, or else a recording. */
export interface TranslationRequest {
  readonly source: { readonly text: string } | { readonly audio: AudioClip };
  readonly target: AssistantLanguage;
  /** True to synthesize the translation, too. */
  readonly speak: boolean;
  readonly gone: AbortSignal;
}

export interface Translation {
  /** Empty when the recording contained no speech. */
  readonly source: string;
  /** Empty when the source is, or when `degraded`. */
  readonly translated: string;
  /** Null when not requested or not available. */
  readonly audio: SpokenAudio | null;
  readonly degraded: boolean;
}

/**
 * Translates; recordings are transcribed first.
 *
 * @throws Unavailable(speechToText) when a recording cannot be transcribed
 * @throws NotConfigured(languageModel)
 * @throws ProviderFailure for a permanent failure of the model
 */
export type Translate = (request: TranslationRequest) => Promise<Translation>;

export function createTranslate(dependencies: TranslateDependencies): Translate {
  const { budget, timeoutMs, onRetry, onDegraded } = dependencies;

  async function translation(text: string, target: AssistantLanguage, retrying: Retrying) {
    const costs: Promise<void>[] = [];
    const ask = () =>
      dependencies.model.reply(
        { system: translationPrompt(target), turns: [{ role: 'user', text }], tools: [] },
        {
          signal: retrying.signal,
          onUsage: (usage) => costs.push(budget.spend(false, dependencies.onUsage(usage))),
        },
      );
    try {
      const { text: translated, isRefused } = await askWithRetries(ask, retrying);
      return isRefused ? '' : translated.trim();
    } finally {
      await Promise.all(costs);
    }
  }

  async function spoken(text: string, retrying: Retrying): Promise<SpokenAudio | null> {
    try {
      return await speak(dependencies.textToSpeech, { text, voice: null }, retrying);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      onDegraded('speech', error);
      return null;
    }
  }

  return async (request) => {
    const signal = AbortSignal.any([request.gone, AbortSignal.timeout(timeoutMs)]);
    const retrying = { signal, onRetry };
    const source =
      'text' in request.source
        ? request.source.text
        : await transcribe(dependencies.speechToText, request.source.audio, retrying);
    const untranslated = { source, translated: '', audio: null };
    if (source.trim() === '') return { ...untranslated, degraded: false };
    if (await budget.isSpent(false)) {
      onDegraded('budget');
      return { ...untranslated, degraded: true };
    }
    let translated: string;
    try {
      translated = await translation(source, request.target, retrying);
    } catch (error) {
      if (!(error instanceof ProviderFailure) || !error.isTransient) throw error;
      onDegraded('failed', error);
      return { ...untranslated, degraded: true };
    }
    if (translated === '') return { ...untranslated, degraded: true };
    const audio = request.speak ? await spoken(translated, retrying) : null;
    return { source, translated, audio, degraded: false };
  };
}
