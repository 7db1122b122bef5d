import { z } from 'zod';
import type { HistoryTurn } from '../../application/assistant/chat.ts';
import { assistantLanguages } from '../../application/assistant/ports/assistant.ts';
import { beyondBound } from '../../domain/shared/bounds.ts';
import { textBounds } from '../schemas/text.ts';
import type { AudioClip } from '../../application/assistant/ports/speechToText.ts';

/** Largest recording: some 30 seconds (specification, Limits), in characters of base64. */
export const maxAudio = 716_800;
/** Largest recording of the public push-to-talk: some 15 seconds, in characters of base64. */
export const maxPublicAudio = 256_000;

/**
 * Accepted audio types (specification, assistant rule 7); some programs prefix the newer ones with
 * `x-`.
 */
const audioTypes = ['webm', 'ogg', 'wav', 'mpeg', 'mp3', 'mp4', 'm4a', 'aac', 'flac'] as const;
const audioType = new RegExp(`^audio/(?:x-)?(?:${audioTypes.join('|')})$`);

/** Text of at most `atMost` characters, counted in code points, not UTF-16 units. */
function textOfAtMost(atMost: number) {
  return z
    .string()
    .refine((text) => text.length <= atMost || Array.from(text).length <= atMost, {
      error: ({ input }) => beyondBound({ atMost }, Array.from(String(input)).length, 'characters'),
      params: { rule: 'max' },
    })
    .register(textBounds, { maxLength: atMost })
    .meta({ maxLength: atMost });
}

/** Text of 1 to `atMost` characters, not only blanks. */
function textUpTo(atMost: number) {
  return textOfAtMost(atMost)
    .refine(isSomething, { message: 'Is required.', params: required })
    .meta({ minLength: 1, maxLength: atMost });
}

const required = { rule: 'required' };

const isSomething = (text: string | null | undefined) => (text ?? '').trim() !== '';

/** Optional text; null when absent, null, or blank. */
function someTextUpTo(atMost: number) {
  return textOfAtMost(atMost)
    .nullish()
    .transform((text) => (isSomething(text) ? (text ?? null) : null));
}

/**
 * A recording; parameters of its type (`audio/webm;codecs=opus`) are accepted. @param atMost
 * characters of base64
 */
export function audioUpTo(atMost: number) {
  return z
    .object({
      mime: z
        .string()
        .max(200)
        .transform((mime) => (mime.split(';')[0] ?? '').trim().toLowerCase())
        .refine((mime) => audioType.test(mime), {
          message: `Must be audio/ and one of ${audioTypes.join(', ')}.`,
          params: { rule: 'oneof' },
        }),
      data: z
        .base64('Must be base64.')
        .min(1, 'Is required.')
        // The text of the schema would stand for this fault, too.
        .max(atMost, {
          error: ({ input }) => beyondBound({ atMost }, (input as string).length, 'characters'),
        }),
    })
    .transform(({ mime, data }): AudioClip => ({ mime, bytes: Buffer.from(data, 'base64') }));
}

const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null);

const language = z.enum(assistantLanguages);

/** Question to the assistant: a message, a recording, or both. */
export function chatQuestion(limits: {
  readonly message: number;
  readonly audio: number;
  readonly turns: number;
  readonly turn: number;
}) {
  // An empty turn is ignored rather than refused.
  const turn = z.object({ role: z.enum(['user', 'model']), text: textOfAtMost(limits.turn) });
  return z
    .object({
      message: someTextUpTo(limits.message),
      audio: orNull(audioUpTo(limits.audio)),
      history: z
        .array(turn)
        .max(limits.turns)
        .nullish()
        .transform((turns): readonly HistoryTurn[] => turns ?? []),
      lang: language.catch('mn').optional().default('mn'),
    })
    .refine(({ message, audio }) => message !== null || audio !== null, {
      path: ['message'],
      message: 'A message or audio is required.',
      params: required,
    });
}

export const translationRequest = z
  .object({
    text: someTextUpTo(4000),
    audio: orNull(audioUpTo(maxAudio)),
    target_lang: language,
    speak: z
      .boolean()
      .nullish()
      .transform((value) => value ?? false),
  })
  .refine(({ text, audio }) => text !== null || audio !== null, {
    path: ['text'],
    message: 'Text or audio is required.',
    params: required,
  });

/** Text to be spoken. */
export function utterance(atMost: number) {
  return z.object({
    text: textUpTo(atMost),
    voice: orNull(z.string().regex(/^[\w.:-]{1,64}$/)),
  });
}

export const chatAnswer = z.strictObject({
  reply: z
    .string()
    .meta({ description: 'In the requested language; empty if the recording had no speech' }),
  steps: z
    .array(
      z.strictObject({
        tool: z.string(),
        args: z.looseObject({}).optional(),
        result: z.looseObject({}).optional(),
      }),
    )
    .optional(),
  degraded: z
    .literal(true)
    .optional()
    .meta({ description: 'Present if the model did not answer; ask again later' }),
  transcript: z.string().optional().meta({ description: 'The text of the recording' }),
});

export const spokenAnswer = z.strictObject({
  mime: z.literal('audio/wav'),
  data: z.base64().meta({ description: 'WAV, 24 kHz, mono, 16-bit' }),
});
