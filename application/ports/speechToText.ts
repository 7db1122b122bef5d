import type { AssistantLanguage } from './assistant.ts';

/** A recording as a caller sent it. */
export interface AudioClip {
  /** Without parameters: `audio/webm`. */
  readonly mime: string;
  readonly bytes: Buffer;
}

/** Writes down what is said, word for word. */
export interface SpeechToText {
  /**
   * One call, never repeated here.
   *
   * @param language that is probably spoken; omitted: found out
   * @returns empty when nothing is said
   * @throws ProviderFailure(speechToText)
   * @throws NotConfigured(speechToText)
   */
  transcribe(
    clip: AudioClip,
    options: { readonly signal: AbortSignal; readonly language?: AssistantLanguage },
  ): Promise<string>;
}
