import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import type { RightTerms } from '../../domain/representation/events.ts';
import { startTestServer } from '../support/http/http.ts';
import { nestedAuthenticationBody, nestedSignatureBody } from '../support/http/nestedRequests.ts';
import {
  authenticationBody,
  civilId,
  relyingPartyWorld,
  signatureBody,
} from '../support/worlds/relyingPartyWorld.ts';

type Json = Record<string, unknown>;

const register = 'УБ5512345';
const etsi = `NTRMN-${register}`;
const start = '2026-06-01T00:00:00.000Z';
const anotherAdmin = '110000000099';
const signPush = `/v3/signature/notification/etsi/PNOMN-${civilId}`;
const authPush = `/v3/authentication/notification/etsi/PNOMN-${civilId}`;

describe('A session on behalf of an organization', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  async function begin() {
    const world = relyingPartyWorld();
    const { organizations, representations } = world;
    const party = world.addRelyingParty();
    const { origin, server } = await startTestServer(world.routes);
    stops.push(() => server.stop(100));
    const now = () => world.clock.now().toISOString();

    async function call(path: string, body?: object) {
      const response = await fetch(origin + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${party.secret}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Json };
    }
    await organizations.handle(
      register,
      {
        type: 'RegisterOrganization',
        registration: { register, name: 'Тамга ХХК', nameLatin: null, activate: true },
        now: now(),
      },
      world.context,
    );
    async function grant(who: string, changes: Partial<RightTerms> = {}) {
      const terms: RightTerms = {
        civilId: who,
        rightType: 'MANAGER',
        role: 'Захирал',
        source: 'MANUAL',
        evidenceRef: null,
        validFrom: start,
        validTo: null,
        ...changes,
      };
      const command = { type: 'GrantRight', register, civilId: who, terms, now: now() } as const;
      await representations.handle(register, command, world.context);
    }
    await grant(anotherAdmin, { rightType: 'ADMIN' });

    return {
      ...world,
      call,
      grant,
      setStatus: (type: 'SuspendOrganization' | 'RestoreOrganization') =>
        organizations.handle(register, { type, now: now() }, world.context),
      withdraw: () =>
        representations.handle(
          register,
          { type: 'WithdrawRight', register, civilId, endedBy: null, now: now() },
          world.context,
        ),
      sign: (onBehalfOf: string) =>
        call(signPush, signatureBody(party.relyingPartyId, { onBehalfOf })),
      poll: async (sessionId: string) => {
        await world.confirm(sessionId);
        return (await call(`/v3/session/${sessionId}?timeoutMs=0`)).body;
      },
      refuse: (sessionId: string) =>
        world.sessions.handle(
          sessionId,
          {
            type: 'RefuseSession',
            by: world.owner,
            endResult: 'USER_REFUSED',
            interaction: null,
            now: now(),
          },
          world.context,
        ),
      bodies: (onBehalfOf: string): readonly (readonly [string, object])[] => [
        [signPush, signatureBody(party.relyingPartyId, { onBehalfOf })],
        [authPush, authenticationBody(party.relyingPartyId, { onBehalfOf })],
        [signPush, nestedSignatureBody(party.relyingPartyId, {}, { onBehalfOf })],
        [authPush, nestedAuthenticationBody(party.relyingPartyId, {}, { onBehalfOf })],
      ],
      audited: () =>
        world.eventStore.events
          .filter(({ stream }) => stream.startsWith('access-'))
          .map(({ event, metadata: { actor } }) => [
            event.type,
            (event.data as { code?: string }).code ?? 'OK',
            actor.kind,
          ]),
    };
  }

  it('is let through with a right, in both generations, and audited', async () => {
    const { call, grant, bodies, sessions, audited } = await begin();
    await grant(civilId);
    for (const [path, body] of bodies(' ntrmn-уб5512345 ')) {
      const { status, body: answer } = await call(path, body);
      expect(status, JSON.stringify(answer)).to.equal(200);
      const { state } = await sessions.load(String(answer['sessionID']));
      expect(state.status !== 'NONE' && state.started.onBehalfOf).to.deep.equal({
        register,
        name: 'Тамга ХХК',
        rightType: 'MANAGER',
        role: 'Захирал',
      });
    }
    const accepted = ['OnBehalfAccepted', 'OK', 'relyingParty'];
    expect(audited()).to.deep.equal([accepted, accepted, accepted, accepted]);
  });

  it('is not audited as let through when it could not begin', async () => {
    const { sign, grant, eventStore, audited } = await begin();
    await grant(civilId);
    eventStore.beforeAppend = (stream) => {
      if (stream.startsWith('session-')) throw new Unavailable('eventStore');
    };
    expect((await sign(etsi)).status).to.equal(503);
    expect(audited()).to.deep.equal([]);
  });

  it('is refused without one, with the word that clients search for, and audited', async () => {
    const { call, bodies, audited } = await begin();
    for (const [path, body] of bodies(etsi)) {
      const { status, body: answer } = await call(path, body);
      expect([status, answer['code']]).to.deep.equal([403, 'REPRESENTATION_DENIED']);
      expect(answer['error']).to.include('represent');
    }
    const denied = ['OnBehalfDenied', 'REPRESENTATION_DENIED', 'relyingParty'];
    expect(audited()).to.deep.equal([denied, denied, denied, denied]);
  });

  it('tells withdrawn, ended and unconfirmed rights and unknown or inactive organizations apart', async () => {
    const { sign, grant, withdraw, setStatus, call, audited } = await begin();
    const refusal = async (onBehalfOf = etsi) => {
      const { status, body } = await sign(onBehalfOf);
      return [status, body['code']];
    };
    await grant(civilId);
    await withdraw();
    expect(await refusal()).to.deep.equal([403, 'REPRESENTATION_REVOKED']);
    expect(await refusal('NTRMN-7654321')).to.deep.equal([404, 'ORG_NOT_FOUND']);
    expect(await refusal('NTRMN-a/b')).to.deep.equal([400, 'INVALID_REQUEST']);
    await grant(civilId);
    await setStatus('SuspendOrganization');
    expect(await refusal()).to.deep.equal([409, 'ORG_NOT_ACTIVE']);
    await setStatus('RestoreOrganization');
    expect((await sign(etsi)).status).to.equal(200);
    expect(audited().map(([, code]) => code)).to.deep.equal([
      ...['REPRESENTATION_REVOKED', 'ORG_NOT_FOUND', 'ORG_NOT_ACTIVE', 'OK'],
    ]);
    const anonymous = await call(
      '/v3/authentication/device-link/anonymous',
      authenticationBody('', { onBehalfOf: etsi }),
    );
    expect(anonymous.status).to.equal(400);
  });

  it('honours the end of a right to the millisecond', async () => {
    const { sign, grant, clock } = await begin();
    await grant(civilId, { validTo: '2026-06-01T00:01:00.000Z' });
    clock.advance(59_999);
    expect((await sign(etsi)).status).to.equal(200);
    clock.advance(1);
    const { status, body } = await sign(etsi);
    expect([status, body['code']]).to.deep.equal([403, 'REPRESENTATION_EXPIRED']);
    expect(body['error']).to.include('represent');
  });

  it('says so as well when the citizen refused', async () => {
    const { sign, grant, call, refuse } = await begin();
    await grant(civilId);
    const { body } = await sign(etsi);
    const sessionId = String(body['sessionID']);
    await refuse(sessionId);
    const answer = await call(`/v3/session/${sessionId}?timeoutMs=0`);
    expect(answer.body['onBehalfOf']).to.deep.equal({
      orgEtsi: etsi,
      orgName: 'Тамга ХХК',
      role: 'Захирал',
      rightType: 'MANAGER',
    });
  });

  it('is answered with role and right as they are now', async () => {
    const { sign, grant, poll, call, withdraw } = await begin();
    await grant(civilId);
    const { body } = await sign(etsi);
    const sessionId = String(body['sessionID']);
    const orgName = 'Тамга ХХК';
    expect((await poll(sessionId))['onBehalfOf']).to.deep.equal({
      orgEtsi: etsi,
      orgName,
      role: 'Захирал',
      rightType: 'MANAGER',
    });
    await grant(civilId, { rightType: 'ADMIN', role: null });
    const again = async () => (await call(`/v3/session/${sessionId}?timeoutMs=0`)).body;
    expect((await again())['onBehalfOf']).to.deep.equal({
      orgEtsi: etsi,
      orgName,
      role: null,
      rightType: 'ADMIN',
    });
    await withdraw();
    expect((await again())['onBehalfOf']).to.deep.equal({
      orgEtsi: etsi,
      orgName,
      role: null,
      rightType: null,
    });
  });
});
