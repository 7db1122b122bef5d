import { expect } from 'chai';
import { changePassword } from '../../application/operator/password.ts';
import { createSignInJournal } from '../../application/operator/signInJournal.ts';
import type { NewEvent } from '../../application/ports/eventStore.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { isRefusal, type RefusalCode } from '../../domain/shared/refusal.ts';
import { operatorByEmail } from '../../domain/operator/operators.ts';
import { createScryptPasswords } from '../../infrastructure/credentials/scryptPasswords.ts';
import { createMemoryAttemptLimits, systemRandomness } from '../../infrastructure/system.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  bat,
  requestFrom,
  type SignInProcess,
  type SignInWorld,
  signInWorld,
} from '../support/worlds/signInWorld.ts';
import { problemOf } from '../../api/problems/problem.ts';

async function refusal(promise: Promise<unknown>, code: RefusalCode) {
  const error = await rejection(promise);
  if (!isRefusal(error, code)) throw error;
  return error;
}

describe('Signing in', () => {
  let world: SignInWorld;
  let here: SignInProcess;

  beforeEach(async () => {
    world = signInWorld();
    here = world.startProcess();
    await here.seed();
  });

  const operator = async () => {
    const found = operatorByEmail(await here.directory.current(), bat.email);
    if (found === undefined) throw new Error('Bat is not there.');
    return found;
  };

  /** Bat signs in for the first time. */
  async function enrol() {
    const first = await here.signIn();
    const secret = first.enrolment?.secret ?? '';
    return { secret, ...(await here.confirm(first.token, world.codeOf(secret))) };
  }

  it('shows an authenticator its secret until a right code has confirmed it', async () => {
    const offered = await here.signIn();
    const again = await here.signIn();
    expect(again.enrolment?.secret).not.to.equal(offered.enrolment?.secret);
    expect(again.enrolment?.uri).to.contain(again.enrolment?.secret);
    const wrong = await refusal(here.confirm(again.token, '000000'), 'SECOND_FACTOR_WRONG');
    expect(wrong.message).to.equal('SECOND_FACTOR_WRONG');
    await here.confirm(again.token, world.codeOf(again.enrolment?.secret ?? ''));
    expect((await here.signIn()).enrolment).to.equal(null);
  });

  it('enrols the authenticator that is confirmed first, and refuses the other', async () => {
    const [one, other] = [await here.signIn(), await here.signIn()];
    await here.confirm(one.token, world.codeOf(one.enrolment?.secret ?? ''));
    const theirs = here.confirm(other.token, world.codeOf(other.enrolment?.secret ?? '', 1));
    await refusal(theirs, 'SECOND_FACTOR_WRONG');
  });

  it('shows the secret to nobody who only sees the token', async () => {
    const { token, enrolment } = await here.signIn();
    const payload = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString();
    expect(payload).to.contain('"enr":').and.not.to.contain(enrolment?.secret);
  });

  it('gives a session with the role of the operator', async () => {
    const { token } = await enrol();
    const session = await here.findSession(token);
    expect(session?.operator).to.include({ email: bat.email, role: 'SUPER_ADMIN' });
    expect(world.happened()).to.deep.equal([
      ...['OperatorAdded', 'PasswordAccepted', 'SecondFactorEnrolled'],
    ]);
    expect(here.results).to.deep.equal(['PASSWORD OK', 'SECOND_FACTOR OK']);
  });

  it('takes a code once, whichever process it is brought to', async () => {
    const { secret } = await enrol();
    const elsewhere = world.startProcess();
    await elsewhere.directory.start();
    const code = world.codeOf(secret, 1);
    const [first, second] = [await here.signIn(), await elsewhere.signIn()];
    const both = await Promise.allSettled([
      here.confirm(first.token, code),
      elsewhere.confirm(second.token, code),
    ]);
    expect(both.map(({ status }) => status)).to.have.members(['fulfilled', 'rejected']);
    await refusal(here.confirm(second.token, code), 'SECOND_FACTOR_WRONG');
    await refusal(elsewhere.confirm(first.token, code), 'SECOND_FACTOR_WRONG');
    await elsewhere.directory.stop();
    await here.journal.settle();
    await elsewhere.journal.settle();
    const reasons = world.eventStore.events
      .filter(({ event }) => event.type === 'SignInFailed')
      .map(({ event }) => (event.data as { readonly reason: string }).reason);
    expect(reasons).to.deep.equal(['REPLAYED', 'REPLAYED', 'REPLAYED']);
  });

  it('takes no token of the other step', async () => {
    const { token, secret } = await enrol();
    const { token: mfa } = await here.signIn();
    await refusal(here.confirm(token, world.codeOf(secret, 1)), 'UNAUTHENTICATED');
    expect(await here.findSession(mfa)).to.equal(null);
  });

  describe('N8: what ends a session ends it at once, in every process', () => {
    const about = () => operator().then(({ operatorId }) => operatorId);
    const now = () => world.clock.now().toISOString();
    const by = requestFrom('192.0.2.1');
    const ends: Readonly<Record<string, (token: string) => Promise<unknown>>> = {
      'signing out': (token) => here.signOut(token, () => by),
      deactivation: async () => {
        const second = { email: 'second@tamga.example', role: 'SUPER_ADMIN' } as const;
        await here.directory.handle(
          {
            type: 'AddOperator',
            operatorId: 'second',
            ...second,
            passwordHash: '',
            mustChangePassword: false,
            unlessKnown: false,
            now: now(),
          },
          by,
        );
        const operatorId = await about();
        await here.directory.handle({ type: 'DeactivateOperator', operatorId, now: now() }, by);
      },
      'another password, set by others': async () => {
        const change = { operatorId: await about(), passwordHash: '', now: now() };
        await here.directory.handle(
          { type: 'ChangePassword', ...change, confirmed: null, sessionId: null },
          by,
        );
      },
      'another authenticator': async () => {
        const operatorId = await about();
        await here.directory.handle({ type: 'ResetSecondFactor', operatorId, now: now() }, by);
      },
    };

    for (const [what, end] of Object.entries(ends)) {
      it(what, async () => {
        const { token, secret } = await enrol();
        const second = await here.signIn();
        const other = await here.confirm(second.token, world.codeOf(secret, 1));
        const elsewhere = world.startProcess();
        await elsewhere.directory.start();
        expect(await elsewhere.findSession(other.token)).not.to.equal(null);

        await end(other.token);

        expect(await here.findSession(other.token)).to.equal(null);
        expect(await elsewhere.findSession(other.token)).to.equal(null);
        // A token of the second step gives no session of the same sign-in again.
        world.clock.advance(60_000);
        await refusal(here.confirm(second.token, world.codeOf(secret)), 'UNAUTHENTICATED');
        const isOneSession = what === 'signing out';
        expect((await here.findSession(token)) !== null).to.equal(isOneSession);
        await elsewhere.directory.stop();
      });
    }
  });

  it('says and does the same whatever is wrong', async () => {
    const seen: unknown[] = [];
    await enrol();
    const deactivated = 'dorj@tamga.example';
    const now = world.clock.now().toISOString();
    await here.directory.handle(
      {
        type: 'AddOperator',
        operatorId: 'dorj',
        email: deactivated,
        role: 'AUDITOR',
        now,
        passwordHash: (await operator()).passwordHash,
        mustChangePassword: false,
        unlessKnown: false,
      },
      requestFrom('192.0.2.1'),
    );
    const deactivate = { type: 'DeactivateOperator', operatorId: 'dorj', now } as const;
    await here.directory.handle(deactivate, requestFrom('192.0.2.1'));
    const { passwords } = here.dependencies;
    const verified: (string | null)[] = [];
    const watched: typeof passwords = {
      ...passwords,
      verify: (password, hash) => {
        verified.push(hash);
        return passwords.verify(password, hash);
      },
    };
    Object.assign(here.dependencies, { passwords: watched });
    for (const [email, password] of [
      ['nobody@tamga.example', bat.password],
      [bat.email, 'wrong'],
      [deactivated, bat.password],
      [deactivated, 'wrong'],
      ['', ''],
    ] as const) {
      here.asked.length = 0;
      verified.length = 0;
      const { code, detail } = await refusal(here.signIn(email, password), 'SIGN_IN_FAILED');
      seen.push({ code, detail, limits: here.asked.length, passwords: verified.length });
    }
    expect(seen).to.deep.equal(
      Array.from({ length: 5 }, () => ({
        code: 'SIGN_IN_FAILED',
        detail: undefined,
        limits: 3,
        passwords: 1,
      })),
    );
  });

  it('names no e-mail to who counts the attempts, nor in the log', async () => {
    await refusal(here.signIn('nobody@tamga.example', 'wrong'), 'SIGN_IN_FAILED');
    await refusal(here.signIn(bat.email, 'wrong'), 'SIGN_IN_FAILED');
    await here.journal.settle();
    const failures = world.eventStore.events.filter(({ event }) => event.type === 'SignInFailed');
    expect(failures).to.have.length(2);
    expect(here.asked).to.have.length(6);
    const kept = JSON.stringify([
      here.asked,
      failures.map(({ event, metadata }) => ({ event, metadata })),
    ]);
    expect(kept).not.to.contain('@').and.not.to.contain('wrong"');
  });

  it('is throttled for one e-mail from one address, and forgets that with the right password', async () => {
    for (let tries = 0; tries < 4; tries += 1) {
      await refusal(here.signIn(bat.email, 'wrong'), 'SIGN_IN_FAILED');
    }
    await here.signIn();
    for (let tries = 0; tries < 5; tries += 1) {
      await refusal(here.signIn(bat.email.toUpperCase(), 'wrong'), 'SIGN_IN_FAILED');
    }
    const throttled = await refusal(here.signIn(), 'RATE_LIMITED');
    expect(throttled.retryAfterSeconds).to.be.within(1, 900);
    await here.signIn(bat.email, bat.password, '192.0.2.2');
    world.clock.advance(900_000);
    await here.signIn();
  });

  it('is throttled for one address, whoever is tried', async () => {
    for (let tries = 0; tries < 30; tries += 1) {
      await refusal(here.signIn(`${tries}@tamga.example`, 'wrong'), 'SIGN_IN_FAILED');
    }
    await refusal(here.signIn(), 'RATE_LIMITED');
  });

  it('counts the addresses of one IPv6 network as one: a customer has them all', async () => {
    for (let tries = 0; tries < 5; tries += 1) {
      const wrong = here.signIn(bat.email, 'wrong', `2001:db8:1:2::${tries}`);
      await refusal(wrong, 'SIGN_IN_FAILED');
    }
    await refusal(here.signIn(bat.email, bat.password, '2001:db8:1:2:3::4'), 'RATE_LIMITED');
    const { token } = await here.signIn(bat.email, bat.password, '2001:db8:1:3::1');
    for (let tries = 0; tries < 9; tries += 1) {
      const wrong = here.confirm(token, '000000', `2001:db8:1:2::${tries}`);
      await refusal(wrong, 'SECOND_FACTOR_WRONG');
    }
    expect(here.asked.filter((key) => key.startsWith('operator-code-address'))).to.deep.equal(
      Array.from({ length: 9 }, () => 'operator-code-address 2001:db8:1:2::/64'),
    );
  });

  it('is throttled for one e-mail, from wherever', async () => {
    for (let tries = 0; tries < 50; tries += 1) {
      await refusal(here.signIn(bat.email, 'wrong', `192.0.2.${tries}`), 'SIGN_IN_FAILED');
    }
    await refusal(here.signIn(bat.email, bat.password, '198.51.100.1'), 'RATE_LIMITED');
    expect(here.results.at(-1)).to.equal('PASSWORD THROTTLED');
  });

  it('R3: is not locked by anonymous callers for an operator at a familiar network', async () => {
    const { secret } = await enrol();
    world.clock.advance(60_000);
    const { token } = await here.signIn();
    await here.confirm(token, world.codeOf(secret));
    for (let tries = 0; tries < 60; tries += 1) {
      const code = tries < 48 ? 'SIGN_IN_FAILED' : 'RATE_LIMITED';
      await refusal(here.signIn(bat.email, 'wrong', `198.51.100.${tries}`), code);
    }
    await here.signIn();
    await refusal(here.signIn(bat.email, bat.password, '203.0.113.1'), 'RATE_LIMITED');
  });

  it("R3: an attacker's own account does not begin the count of their address anew", async () => {
    for (let tries = 0; tries < 29; tries += 1) {
      await refusal(here.signIn(`${tries}@tamga.example`, 'wrong'), 'SIGN_IN_FAILED');
    }
    await here.signIn();
    await refusal(here.signIn('29@tamga.example', 'wrong'), 'SIGN_IN_FAILED');
    await refusal(here.signIn(), 'RATE_LIMITED');
  });

  it('is throttled for the codes of one operator, from wherever', async () => {
    const { secret } = await enrol();
    const { token } = await here.signIn();
    for (let tries = 0; tries < 10; tries += 1) {
      await refusal(here.confirm(token, '000000', `192.0.2.${tries}`), 'SECOND_FACTOR_WRONG');
    }
    const code = world.codeOf(secret, 1);
    await refusal(here.confirm(token, code, '198.51.100.1'), 'RATE_LIMITED');
  });

  it('records a lockout once', async () => {
    for (let tries = 0; tries < 20; tries += 1) await rejection(here.signIn(bat.email, 'wrong'));
    await here.journal.settle();
    expect(world.happened('OperatorAdded')).to.deep.equal([
      ...Array.from({ length: 5 }, () => 'SignInFailed'),
      'SignInThrottled',
    ]);
  });

  it('bounds the events of anonymous callers, counts the rest, and still records every failure of an operator', async () => {
    for (let tries = 0; tries < 100; tries += 1) {
      await rejection(here.signIn(`${tries}@tamga.example`, 'wrong', `192.0.2.${tries}`));
    }
    await rejection(here.signIn(bat.email, 'wrong', '198.51.100.1'));
    await here.journal.settle();
    const failures = world.eventStore.events
      .map(({ event }) => event)
      .filter(({ type }) => type === 'SignInFailed')
      .map(({ data }) => data as { readonly operatorId: string | null; readonly omitted: number });
    expect(failures).to.have.length(61);
    expect(failures.at(-1)).to.include({
      operatorId: (await operator()).operatorId,
      omitted: 40,
    });
  });

  it('lets the break-glass key open nothing, however often it is tried, while its use cannot be written down', async () => {
    const { clock } = world;
    let isAway = true;
    const append = (stream: string, events: readonly NewEvent[]) =>
      isAway
        ? Promise.reject(new Unavailable('eventStore'))
        : world.eventStore.append(stream, events, 'any');
    const journal = createSignInJournal({
      eventStore: { append },
      clock,
      randomness: systemRandomness,
      onFailure: () => undefined,
    });
    const use = () => journal.breakGlassUsed(requestFrom('192.0.2.1'));
    const answers = await Promise.allSettled([use(), use(), use()]);
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(3).fill('rejected'));
    isAway = false;
    await Promise.all([use(), use()]);
    await use();
    expect(world.happened('OperatorAdded')).to.deep.equal(['BreakGlassKeyUsed']);
  });

  it('keeps a password under new parameters from the next time on', async () => {
    const costlier = createScryptPasswords({ cost: { ln: 5, r: 8, p: 1 } });
    Object.assign(here.dependencies, { passwords: costlier });
    await here.signIn();
    expect((await operator()).passwordHash).to.match(/^\$scrypt\$ln=5,/);
    await here.signIn();
    expect(world.happened().filter((type) => type === 'PasswordRehashed')).to.have.length(1);
  });

  it('is not possible without a secret for tokens', async () => {
    Object.assign(here.dependencies, { tokens: null });
    await refusal(here.signIn(), 'SIGN_IN_DISABLED');
    await refusal(here.confirm('token', '000000'), 'SIGN_IN_DISABLED');
  });

  describe('to a session', () => {
    const now = () => world.clock.now().toISOString();
    const change = async (
      newPassword: string,
      sessionId: string,
      currentPassword: string = bat.password,
    ) =>
      changePassword(
        {
          directory: here.directory,
          passwords: here.dependencies.passwords,
          journal: here.journal,
          limit: createMemoryAttemptLimits(),
          clock: world.clock,
        },
        await operator(),
        { currentPassword, newPassword, sessionId },
        requestFrom('192.0.2.1'),
      );
    const sessionIdOf = async (token: string) => (await here.findSession(token))?.sessionId ?? '';

    it('ends with a deactivation, also in a process that only follows', async () => {
      const elsewhere = world.startProcess();
      await elsewhere.directory.start();
      const { token, operator: who } = await enrol();
      const second = {
        type: 'AddOperator',
        operatorId: 'dorj',
        email: 'dorj@tamga.example',
      } as const;
      const fields = { passwordHash: '', role: 'SUPER_ADMIN', mustChangePassword: false } as const;
      const by = requestFrom('192.0.2.1');
      await here.directory.handle({ ...second, ...fields, unlessKnown: false, now: now() }, by);
      const seen = async () => (await elsewhere.findSession(token))?.operator.role ?? null;
      await eventually(async () => expect(await seen()).to.equal('SUPER_ADMIN'));
      const { operatorId } = who;
      const demote = { type: 'ChangeRole', operatorId, role: 'AUDITOR', now: now() } as const;
      await here.directory.handle(demote, by);
      await eventually(async () => expect(await seen()).to.equal('AUDITOR'));
      await here.directory.handle({ type: 'DeactivateOperator', operatorId, now: now() }, by);
      expect(await here.findSession(token)).to.equal(null);
      await eventually(async () => expect(await seen()).to.equal(null));
      await elsewhere.directory.stop();
    });

    it('is looked up in the log where the log cannot be followed', async () => {
      const elsewhere = world.startProcess();
      const { token } = await enrol();
      expect(await elsewhere.findSession(token)).not.to.equal(null);
      await change('another password', 'a session elsewhere');
      expect(await elsewhere.findSession(token)).to.equal(null);
      expect(await here.findSession(token)).to.equal(null);
    });

    it('ends when the password is changed in another, and goes on in that one', async () => {
      const { token: mine, secret } = await enrol();
      const { token: mfa } = await here.signIn();
      const { token: other } = await here.confirm(mfa, world.codeOf(secret, 1));
      const { token: pending } = await here.signIn();
      await change('another password', await sessionIdOf(mine));
      expect(await here.findSession(mine)).not.to.equal(null);
      expect(await here.findSession(other)).to.equal(null);
      world.clock.advance(60_000);
      await refusal(here.confirm(pending, world.codeOf(secret, 1)), 'UNAUTHENTICATED');
      await refusal(here.signIn(), 'SIGN_IN_FAILED');
      expect((await here.signIn(bat.email, 'another password')).enrolment).to.equal(null);
    });

    it('ends when the authenticator is reset', async () => {
      const { token, operator: who } = await enrol();
      const { operatorId } = who;
      const reset = { type: 'ResetSecondFactor', operatorId, now: now() } as const;
      await here.directory.handle(reset, requestFrom('192.0.2.1'));
      expect(await here.findSession(token)).to.equal(null);
      expect((await here.signIn()).enrolment).not.to.equal(null);
    });

    it('changes the password only for who knows the current one, and to another', async () => {
      const sessionId = await sessionIdOf((await enrol()).token);
      await refusal(change('another password', sessionId, 'wrong'), 'CURRENT_PASSWORD_WRONG');
      await here.journal.settle();
      expect(world.happened().at(-1)).to.equal('SignInFailed');
      await refusal(change('seven 7', sessionId), 'INVALID_REQUEST');
      await refusal(change(bat.password, sessionId), 'INVALID_REQUEST');
      await refusal(change('x'.repeat(257), sessionId), 'INVALID_REQUEST');
      expect((await operator()).mustChangePassword).to.equal(true);
      await change('eight 88', sessionId);
      expect((await operator()).mustChangePassword).to.equal(false);
    });
  });

  it('seeds one operator, however often and wherever it is done', async () => {
    const elsewhere = world.startProcess();
    await Promise.all([here.seed(), elsewhere.seed()]);
    const fresh = signInWorld();
    const processes = [fresh.startProcess(), fresh.startProcess()];
    await Promise.all(processes.map((each) => each.seed()));
    expect(fresh.happened()).to.deep.equal(['OperatorAdded']);
    expect(world.happened()).to.deep.equal(['OperatorAdded']);
  });

  it('keeps one of the two last SUPER_ADMINs when both are taken away at once', async () => {
    const now = world.clock.now().toISOString();
    const by = requestFrom('192.0.2.1');
    const hash = (await operator()).passwordHash;
    await here.directory.handle(
      {
        type: 'AddOperator',
        operatorId: 'dorj',
        email: 'dorj@tamga.example',
        now,
        passwordHash: hash,
        role: 'SUPER_ADMIN',
        mustChangePassword: false,
        unlessKnown: false,
      },
      by,
    );
    const elsewhere = world.startProcess();
    await elsewhere.directory.current();
    const { operatorId } = await operator();
    const both = await Promise.allSettled([
      here.directory.handle({ type: 'ChangeRole', operatorId, role: 'AUDITOR', now }, by),
      elsewhere.directory.handle({ type: 'DeactivateOperator', operatorId: 'dorj', now }, by),
    ]);
    const refused = both.flatMap((each) =>
      each.status === 'rejected' ? [each.reason as unknown] : [],
    );
    expect(refused).to.have.length(1);
    const problem = problemOf(refused[0], 'request');
    expect(problem).to.have.property('status', 409);
    expect(problem).to.have.nested.property('body.code', 'LAST_SUPER_ADMIN');
  });
});
