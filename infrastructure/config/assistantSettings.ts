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
    'Where the Messages API is, if elsewhere.',
    "the provider's",
  ),
  SVC_AI_MODEL: setting(
    modelName.default('claude-sonnet-5-5'),
    'Model of the chat for those who are signed in, and of translations.',
  ),
  SVC_AI_PUBLIC_MODEL: setting(modelName.default('claude-haiku-5-5'), 'Model of the public chat.'),
  SVC_AI_MAX_TOKENS: setting(
    count(64, 32_000).default(2048),
    'Tokens a model may write in one turn.',
  ),
  SVC_AI_MAX_STEPS: setting(
    count(1, 10).default(4),
    'Turns of the model in one request: each may ask for tools, the last must answer.',
  ),
  SVC_AI_TIMEOUT: setting(
    count(1, 50).default(50),
    'Seconds a request to the assistant may take altogether.',
  ),
  SVC_AI_TOOL_TIMEOUT: setting(count(1, 50).default(10), 'Seconds one tool may take.'),
  SVC_AI_STT_URL: setting(
    url.optional(),
    'OpenAI-compatible server that transcribes, up to `/v1`: `/audio/transcriptions` is added.',
    'no voice questions',
  ),
  SVC_AI_STT_KEY: secret(z.string().optional(), 'Its Bearer token.'),
  SVC_AI_STT_MODEL: setting(modelName.default('whisper-1'), 'Its model.'),
  SVC_AI_TTS_URL: setting(
    url.optional(),
    'OpenAI-compatible server that speaks, up to `/v1`: `/audio/speech` is added; it must offer `pcm` at 24 kHz.',
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
    'OpenAI-compatible server that makes embeddings, up to `/v1`: `/embeddings` is added.',
    'the knowledge base is searched by words',
  ),
  SVC_AI_EMBEDDINGS_KEY: secret(z.string().optional(), 'Its Bearer token.'),
  SVC_AI_EMBEDDINGS_MODEL: setting(modelName.default('text-embedding-3-small'), 'Its model.'),
  SVC_AI_SEED_KNOWLEDGE: setting(
    flag.default(true),
    "Put the platform's own articles (Mongolian and English) into the knowledge base, each text once; what operators changed or removed stays.",
  ),
  SVC_AI_OPERATOR_TOOLS: setting(
    flag.default(false),
    'Let the assistant look up session counts, relying parties and audit entries for signed-in operators, with the permissions they have. What it finds goes to the provider of the language model.',
  ),
  SVC_AI_TOKEN_KEYS: secret(
    list.pipe(z.array(issuerKey)).default([]),
    'Whose access tokens (JWT, HS256) the assistant and the platform API take besides those of operators: `issuer=key`, comma-separated; an issuer may have several keys, so that they can be changed.',
    'operators only',
  ),
  SVC_AI_TOKEN_AUDIENCE: setting(
    z.string().min(1).max(200).optional(),
    'What we are called in `aud` of those tokens; one that names somebody else is refused.',
    'tokens with `aud` are refused',
  ),
  SVC_AI_REQUESTS_PER_MINUTE: setting(
    count(1, 100_000_000).default(20),
    'Requests one address may send to `/api/v1/ai` a minute, and sentences it may have spoken at `/public/ai/tts`.',
  ),
  SVC_AI_PUBLIC_CHATS_PER_MINUTE: setting(
    count(1, 100_000_000).default(6),
    'Questions one address may put to the public chat a minute.',
  ),
  SVC_AI_PRICES: setting(
    list.pipe(z.array(price)).default([]),
    'What models cost, `model=input/output` for a million tokens, comma-separated; reading from the cache counts a tenth of the input, writing to it a quarter more.',
    'costs are not counted',
  ),
  SVC_AI_DAILY_BUDGET: setting(
    money.optional(),
    'What language models may cost a day (UTC), in the currency of SVC_AI_PRICES; beyond it the assistant answers that it is at its limit.',
    'no limit',
  ),
  SVC_AI_PUBLIC_DAILY_BUDGET: setting(
    money.optional(),
    'What the public chat may cost of it.',
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
