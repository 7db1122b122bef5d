import { createHmac, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { WebhookKey, WebhookMessage } from '../../application/webhooks/ports/webhooks.ts';

// Standard Webhooks (specification, Signature scheme): what is signed is `id.timestamp.body`; keys are base64 behind a
// prefix that says what they are.

const SECRET_BYTES = 32;
const secretPrefix = 'whsec_';
const publicPrefix = 'whpk_';
const privatePrefix = 'whsk_';
/** Raw Ed25519 keys are the last 32 bytes of their DER (RFC 8410 §4, §7). */
const RAW_BYTES = 32;
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

const raw = (der: Buffer) => der.subarray(-RAW_BYTES).toString('base64');

/** Makes keys of a relying party. */
export function newWebhookKey(): WebhookKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    secret: secretPrefix + randomBytes(SECRET_BYTES).toString('base64'),
    publicKey: publicPrefix + raw(publicKey.export({ type: 'spki', format: 'der' })),
    privateKey: privatePrefix + raw(privateKey.export({ type: 'pkcs8', format: 'der' })),
  };
}

/** Headers of one attempt, signed with each key: `v1` is HMAC-SHA-256, `v1a` Ed25519. */
export function webhookHeaders(
  { id, body }: Pick<WebhookMessage, 'id' | 'body'>,
  keys: readonly WebhookKey[],
  now: Date,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signed = Buffer.from(`${id}.${timestamp}.${body}`);
  const signatures = keys.flatMap(({ secret, privateKey }) => [
    `v1,${createHmac('sha256', bytesOf(secret, secretPrefix)).update(signed).digest('base64')}`,
    `v1a,${sign(null, signed, keyOf(privateKey)).toString('base64')}`,
  ]);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

const bytesOf = (key: string, prefix: string) => Buffer.from(key.slice(prefix.length), 'base64');

function keyOf(privateKey: string) {
  const key = Buffer.concat([pkcs8Head, bytesOf(privateKey, privatePrefix)]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}
