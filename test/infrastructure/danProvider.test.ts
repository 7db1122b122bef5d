import { expect } from 'chai';
import type { Step } from '../../application/identityVerification/submitStep.ts';
import type { VerificationView } from '../../application/identityVerification/verificationView.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { createAuthorizationServer } from '../../infrastructure/identity/authorizationServer.ts';
import type { ClaimPointers } from '../../infrastructure/identity/claims.ts';
import { createDanProvider } from '../../infrastructure/identity/danProvider.ts';
import { identityProviderContract } from '../contracts/identityProviderContract.ts';
import {
  type AuthorizationServerDouble,
  danClient,
  startAuthorizationServer,
} from '../support/doubles/authorizationServerDouble.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { openVerificationWorld } from '../support/worlds/verificationWorld.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';
import { bold, twoPersons } from '../support/given/persons.ts';

const redirectUri = 'https://eid.example.mn/v3/kyc/dan/callback';

/** Response in the form of the national authority: a list of services whose answers hold the number. */
const answerOf = (regnum: string, firstname = bold.identity.givenName) => ({
  services: [{}, { getCitizenIDCardInfo: { response: { regnum, firstname } } }],
});
const claims = {
  registrationNumber: '/services/1/getCitizenIDCardInfo/response/regnum',
  givenName: '/services/1/getCitizenIDCardInfo/response/firstname',
};

describe('DAN as an identity provider', () => {
  let authority: AuthorizationServerDouble;

  before(async () => {
    authority = await startAuthorizationServer();
  });

  after(() => authority.stop());

  function openWorld(scope = 'openid profile', timeoutMs = 5000, asked: ClaimPointers = claims) {
    const clock = manualClock(null);
    const calls: string[] = [];
    const server = createAuthorizationServer(
      { ...authority.urls, ...danClient, scope, redirectUri, timeoutMs },
      (operation, status) => calls.push(`${operation} ${status}`),
    );
    const dan = createDanProvider({
      server,
      clientId: danClient.clientId,
      scope,
      claims: asked,
      issuer: authority.origin,
      idTokenIssuer: authority.origin,
      civilRegistry: twoPersons,
      clock,
    });
    return { ...openVerificationWorld({ dan }, clock), calls };
  }

  function urlOf({ step }: VerificationView): string {
    if (step?.type !== 'REDIRECT') throw new Error('The person is sent nowhere.');
    return step.url;
  }

  function signedIn(view: VerificationView, person: object): Step {
    const { state, code } = authority.signIn(urlOf(view), person);
    return { method: 'dan', input: { state, code } };
  }

  const asBold = (view: VerificationView) => signedIn(view, answerOf('УБ85031512'));

  identityProviderContract(() =>
    Promise.resolve({
      method: 'dan',
      world: openWorld(),
      good: asBold,
      bad: [
        {
          name: 'the person refused',
          reason: 'DENIED',
          step: (view) => {
            const { state } = authority.signIn(urlOf(view), {});
            return { method: 'dan', input: { state, error: 'access_denied' } };
          },
        },
        {
          name: 'a code the authority did not give',
          reason: 'CODE_REJECTED',
          step: (view) => {
            const { state } = authority.signIn(urlOf(view), {});
            return { method: 'dan', input: { state, code: 'made up' } };
          },
        },
        {
          name: 'another state',
          reason: 'STATE_INVALID',
          step: (view) => {
            const { code } = authority.signIn(urlOf(view), answerOf('УБ85031512'));
            return { method: 'dan', input: { state: `${view.verificationId}.x`, code } };
          },
        },
        {
          name: 'somebody the registry does not know',
          reason: 'PERSON_UNKNOWN',
          step: (view) => signedIn(view, answerOf('УУ00000000')),
        },
        {
          name: 'another name than the registry has',
          reason: 'NOT_MATCHED',
          step: (view) => signedIn(view, answerOf('УБ85031512', 'Саран')),
        },
        {
          name: 'an answer without the number',
          reason: 'SUBJECT_UNREADABLE',
          step: (view) => signedIn(view, { services: [] }),
        },
      ],
    }),
  );

  it('sends people there with what RFC 6749 and PKCE ask for, new in every turn', async () => {
    const world = openWorld();
    const { view, holder } = world.start('dan');
    const { searchParams: sent } = new URL(urlOf(view));
    expect(Object.fromEntries(sent)).to.include({
      response_type: 'code',
      client_id: 'tamga',
      redirect_uri: redirectUri,
      scope: 'openid profile',
      code_challenge_method: 'S256',
    });
    expect(urlOf(await world.read(holder)), 'the same when asked again').to.equal(urlOf(view));
    const failed = await world.submit(holder, signedIn(view, {}));
    const { searchParams: next } = new URL(urlOf(failed));
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(sent.get(name), name).to.match(/[A-Za-z0-9_-]{43}$/);
      expect(next.get(name), name).not.to.equal(sent.get(name));
    }
  });

  it('takes no code that was given in somebody else’s verification', async () => {
    const world = openWorld();
    const victim = world.start('dan');
    const thief = world.start('dan');
    const { code } = authority.signIn(urlOf(victim.view), answerOf('УБ85031512'));
    const { state } = authority.signIn(urlOf(thief.view), answerOf('АА90110724'));
    const stolen = await world.submit(thief.holder, { method: 'dan', input: { state, code } });
    expect(stolen, 'PKCE').to.include({ failure: 'CODE_REJECTED' });
  });

  it('takes no ID token that is for another request, another client, or too old', async () => {
    const world = openWorld();
    for (const tampered of [
      { nonce: 'another' },
      { iss: 'https://elsewhere.example' },
      { aud: ['tamga', 'another'] },
      { azp: 'another' },
      { aud: 'another' },
      { exp: 1 },
      { sub: 'another' },
    ]) {
      authority.state.tamper = (right) => ({ ...right, ...tampered });
      const { view, holder } = world.start('dan');
      const refused = await rejection(world.submit(holder, asBold(view)));
      expect(refused, Object.keys(tampered)[0]).to.be.instanceOf(Unavailable);
    }
    authority.state.tamper = (right) => right;
    authority.state.idToken = false;
    const { view, holder } = world.start('dan');
    expect(await rejection(world.submit(holder, asBold(view)))).to.be.instanceOf(Unavailable);
    authority.state.idToken = true;
  });

  it('needs no ID token where OpenID Connect was not asked for', async () => {
    const world = openWorld('W3sic2VydmljZXMiOltdfV0=');
    authority.state.idToken = false;
    const { view, holder } = world.start('dan');
    expect(new URL(urlOf(view)).searchParams.has('nonce')).to.equal(false);
    expect(await world.submit(holder, asBold(view))).to.include({ status: 'VERIFIED' });
    authority.state.idToken = true;
  });

  it('takes nobody whose two numbers are of two persons', async () => {
    const world = openWorld('openid', 5000, { registrationNumber: '/regnum', civilId: '/id' });
    const { view, holder } = world.start('dan');
    const two = { id: bold.civilId, regnum: 'АА90110724' };
    const refused = await world.submit(holder, signedIn(view, two));
    expect(refused).to.include({ status: 'PENDING', failure: 'NOT_MATCHED' });
    const one = { id: bold.civilId, regnum: 'УБ85031512' };
    expect(await world.submit(holder, signedIn(refused, one))).to.include({ status: 'VERIFIED' });
  });

  it('gives the attempt back when the authority says that the fault is its own', async () => {
    for (const error of ['server_error', 'temporarily_unavailable']) {
      const world = openWorld();
      const { view, holder } = world.start('dan');
      const { state } = authority.signIn(urlOf(view), {});
      const refused = await rejection(
        world.submit(holder, { method: 'dan', input: { state, error } }),
      );
      expect(refused, error).to.be.instanceOf(Unavailable);
      expect(await world.read(holder)).to.include({ attemptsLeft: 3, failure: 'UNAVAILABLE' });
    }
  });

  it('gives the attempt back when the authority is unavailable or does not answer in time', async () => {
    for (const [fault, timeoutMs, call] of [
      ['isAway', 5000, 'token 502'],
      ['hang', 50, 'token error'],
    ] as const) {
      const world = openWorld('openid', timeoutMs);
      const { view, holder } = world.start('dan');
      const step = asBold(view);
      authority.state[fault] = true;
      const error = await rejection(world.submit(holder, step));
      authority.state[fault] = false;
      expect(error, fault).to.be.instanceOf(Unavailable).and.include({ dependency: 'dan' });
      expect(await world.read(holder)).to.include({ attemptsLeft: 3, failure: 'UNAVAILABLE' });
      expect(world.calls).to.deep.equal([call]);
    }
  });
});
