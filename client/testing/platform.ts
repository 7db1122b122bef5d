import { randomUUID } from 'node:crypto';
import {
  type ClientConfig,
  ConfigurationError,
  type ProblemCode,
  problemStatus,
} from '../index.ts';
import { isObject, type Json } from '../json.ts';
import { createCitizens, type FakeCitizen, type FakeCitizenWish } from './citizens.ts';
import { FakeProblem, type FakeRefusal, type FakeRequest } from './exchange.ts';
import {
  createOrganizations,
  type FakeOrganization,
  type FakeOrganizationWish,
} from './organizations.ts';
import type { FakeOutcome } from './outcomes.ts';
import { createRoutes } from './routes.ts';
import type { FakeSession } from './sessions.ts';
import { createFakeTime } from './time.ts';

/** Options of the fake platform: those of your client that its signatures cover. */
export type FakePlatformOptions = Pick<ClientConfig, 'schemeName' | 'brokeredRpName'>;

/**
 * A platform inside the process, for a relying party's own tests: no network, no time that passes by itself. Keys,
 * certificates and signatures are real, made in memory, so that the library verifies them as those of the service.
 */
export interface FakePlatform {
  /** Settings of a client of this platform: `new EidClient(platform.config)`. */
  readonly config: ClientConfig;
  /** Sessions that were started, the newest last. */
  readonly sessions: readonly FakeSession[];
  /** Requests that came in, the newest last. */
  readonly requests: readonly FakeRequest[];
  /** Adds a citizen with a phone. @throws ConfigurationError when the civil id is none */
  addCitizen(wish?: FakeCitizenWish): FakeCitizen;
  /** Adds an organization, with a seal certificate. @throws ConfigurationError when the register is none */
  addOrganization(wish?: FakeOrganizationWish): FakeOrganization;
  /** Finds the session that was started last. @throws ConfigurationError when there is none */
  lastSession(): FakeSession;
  /** Waits until the next session is started. */
  nextSession(): Promise<FakeSession>;
  /** Makes a new citizen whose phone answers so at once. */
  citizenWho(answers: FakeOutcome): FakeCitizen;
  /** Answers the next call with this problem; called twice, the next two. */
  refuseNext(code: ProblemCode, details?: FakeRefusal): void;
  /** Lets the next call find no connection: a `NetworkError`. */
  disconnectNext(): void;
  /**
   * Answers calls that the fake platform does not know, of documents for example, or knows and would answer otherwise.
   *
   * @param path with `/v3`, without query
   */
  answer(method: string, path: string, body: Readonly<Record<string, unknown>>): void;
  /** Lets time pass: phones answer, sessions end with `TIMEOUT` after 150 s, polls return. */
  advance(ms: number): void;
}

const credentials = {
  rpUUID: '11111111-2222-4333-8444-555555555555',
  rpName: 'Fake relying party',
  apiSecret: 'rp_sk_fake',
} as const;

/** Makes a platform with no citizens. */
export function createFakePlatform(options: FakePlatformOptions = {}): FakePlatform {
  const citizens = createCitizens();
  const organizations = createOrganizations(citizens);
  const time = createFakeTime();
  const requests: FakeRequest[] = [];
  const planned: (() => Response)[] = [];
  const answers = new Map<string, Json>();
  const awaiting: ((session: FakeSession) => void)[] = [];
  const routes = createRoutes({
    citizens,
    organizations,
    time,
    schemeName: options.schemeName ?? 'smart-id',
    brokeredRpName: options.brokeredRpName ?? '',
    onStart: (session) => {
      for (const resolve of awaiting.splice(0)) resolve(session);
    },
  });

  async function respond(request: FakeRequest, init: RequestInit): Promise<Response> {
    const plan = planned.shift();
    if (plan !== undefined) return plan();
    refuseStrangers(request, init);
    const { method, path } = request;
    const known = answers.get(`${method} ${path}`);
    if (known !== undefined) return Response.json(known);
    const answer = await routes.answer(request, init.signal ?? null);
    return answer instanceof Uint8Array
      ? new Response(Uint8Array.from(answer), { headers: { 'content-type': 'application/pdf' } })
      : Response.json(answer);
  }

  async function fetchImpl(input: string | URL | Request, init: RequestInit = {}) {
    const request = readRequest(input, init);
    requests.push(request);
    init.signal?.throwIfAborted();
    const answer = await respond(request, init).catch((error: unknown) => {
      if (error instanceof FakeProblem) return problem(error.code, error.details);
      throw error;
    });
    // Headers of the service, by which its operators would find the call.
    const requestId = randomUUID();
    answer.headers.set('x-request-id', requestId);
    answer.headers.set('x-trace-id', requestId.replaceAll('-', ''));
    return answer;
  }

  return {
    config: {
      baseUrl: 'https://tamga.test',
      credentials,
      trust: {
        ...citizens.trust,
        revocation: ({ raw }) => Promise.resolve(citizens.isRevoked(raw) ? 'revoked' : 'good'),
      },
      fetchImpl,
      ...options,
    },
    sessions: routes.sessions,
    requests,
    addCitizen: citizens.add,
    addOrganization: organizations.add,
    nextSession: () => new Promise((resolve) => awaiting.push(resolve)),
    citizenWho: (outcome) => citizens.add({ answers: outcome }),
    lastSession: () => {
      const last = routes.sessions.at(-1);
      if (last === undefined) throw new ConfigurationError('No session was started.');
      return last;
    },
    refuseNext: (code, details) => planned.push(() => problem(code, details)),
    disconnectNext: () =>
      planned.push(() => {
        throw new TypeError('fetch failed');
      }),
    answer: (method, path, body) => answers.set(`${method} ${path}`, body),
    advance: (ms) => {
      time.advance(ms);
      routes.settle();
      time.wake();
    },
  };
}

/** @throws FakeProblem UNAUTHENTICATED; INVALID_REQUEST for a name that is not the relying party's */
function refuseStrangers({ body }: FakeRequest, { headers }: RequestInit): void {
  const { apiSecret, rpUUID, rpName } = credentials;
  const { relyingPartyUUID = rpUUID, relyingPartyName = rpName } = isObject(body) ? body : {};
  const isKnown = new Headers(headers).get('authorization') === `Bearer ${apiSecret}`;
  if (!isKnown || relyingPartyUUID !== rpUUID) throw new FakeProblem('UNAUTHENTICATED');
  if (relyingPartyName === rpName) return;
  const faults = [{ pointer: '/relyingPartyName', detail: `Must be ${rpName}.` }];
  throw new FakeProblem('INVALID_REQUEST', { faults });
}

function readRequest(input: string | URL | Request, init: RequestInit): FakeRequest {
  const url = new URL(input instanceof Request ? input.url : input);
  const { body = null, method = 'GET' } = init;
  return {
    method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    body: typeof body === 'string' ? (JSON.parse(body) as unknown) : body,
  };
}

/** Problem document (RFC 9457), as the service writes it. */
function problem(code: ProblemCode, details: FakeRefusal = {}): Response {
  const { detail = code, faults = [], retryAfterMs } = details;
  const status = problemStatus[code];
  const body = {
    type: `/docs/problems/${code}`,
    title: code,
    status,
    detail,
    instance: randomUUID(),
    error: detail,
    code,
    ...(faults.length > 0 && { errors: faults }),
  };
  const retryAfter =
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return Response.json(body, {
    status,
    headers: { 'content-type': 'application/problem+json', ...retryAfter },
  });
}
