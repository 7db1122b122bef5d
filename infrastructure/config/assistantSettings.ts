import { z } from 'zod';
import { isSecure, url } from './addresses.ts';
import { count, flag, list, secret, setting } from './settings.ts';

const modelName = z.string().min(1).max(200);
const money = z.coerce.number().positive().max(1_000_000);

/** `model=input/output`: prices of a million tokens. */
const price = z
  .string()
  .regex(/^[^=\s]+=\d+(\.\d+)?\/\d+(\.\d+)?$/, 'must be model=input/output')
  .transform((text) => {
    const [model = '', prices = ''] = text.split('=');
    const [input = 0, output = 0] = prices.split('/').map(Number);
    return { model, input, output };
  });

/**
 * `issuer=key`; the key is its characters, as most programs read it. The platform's own issuer is refused: such a key
 * could sign tokens of any operator.
 */
const issuerKey = z
  .string()
  .regex(/^[^=\s]+=.{32,}$/, 'must be issuer=key, keys of 32 characters or more')
  .refine((text) => !text.startsWith('urn:tamga:operators='), 'this issuer is our own')
  .transform((text) => {
    const equals = text.indexOf('=');
    return { issuer: text.slice(0, equals), key: text.slice(equals + 1) };
  });

/** Settings of the assistant: its providers, its limits, who may use it. */
export const assistantSettings = {
  ANTHROPIC_API_KEY: secret(
    z.string().min(1).optional(),
    'Key of the language model behind the assistant (Messages API).',
    'no assistant: chat and translation answer 500',
  ),
  ANTHROPIC_BASE_URL: setting(
    url.optional(),
    "Address of the Messages API, if it is not the provider's.",
    "the provider's",
  ),
  SVC_AI_MODEL: setting(
    modelName.default('claude-sonnet-5-5'),
    'Model for the chat of signed-in users and for translations.',
  ),
  SVC_AI_PUBLIC_MODEL: setting(modelName.default('claude-haiku-5-5'), 'Model for the public chat.'),
  SVC_AI_MAX_TOKENS: setting(
    count(64, 32_000).default(2048),
    'Tokens that a model may write in one turn.',
  ),
  SVC_AI_MAX_STEPS: setting(
    count(1, 10).default(4),
    'Turns of the model in one request. Each may use tools; the last must answer.',
  ),
  SVC_AI_TIMEOUT: setting(
    count(1, 50).default(50),
    'Time limit of a request to the assistant, in seconds.',
  ),
  SVC_AI_TOOL_TIMEOUT: setting(count(1, 50).default(10), 'Time limit of one tool, in seconds.'),
  SVC_AI_STT_URL: setting(
    url.optional(),
    'OpenAI-compatible server for transcription, up to `/v1`; the platform adds `/audio/transcriptions`.',
    'no voice questions',
  ),
  SVC_AI_STT_KEY: secret(z.string().optional(), 'Its Bearer token.'),
  SVC_AI_STT_MODEL: setting(modelName.default('whisper-1'), 'Its model.'),
  SVC_AI_TTS_URL: setting(
    url.optional(),
    'OpenAI-compatible server for speech, up to `/v1`; the platform adds `/audio/speech`. It must offer `pcm` at 24 kHz.',
    'no spoken answers',
  ),
  SVC_AI_TTS_KEY: secret(z.string().optional(), 'Its Bearer token.'),
  SVC_AI_TTS_MODEL: setting(modelName.default('tts-1'), 'Its model.'),
  SVC_AI_TTS_VOICE: setting(
    z.string().min(1).max(64).default('alloy'),
    'Its voice, unless a request names one.',
  ),
  SVC_AI_EMBEDDINGS_URL: setting(
    url.optional(),
    'OpenAI-compatible server for embeddings, up to `/v1`; the platform adds `/embeddings`.',
    'the knowledge base is searched by words',
  ),
  SVC_AI_EMBEDDINGS_KEY: secret(z.string().optional(), 'Its Bearer token.'),
  SVC_AI_EMBEDDINGS_MODEL: setting(modelName.default('text-embedding-3-small'), 'Its model.'),
  SVC_AI_SEED_KNOWLEDGE: setting(
    flag.default(true),
    "Add the platform's own articles (Mongolian and English) to the knowledge base, each text once. Changes and removals by operators are kept.",
  ),
  SVC_AI_OPERATOR_TOOLS: setting(
    flag.default(false),
    'Let the assistant look up session counts, relying parties and audit entries for signed-in operators, with their permissions. The results go to the provider of the language model.',
  ),
  SVC_AI_TOKEN_KEYS: secret(
    list.pipe(z.array(issuerKey)).default([]),
    'Issuers whose access tokens (JWT, HS256) the assistant and the platform API accept besides those of operators: `issuer=key`, comma-separated. For key rotation an issuer may have several keys.',
    'operators only',
  ),
  SVC_AI_TOKEN_AUDIENCE: setting(
    z.string().min(1).max(200).optional(),
    'Name of the platform in `aud` of those tokens. Tokens with another `aud` are refused.',
    'tokens with `aud` are refused',
  ),
  SVC_AI_REQUESTS_PER_MINUTE: setting(
    count(1, 100_000_000).default(20),
    'Requests per minute that one address may send to `/api/v1/ai`, and sentences that it may convert to speech at `/public/ai/tts`.',
  ),
  SVC_AI_PUBLIC_CHATS_PER_MINUTE: setting(
    count(1, 100_000_000).default(6),
    'Questions per minute that one address may ask the public chat.',
  ),
  SVC_AI_PRICES: setting(
    list.pipe(z.array(price)).default([]),
    'Prices of models for a million tokens: `model=input/output`, comma-separated. Reading from the cache costs a tenth of the input price, writing to it a quarter more.',
    'costs are not counted',
  ),
  SVC_AI_DAILY_BUDGET: setting(
    money.optional(),
    'Daily budget for language models (UTC days), in the currency of SVC_AI_PRICES. Beyond it, the assistant answers that it has reached its limit.',
    'no limit',
  ),
  SVC_AI_PUBLIC_DAILY_BUDGET: setting(
    money.optional(),
    'Part of that budget that the public chat may use.',
    'SVC_AI_DAILY_BUDGET',
  ),
} as const;

/** Providers that receive questions, recordings and keys. */
const providers = [
  ...(['ANTHROPIC_BASE_URL', 'SVC_AI_STT_URL'] as const),
  ...(['SVC_AI_TTS_URL', 'SVC_AI_EMBEDDINGS_URL'] as const),
];

/** Rejects unencrypted connections to providers beyond this machine in production. @returns faults by name */
export function unsafeAssistantSettings(
  config: Readonly<Partial<Record<(typeof providers)[number], string | undefined>>>,
): readonly string[] {
  return providers
    .filter((name) => config[name] !== undefined && !isSecure(config[name]))
    .map((name) => `${name}: must be https in production`);
}

/** Rejects a spending limit without prices. @returns faults by name */
export function incompleteAssistant(config: {
  readonly SVC_AI_PRICES: readonly { readonly model: string }[];
  readonly SVC_AI_DAILY_BUDGET?: number | undefined;
  readonly SVC_AI_PUBLIC_DAILY_BUDGET?: number | undefined;
  readonly SVC_AI_MODEL: string;
  readonly SVC_AI_PUBLIC_MODEL: string;
}): readonly string[] {
  const { SVC_AI_DAILY_BUDGET: all, SVC_AI_PUBLIC_DAILY_BUDGET: ofVisitors } = config;
  if (all === undefined && ofVisitors === undefined) return [];
  const priced = config.SVC_AI_PRICES.map(({ model }) => model);
  return [config.SVC_AI_MODEL, config.SVC_AI_PUBLIC_MODEL]
    .filter((model) => !priced.includes(model))
    .map((model) => `SVC_AI_PRICES: a budget needs the price of ${model}`);
}
