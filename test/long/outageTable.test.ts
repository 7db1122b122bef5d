import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type pg from 'pg';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { maintaining, prepareInstallation } from '../support/installation/installation.ts';
import {
  call,
  createLiveRelyingParty,
  type CreatedSession,
  enrolLivePhone,
  type LivePhone,
  type LiveRelyingParty,
} from '../../main/drill/callers.ts';
import { liveCitizen } from '../support/installation/liveInstallation.ts';
import { type OcspStatusAt, openOcspStatus } from '../support/installation/ocspStatus.ts';
import {
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { startProxy, type TestProxy } from '../support/doubles/proxy.ts';
import { startRedis } from '../support/programs/redis.ts';
import {
  createTemporaryToken,
  softHsmModule,
  type TemporaryToken,
} from '../support/programs/softhsm.ts';

const adminKey = 'a key of the tests alone';
const boundSeconds = 2;
/** Added to each piece of an answer, and of a question. */
const SLOW_MS = 250;

/** Requests of every kind, by the name of its row. */
const kinds = [
  'create an authentication',
  'poll a running session',
  'confirm on the phone',
  "read the phone's inbox",
  'verify an identity and enrol',
  'OCSP',
  'revocation list',
  'list of citizens, operator',
  'register a relying party, operator',
  'discovery',
  'certificate of the Personal CA',
  '/livez',
  '/readyz',
] as const;
type Kind = (typeof kinds)[number];
type Answers = Readonly<Record<Kind, string>>;

/** Answers that say why nothing can be said. */
const refusals: readonly string[] = ['503', 'tryLater'];

interface Fault {
  readonly name: string;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

/** Dependencies that can be taken away. */
interface Dependencies {
  readonly postgres: TestProxy;
  readonly redis: TestProxy;
  readonly token: TemporaryToken;
  /** Null: PostgreSQL keeps the log. */
  readonly eventStoreDb: EventStoreDbDouble | null;
  readonly pool: pg.Pool;
}

describe('What each kind of request answers during an outage, its log in PostgreSQL', function () {
  this.timeout(240_000);
  outages(false);
});

describe('What each kind of request answers during an outage, its log in EventStoreDB', function () {
  this.timeout(240_000);
  outages(true);
});

function outages(isOnEventStoreDb: boolean): void {
  const columns: string[] = [];
  const table = new Map<Kind, string[]>(kinds.map((kind) => [kind, []]));
  const cleanups: (() => unknown)[] = [];
  let dependencies: Dependencies;
  let service: ServiceProcess;
  let relyingParty: LiveRelyingParty;
  let phone: LivePhone;
  let statusAt: OcspStatusAt;
  let serial: string;
  let waiting: CreatedSession[] = [];
  let spare = 1;

  before(async function () {
    const redis = await startRedis();
    if (redis === null || softHsmModule === null) {
      process.stdout.write('  Skipped: redis-server or SoftHSM2 is missing on this machine.\n');
      return this.skip();
    }
    const eventStoreDb = isOnEventStoreDb ? await startEventStoreDbDouble() : null;
    const token = await createTemporaryToken(softHsmModule);
    const url = await freshDatabase();
    dependencies = {
      postgres: await startProxy(Number(new URL(url).port)),
      redis: await startProxy(Number(new URL(redis.url).port)),
      token,
      eventStoreDb,
      pool: createPool({ url, max: 1 }),
    };
    const { postgres, redis: redisProxy, pool } = dependencies;
    cleanups.push(
      () => postgres.close(),
      () => redisProxy.close(),
      () => redis.stop(),
    );
    cleanups.push(
      () => eventStoreDb?.stop(),
      () => token.remove(),
      () => pool.end(),
    );
    const common = {
      SVC_DATABASE_URL: url,
      ...(eventStoreDb !== null && { SVC_EVENTSTORE_URL: eventStoreDb.url }),
      SVC_PKCS11_MODULE: token.modulePath,
      SVC_PKCS11_TOKEN: token.tokenLabel,
      SVC_PKCS11_PIN: token.pin,
    };
    const credentials = await prepareInstallation(common);
    const through = new URL(url);
    through.port = String(postgres.port);
    service = await createServiceProcess({
      ...common,
      SVC_DATABASE_URL: through.href,
      SVC_REDIS_URL: `redis://127.0.0.1:${redisProxy.port}`,
      SVC_ADMIN_API_KEY: adminKey,
      SVC_MAX_STALENESS: String(boundSeconds),
      SVC_LOG_LEVEL: 'warn',
    });
    await service.start();
    cleanups.unshift(() => service.stop());
    phone = await enrolLivePhone(service.origin, liveCitizen(0));
    relyingParty = createLiveRelyingParty(service.origin, credentials);
    const held = await maintaining(common, (kept) =>
      kept.listCertificates({ civilId: phone.civilId }),
    );
    serial = held[0]?.serial ?? '';
    statusAt = await openOcspStatus(service.origin);
  });

  after(async () => {
    for (const cleanUp of cleanups) await cleanUp();
  });

  /** Its status, or the code of the phone's error. */
  async function phones(work: () => Promise<unknown>): Promise<string> {
    try {
      await work();
      return '200';
    } catch (error) {
      return String((error as { readonly status?: number }).status ?? error);
    }
  }

  async function statusOf(path: string, options: Parameters<typeof call>[1] = {}): Promise<string> {
    return String((await call(service.origin + path, options)).status);
  }

  async function ask(): Promise<Answers> {
    const [polled, confirmed] = waiting;
    if (polled === undefined || confirmed === undefined) throw new Error('No session waits.');
    const headers = { 'x-admin-key': adminKey };
    const status = async () => {
      const found = await statusAt(service.origin, serial).catch(() => '503');
      return found === 0 ? 'good' : String(found);
    };
    return {
      'create an authentication': String((await relyingParty.create(phone.civilId)).status),
      'poll a running session': String((await relyingParty.poll(polled.sessionId, 1000)).status),
      'confirm on the phone': await phones(() => phone.confirm(confirmed)),
      "read the phone's inbox": await phones(() => phone.inbox()),
      'verify an identity and enrol': await phones(() =>
        enrolLivePhone(service.origin, liveCitizen((spare += 1))),
      ),
      OCSP: await status(),
      'revocation list': await statusOf('/crl'),
      'list of citizens, operator': await statusOf('/v3/admin/users', { headers }),
      'register a relying party, operator': await statusOf('/v3/admin/relying-parties', {
        method: 'POST',
        headers,
        body: { relyingPartyName: `Outage ${spare}`, permissions: ['AUTH'] },
      }),
      discovery: await statusOf('/.well-known/openid-configuration'),
      'certificate of the Personal CA': await statusOf('/ca/personal.cer'),
      '/livez': await statusOf('/livez'),
      '/readyz': await call(`${service.origin}/readyz`).then(({ status, body }) =>
        status === 503 ? '503' : String(body['status']),
      ),
    };
  }

  /** Waits until the service is ready and knows that the certificate is good. */
  async function isWell(): Promise<void> {
    await eventually(async () => {
      const { status, body } = await call(`${service.origin}/readyz`);
      expect([status, body['status']]).to.deep.equal([200, 'ready']);
      expect(await statusAt(service.origin, serial)).to.equal(0);
    }, 60_000);
  }

  /** Has the database cancel each statement that projects, and no other. */
  async function holdProjections(): Promise<void> {
    await dependencies.pool.query(
      `create or replace function hold() returns trigger language plpgsql as
         $$ begin raise exception 'held' using errcode = '57014'; end $$;
       create trigger hold before update on checkpoint for each row execute function hold()`,
    );
  }

  async function releaseProjections(): Promise<void> {
    await dependencies.pool.query('drop trigger hold on checkpoint');
  }

  const faults: readonly Fault[] = [
    { name: 'none', begin: () => undefined, end: () => undefined },
    {
      name: 'PostgreSQL unavailable',
      begin: () => dependencies.postgres.cut(),
      end: () => dependencies.postgres.mend(),
    },
    {
      name: 'PostgreSQL silent',
      begin: () => dependencies.postgres.stall(),
      end: () => dependencies.postgres.mend(),
    },
    {
      name: 'PostgreSQL slow',
      begin: () => dependencies.postgres.slow(SLOW_MS),
      end: () => dependencies.postgres.mend(),
    },
    { name: 'read models behind', begin: holdProjections, end: releaseProjections },
    ...(isOnEventStoreDb ? faultsOfEventStoreDb() : []),
    {
      name: 'Redis unavailable',
      begin: () => dependencies.redis.cut(),
      end: () => dependencies.redis.mend(),
    },
    {
      name: 'key vault unavailable',
      begin: () => dependencies.token.takeAway(),
      end: () => dependencies.token.bringBack(),
    },
  ];

  function faultsOfEventStoreDb(): readonly Fault[] {
    const away = (work: (double: EventStoreDbDouble) => Promise<void> | void) => () => {
      if (dependencies.eventStoreDb !== null) return work(dependencies.eventStoreDb);
    };
    return [
      {
        name: 'EventStoreDB unavailable',
        begin: away((double) => double.goAway()),
        end: away((double) => double.comeBack()),
      },
      {
        name: 'EventStoreDB silent',
        begin: away((double) => double.freeze(0)),
        end: away((double) => double.thaw(0)),
      },
      {
        name: 'no quorum',
        begin: away((double) => double.loseQuorum()),
        end: away((double) => double.regainQuorum()),
      },
    ];
  }

  for (const fault of faults) {
    it(`is right, or a refusal: ${fault.name}`, async () => {
      await isWell();
      waiting = [];
      for (let count = 0; count < 2; count += 1) {
        const { created } = await relyingParty.create(phone.civilId);
        if (created !== undefined) waiting.push(created);
      }
      await fault.begin();
      // Until nothing is answered from what was seen before.
      const begun = performance.now();
      await eventually(() => {
        expect(performance.now() - begun).to.be.greaterThan((boundSeconds + 1) * 1000);
      });
      try {
        const answers = await ask();
        columns.push(fault.name);
        for (const kind of kinds) table.get(kind)?.push(answers[kind]);
      } finally {
        await fault.end();
      }
      await isWell();
      for (const kind of kinds) {
        const [usual = '', ...others] = table.get(kind) ?? [];
        const expected = kind === '/readyz' ? ['degraded', '503', usual] : [usual, ...refusals];
        for (const answer of others) expect(answer, kind).to.be.oneOf(expected);
      }
    });
  }

  it('O13: has a line in the log for the beginning of each outage and for its end, not one a request', async () => {
    const told = () =>
      service
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { readonly msg: string; readonly dependency?: string });
    await eventually(() => {
      const ofDatabase = told().filter(({ dependency }) => dependency === 'database');
      expect(ofDatabase.at(-1)?.msg).to.equal('An outage ended.');
    });
    const failed = told().filter(({ msg }) => msg === 'request failed');
    expect(failed.map((line) => JSON.stringify(line))).to.deep.equal([]);
  });

  it('is the table of docs/failures.md', async () => {
    // Slowness ends in time or not as the machine will: shown, not compared.
    const compared = columns.flatMap((name, at) => (name.endsWith('slow') ? [] : [at]));
    const chosen = (cells: readonly string[]) => compared.map((at) => cells[at] ?? '').join(' | ');
    const documented = tablesIn(await readFile('docs/failures.md', 'utf8'));
    const found = documented.get(columns.join(' | '));
    const printed = kinds.map((kind) => [kind, ...(table.get(kind) ?? [])].join(' | ')).join('\n');
    expect(found, `No table of ${columns.join(' | ')}:\n${printed}`).not.to.equal(undefined);
    for (const kind of kinds) {
      expect(chosen(found?.get(kind) ?? []), `${kind}\n${printed}`).to.equal(
        chosen(table.get(kind) ?? []),
      );
    }
  });
}

/** Tables of a page by their heading; cells of a row by its first. */
function tablesIn(page: string): Map<string, Map<string, readonly string[]>> {
  const tables = new Map<string, Map<string, readonly string[]>>();
  let rows: Map<string, readonly string[]> | null = null;
  for (const line of page.split('\n')) {
    if (!line.startsWith('|')) {
      rows = null;
      continue;
    }
    const [name = '', ...cells] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    if (rows === null) {
      rows = new Map<string, readonly string[]>();
      tables.set(cells.join(' | '), rows);
    } else {
      rows.set(name, cells);
    }
  }
  return tables;
}
