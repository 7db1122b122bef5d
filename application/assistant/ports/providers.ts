/** External services of the assistant, by their names in metrics and faults. */
export type AssistantProvider = 'languageModel' | 'speechToText' | 'textToSpeech' | 'embeddings';

/** A provider of the assistant failed. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly provider: AssistantProvider;
  /** True when a retry may help: 429, 5xx, no answer, an incomplete answer. */
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

/** No such provider is configured. */
export class NotConfigured extends Error {
  override readonly name = 'NotConfigured';
  readonly provider: AssistantProvider;

  /** @param setting the missing setting */
  constructor(provider: AssistantProvider, setting: string) {
    super(`${provider} is not configured: ${setting} is not set.`);
    this.provider = provider;
  }
}
