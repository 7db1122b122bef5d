import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { SessionStarted } from '../../domain/session/events.ts';
import type { StartedSession } from '../../domain/session/session.ts';
import { verificationCode } from '../../domain/shared/digest.ts';
import { startTestServer } from '../support/http/http.ts';
import {
  encoded,
  nestedAuthenticationBody,
  nestedInteractions,
  nestedSignatureBody,
} from '../support/http/nestedRequests.ts';
import {
  authenticationBody,
  civilId,
  relyingPartyWorld,
} from '../support/worlds/relyingPartyWorld.ts';

type Json = Record<string, unknown>;

interface Answer {
  readonly status: number;
  readonly body: Json;
}

const authPush = `/v3/authentication/notification/etsi/PNOMN-${civilId}`;
const authLink = `/v3/authentication/device-link/etsi/PNOMN-${civilId}`;
const signPush = `/v3/signature/notification/etsi/PNOMN-${civilId}`;
const b64 = (bytes: number) => randomBytes(bytes).toString('base64');

describe('A nested request', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  async function begin() {
    const world = relyingPartyWorld();
    const party = world.addRelyingParty();
    const { origin, server } = await startTestServer(world.routes);
    stops.push(() => server.stop(100));

    async function call(path: string, body?: object): Promise<Answer> {
      const response = await fetch(origin + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${party.secret}`,
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Json };
    }
    const authenticate = (
      parameters: Parameters<typeof nestedAuthenticationBody>[1] = {},
      changes: object = {},
      path = authPush,
    ) => call(path, nestedAuthenticationBody(party.relyingPartyId, parameters, changes));
    const sign = (
      parameters: Parameters<typeof nestedSignatureBody>[1] = {},
      changes: object = {},
    ) => call(signPush, nestedSignatureBody(party.relyingPartyId, parameters, changes));
    async function started({ body }: Answer): Promise<SessionStarted['data']> {
      const { state } = await world.sessions.load(String(body['sessionID']));
      return (state as StartedSession).started;
    }
    return { ...world, party, call, authenticate, sign, started };
  }

  function expectFault({ status, body }: Answer, ...expected: readonly string[]): void {
    expect([status, body['code']], JSON.stringify(body)).to.deep.equal([400, 'INVALID_REQUEST']);
    const pointers = (body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(pointers).to.have.members(expected);
  }

  it('is answered with five digits, pushed as an object, linked as a string', async () => {
    const { authenticate } = await begin();
    const rpChallenge = b64(64);
    const value = verificationCode(Buffer.from(rpChallenge, 'base64'), 'alphaNumeric5');
    const pushed = await authenticate({ rpChallenge });
    expect(pushed.body['vc']).to.deep.equal({ type: 'alphaNumeric5', value });
    const linked = await authenticate({ rpChallenge }, {}, authLink);
    expect(linked.body['vc']).to.equal(value);
    expect(linked.body['sessionToken']).to.match(/^[A-Za-z0-9]{24}$/);
  });

  it('is recorded as it was sent, byte for byte', async () => {
    const { authenticate, started } = await begin();
    // Spaces, escapes and an unknown field: nothing of it may be written anew.
    const interactions = Buffer.from(
      '[ {"type":"displayTextAndPIN", "displayText60":"\\u041d\\u044d\\ud83d\\ude00", "x":1} ]',
    ).toString('base64');
    const initialCallbackUrl = 'https://elsewhere.example/not/on/the/list?a=%7C|b';
    const answer = await authenticate({}, { interactions, initialCallbackUrl });
    expect(await started(answer)).to.deep.include({
      generation: 'G2',
      interactionsAsSent: interactions,
      interactions: [{ type: 'displayTextAndPIN', displayText60: 'Нэ😀' }],
      relyingPartyName: 'DEMO',
      hashType: 'SHA512',
      callbackUrl: null,
    });
    const { nested } = await started(answer);
    expect(nested).to.include({
      signatureAlgorithm: 'rsassa-pss',
      scheme: 'smart-id',
      initialCallbackUrl,
    });
    expect(Buffer.from(nested?.serverRandom ?? '', 'base64')).to.have.length.least(18);
    const other = await started(await authenticate());
    expect(other.nested?.serverRandom).not.to.equal(nested?.serverRandom);
  });

  it('asks for RSA-PSS with SHA-512 to authenticate and SHA-256 to sign unless it says otherwise', async () => {
    const { authenticate, sign, started } = await begin();
    const empty = { signatureAlgorithm: null, signatureAlgorithmParameters: null };
    const challenge = { rpChallenge: b64(32) };
    for (const [answer, hashType] of [
      [await authenticate(), 'SHA512'],
      [
        await authenticate({}, { signatureProtocolParameters: { ...challenge, ...empty } }),
        'SHA512',
      ],
      [await sign(), 'SHA256'],
    ] as const) {
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      const { nested, ...recorded } = await started(answer);
      expect(recorded.hashType).to.equal(hashType);
      expect(nested?.signatureAlgorithm).to.equal('rsassa-pss');
    }
  });

  const algorithms: readonly [string | undefined, string | undefined, string, number][] = [
    ['rsassa-pss', 'SHA-256', 'SHA256', 32],
    ['rsassa-pss', 'SHA-384', 'SHA384', 48],
    [undefined, 'SHA-512', 'SHA512', 64],
    ['rsassa-pss', 'SHA3-256', 'SHA3-256', 32],
    ['rsassa-pss', 'SHA3-384', 'SHA3-384', 48],
    [undefined, 'SHA3-512', 'SHA3-512', 64],
    ['sha256WithRSAEncryption', undefined, 'SHA256', 32],
    ['sha384WithRSAEncryption', undefined, 'SHA384', 48],
    ['sha512WithRSAEncryption', 'SHA-512', 'SHA512', 64],
  ];
  for (const [signatureAlgorithm, hashAlgorithm, hashType, length] of algorithms) {
    const asked = {
      ...(signatureAlgorithm === undefined ? {} : { signatureAlgorithm }),
      ...(hashAlgorithm === undefined ? {} : { hashAlgorithm }),
    };
    it(`can ask for ${signatureAlgorithm ?? 'the default'} with ${hashAlgorithm ?? 'its hash'}`, async () => {
      const { authenticate, sign, started } = await begin();
      const recorded = await started(await sign({ ...asked, digest: b64(length) }));
      expect(recorded.hashType).to.equal(hashType);
      expect(recorded.nested?.signatureAlgorithm).to.equal(signatureAlgorithm ?? 'rsassa-pss');
      expect((await started(await authenticate(asked))).hashType).to.equal(hashType);
      for (const wrong of [length - 1, length + 1, 20]) {
        expectFault(
          await sign({ ...asked, digest: b64(wrong) }),
          '/signatureProtocolParameters/digest',
        );
      }
    });
  }

  const below = (path: string) => `/signatureProtocolParameters${path}`;
  const faults: readonly [string, 'auth' | 'sign', object, object, ...string[]][] = [
    ['no challenge', 'auth', {}, { signatureProtocolParameters: {} }, below('/rpChallenge')],
    ['a challenge of 31 bytes', 'auth', { rpChallenge: b64(31) }, {}, below('/rpChallenge')],
    ['a challenge of 65 bytes', 'auth', { rpChallenge: b64(65) }, {}, below('/rpChallenge')],
    [
      'a challenge in base64url',
      'auth',
      { rpChallenge: '_'.repeat(44) },
      {},
      below('/rpChallenge'),
    ],
    ['no digest', 'sign', {}, { signatureProtocolParameters: {} }, below('/digest')],
    [
      'an algorithm nobody serves',
      'auth',
      { signatureAlgorithm: 'sha1WithRSAEncryption' },
      {},
      below('/signatureAlgorithm'),
    ],
    [
      'a hash nobody serves',
      'sign',
      { hashAlgorithm: 'SHA-1' },
      {},
      below('/signatureAlgorithmParameters/hashAlgorithm'),
    ],
    [
      'a hash by its flat name',
      'auth',
      { hashAlgorithm: 'SHA256' },
      {},
      below('/signatureAlgorithmParameters/hashAlgorithm'),
    ],
    [
      'a hash other than that of the algorithm',
      'auth',
      { signatureAlgorithm: 'sha256WithRSAEncryption', hashAlgorithm: 'SHA-512' },
      {},
      below('/signatureAlgorithmParameters/hashAlgorithm'),
    ],
    ['no parameters', 'auth', {}, { signatureProtocolParameters: undefined }, below('')],
    ['parameters that are a list', 'sign', {}, { signatureProtocolParameters: [] }, below('')],
    [
      'the protocol of a signature',
      'auth',
      {},
      { signatureProtocol: 'RAW_DIGEST_SIGNATURE' },
      '/signatureProtocol',
    ],
    [
      'the protocol of an authentication',
      'sign',
      {},
      { signatureProtocol: 'ACSP_V2' },
      '/signatureProtocol',
    ],
    [
      'interactions as a list',
      'auth',
      {},
      { interactions: [{ type: 'displayTextAndPIN', displayText60: 'x' }] },
      '/interactions',
    ],
    ['interactions that are not base64', 'auth', {}, { interactions: '[]' }, '/interactions'],
    [
      'interactions that are not JSON',
      'auth',
      {},
      { interactions: Buffer.from('{').toString('base64') },
      '/interactions',
    ],
    ['interactions that are no list', 'auth', {}, { interactions: encoded({}) }, '/interactions'],
    ['an empty list of interactions', 'auth', {}, { interactions: encoded([]) }, '/interactions'],
    ['empty interactions', 'auth', {}, { interactions: '' }, '/interactions'],
    [
      'the same interaction twice',
      'auth',
      {},
      { interactions: encoded([short('a'), short('b')]) },
      '/interactions',
    ],
    [
      'a text of 61 characters',
      'auth',
      {},
      { interactions: encoded([short('я'.repeat(61))]) },
      '/interactions/0/displayText60',
    ],
    [
      'a text of 201 characters',
      'sign',
      {},
      { interactions: encoded([short('a'), long('😀'.repeat(201))]) },
      '/interactions/1/displayText200',
    ],
    [
      'an empty text',
      'auth',
      {},
      { interactions: encoded([short('')]) },
      '/interactions/0/displayText60',
    ],
    [
      'the short text where the long one belongs',
      'auth',
      {},
      { interactions: encoded([{ type: 'confirmationMessage', displayText60: 'x' }]) },
      '/interactions/0/displayText60',
      '/interactions/0/displayText200',
    ],
    [
      'the long text where the short one belongs',
      'auth',
      {},
      { interactions: encoded([{ type: 'displayTextAndPIN', displayText200: 'x' }]) },
      '/interactions/0/displayText60',
      '/interactions/0/displayText200',
    ],
    [
      'a second text, which is not shown',
      'auth',
      {},
      { interactions: encoded([{ ...short('Pay 1'), displayText200: 'Pay 1000' }]) },
      '/interactions/0/displayText200',
    ],
    [
      'a text given twice, of which each reader may believe another',
      'sign',
      {},
      {
        interactions: Buffer.from(
          '[{"type":"displayTextAndPIN","displayText60":"Pay 1","displayText60" : "Pay 1000"}]',
        ).toString('base64'),
      },
      '/interactions',
    ],
    [
      'an unknown interaction',
      'auth',
      {},
      { interactions: encoded([{ ...short('x'), type: 'y' }]) },
      '/interactions/0/type',
    ],
    [
      'text no database keeps',
      'auth',
      {},
      { interactions: encoded([short('a\0')]) },
      '/interactions/0/displayText60',
    ],
    [
      'half a character',
      'auth',
      {},
      { interactions: encoded([short('\ud800')]) },
      '/interactions/0/displayText60',
    ],
    [
      'F3: a turn of direction',
      'auth',
      {},
      { interactions: encoded([short('Pay \u202e001')]) },
      '/interactions/0/displayText60',
    ],
    [
      'F3: letters that look alike within a word',
      'auth',
      {},
      { interactions: encoded([{ type: 'confirmationMessage', displayText200: 'Kh\u0430n' }]) },
      '/interactions/0/displayText200',
    ],
    ['an empty nonce', 'auth', {}, { nonce: '' }, '/nonce'],
    ['a nonce of 31 characters', 'sign', {}, { nonce: 'x'.repeat(31) }, '/nonce'],
    ['a path in fileName', 'sign', {}, { fileName: '../x' }, '/fileName'],
  ];
  for (const [what, kind, parameters, changes, ...pointers] of faults) {
    it(`is refused for ${what}, with a pointer`, async () => {
      const { authenticate, sign } = await begin();
      const answer = await (kind === 'auth'
        ? authenticate(parameters, changes)
        : sign(parameters, changes));
      expectFault(answer, ...pointers);
    });
  }

  it('is distinguished from a flat one by its interactions or parameters, and read by no other schema', async () => {
    const { call, party } = await begin();
    const flat = authenticationBody(party.relyingPartyId);
    const parameters = { rpChallenge: b64(64) };
    for (const [body, ...pointers] of [
      [{ ...flat, interactions: nestedInteractions }, '/signatureProtocolParameters'],
      [{ ...flat, signatureProtocolParameters: parameters }, '/interactions'],
      // Neither shape says nested: this is a flat request without its challenge.
      [{ ...flat, rpChallenge: undefined, signatureProtocolParameters: null }, '/rpChallenge'],
    ] as const) {
      expectFault(await call(authPush, body), ...pointers);
    }
    for (const body of [
      { ...flat, generation: 'G2' },
      { ...nestedAuthenticationBody(party.relyingPartyId), generation: 'G1' },
    ]) {
      expect((await call(authPush, body)).status).to.equal(200);
    }
  });

  it('counts characters, not code units, and tolerates a replacement character', async () => {
    const { authenticate, started } = await begin();
    for (const list of [
      [short('😀'.repeat(60)), long('😀'.repeat(200))],
      [
        short('\uFFFD'.repeat(60)),
        long('\uFFFD'.repeat(200), 'confirmationMessageAndVerificationCodeChoice'),
      ],
    ]) {
      const answer = await authenticate({}, { interactions: encoded(list) });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      expect((await started(answer)).interactions).to.deep.equal(list);
    }
    // A text cut off in the middle of a character.
    const cut = Buffer.concat([
      Buffer.from('[{"type":"displayTextAndPIN","displayText60":"Н'),
      Buffer.from('э').subarray(0, 1),
      Buffer.from('"}]'),
    ]).toString('base64');
    const answer = await authenticate({}, { interactions: cut });
    expect(await started(answer)).to.deep.include({
      interactionsAsSent: cut,
      interactions: [short('Н\uFFFD')],
    });
  });

  it('shares its session with the same request, and not with one that differs in nonce alone', async () => {
    const { call, party } = await begin();
    const body = { ...nestedAuthenticationBody(party.relyingPartyId), nonce: 'one' };
    const first = await call(authPush, body);
    expect((await call(authPush, body)).body).to.deep.equal(first.body);
    const other = await call(authPush, { ...body, nonce: 'two' });
    expect(other.status).to.equal(200);
    expect(other.body['sessionID']).not.to.equal(first.body['sessionID']);
  });

  it('takes texts that look like members, and the absence of another text', async () => {
    const { authenticate, started } = await begin();
    const shown = short('"displayText60" : "a\\", "b":');
    const interactions = encoded([{ ...shown, displayText200: null, unknown: { type: 'z' } }]);
    const answer = await authenticate({}, { interactions });
    expect((await started(answer)).interactions).to.deep.equal([shown]);
  });

  it('ignores unknown members', async () => {
    const { authenticate } = await begin();
    const { status } = await authenticate(
      {},
      {
        capabilities: ['x'],
        requestProperties: { shareMdClientIpAddress: true },
        rpChallenge: 17,
      },
    );
    expect(status).to.equal(200);
  });
});

function short(displayText60: string) {
  return { type: 'displayTextAndPIN', displayText60 };
}

function long(displayText200: string, type = 'confirmationMessage') {
  return { type, displayText200 };
}
