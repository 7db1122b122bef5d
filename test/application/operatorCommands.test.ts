import { expect } from 'chai';
import {
  createReviewsNewOperator,
  operatorOperations,
} from '../../application/approval/operatorOperations.ts';
import {
  canApprove,
  type SensitiveCommand,
  type SensitiveOperations,
} from '../../application/approval/operations.ts';
import { createSubmit } from '../../application/approval/submitCommand.ts';
import {
  hasCapability,
  type OperatorRole,
  operatorRoles,
} from '../../domain/operator/capabilities.ts';
import { BREAK_GLASS } from '../../domain/shared/operatorIdentities.ts';
import type { OperatorCommand, Operators } from '../../domain/operator/operators.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { causedBy, givenInMemory } from '../support/given/inMemory.ts';

/** Ways of an operator command to one operator: an own one is not done to others. */
const commands: Readonly<Record<OperatorCommand['type'], 'ADDS' | 'SENSITIVE' | 'OWN'>> = {
  AddOperator: 'ADDS',
  ChangeRole: 'SENSITIVE',
  DeactivateOperator: 'SENSITIVE',
  ResetSecondFactor: 'SENSITIVE',
  ChangePassword: 'OWN',
  RehashPassword: 'OWN',
  EnrolSecondFactor: 'OWN',
};

const admins = ['admin 1', 'admin 2', 'admin 3'];

/** An installation with so many administrators, two officers and an auditor, all with an authenticator. */
async function installation(administrators: number) {
  const parts = givenInMemory();
  const { directory, stores } = parts;
  const now = stores.clock.now().toISOString();
  const people: readonly (readonly [string, OperatorRole])[] = [
    ...admins.slice(0, administrators).map((id) => [id, 'SUPER_ADMIN'] as const),
    ['officer 1', 'SECURITY_OFFICER'],
    ['officer 2', 'SECURITY_OFFICER'],
    ['auditor', 'AUDITOR'],
  ];
  const machine = causedBy('operator', 'command line', 'seed');
  for (const [operatorId, role] of people) {
    const person = { email: `${operatorId}@tamga.example`, passwordHash: '', role };
    const added = { unlessKnown: false, mustChangePassword: false };
    await directory.handle({ type: 'AddOperator', operatorId, now, ...person, ...added }, machine);
    const factor = { secret: 'A', counter: 0, sessionId: 's', epoch: 0 };
    await directory.handle({ type: 'EnrolSecondFactor', operatorId, now, ...factor }, machine);
  }
  const policy = { required: true, named: [] };
  const submit = createSubmit({
    ...stores,
    approvals: parts.approvals,
    open: { pending: () => Promise.resolve(null) },
    operations: operatorOperations(stores) as SensitiveOperations,
    policy,
    validityMs: 1000,
    vault: parts.vault,
    progress: { untilProjected: () => Promise.resolve() },
    holdersOf: async (capability) =>
      [...(await directory.current()).values()]
        .filter(({ active, role }) => active && hasCapability(role, capability))
        .map(({ operatorId }) => operatorId),
  });
  return {
    people: people.map(([id]) => id),
    current: () => directory.current(),
    reviewsNew: createReviewsNewOperator(policy, directory),
    async outcome(command: SensitiveCommand, requester: string): Promise<string> {
      const operator = { id: requester, role: 'SUPER_ADMIN' } as const;
      try {
        return (
          await submit(command, { operator, context: causedBy('operator', requester, 'command') })
        ).kind;
      } catch (error) {
        if (isRefusal(error)) return error.code;
        throw error;
      }
    },
  };
}

/** Operators who could approve something today. */
const approversIn = (operators: Operators) =>
  [...operators.values()]
    .filter(({ active, role, secondFactor }) => active && canApprove(role) && secondFactor !== null)
    .map(({ operatorId }) => operatorId);

function commandsTo(operatorId: string): readonly SensitiveCommand[] {
  return [
    { operation: 'operator.deactivate', operatorId },
    { operation: 'operator.resetSecondFactor', operatorId },
    ...operatorRoles.map(
      (role) => ({ operation: 'operator.changeRole', operatorId, role }) as const,
    ),
  ];
}

describe('R3: nobody alone takes an approver away', () => {
  for (const count of [1, 2, 3]) {
    for (const requester of [...admins.slice(0, count), BREAK_GLASS]) {
      it(`${requester} of an installation with ${count} administrators`, async () => {
        const { people } = await installation(count);
        for (const command of people.flatMap(commandsTo)) {
          const { outcome, current } = await installation(count);
          const before = approversIn(await current());
          const shown = JSON.stringify(command);
          const result = await outcome(command, requester);

          expect(approversIn(await current()), shown).to.include.members(before);
          const possible = ['EXECUTED', 'UNCHANGED', 'PENDING', 'APPROVERS_MISSING'];
          expect(result, shown).to.be.oneOf([...possible, 'LAST_SUPER_ADMIN']);
          // Ends and resets are never one operator's, whoever they are about.
          if (command.operation !== 'operator.changeRole') expect(result).not.to.equal('EXECUTED');
        }
      });
    }
  }

  it('says what to do where nobody else could approve', async () => {
    const { outcome, reviewsNew } = await installation(1);
    const end = { operation: 'operator.deactivate', operatorId: 'officer 1' } as const;
    expect(await outcome(end, 'admin 1')).to.equal('APPROVERS_MISSING');
    expect(await outcome(end, BREAK_GLASS)).to.equal('APPROVERS_MISSING');
    const raise = { ...end, operation: 'operator.changeRole', role: 'SUPER_ADMIN' } as const;
    expect(await outcome(raise, BREAK_GLASS)).to.equal('APPROVERS_MISSING');
    const refused = await reviewsNew('SUPER_ADMIN', BREAK_GLASS).catch((error: unknown) => error);
    expect(isRefusal(refused, 'APPROVERS_MISSING')).to.equal(true);
    expect(String((refused as { readonly detail?: string }).detail)).to.contain(
      './tamga admin add',
    );
    // An installation begins with one administrator, who adds the second.
    expect(await reviewsNew('SUPER_ADMIN', 'admin 1')).to.equal(false);
  });

  it('knows of every command about operators who may be asked for it', () => {
    const sensitive = Object.values(commands).filter((how) => how === 'SENSITIVE');
    const operations = operatorOperations({} as never);
    expect(Object.keys(operations)).to.have.length(sensitive.length);
  });
});
