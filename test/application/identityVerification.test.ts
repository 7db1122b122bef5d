import { expect } from 'chai';
import { cancelVerification } from '../../application/identityVerification/cancelVerification.ts';
import { createCitizenCardProvider } from '../../application/identityVerification/citizenCardProvider.ts';
import { type Step, submitStep } from '../../application/identityVerification/submitStep.ts';
import type { Citizens } from '../../application/aggregates.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { createVerificationExpiry } from '../../application/reactors/expireIdentityVerificationWhenTimeIsUp.ts';
import { identityProviderContract } from '../contracts/identityProviderContract.ts';
import { context } from '../support/worlds/deviceWorld.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { openVerificationWorld } from '../support/worlds/verificationWorld.ts';
import { everybodyActive } from '../support/doubles/memoryPorts.ts';
import { bold, cardOf, twoPersons } from '../support/given/persons.ts';

function openWorld() {
  return openVerificationWorld({
    citizenCard: createCitizenCardProvider({ civilRegistry: twoPersons }),
  });
}

const right = { method: 'citizenCard', input: cardOf(bold) } as const;
const card = (changes: object) =>
  ({ method: 'citizenCard', input: { ...cardOf(bold), ...changes } }) as const;

describe('The citizen card as an identity provider', () => {
  identityProviderContract(() =>
    Promise.resolve({
      method: 'citizenCard',
      world: openWorld(),
      good: () => right,
      bad: [
        { name: 'another card', reason: 'NOT_MATCHED', step: () => card({ cardNumber: 'E9' }) },
        {
          name: 'another birth date',
          reason: 'NOT_MATCHED',
          step: () => card({ birthDate: '1985-03-16' }),
        },
        {
          name: 'nobody',
          reason: 'NOT_MATCHED',
          step: () => card({ identifier: '999999999999' }),
        },
        { name: 'no identifier', reason: 'NOT_MATCHED', step: () => card({ identifier: 'x' }) },
      ],
    }),
  );
});

describe('Verifying an identity', () => {
  it('R5: leaves no trace of starts and looks alone, nor of a step that comes too late', async () => {
    const world = openWorld();
    const { holder, view } = world.start('citizenCard');
    expect(await world.read(holder)).to.deep.equal(view);
    world.clock.advance(15 * 60_000);
    expect(await world.read(holder)).to.include({ status: 'EXPIRED', attemptsLeft: 0 });
    expect(await rejection(world.submit(holder, right))).to.include({
      code: 'VERIFICATION_EXPIRED',
    });
    expect(world.types()).to.deep.equal([]);
  });

  it('R5: is recorded with its first attempt, once though two come at once', async () => {
    const world = openWorld();
    const { holder } = world.start('citizenCard');
    const wrong = card({ cardNumber: 'E9' });
    await Promise.all([world.submit(holder, wrong), world.submit(holder, wrong)]);
    expect(world.types()).to.have.members([
      'IdentityVerificationStarted',
      ...Array<string>(2).fill('IdentityVerificationAttempted'),
      ...Array<string>(2).fill('IdentityVerificationAttemptFailed'),
    ]);
  });

  it('is found by its own secret alone, recorded or not', async () => {
    const world = openWorld();
    const { holder } = world.start('citizenCard');
    const { holder: other } = world.start('citizenCard');
    const stranger = { ...holder, secret: other.secret };
    for (const prepare of [() => Promise.resolve(), () => world.submit(holder, right)]) {
      await prepare();
      expect(await rejection(world.read(stranger))).to.include({ code: 'VERIFICATION_NOT_FOUND' });
    }
  });

  it('gives one token though the process died between the outcome and the token', async () => {
    const world = openWorld();
    const { holder } = world.start('citizenCard');
    const { citizens } = world;
    const dying: Citizens = { ...citizens, handle: () => Promise.reject(new Error('died')) };
    await rejection(world.submit(holder, right, { citizens: dying }));
    expect(world.types()).to.include('IdentityVerificationSucceeded');
    expect(world.types()).not.to.include('IdentityVerified');

    const [read, submitted] = await Promise.all([world.read(holder), world.submit(holder, right)]);
    expect(read.verified?.enrolmentToken).to.be.a('string');
    expect(submitted.verified).to.deep.equal(read.verified);
    expect(world.types().filter((type) => type === 'IdentityVerified')).to.have.length(1);
  });

  it('counts attempts at once: no more are judged than there are', async () => {
    const world = openWorld();
    const { holder } = world.start('citizenCard');
    const guesses = Array.from({ length: 8 }, (_, index) =>
      world.submit(holder, card({ cardNumber: `E${index}` })),
    );
    await Promise.allSettled(guesses);
    const judged = world.types().filter((type) => type === 'IdentityVerificationAttempted');
    expect(judged.length).to.be.at.most(3);
  });

  it('O5: counts an attempt whose process died only as long as it might have been judged', async () => {
    const world = openWorld();
    const { holder } = world.start('citizenCard');
    let begun: () => void = () => undefined;
    const isJudged = new Promise<void>((resolve) => (begun = resolve));
    const dying = {
      check: () => {
        begun();
        return new Promise(() => undefined);
      },
      nextStep: () => ({ type: 'CARD' }),
    };
    const providers = { citizenCard: dying } as never;
    void world.submit(holder, right, { providers });
    await isJudged;
    expect(await world.read(holder)).to.include({ attemptsLeft: 2, failure: null });
    world.clock.advance(60_000);
    expect(await world.read(holder)).to.include({ attemptsLeft: 3, failure: null });
  });

  it('O5: gives an attempt back that fails on our side', async () => {
    const world = openWorld();
    const { holder } = world.start('citizenCard');
    const failing = {
      check: () => Promise.reject(new Error('A fault of ours.')),
      nextStep: () => ({ type: 'CARD' }),
    };
    const providers = { citizenCard: failing } as never;
    await rejection(world.submit(holder, right, { providers }));
    expect(await world.read(holder)).to.include({ attemptsLeft: 3, failure: 'UNAVAILABLE' });
  });

  it('gives an attempt back when the registry is unavailable, or somebody is tried too often', async () => {
    const world = openWorld();
    const { holder } = world.start('citizenCard');
    const civilRegistry = { find: () => Promise.reject(new Unavailable('civilRegistry')) };
    const away = { citizenCard: createCitizenCardProvider({ civilRegistry }) };
    const error = await rejection(world.submit(holder, right, { providers: away }));
    expect(error).to.be.instanceOf(Unavailable);
    expect(await world.read(holder)).to.include({ attemptsLeft: 3, failure: 'UNAVAILABLE' });
    const attemptLimits = {
      attempt: () => 60,
      wait: () => 60,
      takeBack: () => undefined,
      succeeded: () => undefined,
    };
    const limited = await rejection(world.submit(holder, right, { attemptLimits }));
    expect(limited).to.include({ code: 'RATE_LIMITED', retryAfterSeconds: 60 });
    expect(await world.read(holder)).to.include({ attemptsLeft: 3, failure: 'LIMITED' });
  });

  it('F7: counts attempts for a person and an address: an anonymous caller does not lock the person out', async () => {
    const world = openWorld();
    const from = async (ip: string, step: Step) => {
      const { holder } = world.start('citizenCard');
      return submitStep(world, holder, step, { ...context, ip });
    };
    for (let each = 0; each < 10; each += 1) {
      await from('192.0.2.1', card({ cardNumber: `E${each}` }));
    }
    expect(await rejection(from('192.0.2.1', right))).to.include({ code: 'RATE_LIMITED' });
    expect(await from('198.51.100.1', right)).to.include({ status: 'VERIFIED' });
  });

  it('F7: suffices for an advanced certificate alone when a card number is all there was', async () => {
    const world = openWorld();
    const { holder } = world.start('citizenCard');
    await world.submit(holder, right);
    const { event } = world.eventStore.events.at(-1) ?? {};
    expect(event).to.deep.include({ type: 'IdentityVerified' });
    expect(event?.data).to.include({ highestLevel: 'ADVANCED' });
  });

  for (const [method, chip, highestLevel] of [
    ['passport', 'NOT_PROVED', 'ADVANCED'],
    ['passport', 'ACTIVE_AUTHENTICATION', 'QSCD'],
    ['gsign', undefined, 'QSCD'],
  ] as const) {
    it(`F7: suffices for ${highestLevel} by ${method}, chip ${String(chip)}`, async () => {
      const evidence = chip === undefined ? {} : { chip };
      const provider = {
        nextStep: () => ({ type: 'CARD' }),
        check: () => Promise.resolve({ outcome: 'IDENTIFIED', record: bold, evidence }),
      };
      const world = openVerificationWorld({ [method]: provider });
      const { holder } = world.start(method);
      await world.submit(holder, { method, input: {} } as never);
      expect(world.eventStore.events.at(-1)?.event.data).to.include({ highestLevel });
    });
  }

  it('takes the step of its own method alone, and no method that is not active', async () => {
    const world = openWorld();
    expect(() => world.start('dan')).to.throw('VERIFICATION_METHOD_NOT_AVAILABLE');
    const { holder } = world.start('citizenCard');
    const dan = { method: 'dan', input: { state: 's', code: 'c' } } as const;
    expect(await rejection(world.submit(holder, dan))).to.have.property('code', 'INVALID_REQUEST');
  });

  it('is given up by whoever started it', async () => {
    const world = openWorld();
    const { holder } = world.start('citizenCard');
    const cancelled = await cancelVerification(world, holder, context);
    expect(cancelled).to.include({ status: 'CANCELLED', step: null });
    expect(await rejection(world.submit(holder, right))).to.have.property(
      'code',
      'VERIFICATION_ENDED',
    );
  });

  it('expires by a sweep', async () => {
    const world = openWorld();
    const { holder, view } = world.start('citizenCard');
    await world.submit(holder, card({ cardNumber: 'E9' }));
    world.clock.advance(15 * 60_000);
    const expiry = createVerificationExpiry({
      verifications: world.verifications,
      overdue: {
        overdueVerifications: (_now, _limit, after) => Promise.resolve(after ? [] : [view]),
      },
      clock: world.clock,
      leaderLock: everybodyActive,
      onFailure: (_name, cause) => expect.fail(String(cause)),
      everyMs: 1,
    });
    expiry.start();
    await eventually(async () => {
      expect(world.types()).to.include('IdentityVerificationExpired');
      expect(await world.read(holder)).to.include({ status: 'EXPIRED' });
    });
    await expiry.stop();
    expect(world.types().filter((type) => type === 'IdentityVerificationExpired')).to.have.length(
      1,
    );
  });
});
