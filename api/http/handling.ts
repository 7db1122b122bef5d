import type { DocumentWarning } from '../../domain/shared/documentWarnings.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import type { Actor } from '../../application/ports/eventStore.ts';
import { type FieldFault, isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import {
  type Answer,
  type Exchange,
  goOnWith,
  type Input,
  type RawHeaders,
  type Step,
} from './exchange.ts';
import type { Guard, RawParams, Reply, RequestContext, Route } from './route.ts';
import type { z } from 'zod';
import { faultOf } from '../problems/faultOf.ts';
import { faultText } from '../problems/faultTexts.ts';
import { problemOf } from '../problems/problem.ts';
import { escapePointer, isStorable, parseJson, parseQuery } from './body.ts';
import { closeSource, sendStream } from './streamedBody.ts';
import { callerGone } from './telemetry.ts';

/** Admits every caller. */
export const anyone: Guard<null> = { description: 'public', check: () => null };

/** Step that asks the route's guard. */
export function authenticate({ guard }: Route): Step {
  return (_request, { locals: { exchange } }, next) =>
    goOnWith(guard.check(exchange), (principal) => {
      exchange.principal = principal;
      const actor = guard.actorOf?.(principal);
      if (actor !== undefined) exchange.actor = actor;
      next();
    });
}

/**
 * Reads the credential of an `Authorization: Bearer …` header.
 *
 * @throws Refusal UNAUTHENTICATED when absent or repeated
 */
export function bearerToken(context: RequestContext): string {
  const { authorization } = context.headers;
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined || context.headerCount('authorization') !== 1) {
    throw new Refusal('UNAUTHENTICATED', { detail: 'Send Authorization: Bearer <API secret>.' });
  }
  return token;
}

/** Command context of an applicant: a person without a device, whose identity is being proofed. */
export function asApplicant(
  context: RequestContext,
  correlationId = context.requestId,
): CommandContext {
  return commandContext(context, { kind: 'citizen', id: 'applicant' }, correlationId);
}

/** Command context of a request. @param correlationId the business process, for a session its id */
export function commandContext(
  context: RequestContext,
  actor: Actor,
  correlationId: string,
): CommandContext {
  return {
    actor,
    correlationId,
    causationId: context.requestId,
    requestId: context.requestId,
    ip: context.ip,
  };
}

/** Step that validates path, query and body, and reports all faults at once. */
export function validate(route: Route): Step {
  return ({ params }, { locals: { exchange } }, next) => {
    exchange.input = validated(route, exchange, params);
    next();
  };
}

/** @throws Refusal INVALID_REQUEST, UNSUPPORTED_MEDIA_TYPE */
function validated(route: Route, { headers, rawBody, target }: Exchange, given: RawParams): Input {
  const faults: FieldFault[] = [];
  const params = checked(route.params, storable(given, faults), '#/path', faults);
  const query = checked(
    route.query,
    attempt(() => parseQuery(queryOf(target)), faults),
    '#/query',
    faults,
  );
  const body =
    route.body === null
      ? null
      : checked(
          route.body,
          attempt(() => parseJson(headers, rawBody), faults),
          '',
          faults,
        );
  if (faults.length > 0) throw new Refusal('INVALID_REQUEST', { errors: faults });
  return { params, query, body };
}

/** Query of a request target, still encoded. */
function queryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? '' : target.slice(mark + 1);
}

const unreadable = Symbol('unreadable');

function attempt<T>(read: () => T, faults: FieldFault[]): T | typeof unreadable {
  try {
    return read();
  } catch (error) {
    if (!isRefusal(error, 'INVALID_REQUEST')) throw error;
    faults.push(...error.errors);
    return unreadable;
  }
}

function storable(params: RawParams, faults: FieldFault[]): RawParams | typeof unreadable {
  for (const name in params) {
    const value = params[name];
    if (typeof value === 'string' && !isStorable(value)) {
      faults.push({ pointer: `#/path/${name}`, detail: 'Must not contain U+0000.' });
    }
  }
  return faults.length > 0 ? unreadable : params;
}

function checked(schema: z.ZodType, value: unknown, prefix: string, faults: FieldFault[]): unknown {
  if (value === unreadable) return undefined;
  const result = schema.safeParse(value, { error: faultText });
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const path = issue.path.map((step) => `/${escapePointer(String(step))}`).join('');
    faults.push({ pointer: prefix + path, ...faultOf(issue, value, schema) });
  }
  return undefined;
}

/** Step that runs the route's handler. */
export function handle(route: Route): Step {
  return (_request, { locals: { exchange } }, next) => {
    const { params, query, body } = exchange.input;
    const { principal } = exchange;
    const reply = route.handle({ params, query, body, principal, context: exchange });
    return goOnWith(reply, (given) => {
      exchange.reply = given;
      next();
    });
  };
}

/** Step that sends the handler's reply. */
export function answer({ name, streamsAtOnce }: Route): Step {
  return (_request, { locals: { exchange } }) => {
    const { stream } = exchange.reply;
    if (stream !== undefined) return answerPiecewise(exchange, stream);
    send(exchange, exchange.reply);
    exchange.leave();
    return undefined;
  };

  async function answerPiecewise(exchange: Exchange, source: AsyncIterable<Uint8Array>) {
    if (streamsAtOnce === undefined) {
      await closeSource(source);
      throw new Error(`The route ${name} streams without a limit (streamsAtOnce).`);
    }
    await sendPiecewise(exchange, source);
    exchange.leave();
  }
}

/** Sends a reply that has its whole body. */
export function send(exchange: Exchange, reply: Reply): void {
  const { status = 200, body, contentType } = reply;
  const bytes = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const type = contentType ?? (typeof bytes === 'string' ? 'application/json' : undefined);
  const headers = headersOf(exchange, reply);
  if (type !== undefined) headers.push('content-type', type);
  complete(exchange, { status, headers, body: bytes });
}

/** Writes a successful response, and ends the request. */
export function complete(exchange: Exchange, whole: Answer): void {
  const { host, served } = exchange;
  exchange.write(whole);
  const status = exchange.isCallerGone ? callerGone : whole.status;
  exchange.end(status, host.logRequests && served.countedOnly !== true);
}

function headersOf(exchange: Exchange, { headers: own }: Reply): RawHeaders {
  const { commonHeaders, securityHeaders } = exchange.host;
  const headers: RawHeaders =
    own === undefined ? [...commonHeaders] : Object.entries({ ...securityHeaders, ...own }).flat();
  headers.push(...exchange.ownHeaders);
  return headers;
}

async function sendPiecewise(exchange: Exchange, source: AsyncIterable<Uint8Array>) {
  const { response, method, reply, host, requestId, served } = exchange;
  const { status = 200, contentType } = reply;
  const headers = headersOf(exchange, reply);
  if (contentType !== undefined) headers.push('content-type', contentType);
  if (host.ending) headers.push('connection', 'close');
  if (exchange.isCallerGone || method === 'HEAD') {
    await closeSource(source);
    if (!exchange.isCallerGone) response.writeHead(status, headers).end();
    exchange.end(exchange.isCallerGone ? callerGone : status);
    return;
  }
  host.connections.writing(response);
  response.writeHead(status, headers);
  try {
    exchange.end((await sendStream(source, response)) ? status : callerGone);
    // The head may have gone out before the process was told to end: it does not say that this answer is the last.
    if (host.ending) response.req.socket.end();
  } catch (err) {
    const fields = { requestId, route: served.path, err };
    host.log.error(fields, 'A streamed response failed and was cut off.');
    exchange.problem = problemOf(err, requestId);
    exchange.end(500);
  }
}

/** Names what a PDF that is answered as bytes can do besides showing its pages; no header where that is nothing. */
export function warningHeader(
  warnings: readonly DocumentWarning[],
): Readonly<Record<string, string>> {
  return warnings.length === 0 ? {} : { 'document-warnings': warnings.join(', ') };
}

/** Content-Disposition (RFC 6266): an ASCII name, and the real one for clients with RFC 8187. */
export function attachment(name: string, plain = 'stamped.pdf'): string {
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Fields of an answer that a record has not, or has in another form; others may be given, too. */
type Others<Answer, Source> = Partial<Answer> & {
  readonly [
    Name in keyof Answer as Name extends keyof Source
      ? Source[Name] extends Answer[Name]
        ? never
        : Name
      : Name
  ]: Answer[Name];
};

/**
 * Makes answers by their schema, in its order: each field is the record's of the same name, unless it is given. What a
 * record has besides is left out.
 */
export function viewBy<Of extends z.ZodObject>(
  answer: Of,
): <Source extends object>(source: Source, others: Others<z.output<Of>, Source>) => z.output<Of> {
  const names = Object.keys(answer.shape);
  return (source, others) => {
    const all: Readonly<Record<string, unknown>> = { ...source, ...others };
    return Object.fromEntries(names.map((name) => [name, all[name]])) as z.output<Of>;
  };
}
