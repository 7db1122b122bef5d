import { Unavailable } from '../ports/faults.ts';
import { NotConfigured, ProviderFailure } from './ports/providers.ts';
import type { TextToSpeech } from './ports/textToSpeech.ts';
import { askWithRetries, type Retrying } from './retries.ts';
import { wavOf } from './wav.ts';

/** Synthesized speech, ready to be played. */
export interface SpokenAudio {
  readonly mime: 'audio/wav';
  readonly bytes: Buffer;
}

/** @param voice null: the configured one @throws Unavailable(textToSpeech) */
export async function speak(
  textToSpeech: TextToSpeech,
  { text, voice }: { readonly text: string; readonly voice: string | null },
  { signal, onRetry }: Retrying,
): Promise<SpokenAudio> {
  try {
    const options = voice === null ? { signal } : { signal, voice };
    const ask = () => textToSpeech.speak(text, options);
    return { mime: 'audio/wav', bytes: wavOf(await askWithRetries(ask, { signal, onRetry })) };
  } catch (error) {
    if (error instanceof ProviderFailure || error instanceof NotConfigured) {
      throw new Unavailable('textToSpeech', error);
    }
    throw error;
  }
}
