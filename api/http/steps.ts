import type { IncomingMessage } from 'node:http';
import { countingInto } from '../../application/attempts.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { type Admission, admit, admitWork, countAddress } from '../bounds/admission.ts';
import { answer, authenticate, complete, handle, validate } from './handling.ts';
import {
  collectBody,
  createLargeBodies,
  discardUnread,
  leaveToHandler,
  maxBodyBytesOf,
  readWhole,
} from './body.ts';
import { type ErrorStep, Exchange, type ExchangeHost, type Step } from './exchange.ts';
import { hasBody, type UnfinishedBodies } from '../bounds/connections.ts';
import { refuse, refuseFrom } from './refusal.ts';
import { auditDisclosure, type RequestAudit } from './requestAudit.ts';
import type { PreparedReply, Route } from './route.ts';
import { limitStreams } from './streamedBody.ts';

export interface StepDependencies {
  readonly host: ExchangeHost;
  readonly admission: Admission;
  /** Observer of refusals and disclosures. */
  readonly audit: RequestAudit;
}

/** Makes the steps of a route's requests, in the order they run; behind {@link arrive}. */
export function createSteps({ host, admission, audit }: StepDependencies) {
  const readLarge = createLargeBodies();
  return (route: Route): readonly (Step | ErrorStep)[] => {
    const isReadLate = route.guardBeforeBody === true || route.streamsBody === true;
    const steps = [
      label(route),
      admit(admission, route),
      route.cachedResponse !== undefined && answerFromMemory(route, host),
      countAttempts,
      isReadLate && discardUnread,
      route.limit !== undefined && countAddress(route.limit),
      !isReadLate && readWhole(route),
      admitWork(admission, route),
      authenticate(route),
      route.guardBeforeBody === true && readLarge(route),
      route.guardBeforeBody === true && admitWork(admission, route),
      route.streamsBody === true && leaveToHandler,
      validate(route),
      route.streamsAtOnce !== undefined && limitStreams(route),
      handle(route),
      auditDisclosure(route, audit),
      answer(route),
      refuseFrom(route, audit),
    ];
    return steps.filter((step) => step !== false);
  };
}

/**
 * First step of every request: gives it its id, and bounds the time until its body is there.
 *
 * @throws Refusal INVALID_REQUEST without one host
 */
export function arrive(host: ExchangeHost, unfinishedBodies: UnfinishedBodies): Step {
  return (request, response, next) => {
    const exchange = new Exchange(host, request, response);
    response.locals = { exchange };
    unfinishedBodies.track(request, response, exchange, (error) => refuse(exchange, error));
    if (!hasUsableHost(request)) throw noHost();
    exchange.trace(next);
  };
}

/** One Host header; HTTP/1.0 may omit it. Of several, Node.js would show the first. */
function hasUsableHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion !== '1.1';
  const isHost = (name: string, index: number) =>
    index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host';
  return rawHeaders.findIndex(isHost) === rawHeaders.findLastIndex(isHost);
}

/** Refusal of a missing or repeated Host header (RFC 9112 §3.2); Node.js would refuse it without a body. */
function noHost(): Refusal {
  const detail = 'HTTP/1.1 requires one Host header.';
  return new Refusal('INVALID_REQUEST', {
    detail,
    errors: [{ pointer: '#/header/host', detail }],
  });
}

/** Step that names the route in logs, metrics and refusals, and its deprecation in every response. */
function label(route: Route): Step {
  const { headers } = route.deprecated ?? {};
  return (_request, { locals: { exchange } }, next) => {
    exchange.served = route;
    if (headers !== undefined) exchange.routeHeaders = headers;
    next();
  };
}

/** Step that gives what the request counts against limits back when it fails on our side. */
export const countAttempts: Step = (_request, { locals: { exchange } }, next) => {
  countingInto(exchange.counted, next);
};

/** Step that sends a cached response in the tick in which the request is complete. */
function answerFromMemory(route: Route, { securityHeaders }: ExchangeHost): Step {
  const headersBeyondCaching = Object.entries(securityHeaders)
    .filter(([name]) => name !== 'cache-control')
    .flat();
  const limit = maxBodyBytesOf(route);

  function sendPrepared(exchange: Exchange, { status, headers, text: body }: PreparedReply): void {
    const all = [...headersBeyondCaching, ...headers, ...exchange.ownHeaders];
    complete(exchange, { status, headers: all, body, encoding: 'latin1' });
    exchange.leave();
  }

  return (request, response, next) => {
    const { exchange } = response.locals;
    const answerOr = () => {
      const prepared = exchange.host.ending ? null : route.cachedResponse?.(exchange);
      if (prepared) sendPrepared(exchange, prepared);
      else next();
    };
    if (!hasBody(request)) answerOr();
    else {
      collectBody(request, response, { limit }, (error, body) => {
        if (error !== null) {
          next(error);
          return;
        }
        exchange.rawBody = body;
        answerOr();
      });
    }
  };
}
