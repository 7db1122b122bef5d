import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import { createPersonalDataVault } from '../../infrastructure/codec/personalDataVault.ts';
import { createPostgresPersonKeys } from '../../infrastructure/codec/postgresPersonKeys.ts';
import {
  type EmbeddedServer,
  startEmbeddedPostgres,
} from '../../infrastructure/postgres/embedded.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import type { Database } from '../../projections/database.ts';
import { createProjectionProgress } from '../../projections/engine/checkpoints.ts';
import { readModels } from '../../projections/readModels.ts';
import { maintaining, prepareInstallation } from '../support/installation/installation.ts';
import {
  call,
  createLiveRelyingParty,
  enrolLivePhone,
  liveCitizens,
} from '../../main/drill/callers.ts';
import type { LiveRelyingParty } from '../../main/drill/callers.ts';
import { createServiceHere } from '../support/installation/serviceHere.ts';
import {
  eventStoreUrl,
  createServiceProcess,
  masterKey,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';
import { giveConsent } from '../support/installation/consents.ts';
import { clientSettings } from '../support/oidc/oidcLogin.ts';
import {
  endResultOf,
  type SessionLoad,
  startSessionLoad,
} from '../support/installation/sessionLoad.ts';
import { until } from '../support/assertions/waiting.ts';
import { callerAt, documentSettings } from '../support/worlds/documentWorld.ts';
import { installationLog, loggedEvents } from '../support/events/eventLogs.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';
import { anOrganization, aRight } from '../support/given/wishes.ts';

const outcomeTypes = [
  'SessionConfirmed',
  'SessionRefused',
  'SessionDisowned',
  'SessionFailed',
  'SessionExpired',
  'SessionCancelled',
];

describe('A load of sessions, with the service and PostgreSQL killed in the middle', () => {
  let directory: string;
  let postgres: EmbeddedServer;
  let settings: { readonly SVC_DATABASE_URL: string };
  let service: ServiceProcess;
  let pool: pg.Pool;
  let database: Kysely<Database>;
  let relyingParty: LiveRelyingParty;
  let relyingPartyId: string;
  let load: SessionLoad;

  before(async function () {
    this.timeout(300_000);
    directory = await serverDirectory('kill');
    postgres = await startEmbeddedPostgres({ dataDir: join(directory, 'postgres') });
    settings = { SVC_DATABASE_URL: postgres.url };
    const credentials = await prepareInstallation(settings);
    relyingPartyId = credentials.relyingPartyId;
    service = await createServiceProcess({ ...settings, SVC_ADMIN_REQUIRE_4EYES: 'true' });
    await service.start();
    pool = createPool({ url: postgres.url, max: 4 });
    database = createDatabase<Database>(pool);
    relyingParty = createLiveRelyingParty(service.origin, credentials);
    const phones = await Promise.all(
      liveCitizens.map((citizen) => enrolLivePhone(service.origin, citizen)),
    );
    load = startSessionLoad(relyingParty, phones);

    await sessionsCompleted(100);
    for (let kills = 0; kills < 2; kills += 1) {
      await service.kill();
      await service.start();
      await sessionsCompleted(100);
    }
    const { pid } = service;
    for (let kills = 0; kills < 2; kills += 1) {
      const postmaster = postgres.pid;
      const interrupted = load.interruptions.length;
      process.kill(postmaster, 'SIGKILL');
      // With the log on EventStoreDB, sessions may not even notice.
      const isNoticed = () =>
        eventStoreUrl !== undefined || load.interruptions.length > interrupted;
      await until(() => isNoticed() && postgres.pid !== postmaster);
      await service.untilReady();
      await sessionsCompleted(100);
    }
    expect(service.pid, 'the service rides the outage out').to.equal(pid);
    await load.stop();
  });

  after(async () => {
    await database.destroy();
    await service.stop();
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function sessionsCompleted(more: number): Promise<void> {
    const before = load.completed();
    await until(() => load.completed() >= before + more, 20_000);
  }

  /** End results by session, as the log has them. */
  async function outcomesInLog(): Promise<ReadonlyMap<string, readonly string[]>> {
    const outcomes = new Map<string, string[]>();
    for (const { stream, type, data } of await loggedEvents(postgres.url, ['session'])) {
      const sessionId = stream.slice('session-'.length);
      const of = outcomes.get(sessionId) ?? [];
      outcomes.set(sessionId, of);
      if (outcomeTypes.includes(type)) of.push(endResultIn(type, data));
    }
    return outcomes;
  }

  it('answers nothing but what it did, or that it is unavailable', () => {
    expect(load.surprises).to.deep.equal([]);
    expect(load.interruptions.length, 'calls that met an outage').to.be.greaterThan(10);
  });

  it('has every session whose creation was acknowledged', async () => {
    const inLog = await outcomesInLog();
    const missing = load.records.filter(({ sessionId }) => !inLog.has(sessionId));
    expect(missing).to.deep.equal([]);
    expect(load.records.length).to.be.greaterThan(500);
  });

  it('gives no session two outcomes', async () => {
    const several = [...(await outcomesInLog())].filter(([, outcomes]) => outcomes.length > 1);
    expect(several).to.deep.equal([]);
  });

  it('keeps every outcome that a phone or a relying party was told', async () => {
    const inLog = await outcomesInLog();
    const changed = load.records.filter(({ sessionId, acknowledged, polled }) => {
      const [outcome] = inLog.get(sessionId) ?? [];
      return [...acknowledged, ...polled].some((told) => told !== outcome);
    });
    expect(changed).to.deep.equal([]);
    const told = new Set(load.records.flatMap(({ acknowledged }) => acknowledged));
    expect([...told].sort()).to.deep.equal(['OK', 'USER_REFUSED']);
  });

  it('polls the same after another restart', async function () {
    this.timeout(30_000);
    await service.kill();
    await service.start();
    const inLog = await outcomesInLog();
    const left = [...load.records];
    const wrong: string[] = [];
    const pollAll = async () => {
      for (let record = left.pop(); record !== undefined; record = left.pop()) {
        const { status, body } = await relyingParty.poll(record.sessionId);
        const [outcome] = inLog.get(record.sessionId) ?? [];
        if (status !== 200 || body['state'] !== 'COMPLETE' || endResultOf(body) !== outcome) {
          wrong.push(`${record.sessionId} ${outcome ?? 'no outcome'}: ${JSON.stringify(body)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: 16 }, pollAll));
    expect(wrong).to.deep.equal([]);
  });

  it('projects what a rebuild from scratch projects', async function () {
    this.timeout(60_000);
    await maintaining(settings, async ({ organizations, openIdConnect }) => {
      const register = '5512345';
      await organizations.register(anOrganization(register, 'Ноён', 'NOYON'));
      await organizations.grant(register, liveCitizens[0]?.civilId ?? '', aRight('ADMIN'));
      const { clientId } = await openIdConnect.register({ ...clientSettings, relyingPartyId });
      await giveConsent(postgres.url, { civilId: liveCitizens[0]?.civilId ?? '', clientId });
    });
    await editKnowledge();
    const path = `/v3/admin/relying-parties/${relyingPartyId}/deactivate`;
    expect(await call(service.origin + path, { method: 'POST' })).to.include({ status: 202 });
    const names = readModels.map(({ name }) => name);
    await createProjectionProgress({ database, names }).untilProjected(await head());
    const vault = createPersonalDataVault({
      keys: createPostgresPersonKeys({ pool }),
      masterKey: Buffer.from(masterKey, 'base64'),
    });
    await vault.start();
    const projected = await contents(vault);
    await maintaining(settings, async (maintenance) => {
      for (const { name } of readModels) await maintenance.rebuild(name, () => undefined);
    });
    const rebuilt = await contents(vault);
    vault.stop();
    for (const { table } of readModels) {
      // Nobody enrols a second phone here, so nobody is told of one.
      if (table !== 'notice_view') expect(projected.get(table), table).not.to.be.empty;
      expect(rebuilt.get(table), table).to.deep.equal(projected.get(table));
    }
  });

  async function head(): Promise<bigint> {
    const log = installationLog(postgres.url);
    await log.start();
    const position = await log.head();
    await log.stop();
    return position ?? 0n;
  }

  /** Through an API that asks for no second operator, as the one under load does. */
  async function editKnowledge(): Promise<void> {
    const alone = {
      SVC_ROLES: 'api',
      SVC_ADMIN_REQUIRE_4EYES: 'false',
      ...documentSettings,
    };
    const api = createServiceHere({ ...settings, ...alone });
    await api.start();
    try {
      const base = `${api.origin}/api/v1/admin/ai`;
      const prompt = {
        method: 'PUT',
        body: { content: 'Answer questions on signatures.' },
      } as const;
      expect(await call(`${base}/prompts/scope`, prompt)).to.include({ status: 200 });
      const article = { title: 'PIN2', content: 'PIN2 signs.', language: 'en', tags: [] };
      const adding = { method: 'POST', body: article } as const;
      expect(await call(`${base}/knowledge/articles`, adding)).to.include({ status: 201 });
      await (await callerAt(api.origin)).create();
    } finally {
      await api.stop();
    }
  }

  async function contents(
    vault: PersonalDataVault,
  ): Promise<ReadonlyMap<string, readonly unknown[]>> {
    const tables = new Map<string, readonly unknown[]>();
    for (const { table, key } of readModels) {
      const { rows } = await sql<{ row: Row }>`
        select to_jsonb(t) as row from ${sql.table(table)} t order by ${sql.ref(key)}`.execute(
        database,
      );
      tables.set(table, await Promise.all(rows.map(({ row }) => opened(row, vault))));
    }
    return tables;
  }
});

type Row = Readonly<Record<string, unknown>>;

/** Sealing the same twice gives different bytes: what was sealed is compared open. */
async function opened(row: Row, vault: PersonalDataVault): Promise<Row> {
  const open = { ...row };
  const subject = typeof row['civil_id'] === 'string' ? row['civil_id'] : null;
  for (const column of ['identity', 'certificate']) {
    const sealed = row[column];
    if (typeof sealed !== 'string') continue;
    open[column] = await vault.decrypt(subject, sealed);
    expect(open[column], `${column} of ${subject ?? 'the platform'}`).to.be.a('string');
  }
  return open;
}

function endResultIn(type: string, data: string): string {
  if (type === 'SessionConfirmed') return 'OK';
  if (type === 'SessionExpired') return 'TIMEOUT';
  if (type === 'SessionCancelled') return 'CANCELLED_BY_RP';
  return String((JSON.parse(data) as Record<string, unknown>)['endResult']);
}
