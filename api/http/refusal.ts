import { NotYetShown } from '../../application/ports/faults.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { send } from './handling.ts';
import { notYetShown } from '../schemas/answers.ts';
import type { ErrorStep, Exchange, RawHeaders, Served } from './exchange.ts';
import { asProblem, type Problem, problemOf } from '../problems/problem.ts';
import type { RequestAudit } from './requestAudit.ts';
import type { Route } from './route.ts';
import { callerGone } from './telemetry.ts';

/** Refusal of a method by an address that takes others (RFC 9110 §15.5.6). */
class MethodNotAllowed extends Refusal {
  /** Value of the `Allow` header. */
  readonly allow: string;

  constructor(allow: string) {
    super('METHOD_NOT_ALLOWED');
    this.allow = allow;
  }
}

/** Answers a method that an address does not take; `OPTIONS` with those it does (RFC 9110 §9.3.7). @throws MethodNotAllowed */
export function allowOnly(exchange: Exchange, methods: readonly string[]): void {
  // HEAD comes with GET, and OPTIONS always (RFC 9110 §9.3.2).
  const implied = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  const allow = [...new Set([...methods, ...implied])].sort().join(', ');
  if (exchange.method !== 'OPTIONS') throw new MethodNotAllowed(allow);
  const headers = [...exchange.host.commonHeaders, ...exchange.ownHeaders, 'allow', allow];
  exchange.write({ status: 204, headers });
  exchange.end(204);
}

/** Last step of a route: answers what a step before it threw, and records refused commands. */
export function refuseFrom(route: Route, audit: RequestAudit): ErrorStep {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express knows an error step by its four parameters
  return (error: unknown, { params }, { locals: { exchange } }, _next) => {
    try {
      if (error instanceof NotYetShown) send(exchange, notYetShown);
      else {
        audit.refused({ route, params, caller: exchange }, error);
        refuse(exchange, error);
      }
    } finally {
      exchange.leave();
    }
  };
}

/** Answers a request with the problem that an error means; unless it is answered. */
export function refuse(exchange: Exchange, error: unknown): void {
  if (exchange.hasEnded) return;
  const { host, served, requestId } = exchange;
  const problem = problemOf(error, requestId);
  exchange.problem = problem;
  if (problem.status >= 500) void exchange.counted.giveBack();
  if (exchange.isCallerGone) {
    exchange.end(callerGone);
    return;
  }
  if (problem.status >= 500 && problem.cause !== null && problem.code !== 'OVERLOADED') {
    const { code, cause: err } = problem;
    host.log.error({ requestId, route: served.path, code, err }, 'request failed');
  }
  const { refusedAs = asProblem } = served;
  const { status, contentType, body, headers: own } = refusedAs(problem, exchange);
  const headers: RawHeaders = Object.entries({ ...host.securityHeaders, ...own }).flat();
  headers.push(...exchange.ownHeaders, 'content-type', contentType);
  if (error instanceof MethodNotAllowed) headers.push('allow', error.allow);
  headers.push(...remedies(status, problem, served));
  exchange.write({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
  exchange.end(status);
}

/** Headers that say how to ask again. */
function remedies(status: number, { retryAfterSeconds }: Problem, served: Served): RawHeaders {
  const { scopes } = served;
  return [
    ...(status === 401 ? ['www-authenticate', 'Bearer'] : []),
    ...(status === 403 && scopes !== undefined
      ? ['www-authenticate', `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`]
      : []),
    ...(status === 415 ? acceptedBy(served) : []),
    ...(retryAfterSeconds === null ? [] : ['retry-after', retryAfterSeconds]),
  ];
}

/** Media types and codings a refused body may have (RFC 9110 §15.5.16, RFC 5789 §2.2). */
function acceptedBy({ bodyType = 'application/json', method }: Served): RawHeaders {
  const patch = method === 'PATCH' ? ['accept-patch', bodyType] : [];
  return ['accept', bodyType, 'accept-encoding', 'identity', ...patch];
}
