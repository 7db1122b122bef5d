import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { EidClient, type ProblemCode } from '@tamga/client';
import { createFakePlatform, fakeOutcomes, type FakePlatform } from '@tamga/client/testing';
import { createSite, pay, sentences } from './bank.ts';

// The bank's own tests: no network, no service, no waiting.
//
//   node --test bank.test.ts

let platform: FakePlatform;
let client: EidClient;

beforeEach(() => {
  platform = createFakePlatform();
  client = new EidClient(platform.config);
});

describe('An order', () => {
  it('is paid when the customer signs it', async () => {
    const { etsi } = platform.citizenWho('OK');
    const payment = await pay(client, etsi, 'three goats');
    assert.equal(payment.state, 'paid');
    assert.equal(platform.lastSession().request['signatureProtocol'], 'RAW_DIGEST_SIGNATURE');
  });

  for (const outcome of fakeOutcomes.filter((each) => each !== 'OK')) {
    it(`is not paid after ${outcome}`, async () => {
      const { etsi } = platform.citizenWho(outcome);
      const sentence =
        outcome in sentences ? sentences[outcome as 'TIMEOUT'] : sentences.NOT_BELIEVED;
      assert.deepEqual(await pay(client, etsi, 'three goats'), { state: 'refused', sentence });
    });
  }

  it('waits for the customer, and is not paid when the phone is off', async () => {
    const { etsi } = platform.addCitizen({ answers: null });
    const asked = platform.nextSession();
    const payment = pay(client, etsi, 'three goats');
    assert.equal((await asked).isRunning, true);
    platform.advance(150_000);
    assert.deepEqual(await payment, { state: 'refused', sentence: sentences.TIMEOUT });
  });

  it('of a stranger is explained', async () => {
    const payment = await pay(client, 'PNOMN-110000000001', 'three goats');
    assert.deepEqual(payment, {
      state: 'refused',
      sentence: 'This person has no phone that can sign.',
    });
  });

  it('says when to try again after too many', async () => {
    platform.refuseNext('RATE_LIMITED', { retryAfterMs: 20_000, detail: 'The citizen refused.' });
    const payment = await pay(client, platform.citizenWho('OK').etsi, 'three goats');
    assert.equal(payment.state === 'refused' && payment.retryAfterMs, 20_000);
  });

  const troubles: readonly ProblemCode[] = ['MAINTENANCE', 'OVERLOADED', 'INTERNAL'];
  for (const code of troubles) {
    it(`is not paid while the service answers ${code}`, async () => {
      platform.refuseNext(code);
      const payment = await pay(client, platform.citizenWho('OK').etsi, 'three goats');
      assert.deepEqual(payment, { state: 'refused', sentence: sentences.SERVER_ERROR });
    });
  }

  it('is not paid without a connection', async () => {
    platform.disconnectNext();
    const payment = await pay(client, platform.citizenWho('OK').etsi, 'three goats');
    assert.deepEqual(payment, { state: 'refused', sentence: sentences.SERVER_ERROR });
  });
});

describe('The site', () => {
  const headers = { cookie: 'visitor=1', 'content-type': 'application/json' };
  let site: (request: Request) => Promise<Response>;

  beforeEach(() => {
    site = createSite(client);
  });

  const get = (path: string) => site(new Request(`https://bank.test${path}`, { headers }));
  const start = (id: string) => {
    const body = JSON.stringify({ way: 'push', id });
    return site(new Request('https://bank.test/login/start', { method: 'POST', headers, body }));
  };

  it('lets nobody in who is not logged in', async () => {
    assert.equal((await get('/')).status, 401);
  });

  it('welcomes a customer who confirms', async () => {
    const { etsi } = platform.addCitizen({ firstName: 'Сараа' });
    const started = (await (await start(etsi)).json()) as { code: string };
    assert.match(started.code, /^\d{5}$/);
    const status = (await (await get('/login/status')).json()) as { state: string };
    assert.equal(status.state, 'OK');
    assert.equal(await (await get('/')).text(), 'Welcome, Сараа.');
  });

  it('tells a customer who refused why nobody is logged in', async () => {
    await start(platform.citizenWho('USER_REFUSED').etsi);
    const status: unknown = await (await get('/login/status')).json();
    assert.deepEqual(status, { state: 'FAILED', reason: 'USER_REFUSED' });
    assert.equal((await get('/')).status, 401);
  });
});
