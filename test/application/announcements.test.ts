import { expect } from 'chai';
import { sensitiveOperations } from '../../domain/approval/events.ts';
import type { PlatformEvent } from '../../domain/events.ts';
import type { Webhook } from '../../domain/relyingParty/webhooks.ts';
import { signaturesIn } from '../../domain/session/batch.ts';
import { isEnding, type SessionEvent, sessionEvents } from '../../domain/session/events.ts';
import { type CompleteSession, sessionDecider } from '../../domain/session/session.ts';
import { fold } from '../../domain/shared/decider.ts';
import {
  type AnnouncementDependencies,
  createAnnouncements,
  messagesOf,
  type Told,
  toldTypes,
} from '../../application/webhooks/announcements.ts';
import type { Subscriber } from '../../application/webhooks/ports/webhooks.ts';
import {
  confirmedBatch,
  sessionConfirmed,
  sessionStarted,
} from '../support/events/exampleEvents.ts';

const [own, other] = ['one', 'another'] as const;
const register = '5512345';
const civilId = '110000000001';
const documentNumber = '0b9d1c61-6f0f-4c5e-9a36-0d3c7a2f8b11';

function completeOf(events: readonly SessionEvent[]): CompleteSession {
  const session = fold(sessionDecider, events);
  if (session.status !== 'COMPLETE') throw new Error('The session is not complete.');
  return session;
}

const subscriber = (relyingPartyId: string, changes: Partial<Subscriber> = {}): Subscriber => ({
  relyingPartyId,
  webhooks: [{ address: `https://${relyingPartyId}.example/events`, events: [] }],
  sealsFor: [],
  smartIdStatuses: false,
  ...changes,
});

describe('What relying parties are told', () => {
  let met: [string, string][];
  /** Addresses of the messages. */
  let addressed: string[];
  beforeEach(() => {
    met = [];
    addressed = [];
  });

  interface World {
    readonly session?: object;
    readonly certificate?: object;
    readonly client?: object;
    readonly document?: object;
    /** Scopes that the citizen has consented to. */
    readonly consented?: readonly string[];
    readonly subscribers?: readonly Subscriber[];
  }

  /** Messages about an event, as relying party, type and data. */
  async function told(stream: string, event: { type: string; data: object }, world: World = {}) {
    const { session, certificate, client, document, consented = [] } = world;
    const { subscribers = [subscriber(own), subscriber(other)] } = world;
    const loading = (state: object = { status: 'NONE' }) => ({
      load: () => Promise.resolve({ state }),
    });
    const announcementOf = createAnnouncements({
      sessions: loading(session),
      certificates: loading(certificate),
      clients: loading(client),
      documents: loading(document),
      consents: loading({ scopes: consented }),
      acquaintances: {
        add: (relyingPartyId: string, about: string) => {
          met.push([relyingPartyId, about]);
          return Promise.resolve();
        },
        of: (about: string) =>
          Promise.resolve(met.filter(([, each]) => each === about).map(([party]) => party)),
      },
      subjectOf: (sector: string, person: string) => `${sector}/${person.length}`,
    } as unknown as AnnouncementDependencies);
    const recorded = {
      id: 'event',
      stream,
      event: event as PlatformEvent,
      metadata: { time: '2026-06-01T00:00:00.000Z' },
    } as unknown as Told;
    const announcement = await announcementOf(recorded, subscribers);
    if (announcement === null) return [];
    return messagesOf(recorded, announcement, subscribers).map(
      ({ relyingPartyId, address, type, subject, body }) => {
        addressed.push(address);
        const { data, ...rest } = JSON.parse(body) as { readonly data: object };
        expect(rest).to.deep.equal({ type, timestamp: '2026-06-01T00:00:00.000Z' });
        return { relyingPartyId, type, subject, data };
      },
    );
  }

  const completed = (endResult: string, onBehalfOf: object | null = null) => ({
    status: 'COMPLETE',
    started: { relyingPartyId: own, onBehalfOf, documents: null },
    outcome: { endResult, documentNumber },
  });

  it('of a session is its result, to who started it', async () => {
    const session = completed('OK', { register });
    const messages = await told('session-s', { type: 'SessionConfirmed', data: {} }, { session });
    expect(messages).to.deep.equal([
      {
        relyingPartyId: own,
        type: 'session.completed',
        subject: 'session-s',
        data: { sessionId: 's', endResult: 'OK' },
      },
    ]);
    expect(met).to.deep.equal([
      [own, documentNumber],
      [own, register],
    ]);
  });

  it('of a session of several documents names their number', async () => {
    const one = completed('OK');
    const documents = ['AAAA', 'BBBB'].map((digest) => ({ digest, hashType: 'SHA256' }));
    const session = { ...one, started: { ...one.started, documents } };
    const messages = await told('session-s', { type: 'SessionConfirmed', data: {} }, { session });
    expect(messages.map(({ data }) => data)).to.deep.equal([
      { sessionId: 's', endResult: 'OK', documents: 2 },
    ]);
  });

  it('of a login of its OpenID Connect client is nothing, and makes nobody an acquaintance', async () => {
    const login = completed('OK');
    const session = { ...login, started: { ...login.started, openIdLogin: true } };
    expect(
      await told('session-s', { type: 'SessionConfirmed', data: {} }, { session }),
    ).to.deep.equal([]);
    expect(met).to.deep.equal([]);
  });

  it('of a session does not depend on how it ended', () => {
    const ends = Object.keys(sessionEvents.events).filter(isEnding);
    expect(ends).to.include.members(['SessionConfirmed', 'SessionExpired', 'SessionCancelled']);
    expect(toldTypes).to.include.members(ends);
    expect(toldTypes).not.to.include.members(['SessionStarted']);
  });

  it('of a session that was refused makes nobody an acquaintance', async () => {
    const event = { type: 'SessionDisowned', data: {} };
    const session = completed('USER_REFUSED_NOT_ME');
    const [message] = await told('session-s', event, { session });
    expect(message?.data).to.include({ endResult: 'USER_REFUSED_NOT_ME' });
    const subscribers = [subscriber(own, { smartIdStatuses: true })];
    const [asSmartId] = await told('session-s', event, { session, subscribers });
    expect(asSmartId?.data).to.include({ endResult: 'USER_REFUSED' });
    expect(met).to.deep.equal([]);
  });

  it('of a session of a relying party without addresses is nothing', async () => {
    const subscribers = [subscriber(other)];
    const event = { type: 'SessionConfirmed', data: {} };
    expect(await told('session-s', event, { session: completed('OK'), subscribers })).to.deep.equal(
      [],
    );
    expect(met).to.deep.equal([]);
  });

  it('goes to the addresses that want its type', async () => {
    const address = (path: string, ...events: Webhook['events']) => ({
      address: `https://${own}.example/${path}`,
      events,
    });
    const webhooks = [
      address('sessions', 'session.completed'),
      address('devices', 'device.ended'),
      address('all'),
    ];
    const subscribers = [subscriber(own, { webhooks })];
    const event = { type: 'SessionConfirmed', data: {} };
    const session = completed('OK');
    await told('session-s', event, { session, subscribers });
    expect(addressed).to.deep.equal(['https://one.example/sessions', 'https://one.example/all']);
  });

  it('of a type that no address of a relying party wants is nothing', async () => {
    const webhooks: Webhook[] = [{ address: 'https://one.example/', events: ['device.ended'] }];
    const subscribers = [subscriber(own, { webhooks })];
    const event = { type: 'SessionConfirmed', data: {} };
    expect(await told('session-s', event, { session: completed('OK'), subscribers })).to.deep.equal(
      [],
    );
    expect(met).to.deep.equal([[own, documentNumber]]);
  });

  it('of a phone and its certificates is told to who met it, under one subject', async () => {
    met.push([own, documentNumber]);
    const ended = { type: 'DeviceDeactivated', data: { documentNumber, reason: 1 } };
    const device = await told(`device-${documentNumber}`, ended);
    expect(device.map(({ relyingPartyId, data }) => [relyingPartyId, data])).to.deep.equal([
      [own, { documentNumber, reason: 1 }],
    ]);
    const revoked = { type: 'CertificateRevoked', data: { serial: '0a', reason: 1 } };
    const holder = { kind: 'citizen', civilId, documentNumber };
    const certificate = { status: 'REVOKED', requested: { holder } };
    const messages = await told('certificate-0a', revoked, { certificate });
    expect(messages).to.deep.equal([
      {
        relyingPartyId: own,
        type: 'certificate.revoked',
        subject: device[0]?.subject,
        data: { serialNumber: '0a', reason: 1 },
      },
    ]);
  });

  it('of a seal certificate is told to who seals for the organization, of one of the platform to nobody', async () => {
    const revoked = { type: 'CertificateRevoked', data: { serial: '0a', reason: 1 } };
    const subscribers = [subscriber(own), subscriber(other, { sealsFor: [register] })];
    const of = (holder: object) =>
      told('certificate-0a', revoked, {
        certificate: { status: 'REVOKED', requested: { holder } },
        subscribers,
      });
    const sealing = await of({ kind: 'organization', register });
    expect(sealing.map(({ relyingPartyId }) => relyingPartyId)).to.deep.equal([other]);
    expect(await of({ kind: 'service', purpose: 'TSA' })).to.deep.equal([]);
  });

  it('of a consent that was withdrawn names the citizen as its client does', async () => {
    const event = { type: 'ConsentWithdrawn', data: { clientId: 'client', civilId } };
    const client = { status: 'ACTIVE', relyingPartyId: own, settings: { sector: 'bank.mn' } };
    const messages = await told('consent-x', event, { client });
    expect(messages.map(({ relyingPartyId, data }) => [relyingPartyId, data])).to.deep.equal([
      [own, { clientId: 'client', sub: 'bank.mn/12' }],
    ]);
  });

  it('of a right is that it changed, to who met or seals for the organization', async () => {
    met.push([own, register]);
    const subscribers = [
      subscriber(own),
      subscriber(other, { sealsFor: [register] }),
      subscriber('a third'),
    ];
    const of = (type: string, more: object = {}) =>
      told(
        `representation-${register}`,
        { type, data: { register, civilId, ...more } },
        {
          subscribers,
        },
      );
    const granted = await of('RightGranted');
    expect(granted.map(({ relyingPartyId }) => relyingPartyId)).to.deep.equal([own, other]);
    expect(granted[0]?.data).to.deep.equal({
      organization: `NTRMN-${register}`,
      change: 'GRANTED',
    });
    const [ended] = await of('RightWithdrawn', { wasConfirmed: true });
    expect(ended?.data).to.include({ change: 'ENDED' });
    expect(ended?.subject).to.equal(granted[0]?.subject);
    expect(await of('RightWithdrawn', { wasConfirmed: false })).to.deep.equal([]);
  });

  describe('of a document that was signed', () => {
    const signed = {
      type: 'DocumentSigned',
      data: { documentId: 'd', sessionId: 's', signedFile: { sha256: 'ab' } },
    };
    const client = { status: 'ACTIVE', relyingPartyId: own };
    const made = (clientId: string | null, tenantId = register) => ({
      status: 'APPROVED',
      created: { clientId, tenantId },
    });
    const about = async (world: World) =>
      (await told('document-d', signed, { client, ...world })).map(({ relyingPartyId, data }) => [
        relyingPartyId,
        data,
      ]);
    const toOwn = [[own, { documentId: 'd', sessionId: 's', digest: 'ab' }]];

    it('goes to the relying party of the client that made it, and to nobody without one', async () => {
      expect(await about({ document: made('client') })).to.deep.equal(toOwn);
      expect(await about({ document: made(null) })).to.deep.equal([]);
    });

    it("goes, of a citizen's own document, to who still has the citizen's consent to read or manage it", async () => {
      const document = made('client', `citizen:${civilId}`);
      for (const scope of ['documents.read', 'documents.manage'] as const) {
        expect(await about({ document, consented: ['openid', scope] })).to.deep.equal(toOwn);
      }
      expect(await about({ document, consented: ['openid', 'profile'] })).to.deep.equal([]);
      expect(await about({ document })).to.deep.equal([]);
    });

    it('goes to the relying party whose session it was signed in, once', async () => {
      const data = { sessionId: 's', stampedDigest: 'cd' };
      const session = completeOf([
        sessionStarted('s', { relyingPartyId: own }),
        sessionConfirmed(),
      ]);
      const stamped = { type: 'DocumentStamped', data };
      const messages = await told('stamp-s', stamped, { session });
      expect(messages).to.deep.equal([
        {
          relyingPartyId: own,
          type: 'document.signed',
          subject: 'session-s',
          data: { documentId: null, sessionId: 's', digest: 'cd' },
        },
      ]);
      expect(await told('stamp-prepared', stamped, { session })).to.deep.equal([]);
    });

    it('goes there of each of several documents, with its place', async () => {
      const session = completeOf(confirmedBatch('s', { relyingPartyId: own }));
      const ids = signaturesIn(session).map(({ id }) => id);
      expect(ids).to.have.length(2);
      for (const [index, id] of ids.entries()) {
        const stamped = { type: 'DocumentStamped', data: { sessionId: 's', stampedDigest: 'cd' } };
        expect(await told(`stamp-${id}`, stamped, { session })).to.deep.equal([
          {
            relyingPartyId: own,
            type: 'document.signed',
            subject: 'session-s',
            data: { documentId: null, sessionId: 's', digest: 'cd', position: index + 1 },
          },
        ]);
        // That of a prepared document names the signature in the place of the session.
        const ofPrepared = { ...stamped, data: { ...stamped.data, sessionId: id } };
        expect(await told('stamp-prepared', ofPrepared)).to.deep.equal([]);
      }
    });
  });

  describe('of what operators asked for', () => {
    const asked = async (operation: string, subject: string, world: World = {}) => {
      const expiresAt = '2026-06-02T00:00:00.000Z';
      const data = { approvalId: 'a', operation, subject, expiresAt, comment: 'Private.' };
      const messages = await told('approval-a', { type: 'ApprovalRequested', data }, world);
      for (const each of messages) {
        expect(each).to.deep.include({ type: 'approval.waiting', subject: 'approval-a' });
        expect(each.data).to.deep.equal({ approvalId: 'a', operation, subject, expiresAt });
      }
      return messages.map(({ relyingPartyId }) => relyingPartyId);
    };

    it('goes to the relying party that is to be changed, and to that of a client', async () => {
      const client = { status: 'ACTIVE', relyingPartyId: other };
      expect(await asked('relyingParty.edit', own)).to.deep.equal([own]);
      expect(await asked('oidcClient.rotateSecret', 'client', { client })).to.deep.equal([other]);
    });

    it('goes to those that seal for the organization', async () => {
      const subscribers = [subscriber(own), subscriber(other, { sealsFor: [register] })];
      const operation = 'organization.issueSealCertificate';
      const to = await asked(operation, `NTRMN-${register}`, { subscribers });
      expect(to).to.deep.equal([other]);
    });

    it('is nothing where it ends somebody, or is about a person or the platform', async () => {
      const silent = sensitiveOperations.filter(
        (each) =>
          !/^relyingParty\.(?:allow|set|edit|rotate)|oidcClient\.(?:edit|rotate)|issueSeal/.test(
            each,
          ),
      );
      expect(silent).to.include.members(['relyingParty.deactivate', 'person.forget']);
      for (const operation of silent) expect(await asked(operation, own), operation).to.be.empty;
    });
  });
});
