import { expect } from 'chai';
import type { PlatformEvent } from '../../domain/events.ts';
import { caepTypes, verificationType } from '../../domain/oidcClient/signals.ts';
import { initialOidcClientSettings } from '../../domain/oidcClient/settings.ts';
import {
  createFindReceiver,
  createSetSigning,
  signalChannel,
} from '../../application/signals/signalChannel.ts';
import {
  createSignals,
  type SignalDependencies,
  type Signalled,
} from '../../application/signals/signalsOf.ts';
import { queueOf, type SignalStream } from '../../application/signals/ports/signalStreams.ts';
import type { WebhookMessage } from '../../application/webhooks/ports/webhooks.ts';
import { bat, recordable } from '../support/events/exampleEvents.ts';

const civilId = '110000000001';
const serial = '0f';
const documentNumber = '0b9d1c61-6f0f-4c5e-9a36-0d3c7a2f8b11';
const time = '2026-06-01T00:00:00.000Z';
const { sessionRevoked, credentialChange, tokenClaimsChange } = caepTypes;

const stream = (clientId: string, changes: Partial<SignalStream> = {}): SignalStream => ({
  streamId: `stream of ${clientId}`,
  clientId,
  relyingPartyId: 'party',
  status: 'enabled',
  reason: null,
  description: null,
  eventsRequested: null,
  push: null,
  ...changes,
});

const findClient = (clientId: string) =>
  Promise.resolve({
    relyingPartyId: 'party',
    status: 'ACTIVE' as const,
    secretHash: null,
    settings: { ...initialOidcClientSettings, name: clientId, sector: `${clientId}.mn` },
  }) as unknown as ReturnType<SignalDependencies['findClient']>;

const account = { civilId, register: null, identity: bat, representation: null };

describe('Security events for OpenID Connect clients', () => {
  interface World {
    readonly streams?: readonly SignalStream[];
    readonly consented?: readonly string[];
    readonly givenAt?: string;
    readonly certificate?: { readonly type: string; readonly holder?: object };
    readonly hasAccount?: boolean;
    readonly removed?: readonly string[];
  }

  /** Messages that one event leads to. */
  function messagesOf(
    event: Pick<PlatformEvent, 'type'> & { readonly data: object },
    { streams = [stream('one')], consented = ['one'], hasAccount = true, ...world }: World = {},
  ): Promise<readonly WebhookMessage[]> {
    const { certificate = { type: 'AUTH' }, removed = [], givenAt = time } = world;
    const holder = { kind: 'citizen', civilId, documentNumber, ...certificate.holder };
    const loading = (state: object) => ({ load: () => Promise.resolve({ state }) });
    const signalsOf = createSignals({
      streams: {
        all: () => Promise.resolve(streams),
        isRemoved: (_streamId: string, sub: string) => Promise.resolve(removed.includes(sub)),
      },
      certificates: loading({ status: 'REVOKED', requested: { ...certificate, holder } }),
      devices: loading({ status: 'ACTIVE', enrolled: { civilId } }),
      findClient,
      findAccount: () => Promise.resolve(hasAccount ? account : null),
      consentsOf: () => Promise.resolve(consented.map((clientId) => ({ clientId, givenAt }))),
      progress: { untilProjected: () => Promise.resolve() },
      pairwise: (sector: string, of: string) => `${sector} ${of.slice(-1)}`,
      vault: {
        encrypt: (_of: string | null, text: string) => Promise.resolve(`sealed ${text.length}`),
      },
    } as unknown as SignalDependencies);
    const recorded = { ...recordable(event, time), id: 'event', position: 1n };
    return signalsOf([recorded as unknown as Signalled]);
  }

  const told = async (...asked: Parameters<typeof messagesOf>) =>
    (await messagesOf(...asked)).map(({ type, body }) => {
      const { event } = JSON.parse(body) as { readonly event: Readonly<Record<string, string>> };
      const change = event['change_type'];
      return change === undefined ? type : `${String(event['credential_type'])} ${change}`;
    });

  it('are told to clients that the citizen has consented to, each under its own subject', async () => {
    const streams = ['one', 'two', 'three'].map((clientId) => stream(clientId));
    const event = { type: 'DeviceEnrolled', data: { civilId } } as const;
    const messages = await messagesOf(event, { streams, consented: ['one', 'three'] });
    expect(messages.map(({ address, subject }) => [address, subject])).to.deep.equal([
      ['ssf:stream of one', 'one.mn 1'],
      ['ssf:stream of three', 'three.mn 1'],
    ]);
    expect(JSON.parse(messages[0]?.body ?? '')).to.deep.equal({
      iat: 1780272000,
      txn: 'one.mn t',
      sub: 'one.mn 1',
      about: 'sealed 12',
      event: {
        credential_type: 'app',
        change_type: 'create',
        event_timestamp: 1780272000,
        initiating_entity: 'system',
        reason_admin: { en: 'A phone was enrolled.' },
      },
    });
    expect(JSON.stringify(messages)).not.to.include(civilId);
    const again = await messagesOf(event, { streams, consented: ['one', 'three'] });
    expect(again, 'the same when it is reacted to twice').to.deep.equal(messages);
  });

  it('are what happens to credentials, and the end of sessions with the last certificate or a lost key', async () => {
    const revoked = (reason: number) => ({
      type: 'CertificateRevoked' as const,
      data: { serial, reason },
    });
    expect(await told(revoked(4))).to.deep.equal(['x509 revoke']);
    expect(await told(revoked(1))).to.deep.equal([sessionRevoked, 'x509 revoke']);
    const last = { hasAccount: false };
    expect(await told(revoked(4), last)).to.deep.equal([sessionRevoked, 'x509 revoke']);
    const suspended = { type: 'CertificateSuspended', data: { serial } } as const;
    expect(await told(suspended, last)).to.deep.equal([sessionRevoked, 'x509 update']);
    const signing = { ...last, certificate: { type: 'SIGN' } };
    expect(await told(revoked(1), signing), 'once').to.deep.equal(['x509 revoke']);
    const seal = { certificate: { type: 'SEAL', holder: { kind: 'organization' } } };
    expect(await told(revoked(4), seal)).to.deep.equal([]);
    for (const [type, expected] of [
      ['CertificateIssued', 'x509 create'],
      ['CertificateReinstated', 'x509 update'],
      ['DevicePinLocked', 'pin revoke'],
      ['DeviceDeactivated', 'app revoke'],
    ] as const) {
      expect(await told({ type, data: { serial, documentNumber } })).to.deep.equal([expected]);
    }
  });

  it('are the end of sessions at the client whose consent is withdrawn, and at those logged out of', async () => {
    const streams = ['one', 'two'].map((clientId) => stream(clientId));
    const withdrawn = { type: 'ConsentWithdrawn', data: { civilId, clientId: 'two' } } as const;
    const [message] = await messagesOf(withdrawn, { streams, consented: ['one'] });
    expect([message?.address, message?.type]).to.deep.equal(['ssf:stream of two', sessionRevoked]);
    const out = { type: 'CitizenLoggedOut', data: { civilId, clientIds: ['one'] } } as const;
    const [first, ...more] = await messagesOf(out, { streams, consented: ['one', 'two'] });
    expect([first?.address, first?.type]).to.deep.equal(['ssf:stream of one', sessionRevoked]);
    expect(more).to.deep.equal([]);
    const refused = await messagesOf(out, { streams, consented: ['two'] });
    expect(refused, 'of a login without consent').to.deep.equal([]);
  });

  it('tell nothing of before the consent', async () => {
    const event = { type: 'DeviceEnrolled', data: { civilId } } as const;
    expect(await told(event, { givenAt: '2026-06-01T00:00:00.001Z' })).to.deep.equal([]);
    const withdrawn = { type: 'ConsentWithdrawn', data: { civilId, clientId: 'one' } } as const;
    expect(await told(withdrawn, { consented: [] })).to.deep.equal([sessionRevoked]);
  });

  it('are of clients that authenticate and have bearer tokens of their own', async () => {
    const found = async (settings: object) => {
      const client = { status: 'ACTIVE', settings: { ...initialOidcClientSettings, ...settings } };
      const find = createFindReceiver(() => Promise.resolve(client as never));
      return (await find('one')) !== null;
    };
    expect(await found({})).to.equal(true);
    for (const settings of [
      { authMethod: 'none' },
      { authMethod: 'self_signed_tls_client_auth' },
      { securityProfile: 'fapi2' },
    ]) {
      expect(await found(settings), JSON.stringify(settings)).to.equal(false);
    }
  });

  it('are not told on a disabled stream, of a type that is not wanted, or of a citizen who was removed', async () => {
    const event = { type: 'DeviceEnrolled', data: { civilId } } as const;
    const on = (changes: Partial<SignalStream>) => ({ streams: [stream('one', changes)] });
    expect(await told(event, on({ status: 'paused' })), 'held').to.have.length(1);
    expect(await told(event, on({ status: 'disabled' }))).to.deep.equal([]);
    expect(await told(event, on({ eventsRequested: [sessionRevoked] }))).to.deep.equal([]);
    expect(await told(event, on({ eventsRequested: [credentialChange] }))).to.have.length(1);
    expect(await told(event, { removed: ['one.mn 1'] })).to.deep.equal([]);
  });

  describe('once they are signed', () => {
    /** Claims and algorithm of the token that a message becomes. */
    async function signed(
      message: WebhookMessage,
      {
        scopes = ['openid'],
        isForgotten = false,
        isRemoved = false,
      }: {
        readonly scopes?: readonly string[];
        readonly isForgotten?: boolean;
        readonly isRemoved?: boolean;
      } = {},
    ) {
      const signSet = createSetSigning({
        streams: { isRemoved: () => Promise.resolve(isRemoved) },
        referenceData: {
          citizen: () =>
            Promise.resolve(isForgotten ? null : ({ civilId, identity: bat } as never)),
        },
        consentedScopes: () => Promise.resolve(scopes) as Promise<never>,
        vault: { decrypt: () => Promise.resolve(civilId) },
        issuer: () => 'https://id.example',
        sign: (algorithm, claims) => Promise.resolve(JSON.stringify({ algorithm, claims })),
      });
      const client = (await findClient('one')) ?? expect.fail();
      const set = await signSet(stream('one'), client, message);
      return set === null ? null : (JSON.parse(set) as { readonly claims: object });
    }

    it('name the claims that the client has consent for, as they are then, and never the civil id', async () => {
      const updated = { type: 'IdentityUpdated', data: { civilId } } as const;
      const [message = expect.fail()] = await messagesOf(updated);
      expect(message.type).to.equal(tokenClaimsChange);
      const set = await signed(message, { scopes: ['openid', 'profile'] });
      expect(set?.claims).to.deep.equal({
        iss: 'https://id.example',
        aud: 'one',
        jti: message.id,
        iat: 1780272000,
        txn: 'one.mn t',
        sub_id: { format: 'iss_sub', iss: 'https://id.example', sub: 'one.mn 1' },
        events: {
          [tokenClaimsChange]: {
            event_timestamp: 1780272000,
            initiating_entity: 'system',
            reason_admin: { en: 'The register has other facts about the citizen.' },
            claims: {
              name: 'Дорж Бат',
              given_name: 'Бат',
              family_name: 'Дорж',
              birthdate: '1990-01-01',
              gender: 'male',
              ge_id: 42,
            },
          },
        },
      });
      expect(JSON.stringify(set)).not.to.include(civilId);
      expect(await signed(message), 'no scope of a claim').to.equal(null);
      const forgotten = { scopes: ['profile'], isForgotten: true };
      expect(await signed(message, forgotten), 'a forgotten citizen').to.equal(null);
    });

    it('tell nothing after a withdrawal, or of a citizen who was removed, but the end of sessions', async () => {
      const [change = expect.fail()] = await messagesOf({
        type: 'DeviceEnrolled',
        data: { civilId },
      });
      const [end = expect.fail()] = await messagesOf({
        type: 'ConsentWithdrawn',
        data: { civilId, clientId: 'one' },
      });
      expect(await signed(change)).not.to.equal(null);
      for (const ended of [{ scopes: [] }, { isRemoved: true }]) {
        expect(await signed(change, ended), JSON.stringify(ended)).to.equal(null);
        expect(await signed(end, ended), JSON.stringify(ended)).not.to.equal(null);
      }
    });

    it('are pushed while their stream is; what has nothing to tell any more counts as taken', async () => {
      const push = { endpointUrl: 'https://rp.example/', authorizationHeader: null };
      const open = async (all: readonly SignalStream[], set: string | null) => {
        const sent: string[] = [];
        const channel = signalChannel({
          streams: {
            all: () => Promise.resolve(all),
            byId: (id) => Promise.resolve(all.find(({ streamId }) => streamId === id) ?? null),
          },
          findClient,
          signSet: () => Promise.resolve(set),
          push: (given) => {
            sent.push(given);
            return Promise.resolve({ kind: 'TAKEN' });
          },
        });
        const send = await channel.open(queueOf(stream('one')));
        const message = { ...queueOf(stream('one')), id: 'set_1', subject: 'one', body: '{}' };
        const outcome = await send?.({ ...message, type: verificationType });
        return { outcome: outcome?.kind, sent };
      };
      const taken = { outcome: 'TAKEN', sent: ['a.b.c'] };
      expect(await open([stream('one', { push })], 'a.b.c')).to.deep.equal(taken);
      const nothing = { outcome: 'TAKEN', sent: [] };
      expect(await open([stream('one', { push })], null)).to.deep.equal(nothing);
      const held = { outcome: 'UNREACHABLE', sent: [] };
      expect(await open([stream('one')], 'a.b.c'), 'polled').to.deep.equal(held);
      const paused = stream('one', { push, status: 'paused' });
      expect(await open([paused], 'a.b.c')).to.deep.equal(held);
      const gone = { outcome: undefined, sent: [] };
      expect(await open([stream('two', { push })], 'a.b.c')).to.deep.equal(gone);
    });
  });
});
