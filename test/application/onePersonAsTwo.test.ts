import { expect } from 'chai';
import { approve } from '../../application/approval/decideApproval.ts';
import { hashedCommand, type SensitiveOperations } from '../../application/approval/operations.ts';
import { BREAK_GLASS } from '../../domain/shared/operatorIdentities.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { causedBy, givenInMemory } from '../support/given/inMemory.ts';

const DAY_MS = 86_400_000;

/** The holder has the break-glass key and an account; two others have one account each, added on the machine. */
const holder = 'holder';
const others = ['other', 'third'];

/** Ways in which the holder may come to further accounts, each from the ones before. */
const steps = {
  'the key adds an account': ['add', BREAK_GLASS, 'new'],
  'the own account adds one': ['add', holder, 'new'],
  'the key raises an account': ['raise', BREAK_GLASS, 'new'],
  'the key resets an account': ['reset', BREAK_GLASS, 'new'],
  'the account of the key adds another': ['add', 'new', 'newest'],
  'the account of the key raises another': ['raise', 'new', 'newest'],
} as const;

const sequences: readonly (readonly (keyof typeof steps)[])[] = [
  [],
  ['the key adds an account'],
  ['the own account adds one'],
  ['the key raises an account'],
  ['the key resets an account'],
  ['the key adds an account', 'the account of the key adds another'],
  ['the key raises an account', 'the account of the key raises another'],
  ['the own account adds one', 'the account of the key adds another'],
];

function world() {
  const { approvals, clock, directory, stores, ...parts } = givenInMemory();
  const dependencies: Parameters<typeof approve>[0] = {
    ...parts,
    approvals,
    clock,
    operations: {
      'relyingParty.deactivate': { execute: () => Promise.resolve(null) },
    } as unknown as SensitiveOperations,
    roleOf: () => Promise.resolve('SUPER_ADMIN'),
    notifications: { listen: () => ({ changed: Promise.resolve(), cancel: () => undefined }) },
    timeoutMs: 0,
  };
  const now = () => clock.now().toISOString();
  const known = async (id: string) => (await directory.current()).has(id);

  async function add(actor: string, operatorId: string): Promise<void> {
    await directory.handle(
      {
        type: 'AddOperator',
        operatorId,
        role: 'AUDITOR',
        email: `${operatorId}@tamga.example`,
        passwordHash: '',
        mustChangePassword: false,
        unlessKnown: true,
        now: now(),
      },
      causedBy('operator', actor, operatorId),
    );
  }

  return {
    clock,
    add,
    async step([how, actor, operatorId]: (typeof steps)[keyof typeof steps]): Promise<void> {
      if (how === 'add') return add(actor, operatorId);
      // Somebody's account of old.
      if (!(await known(operatorId))) await add('command line', operatorId);
      const about = { operatorId, now: now() };
      await directory.handle(
        how === 'raise'
          ? { type: 'ChangeRole', role: 'SUPER_ADMIN', ...about }
          : {
              type: 'ChangePassword',
              passwordHash: 'another',
              confirmed: null,
              sessionId: null,
              ...about,
            },
        causedBy('operator', actor, operatorId),
      );
    },
    async ask(requestedBy: string): Promise<string> {
      const approvalId = stores.randomness.uuid();
      const operation = 'relyingParty.deactivate';
      const requested = {
        approvalId,
        operation,
        capability: 'rp:write',
        subject: 'b',
        effects: [],
        targets: [],
        ...hashedCommand({ operation, relyingPartyId: 'b' }),
        civilId: null,
        comment: null,
        requestedBy,
        requestedAt: now(),
        execution: 'AT_ONCE',
        expiresAt: new Date(clock.now().getTime() + DAY_MS).toISOString(),
      } as const;
      const command = { type: 'RequestApproval', requested } as const;
      await approvals.handleNew(approvalId, command, causedBy('operator', requestedBy, approvalId));
      return approvalId;
    },
    /** The status after the approval, or the refusal. */
    async approve(approvalId: string, by: string): Promise<string> {
      const operator = { id: by, role: 'SUPER_ADMIN' } as const;
      const decider = { approvalId, operator, context: causedBy('operator', by, approvalId) };
      try {
        return (await approve(dependencies, decider)).status;
      } catch (error) {
        if (isRefusal(error)) return error.code;
        throw error;
      }
    },
  };
}

type World = ReturnType<typeof world>;

async function after(sequence: (typeof sequences)[number]): Promise<World> {
  const made = world();
  for (const id of [holder, ...others]) await made.add('command line', id);
  for (const step of sequence) await made.step(steps[step]);
  return made;
}

/** All orders of up to three of them. */
function orders(accounts: readonly string[]): readonly (readonly string[])[] {
  let all: readonly (readonly string[])[] = [[]];
  for (let length = 0; length < 3; length += 1) {
    all = [[], ...all.flatMap((order) => accounts.map((each) => [...order, each]))];
  }
  return all;
}

describe('N9: the holder of the break-glass key and of an account is one person', () => {
  for (const sequence of sequences) {
    const name = sequence.length === 0 ? 'with one account' : sequence.join(', ');
    const accounts = [holder, 'new', 'newest'].slice(0, 1 + sequence.length);

    it(`${name}: nothing is approved by that person alone`, async () => {
      for (const requester of [BREAK_GLASS, ...accounts]) {
        for (const order of orders([...accounts, BREAK_GLASS])) {
          const made = await after(sequence);
          const approvalId = await made.ask(requester);
          for (const account of order) {
            const shown = `${requester} asks, then ${order.join(', ')} approve`;
            expect(await made.approve(approvalId, account), shown).not.to.equal('APPROVED');
          }
        }
      }
    });

    it(`${name}: two others approve what the key asked for, and one is not enough`, async () => {
      const made = await after(sequence);
      const approvalId = await made.ask(BREAK_GLASS);
      expect(await made.approve(approvalId, 'other')).to.equal('PENDING');
      expect(await made.approve(approvalId, 'other')).to.equal('PENDING');
      expect(await made.approve(approvalId, 'third')).to.equal('APPROVED');
    });
  }

  it('one other approves what the own account asked for', async () => {
    const made = await after(['the key adds an account']);
    expect(await made.approve(await made.ask(holder), 'other')).to.equal('APPROVED');
  });

  it('an account that the key added counts as anybody after 30 days', async () => {
    const made = await after(['the key adds an account']);
    expect(await made.approve(await made.ask('other'), 'new')).to.equal('APPROVER_NOT_INDEPENDENT');
    made.clock.advance(30 * DAY_MS + 1);
    expect(await made.approve(await made.ask('other'), 'new')).to.equal('APPROVED');
  });

  it('the two who approve are independent of each other', async () => {
    const made = await after([]);
    await made.add('other', 'alias');
    const approvalId = await made.ask(BREAK_GLASS);
    expect(await made.approve(approvalId, 'other')).to.equal('PENDING');
    expect(await made.approve(approvalId, 'alias')).to.equal('APPROVER_NOT_INDEPENDENT');
  });
});
