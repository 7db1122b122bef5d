import { expect } from 'chai';
import { createHeldNames } from '../../application/aggregates.ts';
import { createExpectNamesFree, createTakeNames } from '../../application/names/takeName.ts';
import {
  changeOrganizationStatus,
  editOrganization,
  registerOrganization,
} from '../../application/organization/administration.ts';
import { foldedName } from '../../domain/shared/foldedName.ts';
import { isRefusal, type RefusalCode } from '../../domain/shared/refusal.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { causedBy, givenInMemory } from '../support/given/inMemory.ts';

const context = causedBy('operator', 'cli', 'c');
const HOUR_MS = 60 * 60_000;
const registers = ['5000001', '5000002', '5000003'] as const;
const [first, second, third] = registers;

/** Organizations whose read model shows what the log has, unless it lags. */
function world() {
  const parts = givenInMemory();
  const { clock, eventStore, organizations } = parts;
  const lag = { is: false };

  async function usersOf(_: unknown, name: string): Promise<readonly string[]> {
    const users: string[] = [];
    for (const register of lag.is ? [] : registers) {
      const { state } = await organizations.load(register);
      if (state.status === 'NONE' || state.status === 'REVOKED') continue;
      const names = [state.name, state.nameLatin ?? state.name].map(foldedName);
      if (names.includes(foldedName(name))) users.push(register);
    }
    return users;
  }

  const holding = { heldNames: createHeldNames(parts.stores), namesInUse: { usersOf }, clock };
  const dependencies = Object.assign(parts, { takeNames: createTakeNames(holding) });
  return {
    clock,
    lag,
    expectFree: (holder: string, name: string) =>
      createExpectNamesFree(holding)({ scope: 'ORGANIZATION', holder, names: [name] }),
    register: (register: string, name: string, nameLatin: string | null = null) =>
      registerOrganization(dependencies, { register, name, nameLatin, activate: true }, context),
    edit: (register: string, name: string) =>
      editOrganization(dependencies, register, { name }, context),
    revoke: (register: string) =>
      changeOrganizationStatus(dependencies, register, 'revoke', context),
    taken: () => eventStore.events.filter(({ event }) => event.type === 'NameTaken').length,
  };
}

async function refused(code: RefusalCode, call: Promise<unknown>, what?: string) {
  expect(isRefusal(await rejection(call), code), what).to.equal(true);
}

describe('N7: names of organizations', () => {
  it('are those of one, however they are written, in their own letters or Latin', async () => {
    const { register, edit } = world();
    await register(first, 'Тамга ХХК', 'Tamga LLC');
    for (const name of ['Тамга ХХК', 'ТАМГА ххк', 'Тамга ХХК.', 'Tamga LLC', 'tamga llc']) {
      await refused('CONFLICT', register(second, name), name);
    }
    await refused('CONFLICT', register(second, 'Өөр ХХК', 'TAMGA LLC'));
    // Cyrillic letters that look like the Latin ones.
    await register(second, 'POCA');
    await refused('CONFLICT', register(third, 'РОСА'));
    await register(third, 'Гурав ХХК');
    await refused('CONFLICT', edit(third, 'Tamga LLC'));
    await refused('CONFLICT', edit(third, 'роса'));
    await edit(third, 'Гурав ТӨХК');
  });

  it('may be the same twice of one, and are told again without an event', async () => {
    const { register, edit, taken } = world();
    await register(first, 'TAMGA', 'Tamga');
    await register(first, 'TAMGA', 'Tamga');
    await edit(first, 'TAMGA');
    expect(taken()).to.equal(1);
  });

  it('are those of one of several who want them at once, though the read model lags', async () => {
    const { register, edit, lag } = world();
    lag.is = true;
    const tried = await Promise.allSettled([
      register(first, 'Тамга ХХК'),
      register(second, 'ТАМГА ХХК'),
      register(third, 'Тамга ххк'),
    ]);
    expect(tried.map(({ status }) => status).sort()).to.deep.equal([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    const loser = tried[0].status === 'rejected' ? first : second;
    await register(loser, 'Өөр ХХК');
    await refused('CONFLICT', edit(loser, 'Тамга ХХК'));
  });

  it('are free ten minutes after they were given up, also by the one revoked', async () => {
    const { register, edit, revoke, clock, expectFree } = world();
    await register(first, 'Нэг ХХК');
    await register(second, 'Хоёр ХХК');
    clock.advance(HOUR_MS);
    await edit(first, 'Шинэ ХХК');
    await revoke(second);
    await register(third, 'Нэг ХХК');
    await expectFree(third, 'Хоёр ХХК');
    await refused('CONFLICT', expectFree(third, 'Шинэ ХХК'));
    await edit(third, 'Хоёр ХХК');
  });

  it('are taken anew by who gave them up, so that no other takes them at that moment', async () => {
    const { register, edit, lag, clock } = world();
    await register(first, 'Нэг ХХК');
    await edit(first, 'Түр ХХК');
    clock.advance(HOUR_MS);
    await edit(first, 'Нэг ХХК');
    lag.is = true;
    await refused('CONFLICT', register(second, 'Нэг ХХК'));
  });

  it('F4: are seen and read as they are stored, whoever gives them', async () => {
    const { register, edit, taken } = world();
    await register(first, 'Тамга ХХК');
    for (const [name, says] of [
      ['Хaaн ХХК', 'look alike'],
      ['Тамга\u200b ХХК', 'invisible'],
      ['\u3164', 'invisible'],
      ['Тамга\u202eХХК', 'invisible'],
      ['\u0301', 'visible characters'],
      ['Тамга\u00a0банк', 'one space'],
      ['Тамга  банк', 'one space'],
      ['', '1 to 200'],
    ] as const) {
      for (const call of [register(second, name), edit(first, name)]) {
        const error = await rejection(call);
        expect(isRefusal(error, 'INVALID_REQUEST') && error.errors[0], name)
          .to.have.property('detail')
          .that.includes(says);
      }
    }
    expect(taken()).to.equal(1);
  });
});
