import { expect } from 'chai';
import type { Step } from '../../application/identityVerification/submitStep.ts';
import type { VerificationView } from '../../application/identityVerification/verificationView.ts';
import type {
  VerificationFailure,
  VerificationMethod,
} from '../../domain/identityVerification/events.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { rejection } from '../support/assertions/rejection.ts';
import type { VerificationWorld } from '../support/worlds/verificationWorld.ts';
import { bold } from '../support/given/persons.ts';

/** Setup of one provider: valid and invalid answers of Bold to its step. */
export interface ProviderUnderTest {
  readonly method: VerificationMethod;
  readonly world: VerificationWorld;
  good(view: VerificationView): Promise<Step> | Step;
  readonly bad: readonly {
    readonly name: string;
    readonly reason: VerificationFailure;
    step(view: VerificationView): Promise<Step> | Step;
  }[];
}

/** Contract of every identity provider in the common flow. */
export function identityProviderContract(start: () => Promise<ProviderUnderTest>): void {
  let given: ProviderUnderTest;

  beforeEach(async () => {
    given = await start();
  });

  it('is started with a step and a time', () => {
    const { view } = given.world.start(given.method);
    expect(view).to.include({ status: 'PENDING', attemptsLeft: 3, failure: null, verified: null });
    expect(view.step).to.be.an('object');
  });

  it('identifies the person, who gets one token, the same whenever it is asked for', async () => {
    const { world, method } = given;
    const { view, holder } = world.start(method);
    const verified = await world.submit(holder, await given.good(view));
    expect(verified).to.include({ status: 'VERIFIED', failure: null, step: null });
    const { enrolmentToken = '', etsi } = verified.verified ?? {};
    expect(etsi).to.equal(`PNOMN-${bold.civilId}`);
    const { state } = await world.citizens.load(bold.civilId);
    expect(state.status === 'VERIFIED' && state.tokens.map(({ hash }) => hash)).to.deep.equal([
      sha256Hex(enrolmentToken),
    ]);
    expect((await world.read(holder)).verified).to.deep.equal(verified.verified);
    const again = await world.submit(holder, await given.good(view));
    expect(again.verified).to.deep.equal(verified.verified);
    const types = world.types().filter((type) => type === 'IdentityVerified');
    expect(types).to.have.length(1);
    expect(world.counted).to.deep.equal([`${method} OK`]);
  });

  it('says why a step is not right, takes a right one after it, and no more than there are attempts', async () => {
    const { world, method, bad } = given;
    for (const { name, reason, step } of bad) {
      const { view, holder } = world.start(method);
      const failed = await world.submit(holder, await step(view));
      expect(failed, name).to.include({ status: 'PENDING', failure: reason, attemptsLeft: 2 });
      const verified = await world.submit(holder, await given.good(failed));
      expect(verified, name).to.include({ status: 'VERIFIED' });
    }
  });

  it('ends when every attempt failed', async () => {
    const { world, method, bad } = given;
    const [first] = bad;
    if (first === undefined) throw new Error('Nothing is wrong.');
    const { view, holder } = world.start(method);
    let last = view;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      last = await world.submit(holder, await first.step(last));
    }
    expect(last).to.include({ status: 'EXHAUSTED', attemptsLeft: 0, step: null });
    const refused = await rejection(world.submit(holder, await given.good(view)));
    expect(refused).to.have.property('code', 'VERIFICATION_ENDED');
  });

  it('takes nothing once the time is up', async () => {
    const { world, method } = given;
    const { view, holder } = world.start(method);
    const step = await given.good(view);
    world.clock.advance(15 * 60_000);
    const refused = await rejection(world.submit(holder, step));
    expect(refused).to.have.property('code', 'VERIFICATION_EXPIRED');
    expect(await world.read(holder)).to.include({ status: 'EXPIRED', step: null });
    world.clock.advance(-15 * 60_000);
  });

  it('shows nothing to whoever has not the secret', async () => {
    const { world, method } = given;
    const { view, holder } = world.start(method);
    const other = world.start(method);
    for (const wrong of [
      { ...holder, secret: other.holder.secret },
      { ...holder, verificationId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff' },
    ]) {
      const refused = await rejection(world.submit(wrong, await given.good(view)));
      expect(refused).to.have.property('code', 'VERIFICATION_NOT_FOUND');
    }
  });

  it('keeps no secret in the log', async () => {
    const { world, method } = given;
    const { view, holder } = world.start(method);
    const { verified } = await world.submit(holder, await given.good(view));
    const kept = JSON.stringify(world.eventStore.events, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(kept).not.to.contain(holder.secret);
    expect(kept).not.to.contain(verified?.enrolmentToken.split('.')[1]);
  });
}
