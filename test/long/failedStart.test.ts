import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { startProxy, type TestProxy } from '../support/doubles/proxy.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';
import {
  createServiceProcess,
  type ServiceProcess,
  type Settings,
} from '../support/installation/serviceProcess.ts';
import { freePort } from '../../main/drill/freePort.ts';
import { developmentDatabase } from '../../infrastructure/config/development.ts';
import { withMaintenanceConnection } from '../../infrastructure/postgres/maintenanceConnection.ts';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { until } from '../support/assertions/waiting.ts';

/** Time limit of a failed start, ms: it waits for a dependency, then stops what it started. */
const ENDS_WITHIN_MS = 45_000;

describe('A start that fails', function () {
  this.timeout(60_000);
  let occupied: Server;
  let port: string;
  let directory: string;

  before(async () => {
    occupied = await new Promise((resolve) => {
      const server = createServer().listen(0, '0.0.0.0', () => resolve(server));
    });
    port = String((occupied.address() as AddressInfo).port);
    directory = await mkdtemp(join(tmpdir(), 'tamga-start-'));
    await writeFile(join(directory, 'nonsense.pem'), 'nonsense\n');
  });

  after(async () => {
    occupied.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** Starts `tamga serve`, or another command, and waits until it has ended. */
  async function failingWith(settings: Settings, at?: string, command: 'serve' | 'up' = 'serve') {
    const service = await createServiceProcess(settings, at, [command]);
    service.launch();
    const ended = until(() => service.hasEnded(), ENDS_WITHIN_MS);
    await ended.finally(() => service.kill());
    return { code: await service.stop(), output: service.output() };
  }

  const steps: Readonly<
    Record<string, { readonly settings: () => Promise<Settings>; readonly says: RegExp }>
  > = {
    'the database is unavailable': {
      settings: async () => ({
        SVC_DATABASE_URL: `postgres://127.0.0.1:${await freePort()}/tamga`,
      }),
      says: /^tamga: The database \(SVC_DATABASE_URL\) is not available\.\n {2}because: .*ECONNREFUSED/u,
    },
    'the database does not know what it is asked for': {
      settings: async () => ({
        SVC_DATABASE_URL: Object.assign(new URL(await freshDatabase()), { pathname: 'nowhere' })
          .href,
      }),
      says: /^tamga: PostgreSQL refuses the connection that SVC_DATABASE_URL names\.\n {2}because: .*"nowhere"/u,
    },
    'the database does not wait for its disk, in production': {
      settings: async () => ({
        SVC_PROFILE: 'production',
        SVC_ADMIN_PASSWORD_COST: '15',
        SVC_DATABASE_URL: await freshDatabase(),
        SVC_SW_MASTER_KEY: randomBytes(32).toString('base64'),
        SVC_ADMIN_TOKEN_SECRET: randomBytes(32).toString('base64'),
        SVC_RP_API_BASE: 'https://id.example.mn',
        SVC_PKI_POLICY_ARC: '1.2.3.4',
      }),
      says: /fsync is "off": .*Set it to "on" in postgresql\.conf/u,
    },
    'the event log is unavailable': {
      settings: async () => ({
        SVC_DATABASE_URL: await freshDatabase(),
        SVC_EVENTSTORE_URL: `esdb://127.0.0.1:${await freePort()}?tls=false`,
      }),
      says: /^tamga: The event log \(SVC_EVENTSTORE_URL, .*\) is not available\.\n {2}because: /u,
    },
    'the hardware module cannot be loaded': {
      settings: async () => ({
        SVC_DATABASE_URL: await freshDatabase(),
        SVC_PKCS11_MODULE: '/nowhere/module.so',
        SVC_PKCS11_TOKEN: 'tamga',
        SVC_PKCS11_PIN: '1234',
      }),
      says: /SVC_PKCS11_MODULE[^]*\/nowhere\/module\.so/u,
    },
    'a list of trusted authorities is none': {
      settings: async () => ({
        SVC_DATABASE_URL: await freshDatabase(),
        SVC_KYC_PASSPORT_CSCA: join(directory, 'nonsense.pem'),
      }),
      says: /SVC_KYC_PASSPORT_CSCA/u,
    },
    'the files of TLS cannot be read': {
      settings: async () => ({
        SVC_DATABASE_URL: await freshDatabase(),
        SVC_TLS_CERT: '/nowhere/cert.pem',
        SVC_TLS_KEY: '/nowhere/key.pem',
      }),
      says: /^tamga: SVC_TLS_CERT: .*\n {2}because: .*\/nowhere\/cert\.pem/u,
    },
    'the port of the console is in use': {
      settings: async () => ({
        SVC_DATABASE_URL: await freshDatabase(),
        SVC_ROLES: 'api,projector,worker,console',
        SVC_CONSOLE_PORT: port,
      }),
      says: /^tamga: Port \d+ is in use, .* set SVC_CONSOLE_PORT to another port/u,
    },
  };
  for (const [what, { settings, says }] of Object.entries(steps)) {
    it(`ends and says why when ${what}`, async () => {
      const { code, output } = await failingWith(await settings());
      expect(output).to.match(says);
      expect(code).to.equal(1);
    });
  }

  it('leaves no connection and no lock behind', async () => {
    const url = await freshDatabase();
    const { code } = await failingWith({ SVC_DATABASE_URL: url }, `http://127.0.0.1:${port}`);
    expect(code).to.equal(1);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const left = await admin.query(
      `select application_name from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
       and backend_type = 'client backend'`,
    );
    await admin.end();
    expect(left.rows).to.deep.equal([]);
  });

  describe('While the database is unavailable', () => {
    let proxy: TestProxy;
    let service: ServiceProcess;

    async function wait(command: 'serve' | 'up'): Promise<void> {
      const url = new URL(await freshDatabase());
      proxy = await startProxy(Number(url.port));
      proxy.cut();
      url.port = String(proxy.port);
      const settings = {
        SVC_DATABASE_URL: url.href,
        SVC_START_WAIT: '600',
        SVC_LOG_LEVEL: 'warn',
      };
      service = await createServiceProcess(settings, undefined, [command]);
      service.launch();
      await until(() => service.output().includes('The start is waiting'), ENDS_WITHIN_MS);
    }

    afterEach(async () => {
      await service.kill();
      await proxy.close();
    });

    it('waits for it, and starts', async () => {
      await wait('serve');
      expect(service.output()).to.include('SVC_DATABASE_URL');
      proxy.mend();
      await service.untilReady();
    });

    for (const command of ['serve', 'up'] as const) {
      it(`ends at once on SIGTERM (${command})`, async () => {
        await wait(command);
        const before = performance.now();
        expect(await service.stop()).to.equal(0);
        expect(performance.now() - before).to.be.below(5000);
      });
    }
  });

  const foreign: Readonly<Record<string, { readonly make: string; readonly says: RegExp }>> = {
    'an event of a newer release': {
      make: event('99', '{}'),
      says: /\(IdentityVerified\) at position 1 was written by a newer release/u,
    },
    'an event of another form': {
      make: event('1', '{"other":1}'),
      says: /\(IdentityVerified\) at position 1 cannot be decoded\./u,
    },
    'a table without a column': {
      make: 'alter table checkpoint rename column name to former',
      says: /no column checkpoint\.name/u,
    },
    'another schema': {
      make: "update kysely_migration set name = '000_early' where name = '001_baseline'",
      says: /the schema of a build before the first release/u,
    },
  };
  for (const [what, { make, says }] of Object.entries(foreign)) {
    it(`says in two lines what to do where \`up\` finds ${what} in what it kept`, async () => {
      const dataDir = await serverDirectory('kept');
      try {
        const server = await developmentDatabase(dataDir);
        await withMaintenanceConnection(server.url, ({ database }) => migrate(database));
        const client = new pg.Client(server.url);
        await client.connect();
        await client.query(make);
        await client.end();
        await server.stop();

        const { code, output } = await failingWith(
          { SVC_DATA_DIR: dataDir, SVC_CONSOLE_PORT: '0' },
          undefined,
          'up',
        );

        const told = output.split('\n').filter((line) => line !== '' && !line.startsWith('•'));
        expect(told, output).to.have.length(2);
        expect(told[0]).to.match(says).and.include(dataDir);
        expect(told[1]).to.include(`delete or move ${dataDir}`);
        expect(code).to.equal(1);
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    });
  }

  for (const command of [undefined, 'up'] as const) {
    it(`ends, names the port and stops PostgreSQL when the port is in use (${command ?? 'serve'})`, async () => {
      const dataDir = await serverDirectory('start');
      try {
        const { code, output } = await failingWith(
          { SVC_DATA_DIR: dataDir },
          `http://127.0.0.1:${port}`,
          command,
        );
        expect(output).to.match(
          /^tamga: Port \d+ is in use, perhaps by another .* set SVC_PORT to another port .*\n$/mu,
        );
        expect(output).to.include(port);
        expect(code).to.equal(1);
        expect(await isRunning(join(dataDir, 'postgres', 'postmaster.pid'))).to.equal(false);
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    });
  }
});

/** Stores an event, of this version and with this data. */
function event(version: string, data: string): string {
  return `insert into event (position, stream, revision, event_id, type, data, metadata) values (1, 'person-1', 0,
    gen_random_uuid(), 'IdentityVerified', '${data}', '{"time":"2026-01-01T00:00:00.000Z","schemaVersion":${version}}')`;
}

/** Tells whether PostgreSQL left the file that an orderly stop removes. */
async function isRunning(pidFile: string): Promise<boolean> {
  return readFile(pidFile).then(
    () => true,
    () => false,
  );
}
