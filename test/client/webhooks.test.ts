import { expect } from 'chai';
import { ConfigurationError } from '../../client/errors.ts';
import { verifyWebhook, WebhookError, type WebhookOptions } from '../../client/webhooks.ts';
import { newWebhookKey, webhookHeaders } from '../../infrastructure/webhooks/standardWebhooks.ts';

describe('verifyWebhook', () => {
  const now = new Date('2026-06-01T00:00:00.000Z');
  const id = 'msg_1';
  const event = { type: 'session.completed', timestamp: now.toISOString(), data: { n: 1 } };
  const body = JSON.stringify(event);
  const [key, other] = [newWebhookKey(), newWebhookKey()];
  const headers = webhookHeaders({ id, body }, [key], now);
  const verify = (changes: Partial<WebhookOptions> = {}) =>
    verifyWebhook({ body, headers, keys: key.secret, now, ...changes });

  it('reads an event signed by the secret, or by the private key', () => {
    expect(verify()).to.deep.equal({ id, ...event });
    expect(verify({ keys: key.publicKey })).to.deep.equal({ id, ...event });
    expect(verify({ body: Buffer.from(body), headers: new Headers(headers) }).id).to.equal(id);
  });

  it('agrees with the reference vector of Standard Webhooks', () => {
    const vector = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: '{"test": 2432232314}',
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      now: new Date(1_614_265_330_000),
    };
    const signed = webhookHeaders(vector, [{ ...key, secret: vector.secret }], vector.now);
    expect(signed['webhook-signature']?.split(' ')[0]).to.equal(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
    // Its body, once verified, is no event of this platform.
    const verified = { body: vector.body, headers: signed, keys: vector.secret, now: vector.now };
    expect(() => verify(verified)).to.throw(WebhookError, 'The body is not an event.');
  });

  it('takes either key while keys are rotated', () => {
    const both = webhookHeaders({ id, body }, [other, key], now);
    expect(verify({ headers: both }).id).to.equal(id);
    expect(verify({ headers: both, keys: other.secret }).id).to.equal(id);
    expect(verify({ keys: [other.secret, key.secret] }).id).to.equal(id);
  });

  it('refuses what another key signed, another body, id or time', () => {
    for (const changes of [
      { keys: other.secret },
      { keys: other.publicKey },
      { body: body.replace('1', '2') },
      { headers: { ...headers, 'webhook-id': 'msg_2' } },
      { headers: { ...headers, 'webhook-timestamp': '1780272001' } },
      { headers: { ...headers, 'webhook-signature': 'v1,' } },
      { headers: { ...headers, 'webhook-signature': 'v2,AAAA v1a,AAAA v1,AAAA' } },
      { headers: {} },
    ] satisfies Partial<WebhookOptions>[]) {
      expect(() => verify(changes), JSON.stringify(changes)).to.throw(WebhookError);
    }
  });

  it('refuses a signature of one kind as one of the other', () => {
    const [hmac = '', edwards = ''] = String(headers['webhook-signature']).split(' ');
    const swapped = `v1a,${hmac.slice(3)} v1,${edwards.slice(4)}`;
    for (const keys of [key.secret, key.publicKey]) {
      const changes = { keys, headers: { ...headers, 'webhook-signature': swapped } };
      expect(() => verify(changes)).to.throw(WebhookError);
    }
  });

  it('refuses what is older or newer than five minutes', () => {
    const at = (seconds: number) => ({ now: new Date(now.getTime() + seconds * 1000) });
    expect(verify(at(300)).id).to.equal(id);
    expect(verify(at(-300)).id).to.equal(id);
    expect(() => verify(at(301))).to.throw(WebhookError, 'five minutes');
    expect(() => verify(at(-301))).to.throw(WebhookError, 'five minutes');
  });

  it('says of a key that it is none', () => {
    for (const keys of ['', 'secret', 'whsec_', 'whpk_AAAA', key.privateKey]) {
      expect(() => verify({ keys })).to.throw(ConfigurationError, 'keys');
    }
  });

  it('refuses a signed body that is not an event', () => {
    for (const text of ['', '[]', '{"type":1}', '{"type":"a","timestamp":"b"}']) {
      const signed = webhookHeaders({ id, body: text }, [key], now);
      expect(() => verify({ body: text, headers: signed }), text).to.throw(WebhookError);
    }
  });
});
