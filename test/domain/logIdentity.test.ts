import { expect } from 'chai';
import { compareIdentity, type LogAndDatabase } from '../../domain/logIdentity/compareIdentity.ts';
import type { LogIdentityEvent, LogRetired } from '../../domain/logIdentity/events.ts';
import {
  type LogIdentity,
  logIdentityDecider,
  type LogState,
} from '../../domain/logIdentity/logIdentity.ts';
import { fold } from '../../domain/shared/decider.ts';
import { given } from '../support/assertions/deciderSpecification.ts';

const ours: LogIdentity = {
  installationId: 'ours',
  epoch: 1,
  wrappingKeyFingerprint: 'our key',
};
const established: LogIdentityEvent = { type: 'LogEstablished', data: ours };
const moved: LogIdentityEvent = {
  type: 'LogMoved',
  data: { installationId: 'ours', epoch: 2, records: 5, root: 'r' },
};
const retired: LogRetired = {
  type: 'LogRetired',
  data: { epoch: 2, movedTo: 'PostgreSQL' },
};

describe('The identity of a log', () => {
  const identity = given(logIdentityDecider);
  const stateAfter = (...events: LogIdentityEvent[]) => fold(logIdentityDecider, events);

  it('is said once', () => {
    identity([]).when({ type: 'Establish', identity: ours }).then([established]);
    const another = { ...ours, installationId: 'others' };
    identity([established]).when({ type: 'Establish', identity: another }).then([]);
  });

  it('is of the next epoch once it was moved, and not retired, though its origin was', () => {
    const next = { ...ours, epoch: 2, retired: null };
    expect(stateAfter(established, moved)).to.deep.equal(next);
    expect(stateAfter(established, retired, moved)).to.deep.equal(next);
  });

  it('is retired once its events were moved away', () => {
    expect(stateAfter(established, retired)).to.deep.equal({ ...ours, retired: retired.data });
  });

  it('stays what it was when the log was restored and accepted', () => {
    const acceptance = {
      madeAt: '2026-01-01T00:00:00.000Z',
      restoredAt: '2026-01-02T00:00:00.000Z',
      records: 5,
      root: 'r',
      operator: 'o',
      approver: null,
    };
    const accepted: LogIdentityEvent = { type: 'RestoredLogAccepted', data: acceptance };
    identity([established]).when({ type: 'AcceptRestored', acceptance }).then([accepted]);
    expect(stateAfter(established, accepted)).to.deep.equal({ ...ours, retired: null });
  });

  it('says once of each level that an upgrade was finished, and nothing once it was retired', () => {
    const upgrade = { level: 2, release: '2.0.0' };
    const finished: LogIdentityEvent = { type: 'UpgradeFinished', data: upgrade };
    const finish = { type: 'FinishUpgrade', upgrade } as const;
    identity([established]).when(finish).then([finished]);
    identity([established, finished]).when(finish).then([]);
    const next = { level: 3, release: '3.0.0' };
    identity([established, finished])
      .when({ type: 'FinishUpgrade', upgrade: next })
      .then([{ type: 'UpgradeFinished', data: next }]);
    identity([established, retired]).when(finish).then([]);
  });

  it('is none where the log was never said to be of anybody', () => {
    expect(stateAfter(moved, retired)).to.equal(null);
  });
});

/** Texts of the refusals, each with words that no other has. */
const refusals = {
  empty: 'The event log is empty',
  nameless: 'belongs to an unknown installation',
  unknown: 'the database is new and does not know',
  another: 'belongs to another installation: it is the log of',
  foreignKey: "wraps persons' keys with another master key",
  retired: 'This log was moved (epoch 2) to PostgreSQL',
  halfMoved: 'is half done',
  before: 'is from before a move',
  after: 'was moved: it has epoch',
  masterKey: 'The master key differs',
  short: 'is shorter than the database expects',
} as const;

type Outcome = keyof typeof refusals | null;

function outcomeOf(found: LogAndDatabase): Outcome {
  const text = compareIdentity(found);
  if (text === null) return null;
  const told = (Object.keys(refusals) as (keyof typeof refusals)[]).filter((name) =>
    text.includes(refusals[name]),
  );
  expect(told, text).to.have.lengthOf(1);
  expect(text).to.not.include('\n');
  return told[0] ?? null;
}

describe('A log and a database', () => {
  const newPair: LogAndDatabase = {
    log: null,
    isLogEmpty: true,
    head: null,
    followed: null,
    followedTo: null,
    isDatabaseNew: true,
    wrappingKeyFingerprint: 'our key',
    moveToHere: null,
  };
  const moveToHere = { source: 'esdb://a', destination: 'postgres://b/tamga' };
  const inUse = { isLogEmpty: false, head: 10n };
  const log: LogState = { ...ours, retired: null };
  const settled: LogAndDatabase = {
    ...newPair,
    ...inUse,
    log,
    followed: ours,
    followedTo: 10n,
    isDatabaseNew: false,
  };
  const known = { isDatabaseNew: false };

  const rows: readonly (readonly [string, LogAndDatabase, Outcome])[] = [
    ['both new', newPair, null],
    ['a new log, a database that holds keys alone', { ...newPair, ...known }, null],
    ['an empty log, read models', { ...newPair, ...known, followedTo: 3n }, 'empty'],
    ['an empty log, an identity', { ...newPair, ...known, followed: ours }, 'empty'],
    ['an empty log, both', { ...newPair, ...known, followed: ours, followedTo: 3n }, 'empty'],
    ['an older log without identity', { ...settled, log: null, followed: null }, null],
    [
      'an older log without identity, nothing made from it yet',
      { ...settled, log: null, followed: null, followedTo: null },
      null,
    ],
    [
      'an older log that is too short',
      { ...settled, log: null, followed: null, head: 9n },
      'short',
    ],
    ['a log without identity, a new database', { ...newPair, ...inUse }, 'unknown'],
    ['a log without identity, a database with one', { ...settled, log: null }, 'nameless'],
    ['a log with identity, a new database', { ...newPair, ...inUse, log }, null],
    [
      'a log of another key, a new database',
      { ...newPair, ...inUse, log: { ...log, wrappingKeyFingerprint: 'other' } },
      'foreignKey',
    ],
    [
      'a log of another key, a database that was not told',
      { ...settled, followed: null, wrappingKeyFingerprint: 'other' },
      'foreignKey',
    ],
    ['a retired log, a new database', { ...newPair, ...inUse, log: retiredLog() }, 'retired'],
    [
      'a retired log, the database that followed it to the next',
      { ...settled, log: retiredLog(), followed: { ...ours, epoch: 2 } },
      'retired',
    ],
    ['D: a retired log, its database', { ...settled, log: retiredLog() }, 'halfMoved'],
    ['D: part of a copy', { ...settled, head: 3n, moveToHere }, 'halfMoved'],
    ['D: a copy as long as the log', { ...settled, head: 30n, moveToHere }, 'halfMoved'],
    [
      'D: a copy with the end of the former log',
      { ...settled, log: retiredLog(), moveToHere },
      'halfMoved',
    ],
    [
      'D: a copy without a beginning',
      { ...settled, ...newPair, ...known, moveToHere },
      'halfMoved',
    ],
    ['what belongs together', settled, null],
    ['the same, read models behind', { ...settled, followedTo: 2n }, null],
    ['the same, read models made anew', { ...settled, followedTo: null }, null],
    ['the same, the log too short', { ...settled, head: 9n }, 'short'],
    [
      "another installation's",
      { ...settled, log: { ...log, installationId: 'others' } },
      'another',
    ],
    [
      "another installation's, and retired, later, too short, of another key",
      {
        ...settled,
        head: 1n,
        wrappingKeyFingerprint: 'other',
        log: { ...retiredLog(), installationId: 'others', epoch: 7 },
      },
      'another',
    ],
    ['a log from before', { ...settled, followed: { ...ours, epoch: 2 } }, 'before'],
    ['a log moved on', { ...settled, log: { ...log, epoch: 2 } }, 'after'],
    ['another master key', { ...settled, wrappingKeyFingerprint: 'other' }, 'masterKey'],
  ];
  for (const [what, found, outcome] of rows) {
    it(`${what}: ${outcome === null ? 'go together' : `refused, ${refusals[outcome]}`}`, () => {
      expect(outcomeOf(found)).to.equal(outcome);
    });
  }

  it('say of every mixture of what may be found exactly one thing', () => {
    const states: readonly LogState[] = [
      ...[null, log, retiredLog(), { ...log, installationId: 'others' }],
      ...[
        { ...log, epoch: 2 },
        { ...log, wrappingKeyFingerprint: 'other' },
      ],
    ];
    const many = states.flatMap((state) =>
      [true, false].flatMap((isLogEmpty) =>
        [null, ours, { ...ours, epoch: 2 }].flatMap((followed) =>
          [null, 9n, 11n].flatMap((followedTo) =>
            [true, false].map((isDatabaseNew) => ({
              log: state,
              isLogEmpty: isLogEmpty && state === null,
              head: 10n,
              followed,
              followedTo,
              isDatabaseNew,
              wrappingKeyFingerprint: 'our key',
              moveToHere: null,
            })),
          ),
        ),
      ),
    );
    for (const found of many) {
      const outcome = outcomeOf(found);
      // Nothing is ever let through that was made from more than the log holds, or from another's.
      const { followed, followedTo } = found;
      const isOther = found.log?.installationId === 'others' && followed !== null;
      if (isOther || (followedTo !== null && (found.isLogEmpty || followedTo > found.head))) {
        expect(
          outcome,
          JSON.stringify(found, (_, v: unknown) => String(v)),
        ).to.not.equal(null);
      }
    }
  });

  it('are told apart with what distinguishes them', () => {
    const short = compareIdentity({ ...settled, head: 9n });
    expect(short).to.include('ends at position 9').and.to.include('was at 10');
    const other = compareIdentity({ ...settled, log: { ...log, installationId: 'others' } });
    expect(other).to.include('the log of others').and.to.include('the log of ours');
    expect(other).to.include('SVC_EVENTSTORE_URL').and.to.include('docs/operations.md');
  });

  function retiredLog() {
    return { ...ours, retired: retired.data };
  }
});
