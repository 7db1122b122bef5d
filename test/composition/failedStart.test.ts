import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import type { ShutdownStack } from '../../main/composition/shutdownStack.ts';
import type { ServiceHooks } from '../../main/main.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { createServiceHere } from '../support/installation/serviceHere.ts';
import { masterKey, type Settings } from '../support/installation/serviceProcess.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

const everything = {
  SVC_ROLES: 'api,projector,worker,console',
  SVC_CONSOLE_PORT: '0',
  SVC_MANAGEMENT_PORT: '0',
  SVC_LOG_LEVEL: 'silent',
};

describe('A start that fails in this process', function () {
  this.timeout(180_000);
  let occupied: Server;
  let port: string;

  before(async () => {
    occupied = await new Promise((resolve) => {
      const server = createServer().listen(0, '0.0.0.0', () => resolve(server));
    });
    port = String((occupied.address() as AddressInfo).port);
  });

  after(() => occupied.close());

  /** Starts the service, which must fail. @returns its error, and what it leaves connected */
  async function failingWith(settings: Settings, hooks: ServiceHooks = {}) {
    const service = createServiceHere({ ...everything, ...settings }, hooks);
    const error = (await rejection(service.start())) as Error;
    await service.stop();
    return error;
  }

  async function expectNoConnections(url: string): Promise<void> {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    try {
      await eventually(async () => {
        const { rows } = await admin.query(
          `select application_name from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()
             and backend_type = 'client backend'`,
        );
        expect(rows).to.deep.equal([]);
      }, 5000);
    } finally {
      await admin.end();
    }
  }

  async function migratedBy(statement: string): Promise<string> {
    const url = await migratedDatabase();
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(statement);
    await admin.end();
    return url;
  }

  const faults: Readonly<
    Record<
      string,
      {
        readonly url?: () => Promise<string>;
        readonly settings: () => Settings;
        readonly says: RegExp;
      }
    >
  > = {
    'the management port is in use': {
      settings: () => ({ SVC_MANAGEMENT_PORT: port }),
      says: /^Port \d+ is in use, perhaps by another .* set SVC_MANAGEMENT_PORT to another port/u,
    },
    'the master key is not the one the data is encrypted with': {
      url: async () => {
        const url = await migratedDatabase();
        const service = createServiceHere({ ...everything, SVC_DATABASE_URL: url });
        await service.start();
        await service.stop();
        return url;
      },
      settings: () => ({
        SVC_SW_MASTER_KEY: Buffer.from(masterKey, 'base64').fill(8).toString('base64'),
      }),
      says: /SVC_SW_MASTER_KEY/u,
    },
    'O8: the upgrade to a newer release was finished': {
      url: () => migratedBy('update release_level set level = 99'),
      settings: () => ({}),
      says: /^The database \(SVC_DATABASE_URL\) belongs to a newer release: its upgrade was finished at level 99, .*Start the newer/u,
    },
    'a build before the first release made the schema': {
      url: () =>
        migratedBy("update kysely_migration set name = '001_eventLog' where name = '001_baseline'"),
      settings: () => ({}),
      says: /^The database \(SVC_DATABASE_URL\) has the schema of a build before the first release/u,
    },
    'a migration fails': {
      url: async () => {
        const url = await freshDatabase();
        const admin = new pg.Client({ connectionString: url });
        await admin.connect();
        await admin.query('create table person_key (mine int)');
        await admin.end();
        return url;
      },
      settings: () => ({}),
      says: /^The database schema could not be updated: migration 001_baseline failed\.$/u,
    },
  };

  for (const [what, { url: prepare = migratedDatabase, settings, says }] of Object.entries(
    faults,
  )) {
    it(`says why and leaves no connection when ${what}`, async () => {
      const url = await prepare();
      const error = await failingWith({ SVC_DATABASE_URL: url, ...settings() });
      expect(error.message).to.match(says);
      await expectNoConnections(url);
    });
  }

  it('O3: a release starts on a schema that a newer one added to', async () => {
    const url = await migratedBy(
      "insert into kysely_migration values ('999_future', now()::text); create table future ()",
    );
    const service = createServiceHere({ ...everything, SVC_DATABASE_URL: url });
    await service.start();
    await service.stop();
  });

  it('stops what was started, the newest first, whichever step fails', async () => {
    const url = await migratedDatabase();
    const settings = { ...everything, SVC_DATABASE_URL: url };

    /** Counts the steps of a start and their stops; the step `failing` fails at once. */
    function observing(failing: number) {
      const steps: string[] = [];
      const stopped: number[] = [];
      const failures: unknown[] = [];
      const aroundShutdown = (shutdown: ShutdownStack): ShutdownStack => ({
        stop: () => shutdown.stop(),
        defer(stop) {
          const step = steps.push(String(stop)) - 1;
          shutdown.defer(async () => {
            stopped.push(step);
            await Promise.resolve(stop()).catch((error: unknown) => failures.push(error));
          });
          if (step === failing) throw new Error(`Step ${step} failed.`);
        },
      });
      return { steps, stopped, failures, hooks: { aroundShutdown } };
    }

    const before = process.getActiveResourcesInfo();
    const whole = observing(-1);
    const service = createServiceHere(settings, whole.hooks);
    await service.start();
    await service.stop();
    expect(whole.stopped).to.have.length(whole.steps.length).above(30);
    await eventually(() => expect(heldBeyond(before)).to.deep.equal([]), 5000);

    for (const [failing, stop] of whole.steps.entries()) {
      const { stopped, failures, hooks } = observing(failing);
      const error = await failingWith(settings, hooks);
      expect(error.message).to.equal(`Step ${failing} failed.`);
      const expected = Array.from({ length: failing + 1 }, (_, index) => failing - index);
      expect({ stop, stopped, failures }).to.deep.equal({ stop, stopped: expected, failures: [] });
      await expectNoConnections(url);
      await eventually(() => expect(heldBeyond(before), stop).to.deep.equal([]), 5000);
    }
  });
});

/** Sockets, servers, timers and threads that keep this process alive and did not before. */
function heldBeyond(before: readonly string[]): readonly string[] {
  const rest = [...before];
  return process.getActiveResourcesInfo().filter((kind) => {
    const at = rest.indexOf(kind);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}
