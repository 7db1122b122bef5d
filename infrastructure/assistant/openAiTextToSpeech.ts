import { ProviderFailure } from '../../application/ports/providers.ts';
import type { TextToSpeech } from '../../application/ports/textToSpeech.ts';
import { callOpenAi, type OpenAiServer } from './openAiHttp.ts';

/** Some six minutes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A page, an error with status 200, or a format of its own where a server does not know `pcm`. */
const wrongTypes = /^(?:text\/|application\/(?:json|xml)|audio\/(?:mpeg|mp3|ogg|opus|aac|flac)\b)/i;
/** What files of sound begin with; as samples they would be noise. */
const fileSignatures = ['RIFF', 'ID3', 'OggS', 'fLaC'].map((letters) => Buffer.from(letters));

function isFile(bytes: Buffer): boolean {
  return fileSignatures.some((signature) => bytes.subarray(0, signature.length).equals(signature));
}

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
        wrongTypes,
      });
      // An odd byte is half a sample.
      if (pcm.length > 0 && pcm.length % 2 === 0 && !isFile(pcm)) return pcm;
      throw new ProviderFailure('textToSpeech', {
        isTransient: false,
        cause: new Error('The server answered no samples of 16 bits.'),
      });
    },
  };
}
