import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import { type OrganizationStatus, organizationStatuses } from '../../domain/organization/events.ts';
import { type Given, given } from '../support/given/given.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { type Answer, call } from '../../main/drill/callers.ts';
import type { OperatorWorld } from '../support/worlds/operatorWorld.ts';

const [bold, saran] = demoCitizens;
if (bold === undefined || saran === undefined) throw new Error('There are too few demo citizens.');
const [boldEtsi, saranEtsi] = [`PNOMN-${bold.civilId}`, `PNOMN-${saran.civilId}`] as const;

type Json = Record<string, unknown>;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

describe('Organizations, by operators', function () {
  this.timeout(60_000);
  let demo: Given<'bold' | 'saran'>;
  let operators: OperatorWorld;
  let registers = 2_000_000;

  before(async () => {
    demo = await given({ phones: { bold: bold.civilId, saran: saran.civilId } });
    ({ operators } = demo);
  });

  after(() => demo.stop());

  async function ask(method: Method, path: string, body?: object, status = 200): Promise<Json> {
    const answer = await operators.call(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
    return answer.body;
  }

  const codeOf = ({ status, body }: Answer) => [status, body['code']];
  const at = (register: string, path = '') =>
    `/organizations/${encodeURIComponent(`NTRMN-${register}`)}${path}`;

  /** Saran, as the organization's details show her. */
  const representative = (details: Json) =>
    (details['representatives'] as readonly Json[]).find(({ id }) => id === saranEtsi);

  const nameOf = (number: number) => `Тамга ${number} ХХК`;

  async function register(fields: object = {}): Promise<string> {
    registers += 1;
    const body = {
      orgRegister: `ТМ${registers}`,
      name: nameOf(registers),
      activate: true,
      ...fields,
    };
    return String((await ask('POST', '/organizations', body, 201))['orgRegister']);
  }

  const right = (personEtsi: string, fields: object = {}) => ({
    personEtsi,
    role: 'Захирал',
    rightType: 'ADMIN',
    source: 'MANUAL',
    evidenceRef: 'тушаал 12',
    validTo: null,
    ...fields,
  });

  it('are registered PENDING or ACTIVE, in any case of the register, once', async () => {
    const body = {
      orgRegister: 'тм1999999',
      name: 'Нэг ХХК',
      nameLatin: 'neg llc',
      activate: false,
    };
    const details = await ask('POST', '/organizations', body, 201);
    expect(details).to.deep.include({
      orgEtsi: 'NTRMN-ТМ1999999',
      orgRegister: 'ТМ1999999',
      name: 'Нэг ХХК',
      nameLatin: 'NEG LLC',
      status: 'PENDING',
      nextStatuses: ['VERIFIED', 'REVOKED'],
      representatives: [],
      sealCertificate: null,
    });
    expect(await ask('GET', '/organizations/тм1999999')).to.deep.equal(details);
    expect(codeOf(await operators.call('POST', '/organizations', body))).to.deep.equal([
      409,
      'CONFLICT',
    ]);
    expect(await ask('GET', at(await register()))).to.include({ status: 'ACTIVE' });
    for (const wrong of [{ orgRegister: 'x' }, { name: ' ' }, { nameLatin: 'Тамга' }, { foo: 1 }]) {
      await ask('POST', '/organizations', { ...body, orgRegister: 'ТМ1', ...wrong }, 400);
    }
  });

  it('get their first administrator with the registration, if that person is enrolled', async () => {
    registers += 1;
    const body = { orgRegister: `ТМ${registers}`, name: nameOf(registers), activate: true };
    const refused = await operators.call('POST', '/organizations', {
      ...body,
      firstAdmin: { personEtsi: 'PNOMN-999999999999' },
    });
    expect(codeOf(refused)).to.deep.equal([404, 'SIGNER_NOT_ENROLLED']);
    await ask('GET', at(body.orgRegister), undefined, 404);
    const firstAdmin = {
      personEtsi: `PNOMN-${bold.regNo.toUpperCase()}`,
      evidenceRef: 'гэрчилгээ',
    };
    const details = await ask('POST', '/organizations', { ...body, firstAdmin }, 201);
    const [admin] = details['representatives'] as Json[];
    expect(admin).to.include({
      id: boldEtsi,
      personEtsi: boldEtsi,
      rightType: 'ADMIN',
      source: 'MANUAL',
      evidenceRef: 'гэрчилгээ',
      validTo: null,
      status: 'ACTIVE',
      inForce: true,
    });
    expect(admin?.['name']).to.be.a('string').and.not.equal('');
  });

  it('change their status only along the state machine, whatever is asked for', async () => {
    const ways: Readonly<Record<string, readonly OrganizationStatus[]>> = {
      PENDING: [],
      VERIFIED: ['VERIFIED'],
      ACTIVE: ['VERIFIED', 'ACTIVE'],
      SUSPENDED: ['VERIFIED', 'ACTIVE', 'SUSPENDED'],
      REVOKED: ['REVOKED'],
    };
    const allowed: Readonly<Record<string, readonly OrganizationStatus[]>> = {
      PENDING: ['VERIFIED', 'REVOKED'],
      VERIFIED: ['ACTIVE', 'SUSPENDED', 'REVOKED'],
      ACTIVE: ['SUSPENDED', 'REVOKED'],
      SUSPENDED: ['ACTIVE', 'REVOKED'],
      REVOKED: [],
    };
    async function tried(from: OrganizationStatus, to: OrganizationStatus) {
      const number = await register({ activate: false });
      for (const status of ways[from] ?? []) await ask('PATCH', at(number), { status });
      const { status, body } = await operators.call('PATCH', at(number), { status: to });
      const shown = await ask('GET', at(number));
      return { status, detail: body['detail'], shown };
    }
    for (const from of organizationStatuses) {
      const next = allowed[from] ?? [];
      for (const to of organizationStatuses) {
        const { status, detail, shown } = await tried(from, to);
        if (from === to || next.includes(to)) {
          expect([status, shown['status']], `${from} to ${to}`).to.deep.equal([200, to]);
        } else {
          expect([status, shown['status']], `${from} to ${to}`).to.deep.equal([409, from]);
          expect(detail).to.include(next.join(' or ') || 'not change any more');
          expect(shown['nextStatuses']).to.deep.equal(next);
        }
      }
    }
  });

  it('change name and status together or not at all, and never the Latin name', async () => {
    const number = await register();
    await ask('PATCH', at(number), { name: 'Өөр ХХК', status: 'VERIFIED' }, 409);
    expect(await ask('GET', at(number))).to.include({ name: nameOf(registers), status: 'ACTIVE' });
    await ask('PATCH', at(number), { nameLatin: 'OTHER' }, 400);
    const changed = await ask('PATCH', at(number), { name: ' Өөр ХХК ', status: 'SUSPENDED' });
    expect(changed).to.include({ name: 'Өөр ХХК', status: 'SUSPENDED' });
    await ask('PATCH', at(number), { status: 'REVOKED' });
    const renamed = await operators.call('PATCH', at(number), { name: 'Дахин' });
    expect(codeOf(renamed)).to.deep.equal([409, 'ORG_NOT_ACTIVE']);
    await ask('PATCH', at('ТМ404'), { name: 'Хэн' }, 404);
  });

  it('N7: have no name that looks like that of another, of several at once one', async () => {
    const body = { orgRegister: 'ТМ1800001', name: 'Давхар ХХК', nameLatin: 'Davkhar LLC' };
    await ask('POST', '/organizations', body, 201);
    const again = { orgRegister: 'ТМ1800002', activate: true };
    for (const names of [
      { name: 'Давхар ХХК' },
      { name: 'давхар ххк.' },
      { name: 'DAVKHAR llc' },
      { name: 'Өөр нэртэй', nameLatin: 'davkhar llc' },
    ]) {
      const refused = await operators.call('POST', '/organizations', { ...again, ...names });
      expect(codeOf(refused), names.name).to.deep.equal([409, 'CONFLICT']);
      expect(refused.body['detail']).to.include('looks the same');
    }
    await ask('POST', '/organizations', { ...again, name: 'Давхар​ ХХК' }, 400);
    await ask('POST', '/organizations', { ...again, name: 'Дaвхар ХХК' }, 400);
    await ask('GET', at(again.orgRegister), undefined, 404);
    const number = await register();
    const edited = await operators.call('PATCH', at(number), { name: 'ДАВХАР ХХК' });
    expect(codeOf(edited)).to.deep.equal([409, 'CONFLICT']);
    expect(await ask('GET', at(number))).to.include({ name: nameOf(registers) });
    const tried = await Promise.all(
      ['ТМ1800003', 'ТМ1800004', 'ТМ1800005'].map((orgRegister) =>
        operators.call('POST', '/organizations', { orgRegister, name: 'Нэгэн зэрэг ХХК' }),
      ),
    );
    expect(tried.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409]);
  });

  it('get representatives, who are looked up until the right is withdrawn', async () => {
    const number = await register();
    const add = (body: object) => operators.call('POST', at(number, '/representatives'), body);
    expect(codeOf(await add(right('PNOMN-999999999999')))).to.deep.equal([
      404,
      'SIGNER_NOT_ENROLLED',
    ]);
    expect((await add(right(boldEtsi, { rightType: 'OWNER' }))).status).to.equal(400);
    const past = new Date(Date.now() - 1000).toISOString();
    expect((await add(right(boldEtsi, { validTo: past }))).status).to.equal(400);
    expect((await add(right(boldEtsi))).status).to.equal(201);
    const inAYear = new Date(Date.now() + 31_536_000_000).toISOString();
    const manager = right(saranEtsi, { rightType: 'MANAGER', role: null, validTo: inAYear });
    const details = await add(manager);
    expect(representative(details.body)).to.include({ validTo: inAYear, role: null });

    /** Asks the relying-party API whether the right is in force. */
    const isRepresentative = async () => {
      const address = `${demo.service.origin}/v3/organization/representations/etsi/${saranEtsi}`;
      const headers = { authorization: `Bearer ${demo.apiSecret}` };
      const { body } = await call(address, { headers });
      const rights = body['representations'] as readonly Json[];
      return rights.some(({ orgRegister }) => orgRegister === number);
    };
    expect(await isRepresentative()).to.equal(true);
    const gone = await ask('DELETE', at(number, `/representatives/${saranEtsi}`));
    expect(representative(gone)).to.include({ status: 'WITHDRAWN', inForce: false });
    expect(await isRepresentative()).to.equal(false);
    await ask('DELETE', at(number, `/representatives/${saranEtsi}`));
    for (const id of ['PNOMN-999999999999', 'nobody', 'PNOMN-']) {
      const answer = await operators.call('DELETE', at(number, `/representatives/${id}`));
      expect(codeOf(answer), id).to.deep.equal([404, 'REPRESENTATIVE_NOT_FOUND']);
    }
    const elsewhere = await operators.call('DELETE', at('ТМ404', `/representatives/${boldEtsi}`));
    expect(codeOf(elsewhere)).to.deep.equal([404, 'ORG_NOT_FOUND']);
  });

  it('keep their last ADMIN, also of two removed at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const number = await register({ firstAdmin: { personEtsi: boldEtsi } });
      const remove = (id: string) => operators.call('DELETE', at(number, `/representatives/${id}`));
      expect(codeOf(await remove(boldEtsi))).to.deep.equal([409, 'LAST_ADMIN']);
      await ask('POST', at(number, '/representatives'), right(saranEtsi), 201);
      const answers = await Promise.all([remove(boldEtsi), remove(saranEtsi)]);
      expect(answers.map(codeOf)).to.have.deep.members([
        [200, undefined],
        [409, 'LAST_ADMIN'],
      ]);
    }
  });

  it('get a seal certificate, shown without its body and its key, until they are revoked', async () => {
    const number = await register({ orgRegister: '7123456', nameLatin: 'Tamga LLC' });
    const issued = await ask('POST', at(number, '/seal-certificate'));
    expect(issued).to.include({ status: 'VALID', certificateLevel: 'QUALIFIED' });
    expect(Object.keys(issued)).to.have.members([
      ...['serialNumber', 'certificateLevel', 'status', 'notBefore', 'notAfter', 'issuedAt'],
    ]);
    const again = await ask('POST', at(number, '/seal-certificate'));
    expect(again['serialNumber']).not.to.equal(issued['serialNumber']);
    expect((await ask('GET', at(number)))['sealCertificate']).to.deep.equal(again);
    const active = new Date().toISOString();
    await ask('PATCH', at(number), { status: 'REVOKED' });
    await eventually(async () =>
      expect((await ask('GET', at(number)))['sealCertificate']).to.include({ status: 'REVOKED' }),
    );
    const refused = await operators.call('POST', at(number, '/seal-certificate'));
    expect(codeOf(refused)).to.deep.equal([409, 'ORG_NOT_ACTIVE']);
    const past = await ask('GET', at(number, `?asOf=${active}`));
    expect(past).to.include({ status: 'ACTIVE' });
    expect(past['sealCertificate']).to.include({ status: 'VALID' });
  });

  it('are shown as they were, with the representatives of then', async () => {
    const number = await register({ firstAdmin: { personEtsi: boldEtsi } });
    const ends = new Date(Date.now() + 60_000).toISOString();
    const manager = right(saranEtsi, { rightType: 'MANAGER', validTo: ends });
    await ask('POST', at(number, '/representatives'), manager, 201);
    const then = new Date();
    await eventually(() => expect(Date.now()).to.be.above(then.getTime()));
    await ask('DELETE', at(number, `/representatives/${saranEtsi}`));
    await ask('PATCH', at(number), { name: 'Дараа ХХК' });
    const past = await ask('GET', at(number, `?asOf=${then.toISOString()}`));
    expect(past).to.include({ name: nameOf(registers) });
    expect(representative(past)).to.include({ status: 'ACTIVE', inForce: true });
    const now = await ask('GET', at(number));
    expect(now).to.include({ name: 'Дараа ХХК' });
    expect(representative(now)).to.include({ status: 'WITHDRAWN' });
    await ask('GET', at(number, '?asOf=2020-01-01T00:00:00Z'), undefined, 404);
  });

  it('are found by register, name and Latin name in any case, wildcards taken literally', async () => {
    const numbers = [
      await register({ orgRegister: 'ХБ7000001', name: 'Хайлт_Нэг ХХК', nameLatin: 'Khailt One' }),
      await register({ orgRegister: 'ХБ7000002', name: 'Хайлт 50% ХХК', activate: false }),
      await register({ orgRegister: 'ХБ7000003', name: 'Өнөр хайлт', nameLatin: 'UNUR' }),
    ];
    const found = async (q: string, more = '') => {
      const path = `/organizations?q=${encodeURIComponent(q)}${more}`;
      const { items, total } = await ask('GET', path);
      if (more === '') expect(total).to.equal((items as Json[]).length);
      return (items as Json[]).map(({ orgRegister }) => numbers.indexOf(String(orgRegister)) + 1);
    };
    expect(await found('хайлт')).to.deep.equal([3, 2, 1]);
    expect(await found('ХАЙЛТ', '&status=PENDING')).to.deep.equal([2]);
    expect(await found('хб7000003')).to.deep.equal([3]);
    expect(await found('7000003')).to.deep.equal([3]);
    expect(await found('khailt')).to.deep.equal([1]);
    expect(await found('өнөр')).to.deep.equal([3]);
    expect(await found('Ө')).to.include(3);
    expect(await found('50%')).to.deep.equal([2]);
    expect(await found('т_н')).to.deep.equal([1]);
    expect(await found('%%%')).to.deep.equal([]);
    expect(await found('___')).to.deep.equal([]);
    await ask('PATCH', at('ХБ7000003'), { name: 'Шинэ нэр' });
    expect(await found('шинэ нэр')).to.deep.equal([3]);
    expect(await found('хайлт')).to.deep.equal([2, 1]);
    const page = await ask('GET', `/organizations?q=${encodeURIComponent('хб7')}&limit=2&offset=1`);
    expect(page).to.include({ total: 3, totalIsExact: true, limit: 2, offset: 1 });
    expect((page['items'] as Json[]).map(({ orgRegister }) => orgRegister)).to.deep.equal(
      numbers.slice(0, 2).reverse(),
    );
    const empty = await ask('GET', `/organizations?q=${encodeURIComponent('хб7')}&offset=100000`);
    expect(empty).to.deep.include({ items: [], total: 3 });
    await ask('GET', '/organizations?status=GONE', undefined, 400);
  });
});
