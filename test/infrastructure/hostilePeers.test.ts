import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { ProviderFailure } from '../../application/assistant/ports/providers.ts';
import { DirectoryFailure } from '../../application/directory/ports/directory.ts';
import { FileTooLarge } from '../../application/document/ports/fileStore.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { FileContent } from '../../application/ports/objectStore.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { createOpenAiSpeechToText } from '../../infrastructure/assistant/openAiSpeechToText.ts';
import { createOpenAiTextToSpeech } from '../../infrastructure/assistant/openAiTextToSpeech.ts';
import { createClamdScanner } from '../../infrastructure/files/clamdScanner.ts';
import { createS3Objects } from '../../infrastructure/files/s3Objects.ts';
import { createTemporarySpool } from '../../infrastructure/files/temporarySpool.ts';
import { createAuthorizationServer } from '../../infrastructure/identity/authorizationServer.ts';
import { claimsAt } from '../../infrastructure/identity/claims.ts';
import { createOutside } from '../../infrastructure/outside/bounds.ts';
import { createOcspClient } from '../../infrastructure/pki/ocsp/client.ts';
import { createHttpPushGateway } from '../../infrastructure/push/httpPushGateway.ts';
import { createHttpDirectory } from '../../infrastructure/registry/httpDirectory.ts';
import { createTimestampClient } from '../../infrastructure/timestamping/timestampClient.ts';
import { contentOf } from '../contracts/fileStoreContract.ts';
import { createTestVault } from '../support/doubles/memoryPki.ts';
import {
  hostileAnswers,
  type HostilePeer,
  pour,
  startHostilePeer,
  trickle,
} from '../support/doubles/hostilePeer.ts';
import { danClient } from '../support/doubles/authorizationServerDouble.ts';
import { memoryOidcState } from '../support/doubles/memoryOidcState.ts';
import { s3Credentials } from '../support/doubles/s3Double.ts';
import { loneEngine } from '../support/oidc/loneEngine.ts';
import { clientSettings } from '../support/oidc/oidcLogin.ts';
import { createPersonalAuthority } from '../support/pki/personalAuthority.ts';
import { systemRandomness, systemClock } from '../../infrastructure/system.ts';

/** One kind of call to a peer over HTTP. */
interface PeerCall {
  readonly peer: string;
  /** Media type of its answers. */
  readonly type?: string;
  /** Tells that of its answers the status alone is read: the body, whatever it is, is not waited for. */
  readonly readsStatusOnly?: boolean;
  /** Limit of what is read of a body, bytes. */
  readonly longest?: number;
  /** Tells that no setting says when the caller gives up: what lasts is not tried. */
  readonly hasOwnTimeout?: boolean;
  /** Tells an answer that could not be used from the outcome. */
  readonly refusal: (outcome: unknown) => boolean;
  call(timeoutMs: number): Promise<unknown>;
}

/** Conduct of a scanner on a connection. */
interface ScannersAnswer {
  readonly what: string;
  readonly say: (socket: Socket) => unknown;
  readonly timeoutMs?: number;
}

const clock = systemClock;
const digest = Buffer.alloc(32, 1);

describe('N19: a peer that answers what no peer of good will does', () => {
  let peer: HostilePeer;
  let authority: Awaited<ReturnType<typeof createPersonalAuthority>>;
  let leaf: Buffer;
  const signing = createTestVault();

  before(async () => {
    peer = await startHostilePeer();
    authority = await createPersonalAuthority();
    const options = { serialNumbers: ['УБ85031512'], responder: `${peer.origin}/ocsp` };
    leaf = (await authority.person(options)).certificate;
  });
  after(async () => {
    await peer.stop();
    await signing.ecdsaDigests.stop();
  });

  const isUnavailable = (dependency: string) => (outcome: unknown) =>
    outcome instanceof Unavailable && outcome.dependency === dependency;
  const isFailureOf = (provider: string) => (outcome: unknown) =>
    outcome instanceof ProviderFailure && outcome.provider === provider;

  const authorizationServer = (timeoutMs: number) =>
    createAuthorizationServer({
      ...danClient,
      authorizeUrl: peer.origin,
      tokenUrl: peer.origin,
      userinfoUrl: peer.origin,
      scope: 'openid',
      redirectUri: 'https://eid.example.mn/v3/kyc/dan/callback',
      timeoutMs,
    });
  const bucket = (timeoutMs: number) =>
    createS3Objects({
      ...s3Credentials,
      bucketUrl: peer.origin,
      dependency: 'fileStore',
      timeoutMs,
    });
  const speech = () => ({ url: peer.origin, model: 'm', voice: 'v' });
  const spool = createTemporarySpool({ access: createOutside().open('temporaryFiles') });

  const calls: readonly PeerCall[] = [
    {
      peer: 'the time-stamping authority',
      type: 'application/timestamp-reply',
      refusal: isUnavailable('timestamping'),
      call: (timeoutMs) =>
        createTimestampClient({
          urls: [peer.origin],
          trust: { anchors: [] },
          policy: null,
          clock,
          randomness: systemRandomness,
          timeoutMs,
        }).timestamp(digest, 'SHA256'),
    },
    {
      peer: 'the OCSP responder',
      type: 'application/ocsp-response',
      refusal: isUnavailable('certificateStatus'),
      call: (timeoutMs) =>
        createOcspClient({ clock, timeoutMs }).isRevoked(leaf, authority.issuing),
    },
    {
      peer: 'the registry',
      refusal: (outcome) => outcome instanceof DirectoryFailure,
      call: (timeoutMs) =>
        createHttpDirectory({ url: peer.origin, timeoutMs }).organization('5512345'),
    },
    {
      peer: 'the identity provider, asked for tokens',
      longest: 1_048_576,
      refusal: isUnavailable('dan'),
      call: (timeoutMs) => authorizationServer(timeoutMs).exchange('code', 'verifier'),
    },
    {
      peer: 'the identity provider, asked for claims',
      longest: 1_048_576,
      // JSON of any shape has no claims.
      refusal: (outcome) => outcome === null || isUnavailable('dan')(outcome),
      call: async (timeoutMs) =>
        claimsAt(await authorizationServer(timeoutMs).userinfo('token'), { givenName: '/name' }),
    },
    {
      peer: 'the push gateway',
      readsStatusOnly: true,
      refusal: isUnavailable('push'),
      call: (timeoutMs) =>
        createHttpPushGateway({ url: peer.origin, token: 't', timeoutMs }).notify({
          documentNumber: '0b9d1c61-6f0f-4c5e-9a36-0d3c7a2f8b11',
          platform: 'FCM',
          pushToken: 'token',
          sessionId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
        }),
    },
    {
      peer: 'the bucket, given an object',
      readsStatusOnly: true,
      refusal: isUnavailable('fileStore'),
      call: (timeoutMs) => bucket(timeoutMs).put('name', contentOf(Buffer.from('x'))),
    },
    {
      peer: 'the bucket, told to remove one',
      readsStatusOnly: true,
      refusal: isUnavailable('fileStore'),
      call: (timeoutMs) => bucket(timeoutMs).remove('name'),
    },
    {
      peer: 'the bucket, asked for one of 4 bytes',
      refusal: (outcome) => outcome instanceof FileTooLarge || isUnavailable('fileStore')(outcome),
      call: async (timeoutMs) => {
        const found = await bucket(timeoutMs).get('name');
        return found && spool.take(found, 4);
      },
    },
    {
      peer: 'the receiver of a logout token',
      readsStatusOnly: true,
      hasOwnTimeout: true,
      refusal: isNamelessFailure,
      call: () => deliverLogout(),
    },
    {
      peer: 'the receiver of a ping',
      readsStatusOnly: true,
      hasOwnTimeout: true,
      refusal: isNamelessFailure,
      call: () => ping(),
    },
    {
      peer: 'the transcriber',
      longest: 1_048_576,
      refusal: isFailureOf('speechToText'),
      call: (timeoutMs) =>
        createOpenAiSpeechToText(speech()).transcribe(
          { mime: 'audio/webm', bytes: Buffer.from('x') },
          { signal: AbortSignal.timeout(timeoutMs) },
        ),
    },
    {
      peer: 'the speaker',
      type: 'text/plain',
      longest: 16_777_216,
      refusal: isFailureOf('textToSpeech'),
      call: (timeoutMs) =>
        createOpenAiTextToSpeech(speech()).speak('x', { signal: AbortSignal.timeout(timeoutMs) }),
    },
  ];

  for (const { peer: name, type, longest, ...asked } of calls) {
    describe(name, () => {
      for (const { what, hasStatus, lasts, give } of hostileAnswers) {
        const isTaken = hasStatus && asked.readsStatusOnly === true;
        const untilTimeout = lasts && !isTaken;
        if (untilTimeout && asked.hasOwnTimeout === true) continue;
        it(`${isTaken ? 'is not read beyond the status of' : 'is refused with'} ${what}`, async () => {
          peer.script = (socket) => give(socket, type ?? 'application/json');
          const outcome = await peer.boundedly(
            () => asked.call(untilTimeout ? 50 : 10_000),
            longest,
          );
          expect(
            isTaken ? outcome === undefined : asked.refusal(outcome),
            String(outcome),
          ).to.equal(true);
          expect(peer.calls, 'redirections are not followed').to.be.at.most(1);
        });
      }
    });
  }

  /** True for a failure that does not tell the log the address of the client, whose query may hold a secret. */
  function isNamelessFailure(outcome: unknown): boolean {
    return outcome instanceof Error && !inspect(outcome).includes(peer.origin);
  }

  /** Has the engine tell a client of a logout. */
  function deliverLogout(): Promise<void> {
    const login = { clientId: 'client', subject: 'subject', sid: 'sid' };
    return newEngine().deliverLogout(login);
  }

  /** Has the engine tell a client that a backchannel request has ended. */
  async function ping(): Promise<void> {
    const state = memoryOidcState();
    const now = Math.floor(Date.now() / 1000);
    const of = { kind: 'BackchannelAuthenticationRequest', clientId: 'client' };
    const asked = { accountId: 'account', params: { client_notification_token: 'token' } };
    await state.put({
      ...of,
      id: 'asked',
      payload: { ...of, ...asked, jti: 'asked', iat: now, exp: now + 60 },
      civilId: null,
      grantId: null,
      uid: null,
      expiresAt: new Date(Date.now() + 60_000),
    });
    await newEngine(state).ping('asked');
  }

  function newEngine(state = memoryOidcState()) {
    const settings: OidcClientSettings = {
      ...clientSettings,
      backchannelLogoutUri: `${peer.origin}/logout`,
      backchannelTokenDeliveryMode: 'ping',
      backchannelClientNotificationEndpoint: `${peer.origin}/ping`,
    };
    return loneEngine({
      issuer: () => 'http://127.0.0.1:9',
      keyVault: signing.vault,
      state,
      reachesPrivateNetworks: true,
      host: {
        client: (clientId) => Promise.resolve({ clientId, settings, secretHash: '00' }),
        refused: () => undefined,
      },
    });
  }

  describe('the virus scanner', () => {
    afterEach(() => {
      peer.connected = null;
    });

    const scan = (content: FileContent, timeoutMs: number) =>
      createClamdScanner({ address: `tcp://127.0.0.1:${peer.port}`, timeoutMs }).scan(content);

    for (const { what, say, timeoutMs = 10_000 } of [
      { what: 'an endless line', say: (socket) => pour(socket, 'stream: OK'.padEnd(65_536)) },
      { what: 'an endless name', say: (socket) => pour(socket, `stream: ${'x'.repeat(65_536)}`) },
      { what: 'an end far off', say: (socket) => socket.write(`${'stream: OK'.padEnd(5_000)}\0`) },
      { what: 'no end', say: (socket) => socket.write('stream: OK'), timeoutMs: 50 },
      { what: 'a letter now and then', say: (socket) => trickle(socket, ' '), timeoutMs: 50 },
      { what: 'ends alone', say: (socket) => pour(socket, Buffer.alloc(65_536)) },
      { what: 'a name not to be shown', say: (socket) => socket.write('stream: \u202ea FOUND\0') },
      { what: 'nothing, and reads nothing', say: (socket) => socket.pause(), timeoutMs: 50 },
    ] as readonly ScannersAnswer[]) {
      it(`is refused with ${what}`, async () => {
        peer.connected = say;
        const outcome = await peer.boundedly(() =>
          scan(contentOf(Buffer.alloc(1_000_000)), timeoutMs),
        );
        expect(isUnavailable('fileScanner')(outcome), JSON.stringify(outcome)).to.equal(true);
      });
    }

    it('is not believed that a file is clean of which it did not wait for the end', async () => {
      peer.connected = (socket) => socket.write('stream: OK\0');
      const content = contentOf(Buffer.from('x'));
      async function* unended() {
        yield* content.read();
        await new Promise(() => undefined);
      }
      const outcome = await peer.boundedly(() => scan({ ...content, read: unended }, 300));
      expect(isUnavailable('fileScanner')(outcome), JSON.stringify(outcome)).to.equal(true);
    });
  });
});
