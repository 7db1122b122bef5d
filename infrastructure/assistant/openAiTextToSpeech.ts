import { ProviderFailure } from '../../application/ports/providers.ts';
import type { TextToSpeech } from '../../application/ports/textToSpeech.ts';
import { callOpenAi, type OpenAiServer } from './openAiHttp.ts';

/** Some six minutes. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface OpenAiVoice extends OpenAiServer {
  /** Unless a request names another. */
  readonly voice: string;
}

/** `POST /audio/speech` of an OpenAI-compatible server, as `pcm`: 24 kHz, mono, 16-bit, little-endian. */
export function createOpenAiTextToSpeech(server: OpenAiVoice): TextToSpeech {
  return {
    async speak(text, { signal, voice = server.voice }) {
      const pcm = await callOpenAi(server, {
        ...{ provider: 'textToSpeech', path: '/audio/speech', signal, maxBytes: MAX_BYTES },
        body: { model: server.model, input: text, voice, response_format: 'pcm' },
      });
      // An odd byte is half a sample; a text instead of samples is a server that does not know `pcm`.
      if (pcm.length > 0 && pcm.length % 2 === 0) return pcm;
      throw new ProviderFailure('textToSpeech', {
        isTransient: false,
        cause: new Error('The server answered no samples of 16 bits.'),
      });
    },
  };
}
