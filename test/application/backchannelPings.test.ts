import { expect } from 'chai';
import {
  type BackchannelDependencies,
  createBackchannel,
} from '../../application/openIdConnect/backchannel.ts';
import type { JobPayload, Jobs } from '../../application/reactors/ports/jobs.ts';
import { memoryOidcState } from '../support/doubles/memoryOidcState.ts';

type JobHandler = Parameters<Jobs['handle']>[1];

interface Look {
  readonly id: string;
  readonly payload: JobPayload;
  /** Time from when it was arranged, ms. */
  readonly delayMs: number;
}

describe('Pings of a backchannel authentication request', () => {
  const now = new Date('2026-06-01T00:00:00.000Z');
  const settings = { name: 'Shop', backchannelTokenDeliveryMode: 'ping' };

  /** Follows the jobs of a request whose session ends after some looks, and whose first pings are not taken. */
  async function looksOf(running: number, untaken: number): Promise<readonly Look[]> {
    const looks: Look[] = [];
    let handler: JobHandler | undefined;
    let seen = 0;
    let pings = 0;
    const backchannel = createBackchannel({
      findClient: () => Promise.resolve({ relyingPartyId: 'a party', settings }),
      startLogin: () =>
        Promise.resolve({ ticket: { sessionId: 'a session' }, verificationCode: '48213' }),
      outcome: {
        loginState: () => {
          seen += 1;
          const ended = { state: 'FAILED', endResult: 'TIMEOUT' };
          return Promise.resolve(seen > running ? ended : { state: 'RUNNING' });
        },
      },
      referenceData: { citizen: () => Promise.resolve({ civilId: '110000000001' }) },
      state: memoryOidcState(),
      clock: { now: () => now },
      jobs: {
        handle: (_name: string, handle: JobHandler) => (handler = handle),
        enqueue: ({ id, payload, runAt }: { id: string; payload: JobPayload; runAt: Date }) => {
          looks.push({ id, payload, delayMs: runAt.getTime() - now.getTime() });
          return Promise.resolve();
        },
      },
      ping: () => {
        pings += 1;
        return pings > untaken ? Promise.resolve() : Promise.reject(new Error('500'));
      },
      onUntaken: () => undefined,
    } as unknown as BackchannelDependencies);
    await backchannel.begin({
      id: 'a request',
      clientId: 'a client',
      loginHint: 'PNOMN-110000000001',
      bindingMessage: null,
      acrValues: [],
      expiresAt: new Date(now.getTime() + 600_000),
    });
    for (let done = 0; done < looks.length; done += 1) await handler?.(looks[done]?.payload ?? {});
    return looks;
  }

  it('are repeated soon, however long the citizen took', async () => {
    const looks = await looksOf(30, 8);
    expect(looks.map(({ delayMs }) => delayMs / 1000)).to.deep.equal([
      ...Array.from({ length: 31 }, () => 1),
      ...[1, 2, 4, 8, 16, 32, 60, 60],
    ]);
    expect(new Set(looks.map(({ id }) => id)).size, 'each is another job').to.equal(looks.length);
  });
});
