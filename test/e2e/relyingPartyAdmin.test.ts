import { expect } from 'chai';
import pg from 'pg';
import { demoCitizens } from '../../main/cli/demo.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  newChallenge,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { type Answer, call } from '../../main/drill/callers.ts';
import { openOperatorWorld, type OperatorWorld } from '../support/worlds/operatorWorld.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import {
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';

const [citizen] = demoCitizens;
if (citizen === undefined) throw new Error('There is no demo citizen.');

type Json = Record<string, unknown>;

/** A relying party as its registration answered. */
interface Registered {
  readonly id: string;
  readonly secret: string;
  /** Registered name, which its requests carry. */
  readonly name: string;
}

describe('Relying parties, by operators', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let elsewhere: ServiceProcess;
  let operators: OperatorWorld;
  let phone: DemoPhone;
  let database: pg.Client;

  before(async () => {
    const shared = { SVC_DATABASE_URL: await migratedDatabase(), SVC_SOLE_PROCESS: 'false' };
    demo = await startDemoInstallation(shared);
    elsewhere = await createServiceProcess({ ...shared, SVC_ROLES: 'api', SVC_LOG_LEVEL: 'debug' });
    await elsewhere.start();
    operators = openOperatorWorld(demo.service.origin);
    phone = await demo.enrol(citizen.civilId);
    database = new pg.Client(shared.SVC_DATABASE_URL);
    await database.connect();
  });

  after(async () => {
    await database.end();
    await elsewhere.stop();
    await demo.stop();
  });

  async function ask(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT',
    path: string,
    body?: object,
    status = 200,
  ) {
    const answer = await operators.call(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
    return answer.body;
  }

  let registered = 0;
  async function register(fields: object = {}): Promise<Registered> {
    registered += 1;
    const body = {
      relyingPartyName: `Банк ${registered}`,
      permissions: ['AUTH', 'SIGN'],
      ...fields,
    };
    const answer = await ask('POST', '/relying-parties', body, 201);
    return {
      id: String(answer['relyingPartyUUID']),
      secret: String(answer['apiSecret']),
      name: String(answer['relyingPartyName']),
    };
  }

  const at = ({ id }: Registered, path = '') => `/relying-parties/${id}${path}`;
  const codeOf = (answer: Answer) => [answer.status, answer.body['code']];

  /** The relying party asks for an authentication by push. */
  const push = (
    { id, secret, name }: Registered,
    fields: object = {},
    origin = demo.service.origin,
  ) =>
    call(`${origin}/v3/authentication/notification/etsi/PNOMN-${citizen.civilId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: {
        relyingPartyUUID: id,
        relyingPartyName: name,
        certificateLevel: 'QUALIFIED',
        signatureProtocol: 'ACSP_V2',
        ...newChallenge(),
        interactions: [{ type: 'displayTextAndPIN', displayText60: 'Тийм үү?' }],
        ...fields,
      },
    });

  /** Tells whether its secret is accepted, here and in the other process. */
  async function isLetIn(party: Registered): Promise<readonly boolean[]> {
    const answers = await Promise.all([push(party), push(party, {}, elsewhere.origin)]);
    return answers.map(({ status }) => {
      expect(status).to.be.oneOf([200, 401]);
      return status === 200;
    });
  }

  it('are registered with usable settings, and their secret opens the relying-party API', async () => {
    const body = {
      relyingPartyName: ' Хаан банк ',
      callbackHosts: ['RP.Example.MN'],
      permissions: ['AUTH', 'AUTH'],
      requestsPerMinute: 60,
    };
    const answer = await ask('POST', '/relying-parties', body, 201);
    expect(answer['apiSecret']).to.match(/^rp_sk_/);
    const party = {
      id: String(answer['relyingPartyUUID']),
      secret: String(answer['apiSecret']),
      name: 'Хаан банк',
    };
    const details = await ask(
      'GET',
      at(party).toUpperCase().replace('RELYING-PARTIES', 'relying-parties'),
    );
    expect(details).to.deep.include({
      relyingPartyUUID: party.id,
      relyingPartyName: 'Хаан банк',
      active: true,
      callbackHosts: ['rp.example.mn'],
      permissions: ['AUTH'],
      requestsPerMinute: 60,
      firstParty: false,
      ipAllowlist: [],
      clientCertificates: [],
      smartIdStatuses: false,
      subsystems: [],
    });
    expect(await isLetIn(party)).to.deep.equal([true, true]);
  });

  it('are refused with a pointer when something cannot be used', async () => {
    const refused = async (fields: object) => {
      const answer = await operators.call('POST', '/relying-parties', {
        relyingPartyName: 'Банк',
        ...fields,
      });
      const [fault] = (answer.body['errors'] ?? []) as readonly Json[];
      return [answer.status, answer.body['code'], fault?.['pointer']];
    };
    const invalid = (pointer: string) => [400, 'INVALID_REQUEST', pointer];
    expect(await refused({ relyingPartyName: 'Ж'.repeat(17) })).to.deep.equal(
      invalid('/relyingPartyName'),
    );
    expect(await refused({ relyingPartyName: ' ' })).to.deep.equal(invalid('/relyingPartyName'));
    expect(await refused({ callbackHosts: ['a b'] })).to.deep.equal(invalid('/callbackHosts/0'));
    expect(await refused({ ipAllowlist: ['10.0.0.0/33'] })).to.deep.equal(
      invalid('/ipAllowlist/0'),
    );
    expect(await refused({ permissions: ['ALL'] })).to.deep.equal(invalid('/permissions/0'));
    expect(await refused({ apiSecret: 'rp_sk_mine' })).to.deep.equal(invalid(''));
  });

  it('name an office to write to or to call about them', async () => {
    const contact = {
      contactName: 'Цахим үйлчилгээний алба',
      contactEmail: 'desk@bank.example.mn',
      contactPhone: '+976 7000-0000',
    };
    const party = await register(contact);
    expect(await ask('GET', at(party))).to.include(contact);

    await ask('PATCH', at(party), { contactPhone: null });

    const now = { ...contact, contactPhone: null };
    expect(await ask('GET', at(party))).to.include(now);
    const { items } = await ask('GET', `/relying-parties?q=${party.id}`);
    expect((items as Json[])[0]).to.include(now);
    for (const [field, value] of Object.entries({ contactEmail: 'desk', contactPhone: 'call' })) {
      const { body } = await operators.call('PATCH', at(party), { [field]: value });
      expect(body).to.have.nested.property('errors[0].pointer', `/${field}`);
    }
  });

  it('show their secret once and nowhere else', async () => {
    const party = await register({ relyingPartyName: 'Нууц' });
    const { apiSecret } = await ask('POST', at(party, '/rotate-secret'));
    await ask('PATCH', at(party), { relyingPartyName: 'Нууц 2' });
    const shown = [
      await ask('GET', at(party)),
      await ask('GET', '/relying-parties?q=нууц'),
      await ask('POST', at(party, '/reactivate')),
      (await database.query('select * from relying_party_view')).rows,
      (await database.query('select * from audit_view')).rows,
      (await database.query('select * from event')).rows.map((row: object) =>
        Object.values(row).map((value: unknown) =>
          Buffer.isBuffer(value) ? value.toString('latin1') : value,
        ),
      ),
      elsewhere.output(),
    ];
    const text = JSON.stringify(shown, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    for (const secret of [party.secret, String(apiSecret)]) {
      expect(text).not.to.include(secret.slice('rp_sk_'.length));
    }
    expect(text).to.include(sha256Hex(String(apiSecret)));
    // Its age is shown.
    const listed = JSON.stringify(shown.slice(0, 3)).replaceAll('"secretIssuedAt"', '');
    expect(listed).not.to.match(/[Ss]ecret/);
  });

  it('lose the old secret when it is replaced, in every process', async () => {
    const party = await register();
    expect(await isLetIn(party)).to.deep.equal([true, true]);
    const { apiSecret } = await ask('POST', at(party, '/rotate-secret'));
    expect((await push(party)).status).to.equal(401);
    await eventually(async () => expect(await isLetIn(party)).to.deep.equal([false, false]));
    expect(await isLetIn({ ...party, secret: String(apiSecret) })).to.deep.equal([true, true]);
  });

  it('are let in nowhere while deactivated, and again afterwards', async () => {
    const party = await register();
    expect(await isLetIn(party)).to.deep.equal([true, true]);
    await demo.service.deactivateRelyingParty(party.id);
    expect((await push(party)).status).to.equal(401);
    await eventually(async () => expect(await isLetIn(party)).to.deep.equal([false, false]));
    expect(await ask('GET', at(party))).to.include({ active: false });
    expect(await ask('POST', at(party, '/reactivate'))).to.include({ active: true });
    expect((await push(party)).status).to.equal(200);
    await eventually(async () => expect(await isLetIn(party)).to.deep.equal([true, true]));
  });

  it('are edited with effect on the next call', async () => {
    const party = await register({ permissions: ['SIGN'], callbackHosts: ['old.example.mn'] });
    const edit = (changes: object) => ask('PATCH', at(party), changes);
    expect(codeOf(await push(party))).to.deep.equal([403, 'PERMISSION_DENIED']);
    await edit({ permissions: ['AUTH'] });
    expect((await push(party)).status).to.equal(200);
    await edit({ ipAllowlist: ['192.0.2.0/24'] });
    expect(codeOf(await push(party))).to.deep.equal([403, 'IP_NOT_ALLOWED']);
    await edit({ ipAllowlist: [] });
    await edit({ clientCertificates: ['AB:'.repeat(31) + 'AB'] });
    expect(codeOf(await push(party))).to.deep.equal([403, 'CLIENT_CERTIFICATE_REQUIRED']);
    await edit({ clientCertificates: [], requestsPerMinute: 1 });
    await push(party);
    expect(codeOf(await push(party))).to.deep.equal([429, 'RATE_LIMITED']);
    const details = await edit({ requestsPerMinute: null });
    expect(details).to.deep.include({
      permissions: ['AUTH'],
      callbackHosts: ['old.example.mn'],
      ipAllowlist: [],
    });

    const link = async () => {
      const answer = await call(`${demo.service.origin}/v3/authentication/device-link/anonymous`, {
        method: 'POST',
        headers: { authorization: `Bearer ${party.secret}` },
        body: {
          relyingPartyUUID: party.id,
          relyingPartyName: party.name,
          certificateLevel: 'QUALIFIED',
          signatureProtocol: 'ACSP_V2',
          ...newChallenge(),
          interactions: [{ type: 'displayTextAndPIN', displayText60: 'Тийм үү?' }],
          initialCallbackUrl: 'https://new.example.mn/back?state=1',
        },
      });
      return (await phone.phone.open(String(answer.body['sessionID']))).callbackUrl;
    };
    expect(await link()).to.equal(null);
    await edit({ callbackHosts: ['new.example.mn'] });
    expect(await link()).to.match(/^https:\/\/new\.example\.mn\//);
  });

  it('F3: ask under their registered name and their aliases, and show both with another', async () => {
    const party = await register({ relyingPartyName: 'Small Shop' });
    const names = at(party, '/names');
    const pushAs = async (relyingPartyName: string) => {
      const answer = await push(party, { relyingPartyName });
      return answer.status === 200 ? phone.phone.open(String(answer.body['sessionID'])) : answer;
    };
    expect(await ask('GET', at(party))).to.deep.include({ aliases: [], otherNames: false });
    expect(codeOf((await pushAs('Khan Bank')) as Answer)).to.deep.equal([400, 'INVALID_REQUEST']);

    await ask('PUT', names, { aliases: [' Shop '], otherNames: false });

    expect(await ask('GET', at(party))).to.deep.include({ aliases: ['Shop'], otherNames: false });
    const { items } = await ask('GET', '/relying-parties?q=Small Shop');
    expect((items as Json[])[0]).to.deep.include({ aliases: ['Shop'], otherNames: false });
    expect(await pushAs('Shop')).to.include({ relyingPartyName: 'Shop', registeredName: null });
    expect(codeOf((await pushAs('Khan Bank')) as Answer)).to.deep.equal([400, 'INVALID_REQUEST']);

    await ask('PUT', names, { aliases: [], otherNames: true });

    const both = { relyingPartyName: 'Khan Bank', registeredName: 'Small Shop' };
    const request = await pushAs('Khan Bank');
    expect(request).to.include(both);
    const session = `/sessions/${(request as { readonly sessionId: string }).sessionId}`;
    expect(await ask('GET', session)).to.include(both);
    await eventually(async () => {
      const audited = await ask('GET', `/audit?type=RP_NAMES_SET&subject=${party.id}`);
      expect(audited['items']).to.have.length(2);
    });
    for (const alias of ['Kh\u0430n Bank', 'Khan\u202eknaB', 'Khan\u200b', 'Ж'.repeat(17)]) {
      const answer = await operators.call('PUT', names, { aliases: [alias], otherNames: false });
      expect(codeOf(answer), alias).to.deep.equal([400, 'INVALID_REQUEST']);
    }
  });

  it('keep what two operators change at once', async () => {
    const party = await register();
    await Promise.all([
      ask('PATCH', at(party), { requestsPerMinute: 7 }),
      ask('PATCH', at(party), { smartIdStatuses: true }),
      ask('PATCH', at(party), { relyingPartyName: 'Хоёр' }),
    ]);
    expect(await ask('GET', at(party))).to.include({
      requestsPerMinute: 7,
      smartIdStatuses: true,
      relyingPartyName: 'Хоёр',
    });
  });

  it('are shown as they were', async () => {
    const before = new Date(Date.now() - 1000).toISOString();
    const party = await register({ relyingPartyName: 'Өмнө' });
    await push(party, { rp_app: 'portal' });
    const then = new Date().toISOString();
    await eventually(() => expect(Date.now()).to.be.above(Date.parse(then)));
    await ask('PATCH', at(party), { relyingPartyName: 'Дараа' });
    await ask('PATCH', at(party, '/subsystems/1'), { displayName: 'Портал' });
    await demo.service.deactivateRelyingParty(party.id);
    const past = await ask('GET', at(party, `?asOf=${then}`));
    expect(past).to.include({ relyingPartyName: 'Өмнө', active: true });
    expect(past['subsystems']).to.have.nested.property('[0].displayName', null);
    expect(await ask('GET', at(party))).to.include({ relyingPartyName: 'Дараа', active: false });
    await ask('GET', at(party, `?asOf=${before}`), undefined, 404);
    await ask('GET', at(party, '?asOf=2999-01-01T00:00:00Z'), undefined, 400);
  });

  it('are found by name in any case and by UUID, wildcards taken literally', async () => {
    const names = ['Тамга 100%', 'тамга_б', 'ТАМГА нэг', 'Tamga two'];
    const parties: Registered[] = [];
    for (const relyingPartyName of names) parties.push(await register({ relyingPartyName }));
    await demo.service.deactivateRelyingParty(parties[2]?.id ?? '');
    const found = async (q: string, more = '') => {
      const query = `q=${encodeURIComponent(q)}${more}`;
      const { items, total } = await ask('GET', `/relying-parties?${query}`);
      const shown = (items as Json[]).map(({ relyingPartyName }) => relyingPartyName);
      if (more === '') expect(total).to.equal(shown.length);
      return shown;
    };
    expect(await found('тамга')).to.deep.equal(['ТАМГА нэг', 'тамга_б', 'Тамга 100%']);
    expect(await found('АМГ')).to.have.length(3);
    expect(await found('тамга', '&active=true')).to.deep.equal(['тамга_б', 'Тамга 100%']);
    expect(await found('тамга', '&active=false')).to.deep.equal(['ТАМГА нэг']);
    expect(await found('%')).to.deep.equal([]);
    expect(await found('0%')).to.deep.equal([]);
    expect(await found('00%')).to.deep.equal(['Тамга 100%']);
    expect(await found('а_б')).to.deep.equal(['тамга_б']);
    expect(await found("'; --\\")).to.deep.equal([]);
    expect(await found('tamga two')).to.deep.equal(['Tamga two']);
    expect(await found(parties[0]?.id.toUpperCase() ?? '')).to.deep.equal(['Тамга 100%']);
    const page = await ask(
      'GET',
      `/relying-parties?q=${encodeURIComponent('тамга')}&limit=1&offset=1`,
    );
    expect(page).to.include({ total: 3, totalIsExact: true, limit: 1, offset: 1 });
    expect(page['items']).to.have.length(1);
  });

  it('are unknown by any other UUID, and by what is none', async () => {
    const nobody = crypto.randomUUID();
    const unknown = [
      ['GET', `/relying-parties/${nobody}`],
      ['GET', '/relying-parties/1'],
      ['PATCH', `/relying-parties/${nobody}`],
      ['POST', `/relying-parties/${nobody}/reactivate`],
      ['POST', `/relying-parties/${nobody}/rotate-secret`],
      ['GET', `/relying-parties/${nobody}/subsystems`],
      ['POST', `/relying-parties/${nobody}/subsystems/1/deactivate`],
    ] as const;
    for (const [method, path] of unknown) {
      const answer = await operators.call(method, path, method === 'PATCH' ? {} : undefined);
      expect(codeOf(answer), path).to.deep.equal([404, 'RELYING_PARTY_NOT_FOUND']);
    }
  });

  describe('Subsystems', () => {
    let party: Registered;

    before(async () => {
      party = await register();
      for (const rp_app of ['портал', 'mobile', 'kiosk', 'old']) await push(party, { rp_app });
    });

    const one = (id: number, path = '') => at(party, `/subsystems/${id}${path}`);
    /** The subsystem a session that names this one counts for. */
    async function countedFor(rp_app: string, origin?: string): Promise<unknown> {
      const answer = await push(party, { rp_app }, origin);
      if (answer.status !== 200) return codeOf(answer);
      return (await phone.phone.open(String(answer.body['sessionID']))).subsystem;
    }

    it('are listed as they were first seen, and get a display name', async () => {
      const { items, total } = await ask('GET', at(party, '/subsystems'));
      expect(total).to.equal(4);
      expect((items as Json[]).map(({ id, name }) => [id, name])).to.deep.equal([
        ...[
          [1, 'портал'],
          [2, 'mobile'],
          [3, 'kiosk'],
          [4, 'old'],
        ],
      ]);
      const renamed = await ask('PATCH', one(1), { displayName: 'Иргэний портал' });
      expect(renamed).to.include({ name: 'портал', displayName: 'Иргэний портал' });
      expect(await ask('PATCH', one(1), { displayName: null })).to.include({ displayName: null });
      await ask('PATCH', one(1), { displayName: '' }, 400);
      const page = await ask('GET', at(party, '/subsystems?limit=1&offset=2'));
      expect(page['items']).to.have.nested.property('[0].name', 'kiosk');
    });

    it('refuse sessions while deactivated, in every process', async () => {
      expect(await countedFor('kiosk')).to.equal('kiosk');
      expect(await countedFor('kiosk', elsewhere.origin)).to.equal('kiosk');
      expect(await ask('POST', one(3, '/deactivate'))).to.include({ status: 'DEACTIVATED' });
      expect(await countedFor('kiosk')).to.deep.equal([403, 'SUBSYSTEM_NOT_ACTIVE']);
      await eventually(async () =>
        expect(await countedFor('kiosk', elsewhere.origin)).to.deep.equal([
          403,
          'SUBSYSTEM_NOT_ACTIVE',
        ]),
      );
      expect(await countedFor('mobile')).to.equal('mobile');
      expect(await ask('POST', one(3, '/activate'))).to.include({ status: 'ACTIVE' });
      expect(await countedFor('kiosk')).to.equal('kiosk');
    });

    it('count for the one they were merged into, through a chain', async () => {
      const merged = await ask('POST', one(4, '/merge'), { into: 3 });
      expect(merged).to.include({ status: 'MERGED', mergedInto: 3 });
      expect(await countedFor('old')).to.equal('kiosk');
      await ask('POST', one(3, '/merge'), { into: 2 });
      expect(await countedFor('old')).to.equal('mobile');
      await ask('POST', one(2, '/deactivate'));
      expect(await countedFor('old')).to.deep.equal([403, 'SUBSYSTEM_NOT_ACTIVE']);
      await ask('POST', one(2, '/activate'));
    });

    it('are not merged in a circle, twice, or into what is not there', async () => {
      const refused = async (id: number, into: number) =>
        codeOf(await operators.call('POST', one(id, '/merge'), { into }));
      expect(await refused(1, 1)).to.deep.equal([409, 'CONFLICT']);
      expect(await refused(2, 4)).to.deep.equal([409, 'CONFLICT']);
      expect(await refused(4, 1)).to.deep.equal([409, 'CONFLICT']);
      expect(await refused(1, 9)).to.deep.equal([404, 'SUBSYSTEM_NOT_FOUND']);
      expect(await refused(9, 1)).to.deep.equal([404, 'SUBSYSTEM_NOT_FOUND']);
      expect(codeOf(await operators.call('POST', one(4, '/activate')))).to.deep.equal([
        409,
        'CONFLICT',
      ]);
      const answer = await operators.call('POST', at(party, '/subsystems/x/deactivate'));
      expect(codeOf(answer)).to.deep.equal([404, 'SUBSYSTEM_NOT_FOUND']);
    });
  });
});
