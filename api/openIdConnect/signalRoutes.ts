import { z } from 'zod';
import type { OidcEngine } from '../../application/openIdConnect/ports/oidcEngine.ts';
import type { FindClient } from '../../application/openIdConnect/servedClients.ts';
import type { SignalStream } from '../../application/signals/ports/signalStreams.ts';
import type { StreamManagement, StreamWish } from '../../application/signals/manageStreams.ts';
import { type SignalScope, signalScopes } from '../../domain/oidcClient/signals.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { anyone, bearerToken, commandContext } from '../http/handling.ts';
import {
  type AddressLimit,
  type Guard,
  type RequestContext,
  type Route,
  route,
} from '../http/route.ts';
import {
  configurationAnswer,
  createBody,
  deliveryMethods,
  patchBody,
  pollAnswer,
  pollBody,
  statusAnswer,
  statusBody,
  streamAnswer,
  streamPaths,
  streamQuery,
  subjectBody,
  supplied,
  verificationBody,
} from '../schemas/signals.ts';

/** A client that manages its stream. */
interface StreamClient {
  readonly clientId: string;
  readonly relyingPartyId: string;
  /** False: it may only read it. */
  readonly isManaging: boolean;
}

export interface SignalRoutesOptions {
  readonly streams: StreamManagement;
  readonly engine: Pick<OidcEngine, 'clientAccess'>;
  /** Finds a client that may have a stream. */
  readonly findClient: FindClient;
  /** Counts a request of a relying party. @throws Refusal RATE_LIMITED */
  readonly admit: (relyingPartyId: string) => Promise<void>;
  readonly limit: AddressLimit;
  readonly issuer: () => string;
}

/** Shared Signals Framework 1.0: the transmitter's metadata, and streams of OpenID Connect clients. */
export function signalRoutes(options: SignalRoutesOptions): readonly Route[] {
  const { streams, engine, findClient, admit, limit, issuer } = options;

  const guard = (...accepted: readonly SignalScope[]): Guard<StreamClient> => ({
    description: `client with ${accepted.join(' or ')}`,
    security: ['accessToken'],
    check: async (context) => {
      const access = await engine.clientAccess(bearerToken(context));
      const client = access && (await findClient(access.clientId));
      if (access === null || client === null) {
        const detail = 'Send Authorization: Bearer <access token of client_credentials>.';
        throw new Refusal('UNAUTHENTICATED', { detail });
      }
      const { relyingPartyId } = client;
      context.identified?.({ kind: 'relyingParty', id: relyingPartyId });
      await admit(relyingPartyId);
      if (accepted.some((scope) => access.scopes.includes(scope))) {
        const isManaging = access.scopes.includes('ssf.manage');
        return { clientId: access.clientId, relyingPartyId, isManaging };
      }
      throw new Refusal('PERMISSION_DENIED');
    },
    actorOf: ({ relyingPartyId: id }) => ({ kind: 'relyingParty', id }),
  });
  const reads = guard('ssf.read', 'ssf.manage');
  const manages = guard('ssf.manage');
  const common = { limit, scopes: signalScopes } as const;
  /** Context of a change that the caller makes to its stream. */
  const by = (context: RequestContext, { relyingPartyId, clientId }: StreamClient) =>
    commandContext(context, { kind: 'relyingParty', id: relyingPartyId }, clientId);
  const shown = (stream: SignalStream, isManaging = true) => supplied(stream, issuer(), isManaging);

  /** Refuses values of the transmitter that are not those in force (SSF 1.0 §8.1.1.3). */
  async function expectSupplied(clientId: string, body: z.output<typeof patchBody>) {
    const present: Readonly<Record<string, unknown>> = shown(
      await streams.own(clientId, body.stream_id),
    );
    const errors = (
      ['iss', 'aud', 'events_supported', 'events_delivered', 'min_verification_interval'] as const
    )
      .filter((name) => body[name] !== undefined)
      .filter((name) => JSON.stringify(body[name]) !== JSON.stringify(present[name]))
      .map((name) => ({ pointer: `/${name}`, detail: 'Must equal the value of this stream.' }));
    if (errors.length > 0) throw new Refusal('INVALID_REQUEST', { errors });
  }

  /** Pairwise identifier in a subject; this transmitter knows no others. @throws Refusal INVALID_REQUEST */
  function subIn({ subject }: z.output<typeof subjectBody>): string {
    if (subject.format === 'iss_sub' && subject.iss === issuer() && subject.sub !== undefined) {
      return subject.sub;
    }
    const detail = `Must be a subject of format iss_sub and issuer ${issuer()}.`;
    throw new Refusal('INVALID_REQUEST', { errors: [{ pointer: '/subject', detail }] });
  }

  return [
    route({
      limit,
      guard: anyone,
      name: 'signalTransmitter',
      summary:
        'Get the configuration of the security event transmitter (Shared Signals Framework 1.0)',
      method: 'GET',
      path: '/.well-known/ssf-configuration',
      response: { 200: configurationAnswer },
      handle: () => {
        const at = (path: string) => `${issuer()}${path}`;
        return {
          headers: { 'cache-control': 'public, max-age=300' },
          body: {
            spec_version: '1_0',
            issuer: issuer(),
            jwks_uri: at('/oidc/jwks'),
            delivery_methods_supported: Object.values(deliveryMethods),
            configuration_endpoint: at(streamPaths.configuration),
            status_endpoint: at(streamPaths.status),
            add_subject_endpoint: at(streamPaths.addSubject),
            remove_subject_endpoint: at(streamPaths.removeSubject),
            verification_endpoint: at(streamPaths.verification),
            authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
            default_subjects: 'ALL',
          },
        };
      },
    }),
    route({
      ...common,
      guard: manages,
      name: 'createSignalStream',
      summary: "Create this client's stream of security events",
      method: 'POST',
      path: streamPaths.configuration,
      body: createBody,
      response: { 201: streamAnswer },
      handle: async ({ principal, body, context }) => {
        const none: StreamWish = { description: null, eventsRequested: null, push: null };
        const stream = await streams.create(
          principal,
          { ...none, ...wishIn(body) },
          by(context, principal),
        );
        return { status: 201, body: shown(stream) };
      },
    }),
    route({
      ...common,
      guard: reads,
      name: 'signalStream',
      summary: "Get this client's stream; without stream_id, as a list",
      method: 'GET',
      path: streamPaths.configuration,
      query: streamQuery.partial(),
      response: { 200: z.union([streamAnswer, z.array(streamAnswer)]) },
      handle: async ({ principal: { clientId, isManaging }, query: { stream_id: streamId } }) => {
        if (streamId !== undefined) {
          return { body: shown(await streams.own(clientId, streamId), isManaging) };
        }
        const stream = await streams.ofClient(clientId);
        return { body: stream === null ? [] : [shown(stream, isManaging)] };
      },
    }),
    route({
      ...common,
      guard: manages,
      name: 'changeSignalStream',
      summary: 'Change settings of a stream; omitted settings stay as they are',
      method: 'PATCH',
      path: streamPaths.configuration,
      body: patchBody,
      response: { 200: streamAnswer },
      handle: async ({ principal, body, context }) => {
        const { clientId } = principal;
        await expectSupplied(clientId, body);
        const asked = [clientId, body.stream_id, wishIn(body), by(context, principal)] as const;
        return { body: shown(await streams.change(...asked)) };
      },
    }),
    route({
      ...common,
      guard: manages,
      name: 'replaceSignalStream',
      summary: 'Replace the settings of a stream; omitted settings return to their defaults',
      method: 'PUT',
      path: streamPaths.configuration,
      body: patchBody,
      response: { 200: streamAnswer },
      handle: async ({ principal, body, context }) => {
        const { clientId } = principal;
        await expectSupplied(clientId, body);
        const none: StreamWish = { description: null, eventsRequested: null, push: null };
        const wish = { ...none, ...wishIn(body) };
        const asked = [clientId, body.stream_id, wish, by(context, principal)] as const;
        return { body: shown(await streams.change(...asked)) };
      },
    }),
    route({
      ...common,
      guard: manages,
      name: 'deleteSignalStream',
      summary: 'Delete a stream and all events that wait on it',
      method: 'DELETE',
      path: streamPaths.configuration,
      query: streamQuery,
      response: { 204: null },
      handle: async ({ principal, query: { stream_id: streamId }, context }) => {
        await streams.remove(principal.clientId, streamId, by(context, principal));
        return { status: 204 };
      },
    }),
    route({
      ...common,
      guard: reads,
      name: 'signalStreamStatus',
      summary: 'Get the status of a stream',
      method: 'GET',
      path: streamPaths.status,
      query: streamQuery,
      response: { 200: statusAnswer },
      handle: async ({ principal: { clientId }, query: { stream_id: streamId } }) => ({
        body: statusOf(await streams.own(clientId, streamId)),
      }),
    }),
    route({
      ...common,
      guard: manages,
      name: 'setSignalStreamStatus',
      summary: 'Enable, pause or disable a stream',
      method: 'POST',
      path: streamPaths.status,
      body: statusBody,
      response: { 200: statusAnswer },
      handle: async ({ principal, body: { stream_id: id, status, reason = null }, context }) => {
        const change = { status, reason };
        const asked = [principal.clientId, id, change, by(context, principal)] as const;
        return { body: statusOf(await streams.setStatus(...asked)) };
      },
    }),
    route({
      ...common,
      guard: manages,
      name: 'addSignalSubject',
      summary: 'Add a citizen to a stream again',
      method: 'POST',
      path: streamPaths.addSubject,
      body: subjectBody,
      response: { 200: null },
      handle: async ({ principal: { clientId }, body }) => {
        await streams.setRemoved(clientId, body.stream_id, subIn(body), false);
        return { status: 200 };
      },
    }),
    route({
      ...common,
      guard: manages,
      name: 'removeSignalSubject',
      summary: 'Remove a citizen from a stream',
      method: 'POST',
      path: streamPaths.removeSubject,
      body: subjectBody,
      response: { 204: null },
      handle: async ({ principal: { clientId }, body }) => {
        await streams.setRemoved(clientId, body.stream_id, subIn(body), true);
        return { status: 204 };
      },
    }),
    route({
      ...common,
      guard: manages,
      name: 'verifySignalStream',
      summary: 'Send a verification event on a stream',
      method: 'POST',
      path: streamPaths.verification,
      body: verificationBody,
      response: { 204: null },
      handle: async ({ principal: { clientId }, body: { stream_id: streamId, state } }) => {
        await streams.verify(clientId, streamId, state ?? null);
        return { status: 204 };
      },
    }),
    route({
      ...common,
      guard: reads,
      name: 'pollSignalStream',
      summary: 'Acknowledge events of a stream and fetch waiting ones (RFC 8936)',
      method: 'POST',
      path: `${streamPaths.poll}/:streamId`,
      params: z.object({ streamId: z.string().max(100) }),
      body: pollBody,
      response: { 200: pollAnswer },
      handle: async ({ principal: { clientId }, params: { streamId }, body, context }) => {
        const gone = new AbortController();
        const forget = context.onGone(() => gone.abort());
        const poll = {
          maxEvents: body.maxEvents ?? Infinity,
          returnImmediately: body.returnImmediately,
          taken: body.ack,
          refused: Object.entries(body.setErrs).map(([jti, { err, description }]) => ({
            jti,
            reason: `${err}: ${description}`,
          })),
        };
        try {
          return { body: await streams.poll(clientId, streamId, poll, gone.signal) };
        } finally {
          forget();
        }
      },
    }),
  ];
}

function statusOf({ streamId, status, reason }: SignalStream): z.output<typeof statusAnswer> {
  return { stream_id: streamId, status, ...(reason !== null && { reason }) };
}

/** Settings that a body names. @throws Refusal INVALID_REQUEST */
function wishIn({
  delivery,
  events_requested: eventsRequested,
  description,
}: z.output<typeof createBody>): Partial<StreamWish> {
  return {
    ...(delivery !== undefined && { push: pushIn(delivery) }),
    ...(eventsRequested !== undefined && { eventsRequested }),
    ...(description !== undefined && { description }),
  };
}

function pushIn({
  method,
  endpoint_url: endpointUrl,
  authorization_header: authorizationHeader,
}: NonNullable<z.output<typeof createBody>['delivery']>): StreamWish['push'] {
  if (method === deliveryMethods.poll) return null;
  if (endpointUrl !== undefined) {
    return { endpointUrl, authorizationHeader: authorizationHeader ?? null };
  }
  const errors = [{ pointer: '/delivery/endpoint_url', detail: 'Required for push.' }];
  throw new Refusal('INVALID_REQUEST', { errors });
}
