import { expect } from 'chai';
import { sql } from 'kysely';
import { readModels } from '../../projections/readModels.ts';
import { until } from '../support/assertions/waiting.ts';
import { recordable, relyingPartyRegistered } from '../support/events/exampleEvents.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

describe('The position of a projection that has nothing to project', () => {
  let side: ReadSide;

  beforeEach(async () => {
    side = await openReadSide();
  });

  afterEach(() => side.close());

  const given = (id: string) =>
    side.eventStore.append(`relyingParty-${id}`, [recordable(relyingPartyRegistered(id))], 'any');

  it('is written once the database takes it again, although no other event comes', async () => {
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await given('r1')).position);
    // A sequence keeps what it counted when the statement is undone.
    const sequences = readModels.map(({ name }) => `create sequence "held_${name}";`).join('\n');
    await sql
      .raw(
        `${sequences}
         create function hold() returns trigger language plpgsql as $$ begin
           perform nextval(format('%I', 'held_' || old.name));
           raise exception 'held' using errcode = '57014';
         end $$;
         create trigger hold before update on checkpoint for each row execute function hold()`,
      )
      .execute(side.database);
    const { position } = await given('r2');
    await until(async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from pg_sequences
        where sequencename like 'held\\_%' and last_value is not null`.execute(side.database);
      // The batch of the model that has the event, and the first row of the statement for all others.
      return (rows[0]?.count ?? 0) >= 2;
    });
    await sql`drop trigger hold on checkpoint`.execute(side.database);
    await until(async () => {
      const stored = await side.database.selectFrom('checkpoint').select('position').execute();
      return stored.every((each) => each.position === position);
    }, 5000);
  });

  it('is written for all others while somebody holds one of them, as a rebuild does, and then for that one', async () => {
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await given('r1')).position);
    const held = 'consents';
    const storedAt = async (position: bigint) => {
      const rows = await side.database.selectFrom('checkpoint').selectAll().execute();
      return rows.filter((each) => each.position === position).map(({ name }) => name);
    };
    let last = 0n;
    await side.database.transaction().execute(async (transaction) => {
      await transaction
        .selectFrom('checkpoint')
        .select('position')
        .where('name', '=', held)
        .forUpdate()
        .executeTakeFirstOrThrow();
      last = (await given('r2')).position;
      await until(async () => (await storedAt(last)).length === readModels.length - 1, 10_000);
      expect(await storedAt(last)).not.to.include(held);
    });
    await until(async () => (await storedAt(last)).includes(held), 10_000);
  });
});
