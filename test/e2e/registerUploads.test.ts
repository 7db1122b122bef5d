import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type pg from 'pg';
import type { Service } from '../../main/main.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createPostgresRegisterUploads } from '../../infrastructure/registry/postgresRegisterUploads.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { prepareInstallation, startServiceHere } from '../support/installation/installation.ts';
import { civilHeader, civilLine } from '../support/installation/registerFiles.ts';
import { openOperatorWorld, type SignedInOperator } from '../support/worlds/operatorWorld.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';

const line = civilLine(1);
const good = [civilHeader, line, civilLine(2)].join('\n');

describe('O1: files of registers that operators upload', function () {
  this.timeout(60_000);
  let pool: pg.Pool;
  let service: Service;
  let support: SignedInOperator;
  let admin: SignedInOperator;
  let second: SignedInOperator;

  before(async () => {
    const url = await migratedDatabase();
    pool = createPool({ url });
    const settings = {
      SVC_DATABASE_URL: url,
      SVC_ADMIN_TOKEN_SECRET: 'a secret for the sessions of these tests',
      SVC_ADMIN_REQUIRE_4EYES: 'true',
    };
    await prepareInstallation(settings);
    service = await startServiceHere(settings);
    const world = openOperatorWorld(service.origin);
    support = await world.signedIn('SUPPORT');
    admin = await world.signedIn('SUPER_ADMIN');
    second = await world.signedIn('SUPER_ADMIN');
  });

  after(async () => {
    await service.stop();
    await pool.end();
  });

  const compared = (text: string, register = 'civil', by = admin) =>
    by.call('POST', `/registers/${register}/files`, {
      format: 'csv',
      content: Buffer.from(text).toString('base64'),
    });
  const asked = (digest: unknown, by = admin) =>
    by.call('POST', `/registers/civil/files/${String(digest)}/import`, { comment: 'Daily' });
  const recordsNow = async () => {
    const { rows } = await pool.query<{ civil_id: string }>('select civil_id from civil_registry');
    return rows.map(({ civil_id: civilId }) => civilId);
  };
  const known = ['130000000001', '130000000002'];

  it('are compared first, line by line, and change nothing', async () => {
    const { status, body } = await compared(`${good}\n${line}\nodd`);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ register: 'civil', lines: 4, added: 2, changed: 0, refused: 2 });
    const refusals = body['refusals'] as readonly { line: number; reason: string }[];
    expect(refusals.map(({ line: number }) => number)).to.deep.equal([4, 5]);
    expect(refusals[0]?.reason).to.match(/^civilId is also in an earlier line/u);
    expect(body['digest']).to.match(/^[0-9a-f]{64}$/u);
    expect(await recordsNow()).not.to.include.members(known);
  });

  it('are kept encrypted, and named by their own SHA-256', async () => {
    const { body } = await compared(good);
    expect(body['digest']).to.equal(createHash('sha256').update(good).digest('hex'));
    const { rows } = await pool.query<{ sealed: string }>(
      'select sealed from register_upload where digest = $1',
      [body['digest']],
    );
    const kept = Buffer.from(rows[0]?.sealed ?? '', 'base64').toString('latin1');
    expect(kept).not.to.equal('');
    expect(kept).not.to.include(Buffer.from(good).toString('base64').slice(0, 40));
  });

  it('come in once another operator approves, once', async () => {
    const { body: report } = await compared(good);
    const pending = await asked(report['digest']);
    expect(pending.status, JSON.stringify(pending.body)).to.equal(202);
    expect(pending.body).to.include({ operation: 'register.import', capability: 'config:write' });
    expect(pending.body['command']).to.deep.equal({ register: 'civil', digest: report['digest'] });
    expect(pending.body['effects']).to.deep.equal([
      { target: 'records added to the civil register', before: '0', after: '2' },
    ]);
    expect(await recordsNow()).not.to.include.members(known);

    const path = `/approvals/${String(pending.body['id'])}/approve`;
    expect((await admin.call('POST', path)).status).to.equal(403);
    const approved = await second.call('POST', path);
    expect(approved.body, JSON.stringify(approved.body)).to.include({ status: 'EXECUTED' });
    expect(await recordsNow()).to.include.members(known);
    await eventually(async () => {
      const { body } = await admin.call('GET', '/audit?type=REGISTER_IMPORT');
      const [last] = body['items'] as readonly { readonly actor: object }[];
      expect(JSON.stringify(last)).to.include(admin.id);
    });

    expect((await asked(report['digest'])).body).to.include({ status: 'UNCHANGED' });
    expect((await compared(good)).body).to.include({ added: 0, unchanged: 2 });
    expect((await asked(report['digest'])).body).to.include({ status: 'UNCHANGED' });
  });

  it('are refused where nothing was compared, or nobody may', async () => {
    expect((await asked('0'.repeat(64))).status).to.equal(409);
    expect((await asked('nothing')).status).to.equal(400);
    expect((await compared(good, 'others')).status).to.equal(400);
    expect((await compared(good, 'civil', support)).status).to.equal(403);
    expect((await asked('0'.repeat(64), support)).status).to.equal(403);
    const large = await compared('x'.repeat(1_000_003));
    expect(large.status).to.be.oneOf([400, 413]);
  });

  it('are removed once nobody can approve their import any more', async () => {
    await compared(`${good}\n`);
    const uploads = createPostgresRegisterUploads(pool, Buffer.alloc(32, 7));
    await uploads.removeBefore(new Date());
    const { rows } = await pool.query('select from register_upload');
    expect(rows).to.have.length(0);
  });
});
