import { createEndpoints } from './endpoints.ts';
import { type RequestWithSession, visitorOf } from './frameworkSession.ts';
import { CALLBACK_PATH, type LoginOptions } from './login.ts';

/** The part of a request of Fastify that the login reads. */
export interface FastifyLoginRequest extends RequestWithSession {
  /** Method. */
  readonly method: string;
  /** Path and query as requested. */
  readonly url: string;
  /** Headers. */
  readonly headers: { readonly 'content-type'?: string | undefined };
  /** Parsed body. */
  readonly body: unknown;
}

/** The part of a reply of Fastify that the login writes. */
export interface FastifyLoginReply {
  /** Sets the status. */
  code(status: number): unknown;
  /** Sets headers. */
  headers(values: Record<string, string>): unknown;
  /** Sends the reply. */
  send(body?: unknown): unknown;
}

/** The part of a Fastify instance that the login needs. */
export interface FastifyLoginApp {
  /** Adds a route. */
  route(options: {
    method: string;
    url: string;
    handler: (request: FastifyLoginRequest, reply: FastifyLoginReply) => Promise<unknown>;
  }): unknown;
}

/**
 * Login for Fastify, a plugin. Register a session (`@fastify/session`) before it:
 *
 * `app.register(fastifyLogin, { client, interactions })`
 */
export function fastifyLogin(app: FastifyLoginApp, options: LoginOptions): Promise<void> {
  const endpoints = createEndpoints(options);
  const { path = '/login' } = options;
  const routes = [
    ['POST', `${path}/start`],
    ['GET', `${path}/link`],
    ['GET', `${path}/status`],
    ['GET', CALLBACK_PATH],
    ['POST', `${path}/logout`],
  ] as const;
  for (const [method, url] of routes) {
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        const { url: address, headers, body } = request;
        const asked = { method, address, contentType: headers['content-type'], body };
        const answered = await endpoints.answer(asked, visitorOf(request));
        reply.code(answered?.status ?? 404);
        reply.headers({ ...answered?.headers });
        return reply.send(answered?.body ?? undefined);
      },
    });
  }
  return Promise.resolve();
}
