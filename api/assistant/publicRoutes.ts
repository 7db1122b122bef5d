import type { Chat } from '../../application/assistant/chat.ts';
import { enveloped, envelopeOf } from '../schemas/envelope.ts';
import { anyone } from '../http/handling.ts';
import type { AddressLimit } from '../http/route.ts';
import { type RequestContext, type Route, route } from '../http/route.ts';
import { whileWaitedFor } from './answerEvents.ts';

import {
  type AssistantApi,
  assertCanAnswer,
  assistantRoute,
  audioBody,
  chatAnswerBody,
  streamed,
} from './routes.ts';
import { chatAnswer, chatQuestion, maxPublicAudio, spokenAnswer, utterance } from './schemas.ts';

export interface PublicAssistantApi extends AssistantApi {
  /** Chat configured for anonymous visitors. */
  readonly chat: Chat;
  readonly chatLimit: AddressLimit;
  readonly speechLimit: AddressLimit;
}

/** Path of the public assistant, and the alias used by some clients. */
const paths = [
  { prefix: '', name: 'ai.public' },
  { prefix: '/api/v1', name: 'ai.v1.public' },
] as const;

/** Assistant for anonymous visitors: `/public/ai`, also below `/api/v1`. */
export function publicAssistantRoutes(api: PublicAssistantApi): readonly Route[] {
  return paths.flatMap(({ prefix, name }) => rowsBelow(prefix, name, api));
}

function rowsBelow(prefix: string, name: string, api: PublicAssistantApi): readonly Route[] {
  const { chat, speak, chatLimit, speechLimit, onRequest } = api;
  const common = { ...assistantRoute, guard: anyone };
  const question = chatQuestion({ message: 1000, audio: maxPublicAudio, turns: 6, turn: 1000 });
  const visitor = ({ requestId, ip }: RequestContext) => ({
    userId: null,
    operator: null,
    requestId,
    ip,
  });
  return [
    route({
      ...common,
      name: `${name}.chat`,
      summary: 'Ask the assistant without signing in',
      path: `${prefix}/public/ai/chat`,
      limit: chatLimit,
      body: question,
      response: { 200: envelopeOf(chatAnswer) },
      handle: async ({ body, context }) => {
        assertCanAnswer(api, body);
        onRequest('public_chat');
        const caller = { ...visitor(context), lang: body.lang };
        const answer = await whileWaitedFor(context, (gone) => chat({ ...body, caller, gone }));
        return enveloped(chatAnswerBody(answer));
      },
    }),
    route({
      ...common,
      name: `${name}.stream`,
      summary:
        'Ask without signing in and receive the answer as server-sent events while it is written',
      path: `${prefix}/public/ai/chat/stream`,
      limit: chatLimit,
      body: question,
      streamsAtOnce: 64,
      response: { 200: 'text/event-stream' },
      handle: ({ body, context }) => {
        assertCanAnswer(api, body);
        onRequest('public_stream');
        const caller = { ...visitor(context), lang: body.lang };
        return streamed(api, context, (observer, gone) =>
          chat({ ...body, caller, gone }, observer),
        );
      },
    }),
    route({
      ...common,
      name: `${name}.tts`,
      summary: 'Convert a sentence of an answer to speech',
      path: `${prefix}/public/ai/tts`,
      limit: speechLimit,
      body: utterance(800),
      response: { 200: envelopeOf(spokenAnswer) },
      handle: async ({ body, context }) => {
        onRequest('public_tts');
        return enveloped(audioBody(await whileWaitedFor(context, (gone) => speak(body, gone))));
      },
    }),
  ];
}
