import { expect } from 'chai';
import type pg from 'pg';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { createCopyWriter } from '../../infrastructure/postgres/copyWriter.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createFoldUpkeep, foldOf, untilMadeAnew } from '../../projections/engine/foldVersions.ts';
import type { Projector } from '../../projections/engine/projector.ts';
import type { AnyReadModel } from '../../projections/engine/readModel.ts';
import { rebuildReadModel } from '../../projections/engine/rebuild.ts';
import { createParkedRows } from '../../projections/parkedRows.ts';
import { relyingPartiesReadModel } from '../../projections/models/relyingParties.ts';
import { sessionsReadModel } from '../../projections/models/sessions.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { recordable, relyingPartyRegistered } from '../support/events/exampleEvents.ts';
import { changedFolds, committedRecords, foldRecords } from '../support/events/foldRecords.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

/** The read model as a release folds it that marks the names of newly registered parties. */
function markedBy(mark: string, version: number): AnyReadModel {
  return {
    ...relyingPartiesReadModel,
    version,
    evolve: (row, ...event) => {
      const after = relyingPartiesReadModel.evolve(row, ...event);
      return row !== undefined || after === undefined
        ? after
        : { ...after, name: `${mark} ${String(after['name'])}` };
    },
  };
}

const former = markedBy('former', 1);
const current = markedBy('current', 2);

describe('O4: a read model that a release folds differently', () => {
  let side: ReadSide;
  let pool: pg.Pool;
  /** Lets a rebuild begin; until then the former table serves. */
  let allow: () => void;
  let told: string[];

  beforeEach(async () => {
    side = await openReadSide();
    pool = createPool({ url: side.url });
    told = [];
    await append('r1', relyingPartyRegistered('r1'));
  });

  afterEach(async () => {
    allow();
    await side.close();
    await pool.end();
  });

  async function append(id: string, event: DomainEvent): Promise<bigint> {
    const stream = `relyingParty-${id}`;
    return (await side.eventStore.append(stream, [recordable(event)], 'any')).position;
  }

  const rotated = (id: string): DomainEvent => ({
    type: 'SecretRotated',
    data: { relyingPartyId: id, secretHash: 'ff', rotatedAt: '2026-01-02T00:00:00.000Z' },
  });

  function projecting(...models: readonly AnyReadModel[]): Projector {
    const allowed = new Promise<void>((resolve) => (allow = resolve));
    const foldUpkeep = createFoldUpkeep({
      rebuild: async (name, signal) => {
        await allowed;
        const bulkWriter = createCopyWriter({ pool });
        await rebuildReadModel(name, { ...side, readModels: models, bulkWriter, signal });
      },
      onBegin: (name) => told.push(`begin ${name}`),
      onDone: (name) => told.push(`done ${name}`),
      onFailure: (_name, cause) => told.push(String(cause)),
    });
    const projector = side.projector({ models, foldUpkeep });
    projector.start();
    return projector;
  }

  async function projected(...models: readonly AnyReadModel[]): Promise<void> {
    const projector = projecting(...models);
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    await projector.stop();
  }

  const names = async () => {
    const rows = await side.database
      .selectFrom('relying_party_view')
      .select(['name', 'secret_hash'])
      .orderBy('relying_party_id')
      .execute();
    return rows.map(({ name }) => name.split(' ')[0]);
  };

  const anew = (model: AnyReadModel) =>
    untilMadeAnew(side.database, [model], 20_000, () => undefined);

  it('is made anew beside the table that serves, and no row of before comes back', async () => {
    await projected(former);
    const projector = projecting(current);
    // Remembered as the former release made it.
    await projector.untilProjected(await append('r1', rotated('r1')));
    expect(await names()).to.deep.equal(['former']);
    await eventually(() => expect(told).to.deep.equal(['begin relyingParties']));
    allow();
    await anew(current);
    await projector.untilProjected(await append('r1', rotated('r1')));
    await projector.untilProjected(await append('r2', relyingPartyRegistered('r2')));
    expect(await names()).to.deep.equal(['current', 'current']);
    await eventually(() =>
      expect(told).to.deep.equal(['begin relyingParties', 'done relyingParties']),
    );
  });

  it('is made anew once more after the former release had it again', async () => {
    await projected(current);
    await append('r2', relyingPartyRegistered('r2'));
    await projected(former);
    expect(await names()).to.deep.equal(['current', 'former']);
    projecting(current);
    allow();
    await anew(current);
    expect(await names()).to.deep.equal(['current', 'current']);
  });

  it('is left alone where nothing changed, and made with the beginning of the log', async () => {
    await projected(current);
    await projected(current);
    expect(await names()).to.deep.equal(['current']);
    expect(told).to.deep.equal([]);
  });

  it('waits for the next process where this one ends', async () => {
    await projected(former);
    const projector = projecting(current);
    await eventually(() => expect(told).to.have.length(1));
    const stopped = projector.stop();
    allow();
    await stopped;
    expect(await names()).to.deep.equal(['former']);
    projecting(current);
    allow();
    await anew(current);
    expect(await names()).to.deep.equal(['current']);
  });

  it('is made anew after events that were parked are folded again', async () => {
    const failing: AnyReadModel = {
      ...former,
      evolve: () => {
        throw new TypeError('This release cannot fold it.');
      },
    };
    await projected(failing);
    const parkedThen: number[] = [];
    const projector = side.projector({
      models: [current],
      foldUpkeep: {
        async makeAnew({ name }) {
          parkedThen.push((await createParkedRows(side.database).counts()).get(name) ?? 0);
        },
        ended: () => Promise.resolve(),
      },
    });
    projector.start();
    await eventually(() => expect(parkedThen).to.deep.equal([0]));
  });

  it('is given up to another process while it is made anew, or waits for another to be', async () => {
    const sessions = { ...sessionsReadModel, version: 2 };
    await projected(former, sessionsReadModel);
    const making = projecting(current, sessions);
    await eventually(() => expect(told).to.have.length(1));
    const joined = side.projector({ models: [current, sessions] });
    joined.start();
    await eventually(() => expect(joined.isActive()).to.equal(true));
    await joined.untilProjected(await append('r2', relyingPartyRegistered('r2')));
    const stopped = making.stop();
    await joined.untilProjected(await append('r3', relyingPartyRegistered('r3')));
    allow();
    await stopped;
    await eventually(() =>
      expect(joined.status().map(({ state }) => state)).to.not.include('STANDBY'),
    );
  });

  it('is compared by a command of its own release only', async () => {
    await projected(current);
    expect(await rejection(anew(former))).to.match(/relyingParties are of a newer release/u);
    await append('r2', relyingPartyRegistered('r2'));
    await projected(former);
    const late = untilMadeAnew(side.database, [current], 0, (name) => told.push(name));
    expect(await rejection(late)).to.match(/relyingParties are not made anew .* yet/u);
    expect(told).to.deep.equal(['relyingParties']);
  });
});

describe('Versions of folds', () => {
  it('are raised when the same events make other rows, or there is another column', async () => {
    expect(changedFolds(await committedRecords(), await foldRecords())).to.deep.equal(
      [],
      'Raise `version` of the read model, then run node dist/test/support/events/writeMissingFixtures.js',
    );
  });

  it('are recorded for every read model and fixture', async () => {
    const [committed, now] = [await committedRecords(), await foldRecords()];
    expect(committed).to.deep.equal(
      now,
      'Run node dist/test/support/events/writeMissingFixtures.js',
    );
  });

  it('tell a changed row and a new column of one version, and not of the next', async () => {
    const now = await foldRecords();
    const { audit } = now;
    if (audit === undefined) throw new Error('There is no audit.');
    const fixture = 'IdentityVerified.v1.json';
    expect(audit.rows).to.have.property(fixture);
    const other = { ...audit, rows: { ...audit.rows, [fixture]: 'other' } };
    expect(changedFolds(now, { ...now, audit: other })).to.deep.equal([`audit: ${fixture}`]);
    const wider = { ...audit, columns: `${audit.columns} more` };
    expect(changedFolds(now, { ...now, audit: wider })).to.deep.equal(['audit: more']);
    expect(changedFolds(now, { ...now, audit: { ...other, version: 2 } })).to.deep.equal([]);
    expect(foldOf(relyingPartiesReadModel)).to.equal(4);
  });
});
