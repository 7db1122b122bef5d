import { expect } from 'chai';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { createHmac } from 'node:crypto';
import {
  accessToken,
  type AssistantWorld,
  startAssistantWorld,
  testIssuer,
} from '../support/worlds/assistantWorld.ts';

const chat = '/api/v1/ai/chat';
const now = () => Math.floor(Date.now() / 1000);

describe('Access tokens of the assistant: JWT HS256 (contract §12)', () => {
  let world: AssistantWorld;
  const former = 'the former key, some thirty-two characters';
  const other = { issuer: 'other', key: 'the key of another issuer, as long' };

  before(async () => {
    const keys = [testIssuer, { ...testIssuer, key: former }, other];
    world = await startAssistantWorld({
      settings: {
        SVC_AI_TOKEN_KEYS: keys
          .map(({ issuer, key }) => `${issuer}=${key.replaceAll(',', '')}`)
          .join(','),
        SVC_AI_TOKEN_AUDIENCE: 'https://assistant.example',
      },
    });
  });
  after(() => world.stop());

  const statusOf = async (token: string) =>
    (await world.post(chat, { message: 'x' }, token)).status;

  it('claims UserID, IsAdmin, RoleID, Email, Kind, jti, exp, iss, iat are taken', async () => {
    expect(await statusOf(await accessToken())).to.equal(200);
    const uuid = '3f1c6a52-9a6e-4c39-8d0a-3a7f0c3f7d11';
    expect(await statusOf(await accessToken({ UserID: uuid, RoleID: null }))).to.equal(200);
  });

  it('a token that names whom it is for is taken where that is us (RFC 7519 §4.1.3)', async () => {
    const aud = 'https://assistant.example';
    expect(await statusOf(await accessToken({ aud }))).to.equal(200);
    expect(await statusOf(await accessToken({ aud: ['other', aud] }))).to.equal(200);
  });

  it('several issuers, several keys of one, so that keys can be changed', async () => {
    expect(await statusOf(await accessToken({}, former.replaceAll(',', '')))).to.equal(200);
    const token = await accessToken({ iss: other.issuer }, other.key.replaceAll(',', ''));
    expect(await statusOf(token)).to.equal(200);
  });

  it('the key of one issuer is no key of another', async () => {
    expect(await statusOf(await accessToken({ iss: other.issuer }))).to.equal(401);
  });

  const refused: readonly [string, () => Promise<string> | string][] = [
    ['a refresh token', () => accessToken({ Kind: 'refresh' })],
    ['a token without a kind', () => accessToken({ Kind: undefined })],
    ['a token without a user', () => accessToken({ UserID: undefined })],
    ['a user who is an object', () => accessToken({ UserID: { toString: 'x' } })],
    ['an expired token', () => accessToken({ exp: now() - 60 })],
    ['a token without an end', () => accessToken({ exp: undefined })],
    ['a token without jti', () => accessToken({ jti: undefined })],
    ['a token without iat', () => accessToken({ iat: undefined })],
    ['a token of tomorrow', () => accessToken({ iat: now() + 86_400, exp: now() + 90_000 })],
    ['a token that is not good yet', () => accessToken({ nbf: now() + 3600 })],
    ['an unknown issuer', () => accessToken({ iss: 'https://elsewhere.example' })],
    ['no issuer', () => accessToken({ iss: undefined })],
    [
      'our own issuer with a key that is not ours',
      () => accessToken({ iss: 'urn:tamga:operators' }),
    ],
    ['another key', () => accessToken({}, 'x'.repeat(40))],
    ['a changed payload', changed],
    ['no signature (alg none)', unsigned],
    ['HS384 with the right key', () => forged(header({ alg: 'HS384' }), testIssuer.key, 'sha384')],
    ['HS512 with the right key', () => forged(header({ alg: 'HS512' }), testIssuer.key, 'sha512')],
    ['RS256 (a signature of another kind over our key)', () => signedWith('RS256')],
    ['ES256', () => signedWith('ES256')],
    ['a key of its own in the header (jwk)', () => signedWith('ES256', { jwk: true })],
    ...(['../../dev/null', '', 'https://evil.example/keys', "' or 1=1"] as const).map(
      (kid): [string, () => Promise<string>] => [
        `kid ${JSON.stringify(kid)} with an empty key`,
        () => forged(header({ kid, jku: 'https://evil.example/keys' }), ''),
      ],
    ),
    ['a critical extension nobody knows', () => forged({ ...header(), crit: ['x'], x: 1 })],
    [
      'a payload that is not encoded (RFC 7797)',
      () => forged({ ...header(), b64: false, crit: ['b64'] }),
    ],
    ['alg in other letters', () => forged({ ...header(), alg: 'hs256' })],
    ['a token for somebody else (aud)', () => accessToken({ aud: 'https://elsewhere.example' })],
    ['a token for several others (aud)', () => accessToken({ aud: ['a', 'b'] })],
    ['text', () => 'text'],
    ['dots', () => '..'],
    ['a very long token', () => `${'a'.repeat(5000)}.b.c`],
  ];
  for (const [name, make] of refused) {
    it(`401 for ${name}`, async () => {
      const { status, body } = await world.post(chat, { message: 'x' }, await make());
      expect(status).to.equal(401);
      expect(body).to.deep.equal({
        status: false,
        message: 'Send Authorization: Bearer <access token>.',
      });
    });
  }

  /** A valid token's claims, signed as an attacker would. */
  async function forged(
    head: object,
    key: string = testIssuer.key,
    hash = 'sha256',
  ): Promise<string> {
    const [, payload = ''] = (await accessToken()).split('.');
    const signed = `${Buffer.from(JSON.stringify(head)).toString('base64url')}.${payload}`;
    return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`;
  }

  function header(more: object = {}) {
    return { alg: 'HS256', typ: 'JWT', ...more };
  }

  async function signedWith(alg: 'RS256' | 'ES256', { jwk = false } = {}): Promise<string> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const own = jwk ? { jwk: await exportJWK(publicKey) } : {};
    return new SignJWT({ UserID: 1, Kind: 'access', jti: 'x', iss: testIssuer.issuer })
      .setIssuedAt()
      .setExpirationTime('1h')
      .setProtectedHeader({ alg, ...own })
      .sign(privateKey);
  }

  it('the forger of these tests forges well: with the right key and header it is taken', async () => {
    expect(await statusOf(await forged(header({ kid: 'any' })))).to.equal(200);
  });

  async function changed(): Promise<string> {
    const [head = '', payload = '', signature = ''] = (await accessToken()).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, IsAdmin: true })).toString('base64url');
    return [head, forged, signature].join('.');
  }

  function unsigned(): string {
    return new UnsecuredJWT({ UserID: 1, Kind: 'access', jti: 'x', iss: testIssuer.issuer })
      .setIssuedAt()
      .setExpirationTime('1h')
      .encode();
  }
});
