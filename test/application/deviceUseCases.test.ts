import { expect } from 'chai';
import { createCitizenCardProvider } from '../../application/identityVerification/citizenCardProvider.ts';
import { verifyByCitizenCard } from '../../application/identityVerification/verifyByCitizenCard.ts';
import { confirmSession } from '../../application/device/sessionAnswer.ts';
import { enrolDevice, type EnrolDeviceDependencies } from '../../application/device/enrolDevice.ts';
import { type EnrolmentKeyName, keyProofPayload } from '../../application/device/enrolmentKeys.ts';
import { openDeviceLink } from '../../application/device/openDeviceLink.ts';
import { readInbox, readSession } from '../../application/device/readSession.ts';
import type { CivilRegistry } from '../../application/ports/civilRegistry.ts';
import { Overloaded, Unavailable, UndecodableEvent } from '../../application/ports/faults.ts';
import { createSessions } from '../../application/session/sessions.ts';
import { signedLink } from '../../application/session/signedLink.ts';
import type { Session } from '../../domain/session/session.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { createMemoryAttemptLimits, createMemoryReplayStore } from '../../infrastructure/system.ts';
import { type KeyPair, newKeyPair, publicKeyOf, signPayload } from '../../apps/phone/crypto.ts';
import { acspV2Layout } from '../../apps/phone/layouts.ts';
import { context, type DeviceWorld, openDeviceWorld } from '../support/worlds/deviceWorld.ts';
import { memoryAggregateCache } from '../support/doubles/memoryPorts.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { bold, cardOf } from '../support/given/persons.ts';

describe('The device use cases', () => {
  let world: DeviceWorld;

  before(async () => {
    world = await openDeviceWorld();
  });

  after(() => world.stop());

  async function enrolment(unprovedLevel = world.unprovedLevel) {
    const { enrolmentToken: token } = await verifyByCitizenCard(
      { ...world, unprovedLevel },
      cardOf(bold),
      context,
    );
    const pairs = new Map<string, KeyPair & { readonly spki: Buffer }>();
    const key = async (name: EnrolmentKeyName) => {
      const pair = await newKeyPair('P-256', false);
      const publicKey = Buffer.from(await publicKeyOf(pair));
      pairs.set(name, { ...pair, spki: publicKey });
      const payload = keyProofPayload(sha256Hex(token), name, publicKey);
      return {
        publicKey,
        proof: Buffer.from(await signPayload(pair.privateKey, new Uint8Array(payload))),
      };
    };
    const keys = {
      authentication: await key('authentication'),
      signing: await key('signing'),
      transport: await key('transport'),
    };
    const request = { token, platform: 'SIM', pushToken: null, level: 'QUALIFIED', keys } as const;
    return { request, pairs };
  }

  async function enrolled() {
    const { request, pairs } = await enrolment();
    const device = await enrolDevice(world, request, context);
    const confirmationOf = async (sessionId: string) => {
      const { state } = await world.sessions.load(sessionId);
      if (state.status === 'NONE') throw new Error('There is no such session.');
      const pair = pairs.get('authentication');
      if (pair === undefined) throw new Error('There is no such key.');
      const challenge = Buffer.from(state.started.rpChallenge ?? '', 'base64');
      return {
        verificationCode: state.started.verificationCode,
        signature: Buffer.from(
          await signPayload(pair.privateKey, acspV2Layout(challenge, pair.spki)),
        ),
        interactionTypeUsed: 'displayTextAndPIN',
        flowType: null,
        userChallenge: null,
        riskSignals: null,
      };
    };
    return { device, confirmationOf };
  }

  function typesSince(count: number): string[] {
    return world.eventStore.events.slice(count).map(({ event }) => event.type);
  }

  it('F7: lets a new phone sign qualified only after the cooling time', async () => {
    const { device, confirmationOf } = await enrolled();
    const sessionId = await world.start({
      kind: 'SIGNATURE',
      documentNumber: device.documentNumber,
      digest: Buffer.alloc(32, 1).toString('base64'),
      hashType: 'SHA256',
    });
    const confirmation = await confirmationOf(sessionId);
    const confirming = (signingCoolingMs: number) =>
      rejection(
        confirmSession(
          { ...world, signingCoolingMs },
          { device, sessionId, confirmation },
          context,
        ),
      );
    expect(await confirming(3_600_000)).to.include({ code: 'NO_SUITABLE_CERTIFICATE' });
    // Key of logins: without the wait the signature is what is refused.
    expect(await confirming(0)).to.include({ code: 'SIGNATURE_INVALID' });
  });

  describe('enrolling', () => {
    it('F7: gives advanced certificates to whom a card number identified, also when repeated', async () => {
      const { request } = await enrolment('ADVANCED');
      const first = await enrolDevice(world, request, context);
      const again = await enrolDevice(world, request, context);
      expect([first.authentication.level, first.signing.level]).to.deep.equal([
        'ADVANCED',
        'ADVANCED',
      ]);
      expect(again).to.deep.equal(first);
    });

    const complete = [
      'CertificateIssued',
      'CertificateIssued',
      'CertificateRequested',
      'CertificateRequested',
      'DeviceEnrolled',
    ];

    /** Fails once at the given step, as a process that dies there. */
    const crashes: Readonly<
      Record<string, (crash: () => void) => Partial<EnrolDeviceDependencies>>
    > = {
      'before the first certificate': (crash) => ({
        issueCertificate: (application, cause) => {
          crash();
          return world.issueCertificate(application, cause);
        },
      }),
      'between the two certificates': (crash) => ({
        issueCertificate: (application, cause) => {
          if (application.type === 'SIGN') crash();
          return world.issueCertificate(application, cause);
        },
      }),
      'before the device is recorded': (crash) => ({
        devices: {
          ...world.devices,
          handle: (id, command, cause) => {
            crash();
            return world.devices.handle(id, command, cause);
          },
        },
      }),
      'before the answer': (crash) => ({
        referenceData: {
          ...world.referenceData,
          device: (id) => {
            crash();
            return world.referenceData.device(id);
          },
        },
      }),
    };

    for (const [where, faulty] of Object.entries(crashes)) {
      it(`finishes what was begun after a crash ${where}`, async () => {
        const { request } = await enrolment();
        const begun = world.eventStore.events.length;
        let alive = false;
        const dependencies = {
          ...world,
          ...faulty(() => {
            if (!alive) throw new Unavailable('eventStore');
          }),
        };
        expect(await rejection(enrolDevice(dependencies, request, context))).to.be.instanceOf(
          Unavailable,
        );
        alive = true;
        const device = await enrolDevice(dependencies, request, context);
        const again = await enrolDevice(dependencies, request, context);
        expect(again).to.deep.equal(device);
        const types = typesSince(begun).filter((type) => complete.includes(type));
        expect(types.sort()).to.deep.equal(complete);
      });
    }

    it('signs again under the same serial when only the intent was recorded', async () => {
      const { request } = await enrolment();
      const begun = world.eventStore.events.length;
      const { issue } = world.authority;
      world.authority.issue = () => Promise.reject(new Unavailable('keyVault'));
      await rejection(enrolDevice(world, request, context));
      world.authority.issue = issue;
      expect(typesSince(begun)).to.include('CertificateRequested');
      const device = await enrolDevice(world, request, context);
      const requested = typesSince(begun).filter((type) => type === 'CertificateRequested');
      expect(requested).to.have.length(2);
      expect(device.authentication.status).to.equal('VALID');
    });

    it('answers what can be read although the read models are late', async () => {
      const { request } = await enrolment();
      const progress = { untilProjected: () => Promise.reject(new Unavailable('database')) };
      const device = await enrolDevice({ ...world, progress }, request, context);
      expect(device.active).to.equal(true);
    });

    it('answers only when the device can be read', async () => {
      const { request } = await enrolment();
      let projected = 0n;
      const device = await enrolDevice(
        {
          ...world,
          progress: {
            untilProjected: (position) => {
              projected = position;
              return Promise.resolve();
            },
          },
          referenceData: {
            ...world.referenceData,
            device: (id) => {
              expect(projected).to.equal(BigInt(world.eventStore.events.length));
              return world.referenceData.device(id);
            },
          },
        },
        request,
        context,
      );
      expect(device.documentNumber).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]/);
    });

    it('keeps no token', async () => {
      const { request } = await enrolment();
      await enrolDevice(world, request, context);
      const kept = JSON.stringify(world.eventStore.events, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
      expect(kept).not.to.contain(request.token).and.not.to.contain(request.token.split('.')[1]);
    });
  });

  describe('verifying an identity', () => {
    const withRegistry = (civilRegistry: CivilRegistry) => ({
      ...world,
      civilRegistry,
      providers: { citizenCard: createCitizenCardProvider({ civilRegistry }) },
    });

    it('passes on that the registry is unavailable', async () => {
      const civilRegistry = { find: () => Promise.reject(new Unavailable('civilRegistry')) };
      expect(
        await rejection(verifyByCitizenCard(withRegistry(civilRegistry), cardOf(bold), context)),
      ).to.be.instanceOf(Unavailable);
    });

    it('refuses a person without a card in force', async () => {
      const civilRegistry = { find: () => Promise.resolve({ ...bold, cardNumber: null }) };
      for (const cardNumber of ['', 'E00000001']) {
        const error = await rejection(
          verifyByCitizenCard(
            withRegistry(civilRegistry),
            { ...cardOf(bold), cardNumber },
            context,
          ),
        );
        expect(error).to.have.property('code', 'IDENTITY_NOT_VERIFIED');
      }
    });
  });

  describe('with another process at the same log', () => {
    function node() {
      return createSessions({ ...world, cache: memoryAggregateCache<Session>() });
    }

    it('confirm a session that was started there', async () => {
      const { device, confirmationOf } = await enrolled();
      const here = node();
      const sessionId = await world.start();
      const confirmation = await confirmationOf(sessionId);
      const endResult = await confirmSession(
        { ...world, sessions: here },
        { device, sessionId, confirmation },
        context,
      );
      expect(endResult).to.equal('OK');
    });

    it('refuse a session remembered as running that was answered there', async () => {
      const { device, confirmationOf } = await enrolled();
      const here = node();
      const sessionId = await world.start();
      await here.load(sessionId);
      const confirmation = await confirmationOf(sessionId);
      const by = { documentNumber: device.documentNumber, civilId: device.civilId };
      await world.sessions.handle(
        sessionId,
        {
          type: 'RefuseSession',
          by,
          endResult: 'USER_REFUSED',
          interaction: null,
          now: world.clock.now().toISOString(),
        },
        context,
      );
      const error = await rejection(
        confirmSession({ ...world, sessions: here }, { device, sessionId, confirmation }, context),
      );
      expect(error).to.have.property('code', 'SESSION_ALREADY_COMPLETE');
    });

    it('answer a device link claimed by the same phone there', async () => {
      const { device, confirmationOf } = await enrolled();
      const here = node();
      const sessionId = await world.start({ civilId: null, flow: 'DEVICE_LINK' });
      await here.load(sessionId);
      await readSession(world, device, { sessionId, can: { batch: true, signals: true } }, context);
      const confirmation = await confirmationOf(sessionId);
      expect(
        await confirmSession(
          { ...world, sessions: here },
          { device, sessionId, confirmation },
          context,
        ),
      ).to.equal('OK');
    });
  });

  describe('on a phone with an older app', () => {
    const older = { batch: false, signals: false };
    const newest = { batch: true, signals: true };
    const digest = (fill: number) => Buffer.alloc(32, fill).toString('base64');
    const requests: Readonly<Record<string, Parameters<DeviceWorld['start']>[0]>> = {
      'several documents': {
        kind: 'SIGNATURE',
        digest: null,
        hashType: null,
        documents: [1, 2].map((fill) => ({ digest: digest(fill), hashType: 'SHA256' })),
        documentTexts: [1, 2].map((each) => ({ displayText60: `${each}`, fileName: null })),
      },
      'signals that are required': { riskSignals: { names: ['rooted'], required: true } },
    };
    const typesOf = (sessionId: string) =>
      world.eventStore.eventsOf(`session-${sessionId}`).map(({ event }) => event.type);

    for (const [asked, request] of Object.entries(requests)) {
      for (const flow of ['NOTIFICATION', 'DEVICE_LINK'] as const) {
        it(`leaves ${asked} to a newer one (${flow})`, async () => {
          const { device } = await enrolled();
          const sessionId = await world.start({ ...request, flow });
          const reading = readSession(world, device, { sessionId, can: older }, context);
          expect(await rejection(reading)).to.have.property('code', 'CLIENT_TOO_OLD');
          expect(typesOf(sessionId)).to.deep.equal(['SessionStarted']);
          const read = await readSession(world, device, { sessionId, can: newest }, context);
          expect(read.sessionId).to.equal(sessionId);
        });

        it(`ends ${asked} when no other was asked (${flow})`, async () => {
          const { device } = await enrolled();
          const { documentNumber } = device;
          const sessionId = await world.start({ ...request, flow, documentNumber });
          const reading = readSession(world, device, { sessionId, can: older }, context);
          expect(await rejection(reading)).to.have.property('code', 'CLIENT_TOO_OLD');
          expect(await world.outcomeOf(sessionId)).to.include({
            endResult: 'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP',
            documentNumber,
          });
        });
      }
    }

    it('claims no signed link that it cannot answer', async () => {
      const { device } = await enrolled();
      const sessionId = await world.start({
        ...requests['signals that are required'],
        civilId: null,
        flow: 'DEVICE_LINK',
        generation: 'G2',
        deviceLink: {
          sessionToken: 'a'.repeat(24),
          sessionSecret: Buffer.alloc(18).toString('base64'),
        },
        nested: {
          scheme: 'smart-id',
          signatureAlgorithm: 'rsassa-pss',
          serverRandom: null,
          linkedSessionId: null,
          initialCallbackUrl: null,
        },
      });
      const { state } = await world.sessions.load(sessionId);
      if (state.status !== 'RUNNING') throw new Error('It does not run.');
      const now = world.clock.now();
      const base = 'https://smart-id.com/device-link';
      const link = signedLink(state.started, { type: 'App2App', base, lang: 'mon', now });
      const dependencies = { ...world, sessionTokens: { sessionIdOf: () => sessionId } };
      const open = (can: typeof older) =>
        openDeviceLink(dependencies, device, { link, can }, () => context);
      expect(await rejection(open(older))).to.have.property('code', 'CLIENT_TOO_OLD');
      expect(typesOf(sessionId)).to.deep.equal(['SessionStarted']);
      expect(await open(newest)).to.include({ sessionId, deviceLinkType: 'App2App' });
    });
  });

  describe('reading the inbox', () => {
    it('leaves out what a newer release wrote, and tells the others', async () => {
      const { device } = await enrolled();
      const [newer, known] = [await world.start(), await world.start()];
      const reading = (isOfNewerRelease: boolean) => {
        const event = { id: newer, type: 'SessionStarted', position: 1n };
        const load = (id: string) =>
          id === newer
            ? Promise.reject(new UndecodableEvent(event, null, isOfNewerRelease))
            : world.sessions.load(id);
        const asked = { timeoutMs: 0, seen: [], onGone: () => () => undefined };
        return readInbox({ ...world, sessions: { load } }, device, asked);
      };
      const { sessions } = await reading(true);
      expect(sessions).to.include(known).and.not.to.include(newer);
      expect(await rejection(reading(false))).to.be.instanceOf(UndecodableEvent);
    });

    it('misses nothing that begins between listening and reading', async () => {
      const { device } = await enrolled();
      const { sessions: seen } = await readInbox(world, device, {
        timeoutMs: 0,
        seen: [],
        onGone: () => () => undefined,
      });
      let begun: string | undefined;
      const sessionViews = {
        runningSessionsOf: async (civilId: string) => {
          const found = await world.sessionViews.runningSessionsOf(civilId);
          begun ??= await world.start();
          return found;
        },
      };
      const found = await readInbox({ ...world, sessionViews }, device, {
        timeoutMs: 20_000,
        seen,
        onGone: () => () => undefined,
      });
      expect(found.sessions).to.deep.equal([begun]);
    });

    it('ends when the caller is gone, and leaves no listener behind', async () => {
      const { device } = await enrolled();
      const { sessions: seen } = await readInbox(world, device, {
        timeoutMs: 0,
        seen: [],
        onGone: () => () => undefined,
      });
      let gone: () => void = () => undefined;
      const reading = readInbox(world, device, {
        timeoutMs: 20_000,
        seen,
        onGone: (callback) => {
          gone = callback;
          return () => undefined;
        },
      });
      await world.untilListening(device.civilId);
      gone();
      expect((await reading).sessions).to.deep.equal([]);
      expect(world.notifications.waiting()).to.equal(0);
    });
  });
});

describe('The replay store in memory', () => {
  it('knows a use again until it could not be used any more', () => {
    let now = 1_000_000;
    const store = createMemoryReplayStore({ now: () => now });
    const until = new Date(now + 60_000);
    expect(store.firstUse('a', until)).to.equal(true);
    expect(store.firstUse('a', until)).to.equal(false);
    expect(store.firstUse('b', until)).to.equal(true);
    now += 60_000;
    expect(store.firstUse('a', until)).to.equal(false);
  });

  it('forgets old uses and refuses new ones when it is full', () => {
    let now = 1_000_000;
    const store = createMemoryReplayStore({ now: () => now, capacity: 2 });
    void store.firstUse('a', new Date(now + 60_000));
    void store.firstUse('b', new Date(now + 60_000));
    expect(() => store.firstUse('c', new Date(now + 60_000))).to.throw(Overloaded);
    now += 62_000;
    expect(store.firstUse('c', new Date(now + 60_000))).to.equal(true);
  });
});

describe('The attempt limits in memory', () => {
  it('count per key, within a window, and start again after success', () => {
    let now = 0;
    const limits = createMemoryAttemptLimits({ attempts: 2, windowMs: 10_000, now: () => now });
    expect([limits.attempt('a'), limits.attempt('a'), limits.attempt('a')]).to.deep.equal([
      0, 0, 10,
    ]);
    expect(limits.attempt('b')).to.equal(0);
    now = 4_000;
    expect(limits.attempt('a')).to.equal(6);
    now = 10_000;
    expect(limits.attempt('a')).to.equal(0);
    void limits.succeeded('a');
    expect([limits.attempt('a'), limits.attempt('a')]).to.deep.equal([0, 0]);
    void limits.takeBack('a');
    expect([limits.attempt('a'), limits.attempt('a')]).to.deep.equal([0, 10]);
  });
});
