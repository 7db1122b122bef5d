import { createEndpoints, type LoginReply } from './endpoints.ts';
import { type RequestWithSession, visitorOf } from './frameworkSession.ts';
import type { LoginOptions } from './login.ts';

/** The part of a request of Express that the login reads. */
export interface ExpressRequest extends RequestWithSession {
  /** Method. */
  readonly method: string;
  /** Path and query as requested. */
  readonly originalUrl: string;
  /** Headers. */
  readonly headers: { readonly 'content-type'?: string | undefined };
  /** Body, parsed by `express.json()`. */
  readonly body?: unknown;
}

/** The part of a response of Express that the login writes. */
export interface ExpressResponse {
  /** Sets the status. */
  status(code: number): unknown;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Sends JSON. */
  json(body: unknown): unknown;
  /** Ends it without a body. */
  end(): unknown;
}

/** Handler of Express. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Login for Express 4 and 5, and for NestJS as a middleware. Put a session (`express-session`) and `express.json()`
 * before it:
 *
 * `app.use(expressLogin({ client, interactions }))`
 */
export function expressLogin(options: LoginOptions): ExpressHandler {
  const endpoints = createEndpoints(options);
  return (request, response, next) => {
    const { method, originalUrl: address, headers, body } = request;
    const asked = { method, address, contentType: headers['content-type'], body };
    endpoints
      .answer(asked, visitorOf(request))
      .then((reply) => (reply === null ? next() : send(reply, response)))
      .catch(next);
  };
}

function send({ status, headers, body }: LoginReply, response: ExpressResponse): void {
  response.status(status);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (body === null) response.end();
  else response.json(body);
}
