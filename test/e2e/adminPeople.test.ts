import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { z } from 'zod';
import {
  certificateDetailsSchema,
  certificateSchema,
  citizenDetailsSchema,
  citizenSchema,
  deviceDetailsSchema,
  deviceSchema,
  sessionSchema,
} from '../../api/admin/peopleSchemas.ts';
import { named } from '../../api/admin/names.ts';
import { longListOf, snapshotListOf } from '../../api/admin/paging.ts';
import { demoCitizens } from '../../main/cli/demo.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  newChallenge,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { accessToken, testIssuer } from '../support/worlds/assistantWorld.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { type Answer, call } from '../../main/drill/callers.ts';
import { anOrganization } from '../support/given/wishes.ts';

const [bold, saran] = demoCitizens;
if (bold === undefined || saran === undefined) throw new Error('There are too few demo citizens.');

const adminKey = randomBytes(24).toString('base64url');

describe('Operators reading about citizens', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let boldPhone: DemoPhone;
  let saranPhone: DemoPhone;
  /** Bold's, answered. */
  let answered: string;
  /** Whoever comes, running. */
  let link: Readonly<Record<string, unknown>>;
  const started = () => new Date(Date.now() - 1).toISOString();

  before(async () => {
    demo = await startDemoInstallation({
      SVC_ADMIN_API_KEY: adminKey,
      SVC_AI_TOKEN_KEYS: `${testIssuer.issuer}=${testIssuer.key}`,
    });
    boldPhone = await demo.enrol(bold.civilId);
    saranPhone = await demo.enrol(saran.civilId);
    const push = `/authentication/notification/etsi/PNOMN-${bold.civilId}`;
    answered = String((await demo.create(push, newChallenge())).body['sessionID']);
    await boldPhone.phone.confirm(await boldPhone.phone.open(answered), boldPhone.pin1);
    link = (
      await demo.create('/authentication/device-link/anonymous', {
        ...newChallenge(),
        initialCallbackUrl: 'https://rp.example.mn/back?state=confidential-state',
      })
    ).body;
  });

  after(() => demo.stop());

  const ask = (path: string, key = adminKey): Promise<Answer> =>
    call(`${demo.service.origin}/v3/admin${path}`, { headers: { 'x-admin-key': key } });

  /** An answer of 200, exactly as its schema has it. */
  async function read<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const { status, body } = await ask(path);
    expect(status, path).to.equal(200);
    return schema.parse(body);
  }

  const users = (query: string) => read(`/users?${query}`, longListOf(citizenSchema));
  const search = (q: string) => users(`q=${encodeURIComponent(q)}`);

  it('are not alone: callers of the directory are shown who is verified, and audited', async () => {
    const authorization = `Bearer ${await accessToken({ IsAdmin: true })}`;
    await eventually(async () => {
      const answer = await call(
        `${demo.service.origin}/api/platform/v1/directory/people?q=${bold.civilId}`,
        { headers: { authorization } },
      );
      expect(answer.status).to.equal(200);
      const [listed] = answer.body['people'] as readonly Record<string, unknown>[];
      expect(listed).to.include({ user_id: `PNOMN-${bold.civilId}` });
      // Of the login just before, whose row is written a moment later.
      expect(listed?.['last_seen_at']).to.be.a('string');
    });
    await eventually(async () => {
      const { body } = await ask(`/audit?subject=PNOMN-${bold.civilId}&limit=100`);
      expect(JSON.stringify(body)).to.include('directory_people');
    });
  });

  it('find them by identifier, number, name or document number', async () => {
    const [givenName = ''] = bold.name.split(' ');
    for (const q of [
      `PNOMN-${bold.civilId}`,
      bold.regNo.toUpperCase(),
      givenName.toUpperCase(),
      'боржигон',
      'bat-erd',
      boldPhone.documentNumber,
    ]) {
      const { items, total } = await search(q);
      expect(
        items.map(({ etsi }) => etsi),
        q,
      ).to.deep.equal([`PNOMN-${bold.civilId}`]);
      expect(total, q).to.equal(1);
    }
    expect((await search('%')).total).to.equal(0);
  });

  it('page through them, the newest first', async () => {
    const first = await users('limit=1');
    const second = await users('limit=1&offset=1');
    const ids = [...first.items, ...second.items].map(({ civilId }) => civilId);
    expect(ids).to.deep.equal([saran.civilId, bold.civilId]);
    expect(first).to.include({ total: 2, totalIsExact: true, limit: 1, offset: 0 });
    expect((await users('offset=2')).items).to.deep.equal([]);
  });

  it('see a citizen with devices, certificates and audit', async () => {
    const shown = await read(`/users/PNOMN-${bold.civilId}`, named(citizenDetailsSchema));
    expect(shown).to.include({ civilId: bold.civilId, regNo: bold.regNo, forgotten: false });
    const documentNumbers = shown.devices.map(({ documentNumber }) => documentNumber);
    expect(documentNumbers).to.deep.equal([boldPhone.documentNumber]);
    expect(shown.certificates.map(({ type, status }) => `${type} ${status}`)).to.have.members([
      'AUTH VALID',
      'SIGN VALID',
    ]);
    const byNumber = await read(
      `/users/${encodeURIComponent(bold.regNo)}`,
      named(citizenDetailsSchema),
    );
    expect(byNumber.civilId).to.equal(bold.civilId);
    await eventually(async () => {
      const history = await read(
        `/users/PNOMN-${bold.civilId}/certificates`,
        snapshotListOf(certificateSchema),
      );
      expect(history.items).to.deep.equal(shown.certificates);
    });
  });

  it('see what was audited about a citizen', async () => {
    const register = await demo.service.organizations.register(
      anOrganization('УБ7000001', 'Тамга ХХК'),
    );
    const path = `/organization/representations/etsi/PNOMN-${bold.civilId}`;
    await call(`${demo.service.origin}/v3${path}`, {
      headers: { authorization: `Bearer ${demo.apiSecret}` },
    });
    expect(register).to.equal('УБ7000001');
    await eventually(async () => {
      const { audit } = await read(`/users/PNOMN-${bold.civilId}`, named(citizenDetailsSchema));
      expect(audit.map(({ type }) => type)).to.include('ORG_REP_LOOKUP');
      expect(JSON.stringify(audit)).not.to.contain(saran.civilId);
    });
  });

  it('see devices', async () => {
    const q = `q=PNOMN-${saran.civilId}&active=true`;
    const { items } = await read(`/devices?${q}`, longListOf(deviceSchema));
    expect(items.map(({ documentNumber }) => documentNumber)).to.deep.equal([
      saranPhone.documentNumber,
    ]);
    const path = `/devices/${saranPhone.documentNumber}`;
    const device = await read(path, deviceDetailsSchema);
    expect(device.certificates.map(({ serial }) => serial)).to.have.members([
      device.authenticationSerial,
      device.signingSerial,
    ]);
    const inactive = await read('/devices?active=false', longListOf(deviceSchema));
    expect(inactive.total).to.equal(0);
  });

  it('see a certificate as it was at every moment of its life', async () => {
    const serial = await eventually(async () => {
      const { items } = await read(
        `/certificates?q=${saranPhone.documentNumber}&status=VALID`,
        longListOf(certificateSchema),
      );
      // Listed once the second of its making is over.
      const found = items.find(({ type }) => type === 'SIGN');
      if (found === undefined) throw new Error('It is not listed yet.');
      return found.serial;
    });
    await demo.service.revokeCertificate(serial, 6);
    await demo.service.reinstateCertificate(serial);
    await demo.service.revokeCertificate(serial, 1);
    const { timeline, names, ...now } = await read(
      `/certificates/${serial}`,
      named(certificateDetailsSchema),
    );
    expect(names.map(({ id }) => id)).to.include(serial);
    expect(now).to.include({ status: 'REVOKED', revocationReason: 1 });
    const statuses = ['REQUESTED', 'VALID', 'SUSPENDED', 'VALID', 'REVOKED'];
    expect(timeline.map(({ type }) => type)).to.deep.equal([
      'CertificateRequested',
      'CertificateIssued',
      'CertificateSuspended',
      'CertificateReinstated',
      'CertificateRevoked',
    ]);
    for (const [index, { time }] of timeline.entries()) {
      const next = timeline[index + 1];
      if (next?.time === time) continue;
      const then = await read(
        `/certificates/${serial}?asOf=${time}`,
        named(certificateDetailsSchema),
      );
      expect(then.status, time).to.equal(statuses[index]);
      expect(then.timeline).to.deep.equal(timeline.slice(0, index + 1));
    }
    const before = new Date(new Date(timeline[0]?.time ?? 0).getTime() - 1).toISOString();
    expect((await ask(`/certificates/${serial}?asOf=${before}`)).status).to.equal(404);
    const listed = await read(`/certificates?q=${serial}`, longListOf(certificateSchema));
    expect(listed.items).to.deep.equal([now]);
  });

  it('see a session and what happened in it, as it was at every moment', async () => {
    const shown = await read(`/sessions/${answered}`, named(sessionSchema));
    expect(shown).to.include({
      sessionId: answered,
      state: 'COMPLETE',
      endResult: 'OK',
      flow: 'NOTIFICATION',
      personEtsi: `PNOMN-${bold.civilId}`,
      documentNumber: boldPhone.documentNumber,
      relyingPartyUUID: demo.relyingPartyId,
      relyingPartyName: 'Tamga Demo',
    });
    expect(shown.interactions).to.deep.equal([{ type: 'displayTextAndPIN', text: 'Тийм үү?' }]);
    expect(shown.signature?.value).to.match(/^[A-Za-z0-9+/]+=*$/);
    const [start, end] = shown.timeline;
    expect(start).to.deep.include({
      type: 'SessionStarted',
      actor: { kind: 'relyingParty', id: demo.relyingPartyId },
    });
    expect(end).to.deep.include({
      type: 'SessionConfirmed',
      actor: { kind: 'device', id: boldPhone.documentNumber },
    });
    const then = await read(
      `/sessions/${answered}?asOf=${start?.time ?? ''}`,
      named(sessionSchema),
    );
    expect(then).to.include({ state: 'RUNNING', endResult: null, signature: null, cert: null });
    expect(then.timeline).to.deep.equal([start]);
    const before = new Date(new Date(start?.time ?? 0).getTime() - 1).toISOString();
    const unknown = await ask(`/sessions/${answered}?asOf=${before}`);
    expect([unknown.status, unknown.body['code']]).to.deep.equal([404, 'SESSION_NOT_FOUND']);
  });

  it('list sessions of the last week, of a phone, of a citizen; behind a first page without what began since', async () => {
    interface Listed {
      readonly items: readonly { readonly sessionId: string }[];
      readonly snapshot: string;
    }
    const listed = async (query: string) => {
      const { status, body } = await ask(`/sessions${query}`);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body as unknown as Listed;
    };
    const idsOf = async (query: string) =>
      (await listed(query)).items.map(({ sessionId }) => sessionId);
    const week = await idsOf('');
    expect(week).to.include(answered);
    expect(await idsOf(`?q=${boldPhone.documentNumber}`)).to.include(answered);
    expect(await idsOf(`?q=${bold.civilId}`)).to.include(answered);
    expect(await idsOf(`?q=${answered}`)).to.deep.equal([answered]);
    const first = await listed('?limit=1');
    expect(first.snapshot).to.equal(week[0]);
    expect(await idsOf(`?limit=200&offset=1&snapshot=${first.snapshot}`)).to.deep.equal(
      week.slice(1),
    );
    expect(await idsOf(`?to=${new Date(0).toISOString()}`)).to.deep.equal([]);
  });

  it('search sessions of a month at most, and not behind page after page', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    expect((await ask(`/sessions?from=${daysAgo(30)}`)).status).to.equal(200);
    const long = await ask(`/sessions?from=${daysAgo(40)}`);
    expect([long.status, long.body['detail']]).to.deep.equal([
      400,
      'from and to are more than 31 days apart. Search a shorter period, or name a citizen.',
    ]);
    expect((await ask(`/sessions?from=${daysAgo(40)}&q=${bold.civilId}`)).status).to.equal(200);
    expect((await ask('/sessions?offset=10001')).status).to.equal(400);
  });

  it('are told no secret, key or certificate body', async () => {
    const linked = String(link['sessionID']);
    const paths = [
      '/users',
      `/users/PNOMN-${bold.civilId}`,
      `/users/PNOMN-${bold.civilId}/certificates`,
      '/devices',
      `/devices/${boldPhone.documentNumber}`,
      '/certificates',
      `/sessions/${answered}`,
      `/sessions/${linked}`,
    ];
    const answers = await Promise.all(paths.map((path) => ask(path)));
    const text = JSON.stringify(answers.map(({ body }) => body));
    const { body } = await demo.poll(answered);
    const certificate = (body['cert'] as { readonly value: string }).value;
    for (const secret of [link['sessionToken'], link['sessionSecret'], certificate]) {
      expect(secret).to.be.a('string').with.length.greaterThan(20);
      expect(text).not.to.contain(secret);
    }
    // The public keys inside the certificate, which device and certificate rows hold as well.
    expect(text).not.to.match(/MFkwEwYHKoZIzj|MIIB/);
    expect(text).not.to.contain('confidential-state');
    expect(answers.at(-1)?.body).to.include({ callbackHost: 'rp.example.mn', state: 'RUNNING' });
    const words = [
      'secret',
      'token',
      'password',
      'publicKey',
      'transportKey',
      'keyLabel',
      'challenge',
    ];
    for (const word of words) expect(text.toLowerCase()).not.to.contain(`${word.toLowerCase()}"`);
  });

  const notFound: readonly (readonly [string, string])[] = [
    ['/users/PNOMN-149999999999', 'PERSON_NOT_FOUND'],
    [`/users/${encodeURIComponent('аа00000000')}`, 'PERSON_NOT_FOUND'],
    ['/users/PNOMN-149999999999/certificates', 'PERSON_NOT_FOUND'],
    [`/devices/${randomUUID()}`, 'DOCUMENT_NOT_FOUND'],
    ['/devices/%27', 'DOCUMENT_NOT_FOUND'],
    ['/certificates/00ff', 'CERTIFICATE_NOT_FOUND'],
    ['/certificates/zz', 'CERTIFICATE_NOT_FOUND'],
    ['/certificates/00ff/body', 'CERTIFICATE_NOT_FOUND'],
    [`/sessions/${randomUUID()}`, 'SESSION_NOT_FOUND'],
    ['/sessions/x', 'SESSION_NOT_FOUND'],
  ];
  for (const [path, code] of notFound) {
    it(`are told ${code} for ${path}`, async () => {
      const { status, body } = await ask(path);
      expect([status, body['code']]).to.deep.equal([404, code]);
    });
  }

  const malformed: readonly (readonly [string, string])[] = [
    ['/users/PNOMN-1', '#/path/etsi'],
    ['/users?limit=0', '#/query/limit'],
    ['/users?limit=201', '#/query/limit'],
    ['/users?offset=-1', '#/query/offset'],
    ['/users?offset=99999999999', '#/query/offset'],
    [`/users?q=${'б'.repeat(201)}`, '#/query/q'],
    ['/users?q=%00', '#/query'],
    ['/users?q=a&q=b', '#/query/q'],
    ['/users/%00', '#/path/etsi'],
    ['/devices?active=maybe', '#/query/active'],
    ['/certificates?status=GONE', '#/query/status'],
    ['/certificates/00ff?asOf=yesterday', '#/query/asOf'],
    ['/certificates/00ff?asOf=2999-01-01T00:00:00Z', '#/query/asOf'],
    ['/sessions/x?asOf=2026-13-01T00:00:00Z', '#/query/asOf'],
  ];
  for (const [path, pointer] of malformed) {
    it(`name the fault of ${path.slice(0, 60)}`, async () => {
      const { status, body } = await ask(path);
      expect([status, body['code']]).to.deep.equal([400, 'INVALID_REQUEST']);
      expect(body).to.have.nested.property('errors[0].pointer', pointer);
    });
  }

  it('take odd words for nothing but words', async () => {
    const odd = ["' or 1=1 --", '%%', '__', '\\', '"', '!(a & b)', ':*', '💩', 'б'.repeat(200)];
    for (const q of odd) {
      for (const path of ['/users', '/devices', '/certificates']) {
        const { status, body } = await ask(`${path}?q=${encodeURIComponent(q)}`);
        expect([status, body['total']], `${path} ${q}`).to.deep.equal([200, 0]);
      }
    }
  });

  it('are nobody without a key', async () => {
    for (const path of ['/users', '/devices', '/certificates', `/sessions/${answered}`]) {
      expect((await ask(path, 'wrong')).status, path).to.equal(401);
    }
  });

  it('see placeholders of a forgotten citizen, who is found by no name', async () => {
    const moment = started();
    await demo.service.forgetPerson(bold.civilId);
    const [givenName = ''] = bold.name.split(' ');
    for (const q of [givenName, 'боржигон', 'bat-erdene', bold.regNo]) {
      expect((await search(q)).total, q).to.equal(0);
    }
    const shown = await read(`/users/PNOMN-${bold.civilId}`, named(citizenDetailsSchema));
    expect(shown).to.include({
      forgotten: true,
      firstName: '[forgotten]',
      birthDate: '[forgotten]',
    });
    expect(shown.certificates.map(({ status }) => status)).to.deep.equal(['REVOKED', 'REVOKED']);
    const session = await read(`/sessions/${answered}?asOf=${moment}`, named(sessionSchema));
    expect(session).to.deep.include({ endResult: 'OK', interactions: [] });
    const { items } = await users('');
    expect(items.map(({ civilId }) => civilId)).to.deep.equal([saran.civilId, bold.civilId]);
    expect(JSON.stringify([shown, session, items])).not.to.contain(givenName);
  });
});
