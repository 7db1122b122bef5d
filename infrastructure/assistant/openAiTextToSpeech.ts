import { ProviderFailure } from '../../application/assistant/ports/providers.ts';
import type { TextToSpeech } from '../../application/assistant/ports/textToSpeech.ts';
import { callOpenAi, type OpenAiServer } from './openAiHttp.ts';

/** Some six minutes of speech. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Content types of an HTML page, of an error sent with status 200, or of the server's own format where it does not know
 * `pcm`.
 */
const wrongTypes = /^(?:text\/|application\/(?:json|xml)|audio\/(?:mpeg|mp3|ogg|opus|aac|flac)\b)/i;
/** File signatures of audio containers; played as samples they would be noise. */
const fileSignatures = ['RIFF', 'ID3', 'OggS', 'fLaC'].map((letters) => Buffer.from(letters));

function isFile(bytes: Buffer): boolean {
  return fileSignatures.some((signature) => bytes.subarray(0, signature.length).equals(signature));
}

export interface OpenAiVoice extends OpenAiServer {
  /** Default voice; a request may name another. */
  readonly voice: string;
}

/** `POST /audio/speech` of an OpenAI-compatible server, as `pcm`: 24 kHz, mono, 16-bit, little-endian. */
export function createOpenAiTextToSpeech(server: OpenAiVoice): TextToSpeech {
  return {
    async speak(text, { signal, voice = server.voice }) {
      const pcm = await callOpenAi(server, {
        provider: 'textToSpeech',
        path: '/audio/speech',
        signal,
        maxBytes: MAX_BYTES,
        body: { model: server.model, input: text, voice, response_format: 'pcm' },
        wrongTypes,
      });
      // An odd byte is half a sample.
      if (pcm.length > 0 && pcm.length % 2 === 0 && !isFile(pcm)) return pcm;
      throw new ProviderFailure('textToSpeech', {
        isTransient: false,
        cause: new Error("The server's answer is not 16-bit PCM."),
      });
    },
  };
}
