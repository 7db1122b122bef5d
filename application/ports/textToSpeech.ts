/** Samples a second of what {@link TextToSpeech} makes. */
export const speechSampleRate = 24_000;

/** Reads text aloud. */
export interface TextToSpeech {
  /**
   * One call, never repeated here.
   *
   * @param options.voice of those the provider has; omitted: the one configured
   * @returns PCM: 24 kHz, mono, 16-bit signed, little-endian, no header
   * @throws ProviderFailure(textToSpeech)
   * @throws NotConfigured(textToSpeech)
   */
  speak(
    text: string,
    options: { readonly signal: AbortSignal; readonly voice?: string },
  ): Promise<Buffer>;
}
