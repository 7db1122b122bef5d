import { Unavailable } from '../ports/faults.ts';
import { NotConfigured, ProviderFailure } from './ports/providers.ts';
import type { AudioClip, SpeechToText } from './ports/speechToText.ts';
import { askWithRetries, type Retrying } from './retries.ts';

/**
 * Transcribes a recording verbatim; empty without speech.
 *
 * @throws Unavailable(speechToText)
 */
export async function transcribe(
  speechToText: SpeechToText,
  clip: AudioClip,
  { signal, onRetry }: Retrying,
): Promise<string> {
  try {
    const ask = () => speechToText.transcribe(clip, { signal });
    return (await askWithRetries(ask, { signal, onRetry })).trim();
  } catch (error) {
    if (error instanceof ProviderFailure || error instanceof NotConfigured) {
      throw new Unavailable('speechToText', error);
    }
    throw error;
  }
}
