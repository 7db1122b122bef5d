import { z } from 'zod';
import type {
  RelyingPartyData,
  RelyingPartyReferenceData,
} from '../../application/ports/referenceData.ts';
import type { SessionTarget } from '../../application/session/sessions.ts';
import type { SessionFlow } from '../../domain/session/events.ts';
import { parsePersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { type Guard, type Route, route, rpApi } from '../http/route.ts';
import {
  certificateQueryAnswer,
  deviceLinkAnswer,
  notificationAnswer,
  sessionAnswer,
} from './generations/answerSchemas.ts';
import {
  authenticationBody,
  certificateChoiceBody,
  certificateQueryBody,
  linkedSignatureBody,
  signatureBody,
  type StartBody,
} from './generations/generations.ts';
import { relyingPartyGuard } from './guard.ts';
import { createHandlers, type RelyingPartyApi } from './handlers.ts';

const MAX_POLL_MS = 120_000;
const DEFAULT_POLL_MS = 30_000;

/** Streams of sessions' events in one process; one relying party has half of them at most. */
const STREAMS_AT_ONCE = 2_000;

const pollQuery = z.object({
  timeoutMs: z
    .string()
    .regex(/^-?\d{1,100}$/, 'Must be a whole number of milliseconds.')
    .transform((text) => Math.min(MAX_POLL_MS, Math.max(0, Number(text))))
    .default(DEFAULT_POLL_MS),
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Parameter for a UUID; anything else gets the response of an unknown UUID. */
function uuidOr(code: 'SESSION_NOT_FOUND' | 'DOCUMENT_NOT_FOUND') {
  return (text: string): string => {
    const folded = text.toLowerCase();
    if (!UUID.test(folded)) throw new Refusal(code);
    return folded;
  };
}

/** Parameters of paths that end in a personal identifier. */
const person = {
  params: z.object({ id: z.string() }),
  target: ({ id }: { id: string }): SessionTarget => ({
    type: 'person',
    identifier: parsePersonIdentifier(id),
  }),
};

/** Parameters of paths that end in a document number. */
const document = {
  params: z.object({ documentNumber: z.string().transform(uuidOr('DOCUMENT_NOT_FOUND')) }),
  target: ({ documentNumber }: { documentNumber: string }): SessionTarget => ({
    type: 'document',
    documentNumber,
  }),
};

/** A session-creating route: path, addressee, and channel to the phone. */
interface StartRoute<Params> {
  readonly name: string;
  readonly path: string;
  readonly params?: z.ZodType<Params>;
  readonly target: (params: Params) => SessionTarget;
  readonly flow: SessionFlow;
}

/** Relying-party API of both generations (specification, Endpoints; contract §1 to §3). */
export function relyingPartyRoutes(
  api: RelyingPartyApi & { readonly referenceData: RelyingPartyReferenceData },
): readonly Route[] {
  const handlers = createHandlers(api);

  const start =
    (guard: Guard<RelyingPartyData>, body: z.ZodType<StartBody>) =>
    <Params>(summary: string, { flow, target, ...rest }: StartRoute<Params>): Route =>
      route({
        ...rest,
        summary,
        method: 'POST',
        listedUnder: rpApi,
        underLoad: 'refuseFirst',
        guard,
        body,
        response: { 200: flow === 'DEVICE_LINK' ? deviceLinkAnswer : notificationAnswer },
        handle: handlers.start(flow, target),
      });
  const maySign = relyingPartyGuard(api.referenceData, 'SIGN');
  const ofSession = {
    method: 'GET',
    listedUnder: rpApi,
    guard: relyingPartyGuard(api.referenceData, null),
    params: z.object({ sessionId: z.string().transform(uuidOr('SESSION_NOT_FOUND')) }),
  } as const;
  const authentication = start(relyingPartyGuard(api.referenceData, 'AUTH'), authenticationBody);
  const signature = start(maySign, signatureBody);
  const linkedSignature = start(maySign, linkedSignatureBody);
  const certificateChoice = start(maySign, certificateChoiceBody);

  return [
    authentication('Authenticate the person who opens the device link', {
      name: 'authenticationDeviceLinkAnonymous',
      path: '/v3/authentication/device-link/anonymous',
      target: () => ({ type: 'anyone' }),
      flow: 'DEVICE_LINK',
    }),
    authentication('Authenticate a person by device link', {
      name: 'authenticationDeviceLinkEtsi',
      path: '/v3/authentication/device-link/etsi/:id',
      ...person,
      flow: 'DEVICE_LINK',
    }),
    authentication('Authenticate by device link on one phone', {
      name: 'authenticationDeviceLinkDocument',
      path: '/v3/authentication/device-link/document/:documentNumber',
      ...document,
      flow: 'DEVICE_LINK',
    }),
    authentication("Authenticate a person by push to the person's phones", {
      name: 'authenticationNotificationEtsi',
      path: '/v3/authentication/notification/etsi/:id',
      ...person,
      flow: 'NOTIFICATION',
    }),
    authentication('Authenticate by push to one phone', {
      name: 'authenticationNotificationDocument',
      path: '/v3/authentication/notification/document/:documentNumber',
      ...document,
      flow: 'NOTIFICATION',
    }),
    signature('Sign a digest by push to one phone', {
      name: 'signatureNotificationDocument',
      path: '/v3/signature/notification/document/:documentNumber',
      ...document,
      flow: 'NOTIFICATION',
    }),
    signature("Sign a digest by push to a person's phones", {
      name: 'signatureNotificationEtsi',
      path: '/v3/signature/notification/etsi/:id',
      ...person,
      flow: 'NOTIFICATION',
    }),
    signature('Sign a digest by device link on one phone', {
      name: 'signatureDeviceLinkDocument',
      path: '/v3/signature/device-link/document/:documentNumber',
      ...document,
      flow: 'DEVICE_LINK',
    }),
    signature('Sign a digest by device link on a phone of a person', {
      name: 'signatureDeviceLinkEtsi',
      path: '/v3/signature/device-link/etsi/:id',
      ...person,
      flow: 'DEVICE_LINK',
    }),
    linkedSignature('Sign a digest on the phone that has just answered a certificate choice', {
      name: 'signatureNotificationLinked',
      path: '/v3/signature/notification/linked/:documentNumber',
      ...document,
      flow: 'NOTIFICATION',
    }),
    certificateChoice('Ask the person who opens the device link for a signing certificate', {
      name: 'certificateChoiceDeviceLinkAnonymous',
      path: '/v3/signature/certificate-choice/device-link/anonymous',
      target: () => ({ type: 'anyone' }),
      flow: 'DEVICE_LINK',
    }),
    certificateChoice('Ask a person by device link for a signing certificate', {
      name: 'certificateChoiceDeviceLinkEtsi',
      path: '/v3/signature/certificate-choice/device-link/etsi/:id',
      ...person,
      flow: 'DEVICE_LINK',
    }),
    certificateChoice("Ask for a signing certificate by push to the person's phones", {
      name: 'certificateChoiceNotificationEtsi',
      path: '/v3/signature/certificate-choice/notification/etsi/:id',
      ...person,
      flow: 'NOTIFICATION',
    }),
    route({
      name: 'signatureCertificate',
      summary: 'Get the signing certificate of a phone, without asking its owner',
      method: 'POST',
      path: '/v3/signature/certificate/:documentNumber',
      listedUnder: rpApi,
      underLoad: 'refuseFirst',
      guard: maySign,
      params: document.params,
      body: certificateQueryBody,
      response: { 200: certificateQueryAnswer },
      isQuestion: true,
      discloses: true,
      handle: handlers.certificate,
    }),
    route({
      name: 'session',
      summary: 'Wait for the outcome of a session',
      ...ofSession,
      path: '/v3/session/:sessionId',
      query: pollQuery,
      response: { 200: sessionAnswer },
      handle: handlers.poll,
    }),
    route({
      name: 'sessionEvents',
      summary: 'Follow a session until its outcome, by server-sent events',
      ...ofSession,
      path: '/v3/session/:sessionId/events',
      response: { 200: 'text/event-stream', 204: null },
      streamsAtOnce: STREAMS_AT_ONCE,
      handle: handlers.events,
    }),
    route({
      name: 'sessionCancel',
      summary:
        'Cancel a session before the citizen answers; a session that has ended does not change',
      ...ofSession,
      method: 'DELETE',
      path: '/v3/session/:sessionId',
      response: { 200: sessionAnswer },
      handle: handlers.cancel,
    }),
  ];
}

/** Routes without their `/v3` prefix, for clients that use the root of the host. */
export function atRoot(routes: readonly Route[]): readonly Route[] {
  return routes
    .filter(({ path }) => path.startsWith('/v3/'))
    .map((route) => ({
      ...route,
      name: `${route.name}AtRoot`,
      path: route.path.slice('/v3'.length),
    }));
}
