import { expect } from 'chai';
import pg from 'pg';
import { readConfig } from '../../infrastructure/config/config.ts';
import {
  connectionBudget,
  connectionNames,
} from '../../infrastructure/postgres/connectionBudget.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { call } from '../../main/drill/callers.ts';
import { cycle, startInstallation } from '../support/installation/liveInstallation.ts';
import {
  commonSettings,
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';

describe('Connections to PostgreSQL', function () {
  this.timeout(120_000);
  let url: string;
  let admin: pg.Client;
  const processes: ServiceProcess[] = [];

  beforeEach(async () => {
    url = await migratedDatabase();
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
  });

  afterEach(async () => {
    await Promise.all(processes.splice(0).map((each) => each.stop()));
    await admin.end();
  });

  async function counted(): Promise<Readonly<Record<string, number>>> {
    const { rows } = await admin.query<{ name: string; count: number }>(
      `select regexp_replace(application_name, '^(tamga-(?:lock|wake)) .*', '\\1') as name, count(*)::int as count from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and backend_type = 'client backend' and application_name <> '' group by 1`,
    );
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  }

  /** The most of each that is seen until the work is done. */
  async function mostDuring(work: Promise<unknown>) {
    const most: Record<string, number> = {};
    const running = { isDone: false };
    const done = work.finally(() => (running.isDone = true));
    while (!running.isDone) {
      for (const [name, count] of Object.entries(await counted())) {
        most[name] = Math.max(most[name] ?? 0, count);
      }
    }
    await done;
    return most;
  }

  function expectWithin(most: Readonly<Record<string, number>>, roles: string) {
    const config = readConfig({
      ...commonSettings(),
      SVC_DATABASE_URL: url,
      SVC_ROLES: roles,
    });
    const budget = connectionBudget(config);
    const allowed = Object.fromEntries(
      Object.entries(connectionNames).map(([use, name]) => [
        name,
        budget[use as keyof typeof budget],
      ]),
    );
    expect(Object.keys(allowed)).to.include.members(Object.keys(most));
    for (const [name, count] of Object.entries(most)) {
      expect(count, name).to.be.at.most(allowed[name] ?? 0);
    }
    expect(most[connectionNames.locks] ?? 0).to.equal(budget.locks);
    expect(most[connectionNames.notifications]).to.equal(budget.notifications);
    expect(most[connectionNames.logWriter]).to.equal(budget.logWriter);
  }

  it('a process of all roles keeps within its documented connections under load', async () => {
    const installed = await startInstallation({ SVC_DATABASE_URL: url });
    processes.push(installed.service);
    const load = Array.from({ length: 40 }, () => cycle(installed).catch(() => undefined));
    expectWithin(await mostDuring(Promise.all(load)), 'api,projector,worker');
  });

  for (const role of ['api', 'projector', 'worker']) {
    it(`a process of the role ${role} does, too`, async () => {
      const service = await createServiceProcess({ SVC_DATABASE_URL: url, SVC_ROLES: role });
      processes.push(service);
      await service.start();
      await eventually(async () =>
        expect((await call(`${service.origin}/readyz`)).status).to.equal(200),
      );
      const asking = Array.from({ length: 20 }, () => call(`${service.origin}/readyz`));
      expectWithin(await mostDuring(Promise.all(asking)), role);
    });
  }
});
