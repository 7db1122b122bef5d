import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { type Kysely, sql } from 'kysely';
import type { Route } from '../../api/http/route.ts';
import { hasCapability } from '../../domain/operator/capabilities.ts';
import { settings } from '../../infrastructure/config/config.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import type { Database } from '../../projections/database.ts';
import type { AnyReadModel } from '../../projections/engine/readModel.ts';
import { createParkedRows } from '../../projections/parkedRows.ts';
import { readModels } from '../../projections/readModels.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { observeReadModels, type ReadModelsAsked } from '../support/assertions/readModelsAsked.ts';
import { differences, type Seen, seen } from '../support/assertions/walkedAnswers.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { call } from '../../main/drill/callers.ts';
import {
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';
import { type Ask, type Owned, send, thingsOf } from '../support/worlds/crossAccessThings.ts';
import {
  type Caller,
  type CrossAccessWorld,
  startCrossAccessWorld,
} from '../support/worlds/crossAccessWorld.ts';
import { openStoppable, type Victim } from '../support/worlds/stoppable.ts';

const boundSeconds = 2;
const models: readonly AnyReadModel[] = readModels;

/** SQLSTATE a change of a table is answered with: repeating it does not mend the first, and may mend the second. */
const [dataException, queryCanceled] = ['22000', '57014'];

/** Routes that show the process itself or everything there is, wait for somebody, or end what the walk is made with. */
const notWalked: readonly string[] = [
  ...['metrics', 'readyz', 'openapi', 'admin.system', 'admin.audit.export', 'admin.audit.events'],
  ...['kyc_dan_callback', 'login.return', 'login.consents.return', 'login.qr'],
  ...['device_deactivate', 'admin.auth.logout'],
];

/** Of routes that ask no read model that is stopped, one in so many is asked, others in each test. */
const ONE_IN = 10;
/** A number below it to repeat the same, or `all`. */
const WALK = 'TAMGA_TEST_WALK';
const walked = process.env[WALK] ?? String(randomInt(ONE_IN));

/** Settings in which no number of walks a minute is refused. */
const withoutLimits = Object.fromEntries(
  Object.keys(settings)
    .filter((name) => name.endsWith('_PER_MINUTE'))
    .map((name) => [name, '1000000']),
);

type Moment = 'within the bound' | 'past the bound';

interface Stop {
  stop(): Promise<unknown>;
  resume(): Promise<unknown>;
}

describe('With a projection stopped, each route is right or says why it cannot be', function () {
  this.timeout(240_000);
  let observed: ReadModelsAsked;
  let world: CrossAccessWorld;
  let database: Kysely<Database>;
  let projector: ServiceProcess;
  let things: Readonly<Record<string, Owned>>;
  let routes: readonly Route[];
  let reads: ReadonlySet<string>;
  let stoppable: Awaited<ReturnType<typeof openStoppable>>;
  /** Names of the read models each route asked while all was well. */
  const asks = new Map<string, Set<string>>();
  /** Statuses of each route while all is well; of a versioned path and its alias those of both. */
  const usual = new Map<string, Set<number>>();
  const operationOf = (route: string) => route.replace(/\.v1$/, '');
  let tests = 0;

  before(async () => {
    observed = observeReadModels(models);
    process.stdout.write(`    ${WALK}=${walked} walks the same again, ${WALK}=all every route.\n`);
    const url = await migratedDatabase();
    database = createDatabase<Database>(createPool({ url, max: 2 }));
    projector = await createServiceProcess({ SVC_DATABASE_URL: url, SVC_ROLES: 'projector' });
    projector.launch();
    const settings = {
      SVC_DATABASE_URL: url,
      SVC_ROLES: 'api,worker',
      SVC_SOLE_PROCESS: 'false',
      SVC_MAX_STALENESS: String(boundSeconds),
      SVC_OIDC_ACCESS_TOKEN_SECONDS: '3600',
      ...withoutLimits,
    };
    world = await startCrossAccessWorld(settings, { aroundStaleness: observed.aroundStaleness });
    things = thingsOf(world);
    routes = world.demo.service.routes.filter(({ name }) => !notWalked.includes(name));
    reads = new Set(routes.flatMap(({ name, method }) => (method === 'GET' ? [name] : [])));
    stoppable = await openStoppable(world);
    // Answers of commands that changed something the first time are others from the second on.
    for (let walks = 0; walks < 2; walks += 1) {
      await caughtUp();
      await walkUsually(routes);
    }
  });

  after(async () => {
    observed.stop();
    await world.stop();
    await projector.stop();
    await database.destroy();
  });

  for (const model of models) {
    it(`${model.name}, a row poisoned`, () =>
      walkWhile(failing(model.table, dataException), [model], ['past the bound']));

    it(`${model.name}, each query cancelled`, () =>
      walkWhile(failing(model.table, queryCanceled), [model], ['within the bound']));
  }

  it('all, their process killed', () => {
    // A login ends when the phone has found it in its inbox, which is a read model.
    const changed = models.filter(({ name }) => name !== 'consents');
    const killed = { stop: () => projector.kill(), resume: () => projector.start() };
    return walkWhile(killed, changed, ['within the bound', 'past the bound']);
  });

  /** Makes every change of a table fail. */
  function failing(table: string, code: string): Stop {
    return {
      stop: () =>
        sql
          .raw(
            `create or replace function fail() returns trigger language plpgsql as
               $$ begin raise exception 'stopped' using errcode = '${code}'; end $$;
             create trigger stopped before insert or update on ${table} for each row execute function fail()`,
          )
          .execute(database),
      resume: async () => {
        await sql.raw(`drop trigger stopped on ${table}`).execute(database);
        await createParkedRows(database).retry();
      },
    };
  }

  /** Changes, and withdraws, while projections are stopped; walks at `moments` of it. */
  async function walkWhile(
    { stop, resume }: Stop,
    stopped: readonly AnyReadModel[],
    moments: readonly Moment[],
  ) {
    const asked = routesFor(stopped);
    const victim = await stoppable.victim();
    await caughtUp();
    await eventually(async () =>
      expect(await victim.wrongs(), 'what is about to be withdrawn').to.have.length(3),
    );
    const first = await walkUsually(asked);
    await stop();
    const walks: ReadonlyMap<string, Seen>[] = [];
    try {
      for (const { name } of stopped) {
        const status = await stoppable.change(name);
        expect(status, `a change of ${name}`).to.be.oneOf([null, 200, 201, 202, 503]);
      }
      for (const status of await victim.revoke()) expect(status).to.be.oneOf([200, 204, 503]);
      await isRevoked(victim);
      if (moments.includes('within the bound')) walks.push(await walk(asked));
      await eventually(async () => {
        const { body } = await call(`${world.demo.service.origin}/readyz`);
        expect(body['status']).to.equal('degraded');
      }, 20_000);
      await isRevoked(victim);
      if (moments.includes('past the bound')) walks.push(await walk(asked));
    } finally {
      await resume();
    }
    await caughtUp();
    await isRevoked(victim);
    const last = await walkUsually(asked);
    const audited = await auditedEvents();
    const wrong = walks.flatMap((answers) =>
      [...answers].flatMap(([name, answer]) => [
        ...wrongs(name, answer, first.get(name), last.get(name)),
        ...(answer.values.get('.audit[].eventId') ?? []).filter((id) => !audited.has(id)),
      ]),
    );
    expect([...new Set(wrong)].join('\n')).to.equal('');
  }

  /** Every route that asks what is stopped, and of the others some; all where it is not known which do, or wanted. */
  function routesFor(stopped: readonly AnyReadModel[]): readonly Route[] {
    const isAsked = ({ name }: Route) => stopped.some((model) => asks.get(name)?.has(model.name));
    if (walked === 'all' || !routes.some(isAsked)) return routes;
    tests += 1;
    return routes.filter(
      (route, at) => isAsked(route) || (at + tests + Number(walked)) % ONE_IN === 0,
    );
  }

  function wrongs(name: string, answer: Seen, first?: Seen, last?: Seen): readonly string[] {
    if (answer.status === 503 && /"(title|detail|message|error)"/.test(answer.text)) return [];
    if (usual.get(operationOf(name))?.has(answer.status) !== true) {
      return [`${name}: ${answer.status} ${answer.text.slice(0, 300)}`];
    }
    // New each time are answers to commands, the newest lines of audit and history, and the counts of what runs.
    const isCompared = reads.has(name) && !/^admin\.(audit|stats)|^personActivity$/.test(name);
    if (first === undefined || last === undefined || !isCompared) return [];
    return differences(answer, first, last)
      .filter((difference) => !difference.startsWith('.audit[]'))
      .map((difference) => `${name}: ${difference}`);
  }

  async function auditedEvents(): Promise<ReadonlySet<unknown>> {
    const audit = await database.selectFrom('audit_view').select('event_id').execute();
    return new Set(audit.map(({ event_id: id }) => id));
  }

  /** Given up for good: never good again, nor let in, whatever the process knows. */
  async function isRevoked(victim: Victim): Promise<void> {
    await eventually(async () => expect(await victim.wrongs()).to.deep.equal([]), 2000);
  }

  /** Until nothing is behind or parked. */
  async function caughtUp(): Promise<void> {
    await eventually(async () => {
      const { body } = await call(`${world.demo.service.origin}/readyz`);
      expect(body['status']).to.equal('ready');
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from parked_event`.execute(database);
      expect(rows[0]?.count).to.equal(0);
      const behind = await sql<{ name: string }>`
        select name from checkpoint where position < (select max(position) from event)`.execute(
        database,
      );
      expect(behind.rows.filter(({ name }) => models.some((model) => model.name === name))).to.be
        .empty;
    }, 60_000);
  }

  async function walkUsually(of: readonly Route[]): Promise<ReadonlyMap<string, Seen>> {
    const answers = await walk(of);
    for (const [name, { status, text }] of answers) {
      expect(status, `${name}: ${text}`).not.to.equal(500);
      const operation = operationOf(name);
      usual.set(operation, (usual.get(operation) ?? new Set()).add(status));
    }
    return answers;
  }

  /** Asks each route; commands with what has been said before, or with nothing. */
  async function walk(of: readonly Route[]): Promise<ReadonlyMap<string, Seen>> {
    const answers = new Map<string, Seen>();
    for (const route of of) {
      const { caller, ask } = askedAs(route);
      observed.take();
      answers.set(route.name, seen(await send(world.demo.service.origin, route, caller, ask)));
      asks.set(route.name, new Set([...(asks.get(route.name) ?? []), ...observed.take()]));
    }
    return answers;
  }

  const nobody: Caller = { name: 'nobody', scheme: 'adminKey', headers: () => ({}) };

  function askedAs(route: Route): { readonly caller: Caller; readonly ask: Ask } {
    const { guard, method, name } = route;
    const thing = things[name];
    const [owner] = thing?.owners ?? [];
    if (thing !== undefined && owner !== undefined) return { caller: owner, ask: thing };
    // Commands that are nobody's own name what there is not, or they would change the world.
    const ask = method === 'GET' ? { params: stoppable.params(name) } : {};
    const { capability, security } = guard;
    if (capability !== undefined) {
      const operator = world.operators.find(({ role }) => hasCapability(role, capability));
      return { caller: operator ?? nobody, ask };
    }
    const callers = [world.parties[0], world.phones[0], world.organizations[0], world.operators[0]];
    const known = callers.find((caller) => caller && security?.includes(caller.scheme));
    return { caller: known ?? nobody, ask };
  }
});
