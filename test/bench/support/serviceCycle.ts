import { randomBytes } from 'node:crypto';
import type { BenchCitizen, BenchPhone, PreparedConfirmation } from './benchPhone.ts';
import type { VirtualUser } from './cycle.ts';
import { type HttpConnection, jsonOf, openHttp, requestBytes } from './httpConnection.ts';

/** Relying party played by the bench. */
export interface BenchRelyingParty {
  readonly relyingPartyId: string;
  readonly apiSecret: string;
}

/** Ports of the parts of a cycle; normally the same process. */
export interface CyclePorts {
  /** Port for creating sessions and the phone's requests. */
  readonly write: number;
  /** Port for polls. */
  readonly poll: number;
}

/** A created session with a poll in progress. */
export interface PolledSession {
  readonly sessionId: string;
  /** Resolves with the receipt of the response's last byte (`performance.now()`), and the state. */
  readonly answered: Promise<{ readonly at: number; readonly state: string }>;
}

/** Parts of a cycle for one citizen, combined by the scenario. */
export interface ServiceUser extends VirtualUser {
  /** Creates a session. @returns its id */
  create(): Promise<string>;
  /** Creates a session and polls it. */
  begin(timeoutMs?: number): Promise<PolledSession>;
  /** Confirms it by phone; resolves with the service's response. */
  confirm(sessionId: string): Promise<void>;
}

/** A connection that polls. */
export interface Poller {
  /** Resolves with the receipt of the response's last byte (`performance.now()`), and the state. */
  poll(sessionId: string, timeoutMs: number): PolledSession['answered'];
  close(): void;
}

/** Connects a poller. */
export async function connectPoller(
  port: number,
  { apiSecret }: BenchRelyingParty,
): Promise<Poller> {
  const connection = await openHttp({ port });
  const headers = { Authorization: `Bearer ${apiSecret}` };
  return {
    poll: (sessionId, timeoutMs) => poll(connection, sessionId, headers, timeoutMs),
    close: () => connection.close(),
  };
}

/** Body of a session-creating request; each is distinct, so that none counts as a retry. */
export function createBodyOf(relyingPartyId: string, rpChallenge: string): (n: number) => string {
  const fixed = JSON.stringify({
    relyingPartyUUID: relyingPartyId,
    relyingPartyName: 'Bench',
    certificateLevel: 'QUALIFIED',
    signatureProtocol: 'ACSP_V2',
    rpChallenge,
    interactions: [{ type: 'displayTextAndPIN', displayText60: 'Log in to the bench' }],
  }).slice(0, -1);
  // An unknown field, ignored by the service.
  return (n) => `${fixed},"benchCall":${n}}`;
}

/** Connects a virtual user: two connections of the relying party and one of the phone. */
export async function connectServiceUser(
  ports: CyclePorts,
  relyingParty: BenchRelyingParty,
  citizen: BenchCitizen,
  phone: BenchPhone,
): Promise<ServiceUser> {
  const creating = await openHttp({ port: ports.write });
  const polling = await openHttp({ port: ports.poll });
  const confirming = await openHttp({ port: ports.write });
  const challenge = randomBytes(32);
  const confirmation = phone.prepare(challenge);
  const headers = { Authorization: `Bearer ${relyingParty.apiSecret}` };
  const target = `/v3/authentication/notification/etsi/PNOMN-${citizen.civilId}`;
  const bodyOf = createBodyOf(relyingParty.relyingPartyId, challenge.toString('base64'));
  let calls = 0;

  async function create(): Promise<string> {
    calls += 1;
    const created = await creating.send(requestBytes('POST', target, headers, bodyOf(calls)));
    return jsonOf<{ sessionID: string }>(created).sessionID;
  }

  async function begin(timeoutMs = 30_000): Promise<PolledSession> {
    const sessionId = await create();
    return { sessionId, answered: poll(polling, sessionId, headers, timeoutMs) };
  }

  async function confirm(sessionId: string): Promise<void> {
    await sendConfirmation(confirming, phone, sessionId, confirmation);
  }

  return {
    create,
    begin,
    confirm,
    cycle: async () => {
      const { sessionId, answered } = await begin();
      await confirm(sessionId);
      const { state } = await answered;
      if (state !== 'COMPLETE') throw new Error(`The poll answered ${state}.`);
    },
    close: () => {
      for (const connection of [creating, polling, confirming]) connection.close();
    },
  };
}

async function poll(
  connection: HttpConnection,
  sessionId: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<{ at: number; state: string }> {
  const answer = await connection.send(
    requestBytes('GET', `/v3/session/${sessionId}?timeoutMs=${timeoutMs}`, headers),
  );
  const { state } = jsonOf<{ state: string }>(answer);
  return { at: answer.receivedAt, state };
}

async function sendConfirmation(
  connection: HttpConnection,
  phone: BenchPhone,
  sessionId: string,
  confirmation: PreparedConfirmation,
): Promise<void> {
  const answer = await connection.send(phone.confirmRequest(sessionId, confirmation));
  if (answer.status !== 200) jsonOf(answer);
}
