import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import type { Route } from '../../../api/http/route.ts';
import { brandOf, brandRoutes } from '../../../api/pages/brand.ts';
import { createFindSignedInUser } from '../../../application/platform/signedInUsers.ts';
import type { AssistantTool } from '../../../application/assistant/ports/assistant.ts';
import type { KnowledgeResults } from '../../../application/assistant/ports/knowledgeSearch.ts';
import { createOutside } from '../../../infrastructure/outside/bounds.ts';
import {
  composeAssistant,
  composeAssistantProviders,
} from '../../../main/composition/assistant.ts';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { createJwtAccessTokens } from '../../../infrastructure/credentials/jwtAccessTokens.ts';
import { systemRandomness, systemClock } from '../../../infrastructure/system.ts';
import { createMetrics } from '../../../infrastructure/telemetry/metrics.ts';
import {
  type AssistantProviderDouble,
  providerSettings,
  startAssistantProvider,
} from '../assistant/assistantProvider.ts';
import { withCheckedAnswers } from '../assertions/checkedAnswers.ts';
import { type LogLine, memoryLog, startTestServer } from '../http/http.ts';
import { commonSettings, masterKey, type Settings } from '../installation/serviceProcess.ts';

/** The issuer of the citizens' portal, say, and its key. */
export const testIssuer = {
  issuer: 'https://portal.example',
  key: 'k'.repeat(16) + '0123456789abcdef',
};

/** An answer of the assistant. */
export interface EnvelopeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly status: boolean;
    readonly message: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** The assistant in this process, over HTTP, before a provider double over HTTP; without a database. */
export interface AssistantWorld {
  readonly provider: AssistantProviderDouble;
  readonly origin: string;
  readonly routes: readonly Route[];
  readonly log: readonly LogLine[];
  /** A token of {@link testIssuer}. */
  readonly token: string;
  /** Prompts set by administrators. */
  prompts: { scope: string; instructions: string };
  /** Passages found in the knowledge base, or the failure of the search. */
  knowledge: KnowledgeResults | Error;
  /** @param token null: none is sent */
  post(path: string, body: unknown, token?: string | null): Promise<EnvelopeAnswer>;
  /** Asks the public stream. */
  stream(body: object): Promise<StreamedAnswer>;
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

export interface StreamedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Events parsed like an EventSource does. */
  readonly events: readonly { readonly event: string; readonly data: Record<string, unknown> }[];
}

export interface AssistantWorldOptions {
  /** Beside those that lead to the double; undefined takes one away. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  readonly tools?: readonly AssistantTool[];
}

/** Limits that no test meets by accident, and {@link testIssuer} as an issuer of tokens. */
export const assistantUnlimited: Settings = {
  SVC_AI_TOKEN_KEYS: `${testIssuer.issuer}=${testIssuer.key}`,
  SVC_AI_REQUESTS_PER_MINUTE: '1000000',
  SVC_AI_PUBLIC_CHATS_PER_MINUTE: '1000000',
};

export async function startAssistantWorld({
  settings = {},
  tools = [],
}: AssistantWorldOptions = {}): Promise<AssistantWorld> {
  const provider = await startAssistantProvider();
  const given = {
    ...commonSettings(),
    ...assistantUnlimited,
    ...providerSettings(provider),
    ...settings,
  };
  const config = readConfig(given);
  const log = memoryLog();
  const metrics = createMetrics({ defaults: false });
  const clock = systemClock;
  const tokens = createJwtAccessTokens({
    audience: config.SVC_AI_TOKEN_AUDIENCE ?? null,
    issuers: config.SVC_AI_TOKEN_KEYS,
    masterKey: Buffer.from(masterKey, 'base64'),
    clock,
    randomness: systemRandomness,
  });
  const state = {
    prompts: { scope: 'The platform.', instructions: 'Be kind.' },
    knowledge: { results: [], count: 0, mode: 'keyword' } as KnowledgeResults | Error,
  };
  const core = {
    config,
    brand: brandOf({}),
    // Without a budget nobody asks the database.
    foundation: { clock, log, metrics, outside: createOutside(), redis: null, pool: null as never },
  };
  const { routes = [] } = composeAssistant(core, {
    findUser: createFindSignedInUser({
      tokens,
      findSession: () => Promise.resolve(null),
      currentRole: () => Promise.resolve(null),
    }),
    providers: composeAssistantProviders(core),
    knowledge: {
      prompts: { current: () => Promise.resolve(state.prompts) },
      search: {
        search: () =>
          state.knowledge instanceof Error
            ? Promise.reject(state.knowledge)
            : Promise.resolve(state.knowledge),
      },
      tools,
    },
  });
  const { server, origin } = await startTestServer(
    withCheckedAnswers([...routes, ...brandRoutes(core.brand)]),
    { log },
  );
  const token = await accessToken();

  const request = (path: string, body: unknown, sent: string | null) =>
    fetch(origin + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(sent === null ? {} : { authorization: `Bearer ${sent}` }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  return Object.assign(state, {
    provider,
    origin,
    routes,
    log: log.lines,
    token,
    post: async (path: string, body: unknown, sent: string | null = token) => {
      const response = await request(path, body, path.includes('public') ? null : sent);
      const { status, headers } = response;
      return { status, headers, body: (await response.json()) as EnvelopeAnswer['body'] };
    },
    stream: async (body: object) => {
      const response = await request('/public/ai/chat/stream', body, null);
      const { status, headers } = response;
      return { status, headers, events: eventsIn(await response.text()) };
    },
    metrics: async () => (await metrics.expose()).text,
    stop: async () => {
      await server.stop(100);
      await provider.stop();
    },
  });
}

/** Server-sent events as the standard has them read. */
export function eventsIn(text: string): StreamedAnswer['events'] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => events.push(event) }).feed(text);
  return events.map(({ event = 'message', data }) => ({
    event,
    data: JSON.parse(data) as Record<string, unknown>,
  }));
}

/** A token as another program issues it. @param claims in place of the usual ones; undefined takes one away */
export function accessToken(
  claims: Readonly<Record<string, unknown>> = {},
  key: string = testIssuer.key,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const usual = {
    UserID: 42,
    IsAdmin: false,
    RoleID: 3,
    Email: 'bat@example.mn',
    Kind: 'access',
    jti: randomUUID(),
    iss: testIssuer.issuer,
    iat: now,
    exp: now + 600,
  };
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(key));
}

/** A recording of this many bytes that no codec would read. */
export function recording(bytes = 100, mime = 'audio/webm') {
  return { mime, data: Buffer.alloc(bytes, 7).toString('base64') };
}
