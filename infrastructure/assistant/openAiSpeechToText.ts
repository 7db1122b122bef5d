import { ProviderFailure } from '../../application/assistant/ports/providers.ts';
import type { SpeechToText } from '../../application/assistant/ports/speechToText.ts';
import { callOpenAi, jsonOf, type OpenAiServer } from './openAiHttp.ts';

const MAX_BYTES = 1024 * 1024;

/** `POST /audio/transcriptions` of an OpenAI-compatible server. */
export function createOpenAiSpeechToText(server: OpenAiServer): SpeechToText {
  return {
    async transcribe({ mime, bytes }, { signal, language }) {
      const form = new FormData();
      form.set('model', server.model);
      form.set('response_format', 'json');
      // Verbatim: temperature 0 keeps the model from inventing text for pauses.
      form.set('temperature', '0');
      if (language !== undefined) form.set('language', language);
      // Servers derive the format from the file name.
      const name = `audio.${mime.slice(mime.indexOf('/') + 1).replace(/^x-/, '')}`;
      form.set('file', new Blob([new Uint8Array(bytes)], { type: mime }), name);
      const answer = jsonOf(
        'speechToText',
        await callOpenAi(server, {
          provider: 'speechToText',
          path: '/audio/transcriptions',
          body: form,
          signal,
          maxBytes: MAX_BYTES,
        }),
      ) as { readonly text?: unknown } | null;
      if (typeof answer?.text === 'string') return answer.text.trim();
      throw new ProviderFailure('speechToText', {
        isTransient: false,
        cause: new Error("The server's answer contains no text."),
      });
    },
  };
}
