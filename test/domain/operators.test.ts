import { expect } from 'chai';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import type { OperatorEvent, SecondFactorUsed } from '../../domain/operator/events.ts';
import {
  operatorByEmail,
  type OperatorCommand,
  type OperatorRecord,
  operatorsDecider,
} from '../../domain/operator/operators.ts';
import { foldEmail } from '../../domain/operator/settings.ts';
import { secondFactorDecider } from '../../domain/operator/secondFactor.ts';
import { fold } from '../../domain/shared/decider.ts';
import { given } from '../support/assertions/deciderSpecification.ts';

const now = '2026-06-01T00:00:00.000Z';
const operators = given(operatorsDecider);
const about = (operatorId: string) => ({ operatorId, now });

function added(operatorId: string, role: OperatorRole = 'SUPER_ADMIN'): OperatorEvent {
  const data = { operatorId, email: `${operatorId}@tamga.example`, passwordHash: 'hash', role };
  return { type: 'OperatorAdded', data: { ...data, mustChangePassword: false, addedAt: now } };
}
const deactivated = (operatorId: string): OperatorEvent => ({
  type: 'OperatorDeactivated',
  data: { operatorId, deactivatedAt: now },
});
const enrolled = (operatorId: string, counter: number): OperatorEvent => ({
  type: 'SecondFactorEnrolled',
  data: { operatorId, secret: 'SECRET', counter, sessionId: 's1', enrolledAt: now },
});
const passwordChanged = (operatorId: string, sessionId: string | null): OperatorEvent => ({
  type: 'PasswordChanged',
  data: {
    operatorId,
    passwordHash: 'new hash',
    mustChangePassword: sessionId === null,
    sessionId,
    changedAt: now,
  },
});
const secondFactorReset = (operatorId: string): OperatorEvent => ({
  type: 'SecondFactorReset',
  data: { operatorId, resetAt: now },
});

function after(...events: readonly OperatorEvent[]): OperatorRecord {
  const operator = fold(operatorsDecider, events).get('a');
  if (operator === undefined) throw new Error('There is no operator a.');
  return operator;
}

describe('The operators', () => {
  const add = (changes: Partial<Extract<OperatorCommand, { type: 'AddOperator' }>> = {}) => ({
    type: 'AddOperator' as const,
    ...about('b'),
    email: ' B@Tamga.Example ',
    passwordHash: 'hash',
    role: 'SUPER_ADMIN' as const,
    mustChangePassword: false,
    unlessKnown: false,
    ...changes,
  });

  it('are added under an e-mail nobody has, in whatever spelling', () => {
    operators([added('a')])
      .when(add())
      .then([added('b')]);
    operators([added('b')])
      .when(add())
      .thenRefuses('OPERATOR_EMAIL_TAKEN');
    operators([added('a'), added('b'), deactivated('b')])
      .when(add({ operatorId: 'c' }))
      .thenRefuses('OPERATOR_EMAIL_TAKEN');
  });

  it('are seeded once', () => {
    operators([])
      .when(add({ unlessKnown: true }))
      .then([added('b')]);
    operators([added('b')])
      .when(add({ operatorId: 'c', unlessKnown: true }))
      .then([]);
    operators([added('a'), added('b'), deactivated('b')])
      .when(add({ operatorId: 'c', unlessKnown: true }))
      .then([]);
  });

  it('are found by e-mail in any case', () => {
    const all = fold(operatorsDecider, [added('a')]);
    expect(operatorByEmail(all, ' A@TAMGA.example')?.operatorId).to.equal('a');
    expect(operatorByEmail(all, 'b@tamga.example')).to.equal(undefined);
    expect(foldEmail('É@tamga.example')).to.equal(foldEmail('E\u0301@tamga.example'));
  });

  it('change their role, once', () => {
    const past = [added('a'), added('b')];
    const change = { type: 'ChangeRole', ...about('b'), role: 'AUDITOR' } as const;
    const changed: OperatorEvent = {
      type: 'OperatorRoleChanged',
      data: { operatorId: 'b', from: 'SUPER_ADMIN', to: 'AUDITOR', changedAt: now },
    };
    operators(past).when(change).then([changed]);
    operators([...past, changed])
      .when(change)
      .then([]);
    operators([...past, deactivated('b')])
      .when(change)
      .thenRefuses('CONFLICT');
    operators([added('a')])
      .when(change)
      .thenRefuses('OPERATOR_NOT_FOUND');
  });

  it('are deactivated for good, once', () => {
    const deactivate = { type: 'DeactivateOperator', ...about('b') } as const;
    operators([added('a'), added('b')])
      .when(deactivate)
      .then([deactivated('b')]);
    operators([added('a'), added('b'), deactivated('b')])
      .when(deactivate)
      .then([]);
    expect(after(added('a'), deactivated('a'))).to.include({ active: false, deactivatedAt: now });
  });

  for (const [who, others] of [
    ['the only operator', []],
    ['the only SUPER_ADMIN', [added('b', 'AUDITOR')]],
    ['the only active SUPER_ADMIN', [added('b'), deactivated('b')]],
  ] as const) {
    it(`keep ${who}`, () => {
      const past = [added('a'), ...others];
      operators(past)
        .when({ type: 'DeactivateOperator', ...about('a') })
        .thenRefuses('LAST_SUPER_ADMIN');
      operators(past)
        .when({ type: 'ChangeRole', ...about('a'), role: 'AUDITOR' })
        .thenRefuses('LAST_SUPER_ADMIN');
      operators(past)
        .when({ type: 'ChangeRole', ...about('a'), role: 'SUPER_ADMIN' })
        .then([]);
    });
  }

  const change = (confirmed: string | null, sessionId: string | null) =>
    ({
      type: 'ChangePassword',
      ...about('a'),
      confirmed,
      passwordHash: 'new hash',
      sessionId,
    }) as const;

  it('change their password against the one they have', () => {
    operators([added('a')])
      .when(change('hash', 's1'))
      .then([passwordChanged('a', 's1')]);
    operators([added('a'), passwordChanged('a', 's1')])
      .when(change('hash', 's2'))
      .thenRefuses('CURRENT_PASSWORD_WRONG');
  });

  it('must change a password somebody else gave them', () => {
    operators([added('a')])
      .when(change(null, null))
      .then([passwordChanged('a', null)]);
    expect(after(added('a'), passwordChanged('a', null)).mustChangePassword).to.equal(true);
    const own = after(added('a'), passwordChanged('a', null), passwordChanged('a', 's1'));
    expect(own.mustChangePassword).to.equal(false);
  });

  it('lose their sessions with the password, but for the one it was changed in', () => {
    const before = after(added('a'));
    const now = after(added('a'), passwordChanged('a', 's1'));
    expect(now.epoch).to.equal(before.epoch + 1);
    expect(now.keptSession).to.equal('s1');
    const reset = after(added('a'), passwordChanged('a', 's1'), secondFactorReset('a'));
    expect(reset).to.include({ keptSession: null, secondFactor: null, epoch: before.epoch + 2 });
  });

  it('keep a rehashed password only while it is the password', () => {
    const rehash = {
      type: 'RehashPassword' as const,
      ...about('a'),
      confirmed: 'hash',
      passwordHash: 'costlier hash',
    };
    const data = { operatorId: 'a', passwordHash: 'costlier hash', rehashedAt: now };
    operators([added('a')])
      .when(rehash)
      .then([{ type: 'PasswordRehashed', data }]);
    operators([added('a'), passwordChanged('a', 's1')])
      .when(rehash)
      .then([]);
  });

  const enrol = (epoch = 0) =>
    ({
      type: 'EnrolSecondFactor' as const,
      ...about('a'),
      secret: 'SECRET',
      counter: 7,
      sessionId: 's1',
      epoch,
    }) as const;
  it('enrol one authenticator', () => {
    operators([added('a')])
      .when(enrol())
      .then([enrolled('a', 7)]);
    operators([added('a'), enrolled('a', 1)])
      .when(enrol())
      .thenRefuses('SECOND_FACTOR_WRONG');
    operators([added('a'), enrolled('a', 1), secondFactorReset('a')])
      .when(enrol(1))
      .then([enrolled('a', 7)]);
  });

  it('enrol none once they are deactivated, or after another password than the one of now', () => {
    const past = [added('a'), added('b')];
    operators([...past, deactivated('a')])
      .when(enrol())
      .thenRefuses('UNAUTHENTICATED');
    operators([...past, passwordChanged('a', 's1')])
      .when(enrol())
      .thenRefuses('UNAUTHENTICATED');
    operators([added('a'), secondFactorReset('a')])
      .when(enrol())
      .thenRefuses('UNAUTHENTICATED');
    operators([]).when(enrol()).thenRefuses('UNAUTHENTICATED');
  });

  it('have their authenticator reset, when there is one', () => {
    const reset = { type: 'ResetSecondFactor', ...about('a') } as const;
    operators([added('a'), enrolled('a', 7)])
      .when(reset)
      .then([secondFactorReset('a')]);
    operators([added('a')])
      .when(reset)
      .then([]);
    operators([added('a'), added('b'), deactivated('a')])
      .when(reset)
      .thenRefuses('CONFLICT');
  });
});

describe('The codes of an operator', () => {
  const codes = given(secondFactorDecider);
  const use = (counter: number, enrolledWith = 7) => ({
    type: 'UseSecondFactor' as const,
    ...about('a'),
    counter,
    enrolledWith,
    sessionId: 's1',
  });
  const used = (counter: number): SecondFactorUsed => ({
    type: 'SecondFactorUsed',
    data: { operatorId: 'a', counter, sessionId: 's1', usedAt: now },
  });

  it('count once, and none after a later one', () => {
    codes([])
      .when(use(8))
      .then([used(8)]);
    codes([used(8)])
      .when(use(9))
      .then([used(9)]);
    for (const counter of [7, 8]) {
      codes([used(8)])
        .when(use(counter))
        .thenRefuses('SECOND_FACTOR_WRONG');
    }
  });

  it('do not count when the authenticator was enrolled with them', () => {
    for (const counter of [6, 7]) codes([]).when(use(counter)).thenRefuses('SECOND_FACTOR_WRONG');
    codes([used(8)])
      .when(use(9, 9))
      .thenRefuses('SECOND_FACTOR_WRONG');
  });
});
