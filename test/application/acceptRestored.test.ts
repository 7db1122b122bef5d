import { expect } from 'chai';
import {
  acceptAsked,
  acceptRestored,
  type Acceptors,
  askToAccept,
} from '../../application/log/acceptRestored.ts';
import type {
  RestoredBackup,
  RestoredBackups,
} from '../../application/log/ports/restoredBackups.ts';
import { createRestoreGate } from '../../application/log/restoreGate.ts';
import { createAggregate } from '../../application/handleCommand.ts';
import { NotReady, Unavailable } from '../../application/ports/faults.ts';
import { logIdentityDecider } from '../../domain/logIdentity/logIdentity.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import type { OperatorRecord } from '../../domain/operator/operators.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { requestFrom } from '../support/worlds/signInWorld.ts';
import { givenInMemory } from '../support/given/inMemory.ts';

const backup: RestoredBackup = {
  madeAt: new Date('2026-05-01T00:00:00Z'),
  restoredAt: new Date('2026-05-02T00:00:00Z'),
  head: 7n,
  events: 7,
  root: 'root',
  findings: [],
  asked: null,
};

/** In memory, as the table keeps it. */
function memoryBackups(): RestoredBackups {
  let pending: RestoredBackup | null = backup;
  let acceptedAt: Date | null = null;
  let isTaken = false;
  return {
    pending: () => Promise.resolve(pending),
    note: () => Promise.resolve(),
    async exclusively(work) {
      if (isTaken) throw new Refusal('CONFLICT');
      isTaken = true;
      return work().finally(() => {
        isTaken = false;
      });
    },
    found: (findings) => {
      pending &&= { ...pending, findings: [...pending.findings, ...findings], asked: null };
      return Promise.resolve();
    },
    ask: (by) => {
      pending &&= { ...pending, asked: { by, at: new Date('2026-05-02T00:30:00Z') } };
      return Promise.resolve();
    },
    accept: () => {
      pending = null;
      acceptedAt = new Date('2026-05-02T01:00:00.700Z');
      return Promise.resolve();
    },
    acceptedAt: () => Promise.resolve(acceptedAt),
    isElsewhere: () => Promise.resolve(false),
    follow: () => Promise.resolve(),
  };
}

function operator(operatorId: string, role: OperatorRole, isReady = true): OperatorRecord {
  return {
    operatorId,
    email: `${operatorId}@tamga.example`,
    passwordHash: '',
    role,
    active: true,
    mustChangePassword: false,
    secondFactor: isReady ? { secret: 'S', enrolledWith: 1 } : null,
    epoch: 0,
    keptSession: null,
    addedAt: '2026-01-01T00:00:00.000Z',
    deactivatedAt: null,
  };
}

const admin = operator('admin', 'SUPER_ADMIN');
const officer = operator('officer', 'SECURITY_OFFICER');
const auditor = operator('auditor', 'AUDITOR');

describe('O2: a restored backup is accepted', () => {
  function world(...operators: readonly OperatorRecord[]) {
    const backups = memoryBackups();
    const { eventStore, stores } = givenInMemory();
    const identities = createAggregate('log', logIdentityDecider, stores);
    const current = new Map(operators.map((each) => [each.operatorId, each]));
    const directory = { current: () => Promise.resolve(current) };
    const clock = manualClock('2026-05-02T00:02:00.000Z');
    const dependencies = { identities, backups, directory, clock, settleMs: 120_000 };
    const accept = (by: Acceptors | null) =>
      acceptRestored(dependencies, by, requestFrom('192.0.2.1'));
    const ask = ({ operatorId }: OperatorRecord, findings = 0) =>
      askToAccept(dependencies, { operatorId, findings });
    const acceptAs = ({ operatorId }: OperatorRecord, findings = 0) =>
      acceptAsked(dependencies, { operatorId, findings }, requestFrom('192.0.2.1'));
    /** Ends the rights of an operator. */
    const deactivate = (each: OperatorRecord) =>
      current.set(each.operatorId, { ...each, active: false });
    return { accept, ask, acceptAs, deactivate, backups, eventStore, clock };
  }

  it('by two operators who may revoke certificates, and the log says who', async () => {
    const { accept, backups, eventStore } = world(admin, officer, auditor);
    await accept({ operator: admin, approver: officer });
    expect(await backups.pending()).to.equal(null);
    expect(eventStore.events.map(({ event }) => event)).to.deep.equal([
      {
        type: 'RestoredLogAccepted',
        data: {
          madeAt: '2026-05-01T00:00:00.000Z',
          restoredAt: '2026-05-02T00:00:00.000Z',
          records: 7,
          root: 'root',
          operator: 'admin',
          approver: 'officer',
        },
      },
    ]);
    expect(await rejection(accept(null))).to.match(/No restored backup is waiting/);
  });

  it('by nobody else where two could', async () => {
    const { accept, backups, eventStore } = world(admin, officer, auditor);
    expect(await rejection(accept(null))).to.match(/Two operators must accept it/);
    expect(await rejection(accept({ operator: admin, approver: admin }))).to.match(
      /another operator/,
    );
    for (const by of [
      { operator: auditor, approver: admin },
      { operator: admin, approver: auditor },
      { operator: admin, approver: { ...officer, active: false } },
    ]) {
      expect(await rejection(accept(by))).to.have.property('code', 'PERMISSION_DENIED');
    }
    expect(await backups.pending()).to.equal(backup);
    expect(eventStore.events).to.deep.equal([]);
  });

  it('by whoever has the machine where fewer than two could', async () => {
    for (const operators of [
      [],
      [admin, auditor],
      [admin, operator('new', 'SUPER_ADMIN', false)],
    ]) {
      const { accept, backups } = world(...operators);
      await accept(null);
      expect(await backups.pending()).to.equal(null);
    }
  });

  it('in the console, where one asked and another accepts what both have read', async () => {
    const { ask, acceptAs, backups, eventStore } = world(admin, officer, auditor);
    expect(await rejection(acceptAs(officer))).to.match(/Nobody has asked/);
    expect(await rejection(ask(auditor))).to.have.property('code', 'PERMISSION_DENIED');
    await ask(admin);
    await ask(admin);
    expect(await rejection(ask(officer))).to.match(/Another operator has already asked/);
    expect(await rejection(acceptAs(admin))).to.have.property('code', 'ErrSelfApproval');
    expect(await rejection(acceptAs(auditor))).to.have.property('code', 'PERMISSION_DENIED');
    await backups.found([{ what: 'a list', isApplied: true }]);
    expect(await rejection(acceptAs(officer))).to.match(/Evidence was added/);
    expect(await rejection(acceptAs(officer, 1)), 'who asked had not seen it').to.match(
      /Nobody has asked/,
    );
    await ask(officer, 1);
    expect(eventStore.events).to.deep.equal([]);
    await acceptAs(admin, 1);
    expect(await backups.pending()).to.equal(null);
    expect(eventStore.events[0]?.event.data).to.include({ operator: 'officer', approver: 'admin' });
  });

  it('by nobody while evidence is taken, whose findings they have not seen', async () => {
    const { accept, ask, acceptAs, backups } = world(admin, officer);
    await ask(admin);
    await backups.exclusively(async () => {
      expect(await rejection(acceptAs(officer))).to.have.property('code', 'CONFLICT');
      const both = { operator: admin, approver: officer };
      expect(await rejection(accept(both))).to.have.property('code', 'CONFLICT');
      await backups.found([{ what: 'a list', isApplied: true }]);
    });
    expect(await rejection(acceptAs(officer)), 'not as it was read').to.have.property(
      'code',
      'CONFLICT',
    );
    await ask(admin, 1);
    await acceptAs(officer, 1);
    expect(await backups.pending()).to.equal(null);
  });

  it('in the console, but by nobody for one whose rights have ended since they asked', async () => {
    const second = operator('second', 'SUPER_ADMIN');
    const { ask, acceptAs, deactivate, backups } = world(admin, officer, second);
    await ask(officer);
    deactivate(officer);
    expect(await rejection(acceptAs(admin))).to.have.property('code', 'PERMISSION_DENIED');
    await ask(second);
    await acceptAs(admin);
    expect(await backups.pending()).to.equal(null);
  });

  it('not before codes and sessions of before the loss have ended: they may have been used', async () => {
    const { accept, ask, backups, clock, eventStore } = world(admin, officer);
    clock.advance(-1);
    const by = { operator: admin, approver: officer };
    expect(await rejection(accept(by))).to.match(/Accept it after 2026-05-02T00:02:00\.000Z/);
    expect(await rejection(ask(admin))).to.match(/Accept it after/);
    expect(await backups.pending()).to.equal(backup);
    expect(eventStore.events).to.deep.equal([]);
    clock.advance(1);
    await accept(by);
    expect(await backups.pending()).to.equal(null);
  });

  it('and until then nothing is signed, and the reason is told', async () => {
    const backups = memoryBackups();
    const holdsSeen = () => Promise.resolve(null);
    const settling = { clock: manualClock('2026-05-02T00:01:00.000Z'), settleMs: 120_000 };
    const gate = createRestoreGate({ backups, holdsSeen, everyMs: 5, ...settling });
    let hasOpened = false;
    gate.whenOpen(() => (hasOpened = true));
    expect(gate.isOpen(), 'before the first look').to.equal(false);
    await gate.start();
    expect([gate.isOpen(), hasOpened]).to.deep.equal([false, false]);
    expect(() => gate.assertMaySign()).to.throw(Unavailable);
    const reason = await rejection(gate.check());
    expect(reason).to.be.instanceOf(NotReady);
    expect((reason as Error).message).to.include('backup of 2026-05-01T00:00:00.000Z');
    await backups.accept();
    await eventually(() => Promise.resolve(expect(hasOpened).to.equal(true)));
    gate.assertMaySign();
    await gate.check();
    gate.stop();
    expect(gate.countsSince(), 'in whole seconds, as tokens are dated').to.deep.equal(
      new Date('2026-05-02T01:00:00.000Z'),
    );
    const later = createRestoreGate({ backups, holdsSeen, ...settling });
    await later.start();
    expect(later.countsSince(), 'at a later start').to.deep.equal(gate.countsSince());
    later.stop();
  });
});
