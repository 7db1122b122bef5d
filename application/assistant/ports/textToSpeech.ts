/** Sample rate of {@link TextToSpeech}, Hz. */
export const speechSampleRate = 24_000;

/** Speech synthesis. */
export interface TextToSpeech {
  /**
   * One call, without retries.
   *
   * @param options.voice one of the provider's; omitted: the configured one
   * @returns PCM: 24 kHz, mono, 16-bit signed, little-endian, no header
   * @throws ProviderFailure(textToSpeech)
   * @throws NotConfigured(textToSpeech)
   */
  speak(
    text: string,
    options: { readonly signal: AbortSignal; readonly voice?: string },
  ): Promise<Buffer>;
}
