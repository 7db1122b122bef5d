import { randomBytes } from 'node:crypto';
import { demoCitizens } from '../cli/demo.ts';
import { spareCitizens } from '../../infrastructure/registry/demo/spareCitizens.ts';
import { base64 } from '../../apps/phone/bytes.ts';
import { deviceProof, verificationCode } from '../../apps/phone/crypto.ts';
import { acspV2Layout, type Call } from '../../apps/phone/layouts.ts';
import type { CitizenCard } from '../../apps/phone/identityVerification.ts';
import { createPhone, type EnrolOptions } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { unlock } from '../../apps/phone/pinKeys.ts';
import { createService } from '../../apps/phone/service.ts';
import type { PhoneReason } from '../../apps/phone/session.ts';
import { sign } from '../../apps/phone/signing.ts';

/** An answer of the service, whatever its status. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  /** Duration, ms. */
  readonly tookMs: number;
}

/** Patience of a caller, ms: what a busy machine answers late is slow, not refused. */
const PATIENCE_MS = 60_000;

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Timeout of the caller; default 60,000 ms. */
  readonly timeoutMs?: number;
}

/** One HTTP call. @throws what `fetch` throws when there is no answer */
export async function call(url: string, options: CallOptions = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, timeoutMs = PATIENCE_MS } = options;
  const started = performance.now();
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    signal: AbortSignal.timeout(timeoutMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
    tookMs: performance.now() - started,
  };
}

export interface CreatedSession {
  readonly sessionId: string;
  readonly challenge: Buffer;
}

/** A relying party's credentials. */
export interface RelyingPartyCredentials {
  readonly relyingPartyId: string;
  readonly apiSecret: string;
}

/** A relying party, seen from outside; every answer is given as it came. */
export interface LiveRelyingParty {
  /** Asks for an authentication by push. `created` is there when the answer was 200. */
  create(civilId: string, origin?: string): Promise<Answer & { readonly created?: CreatedSession }>;
  poll(sessionId: string, holdMs?: number, origin?: string): Promise<Answer>;
}

export function createLiveRelyingParty(
  defaultOrigin: string,
  { relyingPartyId, apiSecret }: RelyingPartyCredentials,
  name = 'Fault tests',
): LiveRelyingParty {
  const headers = { authorization: `Bearer ${apiSecret}` };
  return {
    async create(civilId, origin = defaultOrigin) {
      const challenge = randomBytes(32);
      const answer = await call(`${origin}/v3/authentication/notification/etsi/PNOMN-${civilId}`, {
        method: 'POST',
        headers,
        body: {
          relyingPartyUUID: relyingPartyId,
          relyingPartyName: name,
          certificateLevel: 'QUALIFIED',
          signatureProtocol: 'ACSP_V2',
          rpChallenge: challenge.toString('base64'),
          interactions: [{ type: 'displayTextAndPIN', displayText60: 'Log in' }],
        },
      });
      if (answer.status !== 200) return answer;
      return { ...answer, created: { sessionId: String(answer.body['sessionID']), challenge } };
    },
    poll: (sessionId, holdMs = 0, origin = defaultOrigin) =>
      call(`${origin}/v3/session/${sessionId}?timeoutMs=${holdMs}`, {
        headers,
        timeoutMs: holdMs + PATIENCE_MS,
      }),
  };
}

/** A citizen with a card of the demo's civil registry. */
export interface LiveCitizen {
  readonly civilId: string;
  readonly card: CitizenCard;
}

/** All citizens of the demo's civil registry that can enrol. */
export const liveCitizens: readonly LiveCitizen[] = [
  ...demoCitizens.map(({ civilId, cardNumber, birthDate }) => ({
    civilId,
    card: { identifier: civilId, cardNumber, birthDate },
  })),
  ...spareCitizens.map(({ identifier: civilId, cardNumber, birthDate }) => ({
    civilId,
    card: { identifier: civilId, cardNumber, birthDate },
  })),
];

/** An enrolled phone with its PIN entered once, so that answering costs a signature only. @throws ServiceError */
export interface LivePhone {
  readonly civilId: string;
  /** @returns the session's end result */
  confirm(session: CreatedSession): Promise<string>;
  refuse(session: CreatedSession, reason: PhoneReason): Promise<string>;
  /** Looks once, without waiting. */
  inbox(): Promise<unknown>;
}

export async function enrolLivePhone(
  origin: string,
  citizen: Pick<LiveCitizen, 'civilId'> & Pick<EnrolOptions, 'card'>,
): Promise<LivePhone> {
  const store = createMemoryPhoneStore();
  const pin1 = '1234';
  await createPhone({ baseUrl: origin, store }).enrol({ card: citizen.card, pin1, pin2: '12345' });
  const state = await store.load();
  if (state === null) throw new Error('The phone kept nothing.');
  const key = await unlock(store, { name: 'PIN1', pin: pin1 }, (key) => Promise.resolve(key));
  const { publicKey } = state.keys.PIN1;
  const prove = (made: Call) => deviceProof(state.transport, state.documentNumber ?? '', made);
  const service = createService({ baseUrl: origin });

  async function end(sessionId: string, how: 'confirm' | 'refuse', body: object): Promise<string> {
    const path = `/v3/device/sessions/${sessionId}/${how}`;
    const answer = await service.call<{ endResult: string }>({
      method: 'POST',
      path,
      body,
      prove,
      timeoutMs: PATIENCE_MS,
    });
    return answer.endResult;
  }

  return {
    civilId: citizen.civilId,
    confirm: async ({ sessionId, challenge }) =>
      end(sessionId, 'confirm', {
        verificationCode: await verificationCode(challenge),
        signature: base64(await sign(key, { payload: acspV2Layout(challenge, publicKey) })),
        interactionTypeUsed: 'displayTextAndPIN',
      }),
    refuse: ({ sessionId }, reason) => end(sessionId, 'refuse', { reason }),
    inbox: () => service.call({ method: 'GET', path: '/v3/device/inbox?timeoutMs=0', prove }),
  };
}
