import { expect } from 'chai';
import fc from 'fast-check';
import { Agent, request as httpRequest } from 'node:http';
import type { Route } from '../../../api/http/route.ts';
import { type FuzzRequest, type Known, requestsTo } from './fuzz.ts';
import { memoryLog, startTestServer } from './http.ts';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export interface FuzzOptions {
  /** Adds what the route's guard wants to see, so that requests get past it. */
  readonly authorize?: (
    route: Route,
    request: FuzzRequest,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** @see Known */
  readonly known?: Known;
  /** Requests at each route with `./tamga test --long`; a tenth otherwise. Default 150. */
  readonly runs?: number;
}

/** True for a run that makes all requests: a tenth may miss a route that few of them get into. */
export const isWhole = process.env['TAMGA_TEST_LONG'] !== undefined;

/** Generates the requests; that of a failed run makes the same again. */
const seed = Number(process.env['TAMGA_TEST_SEED'] ?? Date.now() % 2 ** 31);

/** Requests of this run, of so many in all. */
export function ofWhole(count: number): number {
  return isWhole ? count : Math.ceil(count / 10);
}

/** Requests that succeed at least where so many of all do; of a tenth of them, chance may leave half. */
export function servedOfWhole(count: number): number {
  return isWhole ? count : count / 20;
}

/**
 * Sends generated requests to every route: the response is never a 5xx, every refusal is a problem body (for people: a
 * page), and every 400 points at the fault.
 *
 * @returns numbers of requests sent and of those that succeeded, and the routes of the latter, by name
 */
export async function fuzzRoutes(
  routes: readonly Route[],
  { authorize = () => ({}), known = {}, runs = 150 }: FuzzOptions = {},
): Promise<{
  readonly sent: number;
  readonly served: number;
  readonly servedRoutes: ReadonlySet<string>;
}> {
  const log = memoryLog();
  const { server, origin } = await startTestServer(routes, { log });
  const agent = new Agent({ keepAlive: true });
  process.stdout.write(`      ./tamga test --seed ${seed}${isWhole ? ' --long' : ''} repeats it\n`);
  let sent = 0;
  let served = 0;
  const servedRoutes = new Set<string>();
  try {
    for (const route of routes) {
      await fc.assert(
        fc.asyncProperty(requestsTo(route, known), async (generated) => {
          const headers = { ...generated.headers, ...(await authorize(route, generated)) };
          const answer = await send(agent, origin, { ...generated, headers });
          sent += 1;
          if (answer.status < 400) {
            served += 1;
            servedRoutes.add(route.name);
          } else if (route.name === 'consentLookup' && !isNoPath(answer)) expectOAuthError(answer);
          else if (route.refusedAs !== undefined && !isNoPath(answer)) expectEnvelope(answer);
          else if (!isRefusalPage(route, answer))
            expectProblem(answer, JSON.stringify(log.lines.at(-1)?.fields['err'] ?? ''));
        }),
        { numRuns: ofWhole(runs), seed },
      );
    }
  } finally {
    agent.destroy();
    await server.stop(100);
  }
  return { sent, served, servedRoutes };
}

/** A path that is no text is refused before its route is found. */
function isNoPath({ status, text }: Answer): boolean {
  return status === 400 && text.includes('"pointer":"#/path"');
}

/** True for names of routes whose pages are refused in HTML. */
export function isPage(name: string): boolean {
  return /^(?:login\.|me(?:\.|$)|verify\.start$)/.test(name);
}

/** Pages for browsers are refused in HTML. */
function isRefusalPage({ name }: Route, { status, type }: Answer): boolean {
  if (!type.startsWith('text/html') || status >= 500) return false;
  return isPage(name) || (name === 'verify' && status === 404);
}

function expectProblem({ status, type, text }: Answer, cause: string): void {
  expect(status, `${text} ${cause}`).to.be.lessThan(500);
  expect(type).to.equal('application/problem+json');
  const problem = JSON.parse(text) as Record<string, unknown>;
  expect(problem).to.include.keys('type', 'title', 'detail', 'instance', 'error', 'code');
  expect(problem['status']).to.equal(status);
  if (status !== 400) return;
  expect(problem['errors'], text).to.be.an('array').that.is.not.empty;
  for (const { pointer } of problem['errors'] as { pointer: string }[]) {
    expect(pointer).to.match(/^(#\/(path|query|header)(\/|$)|\/|$)/);
  }
}

/** A refusal of the consent lookup (contract §11, RFC 6749 section 5.2). */
function expectOAuthError({ status, text }: Answer): void {
  expect(status, text).to.be.lessThan(500);
  const refusal = JSON.parse(text) as Record<string, unknown>;
  expect(refusal['error'], text).to.be.a('string').that.is.not.empty;
  expect(refusal['error_description'], text).to.be.a('string').that.is.not.empty;
}

/** A refusal of the assistant's endpoints (contract §12). */
function expectEnvelope({ status, type, text }: Answer): void {
  expect(status, text).to.be.lessThan(500);
  expect(type).to.equal('application/json');
  const envelope = JSON.parse(text) as Record<string, unknown>;
  expect(envelope['status']).to.equal(false);
  expect(envelope['message']).to.be.a('string').that.is.not.empty;
  if (status !== 422) return;
  const { errors } = envelope['data'] as { errors: object[] };
  expect(errors).to.be.an('array').that.is.not.empty;
  for (const fault of errors) expect(fault).to.have.keys('field', 'tag', 'message');
}

function send(agent: Agent, origin: string, { method, target, headers, body }: FuzzRequest) {
  return new Promise<Answer>((resolve, reject) => {
    const sending = httpRequest(
      origin,
      {
        agent,
        method,
        path: target,
        headers: body === null ? headers : { ...headers, 'content-length': body.length },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          const type = response.headers['content-type'] ?? '';
          resolve({ status: response.statusCode ?? 0, type, text });
        });
      },
    );
    sending.on('error', reject);
    sending.end(body ?? undefined);
  });
}
