import { z } from 'zod';
import { moment } from '../schemas/answers.ts';
import { type Route, route } from '../http/route.ts';
import { addressed, byCaller, callerWith, extentOf, type DocumentApi } from './api.ts';
import { documentParams } from './documentRoutes.ts';
import { citizenReader, documentSchema, documentView } from './views.ts';

const started = z
  .strictObject({
    session_id: z.uuid(),
    verification_code: z.string(),
    display_text: z.string(),
    device_link_url: z.url().optional(),
    expires_at: moment.optional(),
  })
  .meta({ id: 'DocumentSigningStarted' });

const polled = z
  .strictObject({
    state: z.enum(['RUNNING', 'COMPLETE']),
    end_result: z
      .string()
      .optional()
      .meta({ description: 'The same as for any session; OK means signed' }),
    document: documentSchema.optional(),
  })
  .meta({ id: 'DocumentSigningState' });

const pollBody = z.strictObject({
  session_id: z.string().toLowerCase(),
  timeout_ms: z.int().min(0).max(60_000).default(0),
});

/** Signing of a document by the eID of the next signer (contract §11). */
export function documentSigningRoutes(api: DocumentApi): readonly Route[] {
  const common = {
    method: 'POST',
    guard: callerWith(api, 'documents.sign'),
    listedUnder: api.baseUrl,
    params: documentParams,
  } as const;
  return [
    route({
      ...common,
      name: 'documents.sign.eid.start',
      summary: 'Ask the next signer to sign on the phone',
      path: '/documents/:id/sign/eid/start',
      underLoad: 'refuseFirst',
      body: z.strictObject({ reg_number: z.string().min(1).max(40) }),
      response: { 200: started },
      handle: async ({ principal, params, body, context }) => {
        const address = addressed(params, principal);
        const { session, displayText } = await api.signing.start(
          address,
          body.reg_number,
          (sessionId) => byCaller(context, principal, sessionId),
        );
        return {
          body: {
            session_id: session.sessionId,
            verification_code: session.verificationCode,
            display_text: displayText,
            expires_at: session.answerBefore,
          },
        };
      },
    }),
    route({
      ...common,
      name: 'documents.sign.eid.poll',
      summary: 'Get whether the signer has signed, optionally after a wait',
      path: '/documents/:id/sign/eid/poll',
      isQuestion: true,
      body: pollBody,
      response: { 200: polled },
      handle: async ({ principal, params, body, context }) => {
        const { endResult, document } = await api.signing.poll({
          ...addressed(params, principal),
          sessionId: body.session_id,
          timeoutMs: body.timeout_ms,
          onGone: (callback) => context.onGone(callback),
        });
        if (endResult === null) return { body: { state: 'RUNNING' } };
        const reader = citizenReader(api.referenceData);
        const view = await documentView(document, reader, extentOf(principal).citizen);
        return { body: { state: 'COMPLETE', end_result: endResult, document: view } };
      },
    }),
  ];
}
