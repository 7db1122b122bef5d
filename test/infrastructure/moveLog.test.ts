import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { NotACopy } from '../../application/log/copyLog.ts';
import { type LogMoveOptions, moveLog, StillUsed } from '../../application/log/moveLog.ts';
import { createLogVerification } from '../../application/log/verifyLog.ts';
import { signedExport } from '../../application/audit/signedExport.ts';
import { createAggregate } from '../../application/handleCommand.ts';
import type { EventLog, LoggedEvent } from '../../application/ports/eventLog.ts';
import { WrongLog } from '../../application/ports/faults.ts';
import { exportLog } from '../../main/cli/exportLog.ts';
import { isInstalled } from '../../main/cli/test.ts';
import { verifyExportFile } from '../../main/cli/verifyExport.ts';
import { keysBeside } from '../../infrastructure/export/exportFile.ts';
import { logIdentityDecider } from '../../domain/logIdentity/logIdentity.ts';
import { createGrowingTree, eventLeafHash } from '../../domain/merkle/hashTree.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import {
  type ClosableDestination,
  createEventStoreDbDestination,
  createPostgresDestination,
} from '../../infrastructure/eventstore/copyDestinations.ts';
import { createPostgresFollowedLog } from '../../infrastructure/postgres/followedLog.ts';
import { countLogUsers, isSameDatabase } from '../../infrastructure/postgres/logUsers.ts';
import { createPostgresMovedPositions } from '../../infrastructure/postgres/movedPositions.ts';
import { createNotifications } from '../../infrastructure/postgres/notifications.ts';
import { anEvent } from '../contracts/eventLogContract.ts';
import {
  type AuditTreeWorld,
  createAuditTreeWorld,
  wholeLog,
} from '../support/worlds/auditTreeWorld.ts';
import { migratedDatabase, startPostgresEventLog } from '../support/events/eventLogs.ts';
import { createPatientLog } from '../support/eventStoreDb/patientLog.ts';
import { startEventStoreDbDouble } from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { run } from '../support/programs/tools.ts';
import { testVault } from '../support/doubles/vault.ts';
import { systemRandomness } from '../../infrastructure/system.ts';

interface Side {
  readonly log: EventLog;
  readonly destination: ClosableDestination;
  readonly isPostgres: boolean;
  readonly name: string;
}

/** Events that a head is signed over before the log is moved. */
const SIGNED_BEFORE = 300;

describe('An installation moved to another log', function () {
  this.timeout(120_000);
  const closing: (() => Promise<unknown>)[] = [];
  let url: string;
  let inPostgres: Side;
  let inEventStore: Side;
  let world: AuditTreeWorld;
  let directory: string;

  const opened = <Opened extends { stop(): Promise<unknown> }>(one: Opened): Opened => {
    closing.push(() => one.stop());
    return one;
  };

  const eventStoreOn = ({ log }: Side) => createEventLog({ store: log, vault: testVault() });

  function verification(side: Side) {
    return createLogVerification({
      eventLog: side.log,
      eventStore: eventStoreOn(side),
      followedLog: createPostgresFollowedLog(world.pool),
      clock: manualClock(),
      randomness: systemRandomness,
      logAddress: side.name,
      wrappingKeyFingerprint: 'key',
    });
  }

  const identitiesOf = (side: Side) =>
    createAggregate('log', logIdentityDecider, {
      eventStore: eventStoreOn(side),
      clock: manualClock(),
      randomness: systemRandomness,
    });

  function movement(from: Side, to: Side): LogMoveOptions {
    return {
      source: from.log,
      destination: to.destination,
      step: 100,
      sourceIdentities: identitiesOf(from),
      destinationIdentities: identitiesOf(to),
      followedLog: createPostgresFollowedLog(world.pool),
      positions: createPostgresMovedPositions(world.pool, to.isPostgres),
      usersOfTheLog: () => countLogUsers(world.pool),
      movedFrom: from.name,
      movedTo: to.name,
      stopTimeoutMs: 0,
    };
  }

  async function append({ log }: Side, events: number): Promise<void> {
    for (let stored = 0; stored < events; stored += 1) {
      await log.append(`session-${stored % 7}`, [anEvent({ stored })], 'any');
    }
  }

  /** Has a head signed over the first events, before the log is moved. */
  async function growTree(): Promise<void> {
    const events = (await wholeLog(inPostgres.log)).slice(0, SIGNED_BEFORE);
    const tree = createGrowingTree(0, []);
    for (const event of events) tree.append(eventLeafHash(event));
    const { store, heads } = world.process();
    const from = { size: 0, position: null };
    const to = { size: SIGNED_BEFORE, position: BigInt(SIGNED_BEFORE) };
    await store.grow({ from, to, tiles: tree.takeChanged(), eventIds: events.map(({ id }) => id) });
    await heads.sign();
  }

  /** Has the rest of the log taken in, and exports and verifies all of it. @returns the exported lines */
  async function exported(side: Side): Promise<readonly string[]> {
    const tree = await createAuditTreeWorld(url, side.log, {
      logIsHere: side.isPostgres,
      pki: world.pki,
    });
    const process = tree.process();
    process.grower.start();
    const file = join(directory, `${randomUUID()}.jsonl`);
    try {
      await exportLog(
        {
          auditKeys: () => process.keys.all(),
          withSignedExport: async (use) =>
            use(await signedExport({ eventLog: side.log, ...process })),
        },
        file,
      );
      expect(process.failures).to.deep.equal([]);
      // One of each kind of leaf, found by the id of its event.
      for (const event of [(await wholeLog(side.log))[5], (await wholeLog(side.log)).at(-1)]) {
        await process.trees.inclusion({ eventId: event?.id ?? '' }, null);
      }
    } finally {
      await process.grower.stop();
      await tree.stop();
    }
    const verdict = await verifyExportFile(file, { key: keysBeside(file) });
    if (!verdict.ok) throw new Error(JSON.stringify(verdict.fault));
    if (isInstalled('python3') && isInstalled('openssl')) {
      const python = 'test/support/programs/python/verifyAuditExport.py';
      const verified = await run('python3', python, file, keysBeside(file));
      expect(verified).to.deep.equal({ code: 0, output: 'verified\n' });
    }
    return (await readFile(file, 'utf8')).trimEnd().split('\n');
  }

  /** Everything the database keeps of positions, by the ids of the events. */
  async function kept({ log }: Side) {
    const events = await wholeLog(log);
    const idAt = (position: bigint | null) =>
      events.find((event) => event.position === position)?.id ?? null;
    const { rows: checkpoints } = await world.pool.query<{ name: string; position: bigint | null }>(
      'select name, position from checkpoint order by name',
    );
    const { rows: audit } = await world.pool.query<{ event_id: string; position: bigint }>(
      'select event_id, position from audit_view order by position',
    );
    const state = await world.process().store.state();
    return {
      checkpoints: checkpoints.map(({ name, position }) => [name, idAt(position)]),
      audit: audit.map(({ event_id: id, position }) => [id, idAt(position)]),
      tree: [state.size, idAt(state.position)],
    };
  }

  /** Rows of the audit are in the partitions that positions of the log it follows need, and the upkeep adds none. */
  async function expectAuditInPartitions(): Promise<void> {
    const { rows: added } = await world.pool.query<{ added: number }>(
      `select keep_view_partitions('audit_view', null) as added`,
    );
    expect(added).to.deep.equal([{ added: 0 }]);
    const { rows } = await world.pool.query<{ place: string }>(
      'select distinct tableoid::regclass::text as place from audit_view',
    );
    expect(rows).to.have.length(1);
    expect(rows[0]?.place).to.match(/^audit_view_from_\d+$/);
  }

  async function project(events: readonly LoggedEvent[]): Promise<void> {
    const positions = events.map(({ position }) => position);
    await world.pool.query(
      `insert into audit_view
         (position, event_id, stream, type, outcome, actor_kind, actor_id, subject, happened_at, details, revision)
       select e.position, e.id, 's', 't', 'OK', 'k', 'a', 's', now(), '{}', 0
       from unnest($1::bigint[], $2::uuid[]) as e(position, id)`,
      [positions, events.map(({ id }) => id)],
    );
    await world.pool.query('delete from checkpoint');
    for (const [name, position] of [
      ['audit', positions.at(-1)],
      ['sessions', positions[100]],
      ['notBegun', null],
    ]) {
      await world.pool.query('insert into checkpoint (name, position) values ($1, $2)', [
        ...[name, position],
      ]);
    }
  }

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-move-'));
    url = await migratedDatabase();
    const log = opened(await startPostgresEventLog({ url }));
    const double = opened(await startEventStoreDbDouble());
    const there = opened(createPatientLog(double.url));
    await there.start();
    const [toPostgres, toEventStore] = [
      createPostgresDestination(log, url),
      createEventStoreDbDestination(there, double.url),
    ];
    closing.push(toPostgres.close, toEventStore.close);
    inPostgres = { log, destination: toPostgres, isPostgres: true, name: 'postgres://here' };
    inEventStore = { log: there, destination: toEventStore, isPostgres: false, name: 'esdb://a' };
    world = opened(await createAuditTreeWorld(url, log));
    await verification(inPostgres)();
    await append(inPostgres, SIGNED_BEFORE);
    await growTree();
    await append(inPostgres, 40);
    await project((await wholeLog(log)).slice(0, 320));
  });

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await rm(directory, { recursive: true });
  });

  it('goes on there and back again where everything was, and its signed heads still hold', async () => {
    const before = await kept(inPostgres);
    const lines = await exported(inPostgres);
    const grown = (await kept(inPostgres)).tree;

    const { identity, copied } = await moveLog(movement(inPostgres, inEventStore));
    expect(identity.epoch).to.equal(2);
    expect(copied?.records).to.equal(342);
    expect(await kept(inEventStore)).to.deep.equal({ ...before, tree: grown });
    await expectAuditInPartitions();
    await verification(inEventStore)();
    expect(await rejection(verification(inPostgres)()))
      .to.be.instanceOf(WrongLog)
      .and.have.property('message')
      .that.matches(/^This log was moved \(epoch 2\) to esdb:\/\/a/);

    await append(inEventStore, 30);
    const there = await exported(inEventStore);
    expect(there).to.have.lengthOf(373);
    const withoutPositions = (line = '') => line.replace(/"position":"\d+"/g, '');
    expect(there.slice(0, 341).map(withoutPositions)).to.deep.equal(lines.map(withoutPositions));

    // Grown anew it is the tree whose heads were signed.
    await world.pool.query('truncate audit_tree_tile, audit_tree_event');
    await world.pool.query('update audit_tree set size = 0, last_position = null');
    expect(await exported(inEventStore)).to.deep.equal(there);

    const audited = await kept(inEventStore);
    expect((await moveLog(movement(inEventStore, inPostgres))).identity.epoch).to.equal(3);
    expect(await kept(inPostgres)).to.deep.equal(audited);
    await expectAuditInPartitions();
    await verification(inPostgres)();
    expect(await rejection(verification(inEventStore)())).to.be.instanceOf(WrongLog);
    await append(inPostgres, 10);
    expect(await exported(inPostgres)).to.have.lengthOf(385);
    expect((await wholeLog(inPostgres.log)).map(({ position }) => position)).to.deep.equal(
      Array.from({ length: 385 }, (_, index) => BigInt(index + 1)),
    );
  });

  it('is moved once, wherever the move was killed and begun again', async () => {
    const before = await kept(inPostgres);
    let steps = 0;
    let killAt = 0;
    const killing =
      <Parameters extends unknown[], Result>(work: (...all: Parameters) => Promise<Result>) =>
      async (...all: Parameters): Promise<Result> => {
        steps += 1;
        if (steps === killAt) throw new Error('killed before');
        const result = await work(...all);
        steps += 1;
        if (steps === killAt) throw new Error('killed after');
        return result;
      };
    const whole = movement(inPostgres, inEventStore);
    const { positions, destination, sourceIdentities, destinationIdentities } = whole;
    const mortal: LogMoveOptions = {
      ...whole,
      positions: {
        begin: killing(positions.begin),
        add: killing(positions.add),
        rewrite: killing(positions.rewrite),
      },
      destination: { ...destination, appendCopies: killing(destination.appendCopies) },
      sourceIdentities: { ...sourceIdentities, handle: killing(sourceIdentities.handle) },
      destinationIdentities: {
        ...destinationIdentities,
        handle: killing(destinationIdentities.handle),
      },
    };
    let kills = 0;
    for (killAt = 1; ; killAt += 1) {
      steps = 0;
      const outcome = await moveLog(mortal).catch((error: unknown) => error);
      if (!(outcome instanceof Error)) break;
      expect(outcome.message).to.match(/^killed/);
      kills += 1;
    }
    expect(kills).to.be.greaterThan(10);
    expect(await kept(inEventStore)).to.deep.equal(before);
    const types = (await wholeLog(inEventStore.log)).map(({ type }) => type);
    expect(types.filter((type) => type === 'LogRetired')).to.have.lengthOf(1);
    expect(types.filter((type) => type === 'LogMoved')).to.have.lengthOf(1);
    expect(types).to.have.lengthOf(343);
    await verification(inEventStore)();
    await append(inEventStore, 1);
    expect((await moveLog(whole)).copied).to.equal(null);
  });

  it('is not moved while a process of the service runs', async () => {
    const notifications = createNotifications({ url });
    await notifications.start();
    const waiting: number[] = [];
    const onWaiting = (processes: number) => waiting.push(processes);
    const refused = await rejection(
      moveLog({ ...movement(inPostgres, inEventStore), stopTimeoutMs: 50, onWaiting }),
    );
    expect(refused).to.be.instanceOf(StillUsed);
    expect(waiting).to.deep.equal([1]);
    await verification(inPostgres)();

    const moving = moveLog({
      ...movement(inPostgres, inEventStore),
      stopTimeoutMs: 30_000,
      onWaiting: () => void notifications.stop(),
    });
    expect((await moving).identity.epoch).to.equal(2);
  });

  it('is not moved from a log that is not its own, or to another address than it was being moved to', async () => {
    await world.pool.query('update log_identity set installation_id = $1', [randomUUID()]);
    const stranger = await rejection(moveLog(movement(inPostgres, inEventStore)));
    expect(stranger).to.be.instanceOf(WrongLog);

    await world.pool.query('delete from log_identity');
    const unnamed = await rejection(moveLog(movement(inPostgres, inEventStore)));
    expect(unnamed)
      .to.have.property('message')
      .that.matches(/Start the service on it once/);

    await verification(inPostgres)();
    const retiring = identitiesOf(inPostgres);
    const context = {
      actor: { kind: 'system', id: 'test' },
      requestId: null,
      ip: null,
    } as const;
    await retiring.handle(
      'identity',
      { type: 'Retire', retirement: { epoch: 2, movedTo: 'esdb://other' } },
      { ...context, correlationId: 'c', causationId: 'c' },
    );
    expect(await rejection(moveLog(movement(inPostgres, inEventStore))))
      .to.have.property('message')
      .that.matches(/retired in favour of esdb:\/\/other/);
  });

  it('is not moved to a log in which a byte differs', async () => {
    await moveLog({
      ...movement(inPostgres, inEventStore),
      usersOfTheLog: () => Promise.resolve(1),
    }).catch(() => undefined);
    await world.pool.query(`update event set data = '{"stored":-1}' where position = 50`);
    const refused = await rejection(moveLog(movement(inPostgres, inEventStore)));
    expect(refused).to.be.instanceOf(NotACopy);
    expect(refused)
      .to.have.property('message')
      .that.matches(/^Event 49 .* in data\.$/);
    await verification(inPostgres)();
  });

  it('is not moved to a log that says something else was moved to it', async () => {
    await moveLog(movement(inPostgres, inEventStore));
    const back = movement(inEventStore, inPostgres);
    const rewrite = () => Promise.reject(new Error('killed'));
    await rejection(moveLog({ ...back, positions: { ...back.positions, rewrite } }));
    await world.pool.query(
      `update event set data = replace(data, '"records":344', '"records":343') where type = 'LogMoved' and revision > 2`,
    );
    const refused = await rejection(moveLog(back));
    expect(refused).to.be.instanceOf(NotACopy);
    expect(refused)
      .to.have.property('message')
      .that.matches(/states that 343 events .* but 344 /);
  });

  it('keeps positions in these tables alone: whatever else keeps some has to be moved, too', async () => {
    const { rows } = await world.pool.query<{ place: string }>(
      `select table_name || '.' || column_name as place from information_schema.columns
       where table_schema = 'public' and column_name like '%position%'
         and table_name !~ '^(event|audit_view)_(from|other)' order by 1`,
    );
    expect(rows.map(({ place }) => place)).to.deep.equal([
      // Deleted: a log that is moved has no archive.
      'archive_entry.first_position',
      'archive_entry.last_position',
      'audit_tree.last_position',
      'audit_view.position',
      'checkpoint.position',
      // The log itself, and what its appends keep for it.
      'event.position',
      'event_head.position',
      'parked_event.position',
      'recent_event.position',
      'stream_head.first_position',
      'stream_head.last_position',
    ]);
  });

  it('knows one database under two addresses, and two on one server', async () => {
    const alias = new URL(url);
    alias.searchParams.set('application_name', 'other');
    expect(await isSameDatabase(url, alias.href)).to.equal(true);
    expect(await isSameDatabase(url, await migratedDatabase())).to.equal(false);
  });
});
