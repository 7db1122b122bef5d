import { expect } from 'chai';
import { request } from 'node:http';
import pg from 'pg';
import { discloses } from '../../api/http/requestAudit.ts';
import { consentOf } from '../architecture/routeConsentTable.ts';
import { demoCitizens } from '../../main/cli/demo.ts';
import { parseEventLine } from '../../infrastructure/export/eventLines.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { anOrganization } from '../support/given/wishes.ts';

const [bold] = demoCitizens;
if (bold === undefined) throw new Error('There are too few demo citizens.');

interface Line {
  readonly eventId: string;
  readonly position: string;
  readonly at: string;
  readonly type: string;
  readonly outcome: string;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly capability: string | null;
  readonly subject: string;
  readonly person: string | null;
  readonly requestId: string | null;
  readonly ip: string | null;
  readonly details: Record<string, unknown>;
  readonly before?: Record<string, unknown> | null;
  readonly after?: Record<string, unknown> | null;
}

describe('The audit over HTTP', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;

  before(async () => {
    demo = await startDemoInstallation();
    await demo.enrol(bold.civilId);
  });

  after(() => demo.stop());

  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${demo.service.origin}/v3/admin/audit${path}`, init);

  async function list(query: string): Promise<{ items: Line[]; total: number }> {
    const response = await call(query);
    expect(response.status, query).to.equal(200);
    return (await response.json()) as { items: Line[]; total: number };
  }

  /** Waits for the counted total: until its filter is counted, a page has an estimate. */
  async function expectTotal(query: string, total: number): Promise<void> {
    await eventually(async () => expect((await list(query)).total, query).to.equal(total));
  }

  async function database<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client(demo.databaseUrl);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  it('lists what every surface did, the newest first, by type, subject, actor, outcome and time', async () => {
    const person = `PNOMN-${bold.civilId}`;
    // Readings of the list are lines of it themselves.
    const ofPerson = `?subject=${person}&to=${new Date().toISOString()}`;
    await eventually(async () => {
      const { items } = await list(`${ofPerson}&limit=200`);
      expect(items.map(({ type }) => type)).to.include.members([
        'IDENTITY_VERIFY',
        'CITIZEN_ENROL',
        'DEVICE_ENROL',
        'CERT_REQUEST',
        'CERT_ISSUE',
      ]);
    });
    const { items } = await list(`${ofPerson}&limit=200`);
    await expectTotal(`${ofPerson}&limit=200`, items.length);
    const positions = items.map(({ position }) => Number(position));
    expect(positions).to.deep.equal([...positions].sort((a, b) => b - a));
    const second = await list(`${ofPerson}&limit=2&offset=1`);
    expect(second.items.map(({ eventId }) => eventId)).to.deep.equal(
      items.slice(1, 3).map(({ eventId }) => eventId),
    );
    await expectTotal(`${ofPerson}&limit=2&offset=1`, items.length);

    const [issued] = (await list('?type=CERT_ISSUE&limit=1')).items;
    expect(issued).to.include({ type: 'CERT_ISSUE', outcome: 'OK', person });
    expect(issued?.requestId).to.be.a('string');
    expect(issued?.ip).to.equal('127.0.0.1');
    const { id } = issued?.actor ?? { id: '' };
    expect((await list(`?actor=${encodeURIComponent(id)}&type=CERT_ISSUE`)).total).to.be.least(1);
    expect((await list(`?type=CERT_ISSUE&from=2000-01-01T00:00:00Z`)).total).to.be.least(2);
    await expectTotal(`?type=CERT_ISSUE&to=2000-01-01T00:00:00Z`, 0);
    await expectTotal(`?type=CERT_ISSUE&from=2999-01-01T00:00:00%2B08:00`, 0);
    expect((await list(`?offset=1000000`)).items).to.deep.equal([]);
    expect((await call('?type=NO_SUCH_TYPE')).status).to.equal(400);
  });

  it('shows one line with what its event changed, and nothing secret', async () => {
    const register = '7712345';
    const { organizations } = demo.service;
    await organizations.register(anOrganization(register, 'Ноён', 'NOYON'));
    await organizations.changeStatus(register, 'suspend');
    const subject = `NTRMN-${register}`;
    await expectTotal(`?subject=${subject}`, 2);
    const [suspended, registered] = (await list(`?subject=${subject}`)).items;

    const one = (await (await call(`/${suspended?.eventId}`)).json()) as Line;
    expect(one).to.deep.include({
      ...suspended,
      before: { status: 'ACTIVE' },
      after: { status: 'SUSPENDED' },
    });
    expect(one.capability).to.equal('org:write');
    const first = (await (await call(`/${registered?.eventId}`)).json()) as Line;
    expect(first.before).to.equal(null);
    expect(first.after).to.deep.equal({ name: 'Ноён', nameLatin: 'NOYON', status: 'ACTIVE' });

    const [rp] = (await list('?type=RP_REGISTER')).items;
    const shown = await (await call(`/${rp?.eventId}`)).text();
    expect(shown).to.include('"callbackHosts"').and.not.include('secret');
    expect((await call('/6f9619ff-0000-4000-8000-000000000000')).status).to.equal(404);
    expect((await call('/no-id')).status).to.equal(400);
  });

  it('exports CSV whose cells no spreadsheet takes for a formula, however they are written', async () => {
    const subjects = [
      '=1+1',
      '+1',
      '-1',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      '\n=1',
      'a"b,c\r\nd',
      'Өргөө',
    ];
    await database(async (client) => {
      for (const [index, subject] of subjects.entries()) {
        await client.query(
          `insert into audit_view (position, event_id, stream, type, outcome, actor_kind, actor_id,
             subject, happened_at, details, revision)
           values ($1, gen_random_uuid(), 'x-1', 'ORG_SEAL', 'DENIED', 'operator', $2, $2, now(), $3, 0)`,
          [1_000_000 + index, subject, JSON.stringify({ note: 'Ө"ө' })],
        );
      }
    });
    const response = await call('/export?type=ORG_SEAL&outcome=DENIED');
    expect(response.headers.get('content-type')).to.include('text/csv').and.include('utf-8');
    expect(response.headers.get('content-length')).to.equal(null);
    const [header, ...rows] = parseCsv(await response.text());
    expect(header?.join(',')).to.equal(
      'position,eventId,at,type,outcome,actorKind,actorId,capability,subject,person,requestId,ip,details',
    );
    const guarded = subjects.map((subject, index) => (index < 7 ? `'${subject}` : subject));
    expect(rows.map((row) => row[8])).to.deep.equal(guarded);
    expect(rows.map((row) => row[6])).to.deep.equal(guarded);
    expect(rows.every((row) => row[12] === '{"note": "Ө\\"ө"}')).to.equal(true);
    expect(
      rows.every((row) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(row[2] ?? '')),
    ).to.equal(true);
    const one = await call(`/export?subject=${encodeURIComponent('=1+1')}`);
    expect(parseCsv(await one.text())).to.have.length(2);
    const none = await call(`/export?subject=${encodeURIComponent("x' or true --")}`);
    expect(parseCsv(await none.text())).to.have.length(1);
  });

  it('ends the query of an export whose reader left, and takes no more of them than it has room for', async () => {
    await database((client) =>
      client.query(
        `insert into audit_view (position, event_id, stream, type, outcome, actor_kind, actor_id,
           subject, happened_at, details, revision)
         select 2000000 + n, gen_random_uuid(), 'x-1', 'DOC_STAMP', 'OK', 'system', 'test', 'many',
           now(), jsonb_build_object('text', repeat('x', 2000)), 0
         from generate_series(1, 20000) as n`,
      ),
    );
    const running = () =>
      database(async (client) => {
        const { rows } = await client.query(
          `select 1 from pg_stat_activity
           where application_name = 'tamga audit export' and datname = current_database()`,
        );
        return rows.length;
      });
    // One caller has half of the four places.
    const leave = await Promise.all([1, 2].map(() => openExport(demo.service.origin)));
    expect(await running()).to.equal(2);
    const third = await call('/export');
    expect(third.status).to.equal(503);
    expect(third.headers.get('retry-after')).to.be.a('string');
    for (const left of leave) left();
    await eventually(async () => expect(await running()).to.equal(0));
    expect((await (await call('/export?subject=many')).text()).split('\n')).to.have.length(20_002);
    await eventually(async () => expect(await running()).to.equal(0));
  });

  it('cuts an export off when the query fails under way, so that it is not taken for the whole', async () => {
    const response = await call('/export?subject=many');
    await database((client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'tamga audit export' and datname = current_database()`,
      ),
    );
    let failed = false;
    await response.text().catch(() => (failed = true));
    expect(failed).to.equal(true);
  });

  it('exports the raw events as they are stored, from any position on', async () => {
    const text = await (await call('/events')).text();
    const events = text.trimEnd().split('\n').map(parseEventLine);
    const stored = await database((client) =>
      client.query<{ position: string; data: string; metadata: string }>(
        'select position, data, metadata from event order by position',
      ),
    );
    expect(events.length).to.be.above(10).and.at.most(stored.rows.length);
    for (const [index, event] of events.entries()) {
      const { position, data, metadata } = event;
      expect({ position: position.toString(), data, metadata }).to.deep.equal(stored.rows[index]);
    }
    expect(text).to.not.include(bold.regNo);
    const later = await (await call('/events?after=5')).text();
    expect(parseEventLine(later.split('\n')[0] ?? '').position).to.equal(6n);
    expect(await (await call('/events?after=999999999')).text()).to.equal('');
    expect((await call('/events', { method: 'HEAD' })).status).to.equal(200);
  });

  it('tells of refused commands of every surface, with who asked as far as that is known', async () => {
    const { origin } = demo.service;
    const post = (path: string, headers: Record<string, string>, body: object = {}) =>
      fetch(`${origin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const relyingParty = { authorization: `Bearer ${demo.apiSecret}` };
    const organization = 'NTRMN-7712345';
    expect((await post(`/v3/seal/${organization}`, relyingParty)).status).to.equal(403);
    expect((await post(`/v3/seal/${organization}`, {})).status).to.equal(401);
    expect((await post(`/v3/seal/${organization}`, {})).status).to.equal(401);
    expect(
      (await post('/v3/admin/organizations', { authorization: 'Bearer x.y' })).status,
    ).to.equal(401);
    const unknown = 'd0000000-0000-4000-8000-00000000000d';
    expect((await post(`/v3/admin/devices/${unknown}/deactivate`, {})).status).to.equal(404);
    await eventually(async () => {
      const { items } = await list(`?type=COMMAND_DENIED&subject=${unknown}`);
      expect(items.map(({ details }) => details['code'])).to.deep.equal(['DOCUMENT_NOT_FOUND']);
      expect(items[0]).to.include({ capability: 'device:revoke', outcome: 'DENIED' });
    });
    await eventually(async () => {
      const { items } = await list('?type=COMMAND_DENIED');
      const seen = items.map(({ actor, details }) => [actor.kind, details['code']]);
      expect(seen).to.deep.include(['relyingParty', 'PERMISSION_DENIED']);
      expect(seen).to.deep.include(['unknown', 'UNAUTHENTICATED']);
      expect(
        items.some(({ details }) => String(details['operation']).startsWith('admin.')),
      ).to.equal(true);
    });
    const { items } = await list(`?type=COMMAND_DENIED&subject=${organization}&outcome=DENIED`);
    expect(items.map(({ actor }) => actor.id)).to.deep.equal(['-', demo.relyingPartyId]);
    expect(items[1]).to.include({ ip: '127.0.0.1', outcome: 'DENIED' });
  });

  it('tells of operators who take the audit with them', async () => {
    await (await call('/events?after=999999999')).text();
    await eventually(async () => {
      const { items } = await list('?type=OPERATOR_READ&limit=200');
      const taken = items.find(({ details }) => details['operation'] === 'admin.audit.events');
      expect(taken).to.deep.include({
        actor: { kind: 'operator', id: 'development' },
        capability: 'audit:read',
        details: { operation: 'admin.audit.events' },
      });
    });
  });

  it('tells about whom an operator read, however the person was named', async () => {
    const users = `${demo.service.origin}/v3/admin/users`;
    const regNo = encodeURIComponent(bold.regNo);
    const operations = ['admin.user.certificates', 'admin.user.read', 'admin.user.list'];
    for (const path of [`?q=${regNo}`, `/${regNo}`, `/${regNo}/certificates`]) {
      expect((await fetch(users + path)).status, path).to.equal(200);
    }
    await eventually(async () => {
      const { items } = await list(`?type=OPERATOR_READ&subject=PNOMN-${bold.civilId}`);
      const read = items.map(({ details, subject }) => [details['operation'], subject]);
      const seen = read.filter(([operation]) => !String(operation).startsWith('admin.audit.'));
      expect(seen).to.deep.equal(operations.map((name) => [name, `PNOMN-${bold.civilId}`]));
    });
  });

  it('audits every read that needs a capability to see persons, devices, certificates or sessions', () => {
    const operatorRoutes = demo.service.routes.filter(({ path }) => path.startsWith('/v3/admin/'));
    const silent = operatorRoutes.filter((route) => route.method === 'GET' && !discloses(route));
    const capabilities = new Set(silent.map(({ guard }) => guard.capability));
    for (const capability of ['user:read', 'device:read', 'cert:read', 'session:read'] as const) {
      expect(capabilities.has(capability), capability).to.equal(false);
    }
    expect(silent.map(({ name }) => name)).to.not.include.members([
      'admin.audit.export',
      'admin.audit.events',
    ]);
  });

  it('audits exactly the reads whose consent says that they leave a fact', () => {
    const reads = demo.service.routes.filter(
      ({ path, method }) => path.startsWith('/v3/admin/') && method === 'GET',
    );
    const audited = reads.filter(discloses).map(({ name }) => name);
    const declared = reads.filter(({ name }) => consentOf(name)?.facts.includes('OperatorRead'));
    expect(audited).to.deep.equal(declared.map(({ name }) => name));
    expect(audited).to.include.members(['admin.names.find', 'admin.audit.list']);
  });

  it('tells whose lines and name were read', async () => {
    const person = `PNOMN-${bold.civilId}`;
    const admin = `${demo.service.origin}/v3/admin`;
    await list(`?subject=${person}&limit=1`);
    const [line] = (await list('?type=CITIZEN_ENROL')).items;
    expect((await call(`/${line?.eventId}`)).status).to.equal(200);
    for (const path of ['names', 'sessions', 'identity-verifications']) {
      expect((await fetch(`${admin}/${path}?q=${bold.civilId}`)).status, path).to.equal(200);
    }
    await eventually(async () => {
      const { items } = await list(`?type=OPERATOR_READ&limit=200`);
      const seen = items.filter(({ subject }) => subject === person);
      expect(seen.map(({ details }) => details['operation'])).to.include.members([
        'admin.audit.list',
        'admin.audit.read',
        'admin.names.find',
        'admin.session.list',
        'admin.identityVerification.list',
      ]);
    });
  });
});

/** Asks for an export and reads only its beginning. @returns how to leave */
function openExport(origin: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const asking = request(`${origin}/v3/admin/audit/export`, (response) => {
      response.once('data', () => {
        response.pause();
        resolve(() => asking.destroy());
      });
      response.on('error', () => undefined);
    });
    asking.on('error', reject);
    asking.end();
  });
}

/** RFC 4180, for what PostgreSQL writes. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [whole, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g,
  )) {
    if (whole === '') break;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
