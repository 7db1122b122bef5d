import { z } from 'zod';
import type { Chat, ChatAnswer, ChatQuestion } from '../../application/assistant/chat.ts';
import type { SpokenAudio } from '../../application/assistant/speak.ts';
import type { Translate } from '../../application/assistant/translate.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { NotConfigured } from '../../application/assistant/ports/providers.ts';
import type { AudioClip } from '../../application/assistant/ports/speechToText.ts';
import { asEnvelope, enveloped, envelopeOf } from '../schemas/envelope.ts';
import type { AddressLimit } from '../http/route.ts';
import { type Reply, type RequestContext, type Route, route } from '../http/route.ts';
import { answerEvents, type AnswerStreaming, whileWaitedFor } from './answerEvents.ts';

import type { AssistantGuards, AssistantUser } from './guard.ts';
import {
  audioUpTo,
  chatAnswer,
  chatQuestion,
  maxAudio,
  spokenAnswer,
  translationRequest,
  utterance,
} from './schemas.ts';

/** Label values of `ai_requests_total`. */
export type AssistantRequestKind =
  'chat' | 'stream' | 'stt' | 'tts' | 'translate' | 'public_chat' | 'public_stream' | 'public_tts';

/** Dependencies of all surfaces of the assistant. */
export interface AssistantApi {
  /** Configured services: language model, speech to text. */
  readonly has: { readonly languageModel: boolean; readonly speechToText: boolean };
  /** @throws Unavailable(speechToText) */
  readonly transcribe: (clip: AudioClip, gone: AbortSignal) => Promise<string>;
  /** @throws Unavailable(textToSpeech) */
  readonly speak: (
    utterance: { readonly text: string; readonly voice: string | null },
    gone: AbortSignal,
  ) => Promise<SpokenAudio>;
  readonly onRequest: (kind: AssistantRequestKind) => void;
  /** Called when a stream ended in an `error` event. */
  readonly onStreamFailed: (cause: unknown, requestId: string) => void;
}

export interface SignedInAssistantApi extends AssistantApi {
  readonly chat: Chat;
  readonly translate: Translate;
  readonly guards: AssistantGuards;
  readonly limit: AddressLimit;
}

/** Settings shared by all routes of the assistant. */
export const assistantRoute = {
  method: 'POST',
  isQuestion: true,
  refusedAs: asEnvelope,
  maxBodyBytes: 1024 * 1024,
  guardBeforeBody: true,
} as const;

/** Assistant for authenticated users: `/api/v1/ai`. */
export function assistantRoutes(api: SignedInAssistantApi): readonly Route[] {
  const { chat, translate, transcribe, speak, guards, limit, onRequest } = api;
  const common = { ...assistantRoute, guard: guards.signedIn, limit };
  const question = chatQuestion({ message: 4000, audio: maxAudio, turns: 20, turn: 4000 });
  return [
    route({
      ...common,
      name: 'ai.chat',
      summary: 'Ask the assistant by text or by voice',
      path: '/api/v1/ai/chat',
      body: question,
      response: { 200: envelopeOf(chatAnswer) },
      handle: async ({ body, principal, context }) => {
        assertCanAnswer(api, body);
        onRequest('chat');
        const caller = { ...callerOf(principal, context), lang: body.lang };
        const answer = await whileWaitedFor(context, (gone) => chat({ ...body, caller, gone }));
        return enveloped(chatAnswerBody(answer));
      },
    }),
    route({
      ...common,
      name: 'ai.stream',
      summary: 'Ask the assistant and receive the answer as server-sent events while it is written',
      path: '/api/v1/ai/chat/stream',
      body: question,
      streamsAtOnce: 64,
      response: { 200: 'text/event-stream' },
      handle: ({ body, principal, context }) => {
        assertCanAnswer(api, body);
        onRequest('stream');
        const caller = { ...callerOf(principal, context), lang: body.lang };
        return streamed(api, context, (observer, gone) =>
          chat({ ...body, caller, gone }, observer),
        );
      },
    }),
    route({
      ...common,
      name: 'ai.stt',
      summary: 'Transcribe a recording verbatim',
      path: '/api/v1/ai/stt',
      body: z.object({ audio: audioUpTo(maxAudio) }),
      response: { 200: envelopeOf(z.strictObject({ text: z.string() })) },
      handle: async ({ body: { audio }, context }) => {
        onRequest('stt');
        const text = await whileWaitedFor(context, (gone) => transcribe(audio, gone));
        return enveloped({ text });
      },
    }),
    route({
      ...common,
      name: 'ai.tts',
      summary: 'Convert a text to speech',
      path: '/api/v1/ai/tts',
      body: utterance(2000),
      response: { 200: envelopeOf(spokenAnswer) },
      handle: async ({ body, context }) => {
        onRequest('tts');
        return enveloped(audioBody(await whileWaitedFor(context, (gone) => speak(body, gone))));
      },
    }),
    route({
      ...common,
      name: 'ai.translate',
      summary: 'Translate a text or a recording, and optionally speak the translation',
      path: '/api/v1/ai/translate',
      body: translationRequest,
      response: {
        200: envelopeOf(
          z.strictObject({
            source_text: z.string(),
            translated: z.string(),
            audio: spokenAnswer.optional(),
            degraded: z.literal(true).optional(),
          }),
        ),
      },
      handle: async ({ body, context }) => {
        const { text, audio, target_lang: target } = body;
        assertCanAnswer(api, { audio: text === null ? audio : null });
        onRequest('translate');
        const source = text === null ? { audio: audio as AudioClip } : { text };
        const { speak: isSpoken } = body;
        const done = await whileWaitedFor(context, (gone) =>
          translate({ source, target, speak: isSpoken, gone }),
        );
        return enveloped({
          source_text: done.source,
          translated: done.translated,
          ...(done.audio === null ? {} : { audio: audioBody(done.audio) }),
          ...(done.degraded ? { degraded: true } : {}),
        });
      },
    }),
  ];
}

function callerOf({ userId, operator }: AssistantUser, { requestId, ip }: RequestContext) {
  return { userId, operator, requestId, ip };
}

/**
 * @throws NotConfigured(languageModel) @throws Unavailable(speechToText) for a recording that
 * cannot be transcribed
 */
export function assertCanAnswer(
  { has }: Pick<AssistantApi, 'has'>,
  { audio }: Pick<ChatQuestion, 'audio'>,
): void {
  if (!has.languageModel) throw new NotConfigured('languageModel', 'ANTHROPIC_API_KEY');
  if (audio !== null && !has.speechToText) {
    throw new Unavailable('speechToText', new NotConfigured('speechToText', 'SVC_AI_STT_URL'));
  }
}

/** Response of server-sent events, neither buffered nor transformed by proxies. */
export function streamed(
  { onStreamFailed }: Pick<AssistantApi, 'onStreamFailed'>,
  context: RequestContext,
  run: AnswerStreaming['run'],
): Reply {
  return {
    contentType: 'text/event-stream; charset=utf-8',
    headers: { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
    stream: answerEvents(context, {
      run,
      onFailed: (cause) => onStreamFailed(cause, context.requestId),
    }),
  };
}

/** Response body of the contract: empty members are omitted. */
export function chatAnswerBody({ reply, steps, degraded, transcript }: ChatAnswer): object {
  return {
    reply,
    ...(steps.length === 0 ? {} : { steps }),
    ...(degraded ? { degraded } : {}),
    ...(transcript === null ? {} : { transcript }),
  };
}

export function audioBody({ mime, bytes }: SpokenAudio) {
  return { mime, data: bytes.toString('base64') };
}
