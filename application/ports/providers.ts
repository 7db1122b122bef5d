/** The services the assistant is made of, as metrics and faults name them. */
export type AssistantProvider = 'languageModel' | 'speechToText' | 'textToSpeech' | 'embeddings';

/** A provider of the assistant did not do what it was asked. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly provider: AssistantProvider;
  /** Whether asking again may help: 429, 5xx, no answer, an answer cut off. */
  readonly isTransient: boolean;

  constructor(
    provider: AssistantProvider,
    details: { readonly isTransient: boolean; readonly cause?: unknown },
  ) {
    super(`${provider} failed.`, { cause: details.cause });
    this.provider = provider;
    this.isTransient = details.isTransient;
  }
}

/** There is no such provider in this installation. */
export class NotConfigured extends Error {
  override readonly name = 'NotConfigured';
  readonly provider: AssistantProvider;

  /** @param setting whose absence that is */
  constructor(provider: AssistantProvider, setting: string) {
    super(`${provider} is not configured: ${setting} is not set.`);
    this.provider = provider;
  }
}
