import { expect } from 'chai';
import { addOperator, resetOperator } from '../../application/operator/administration.ts';
import { assertIndependent } from '../../application/approval/decideApproval.ts';
import { BREAK_GLASS } from '../../domain/shared/operatorIdentities.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { createScryptPasswords } from '../../infrastructure/credentials/scryptPasswords.ts';
import { causedBy, givenInMemory } from '../support/given/inMemory.ts';

const DAY_MS = 86_400_000;

function independenceWorld() {
  const { clock, directory, eventStore, randomness } = givenInMemory();
  const passwords = createScryptPasswords({ cost: { ln: 4, r: 8, p: 1 } });
  const administering = { directory, passwords, clock, randomness };
  let added = 0;
  return {
    clock,
    async addedBy(actor: string): Promise<string> {
      const email = `${added++}@tamga.example`;
      const wanted = { email, password: 'a first password', mustChangePassword: true };
      const context = causedBy('operator', actor, email);
      const operator = await addOperator(
        administering,
        { ...wanted, role: 'SUPER_ADMIN' },
        context,
      );
      return operator.operatorId;
    },
    resetPassword: (actor: string, operatorId: string) =>
      resetOperator(
        administering,
        { operatorId, password: 'another password' },
        causedBy('operator', actor, 'reset'),
      ),
    raise: (actor: string, operatorId: string) =>
      directory.handle(
        {
          type: 'ChangeRole',
          operatorId,
          role: 'SECURITY_OFFICER',
          now: clock.now().toISOString(),
        },
        causedBy('operator', actor, 'raise'),
      ),
    async refusalOf(requester: string, approver: string): Promise<string | null> {
      try {
        await assertIndependent({ eventStore, clock }, requester, approver);
        return null;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return error.code;
      }
    },
  };
}

describe('F8: four eyes are two people', () => {
  it('refuses an approver whom the requester added, and the other way round, for 30 days', async () => {
    const world = independenceWorld();
    const boss = await world.addedBy('command line');
    const alias = await world.addedBy(boss);

    expect(await world.refusalOf(boss, alias)).to.equal('APPROVER_NOT_INDEPENDENT');
    expect(await world.refusalOf(alias, boss)).to.equal('APPROVER_NOT_INDEPENDENT');

    world.clock.advance(30 * DAY_MS + 1);
    expect(await world.refusalOf(boss, alias)).to.equal(null);
  });

  it('follows additions, resets and changes of role from operator to operator', async () => {
    const world = independenceWorld();
    const [first, second, third] = [
      await world.addedBy('command line'),
      await world.addedBy('command line'),
      await world.addedBy('command line'),
    ];
    expect(await world.refusalOf(first, third)).to.equal(null);

    await world.resetPassword(first, second);
    expect(await world.refusalOf(first, second)).to.equal('APPROVER_NOT_INDEPENDENT');
    await world.raise(second, third);

    expect(await world.refusalOf(first, third)).to.equal('APPROVER_NOT_INDEPENDENT');
    expect(await world.refusalOf(third, await world.addedBy('command line'))).to.equal(null);
  });

  it('lets operators added by the same administrator approve for each other', async () => {
    const world = independenceWorld();
    const boss = await world.addedBy('command line');
    const [one, other] = [await world.addedBy(boss), await world.addedBy(boss)];

    expect(await world.refusalOf(one, other)).to.equal(null);
  });

  it('never lets the break-glass key approve', async () => {
    const world = independenceWorld();
    expect(await world.refusalOf('somebody', BREAK_GLASS)).to.equal('PERMISSION_DENIED');
  });
});
