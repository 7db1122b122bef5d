import type { AssistantLanguage } from './assistant.ts';

/** A recording, as sent by a caller. */
export interface AudioClip {
  /** Without parameters: `audio/webm`. */
  readonly mime: string;
  readonly bytes: Buffer;
}

/** Transcribes speech verbatim. */
export interface SpeechToText {
  /**
   * One call, without retries.
   *
   * @param language expected language; omitted: detected
   * @returns empty without speech
   * @throws ProviderFailure(speechToText)
   * @throws NotConfigured(speechToText)
   */
  transcribe(
    clip: AudioClip,
    options: { readonly signal: AbortSignal; readonly language?: AssistantLanguage },
  ): Promise<string>;
}
