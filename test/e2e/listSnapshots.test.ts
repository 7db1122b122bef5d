import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Route } from '../../api/http/route.ts';
import { demoCitizens } from '../../main/cli/demo.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { call } from '../../main/drill/callers.ts';
import { registerClient } from '../support/oidc/oidcLogin.ts';
import { callerAt, documentSettings } from '../support/worlds/documentWorld.ts';
import {
  openOperatorWorld,
  type OperatorWorld,
  type SignedInOperator,
} from '../support/worlds/operatorWorld.ts';
import { anOrganization, aParty } from '../support/given/wishes.ts';

/** Way to make a list grow by one row, and the key of its rows. */
interface Growing {
  readonly path: string;
  readonly key: string;
  readonly items?: string;
  readonly grow: () => Promise<unknown>;
  /** Header of who reads it; omitted: an operator. */
  readonly as?: string;
}

/** Lists that are whole in memory, the oldest first: what is added is at their end. */
const growingAtTheEnd = ['admin.admins.list', 'admin.subsystems.list'];

describe('F16: pages of lists that grow', function () {
  this.timeout(300_000);
  let demo: DemoInstallation;
  let operators: OperatorWorld;
  let colleague: SignedInOperator;
  let lists: Readonly<Record<string, Growing>>;
  let number = 2_100_000;
  const citizens = [...demoCitizens];

  before(async () => {
    demo = await startDemoInstallation({ ...documentSettings, SVC_ADMIN_REQUIRE_4EYES: 'true' });
    const portal = await callerAt(demo.service.origin);
    operators = openOperatorWorld(demo.service.origin);
    colleague = await operators.signedIn('SUPER_ADMIN');
    const enrol = () => demo.enrol(citizens.shift()?.civilId ?? '');
    const [first] = citizens;
    const again = () => demo.enrol(first?.civilId ?? '');
    const documents = { grow: () => portal.create(), as: portal.authorization };
    await enrol();
    const etsi = `PNOMN-${first?.civilId ?? ''}`;
    const begin = () =>
      demo.create(`/signature/notification/etsi/${etsi}`, {
        digest: randomBytes(32).toString('base64'),
      });
    lists = {
      'admin.organizations.list': {
        path: '/v3/admin/organizations',
        key: 'orgRegister',
        grow: () =>
          demo.service.organizations.register(
            anOrganization(`ТМ${(number += 1)}`, `Тамга ${number}`),
          ),
      },
      'admin.relyingParties.list': {
        path: '/v3/admin/relying-parties',
        key: 'relyingPartyUUID',
        grow: () => demo.service.registerRelyingParty(aParty(`Party ${(number += 1)}`, [])),
      },
      'admin.oidcClients.list': {
        path: '/v3/admin/oidc-clients',
        key: 'clientId',
        grow: () => registerClient(demo),
      },
      'admin.audit.list': {
        path: '/v3/admin/audit',
        key: 'eventId',
        grow: () => registerClient(demo),
      },
      'admin.identityVerification.list': {
        path: '/v3/admin/identity-verifications',
        key: 'verificationId',
        grow: again,
      },
      'admin.session.list': { path: '/v3/admin/sessions', key: 'sessionId', grow: begin },
      'admin.user.list': { path: '/v3/admin/users', key: 'etsi', grow: enrol },
      'admin.device.list': { path: '/v3/admin/devices', key: 'documentNumber', grow: again },
      'admin.certificate.list': { path: '/v3/admin/certificates', key: 'serial', grow: again },
      'admin.user.certificates': {
        path: `/v3/admin/users/${etsi}/certificates`,
        key: 'serial',
        grow: again,
      },
      'admin.approvals.list': {
        path: '/v3/admin/approvals',
        key: 'id',
        // Another phone each time: the same command is refused while it waits.
        grow: async () =>
          operators.call('POST', `/devices/${(await again()).documentNumber}/deactivate`),
      },
      'admin.documents.list': { path: '/v3/admin/documents', key: 'id', grow: documents.grow },
      'documents.list': { path: '/documents', key: 'id', items: 'documents', ...documents },
      'documents.list.v1': {
        path: '/api/v1/documents',
        key: 'id',
        items: 'documents',
        ...documents,
      },
      'admin.assistant.articles.list': {
        path: '/api/v1/admin/ai/knowledge/articles',
        key: 'id',
        grow: () =>
          article('POST', '', { title: `Article ${(number += 1)}`, content: 'What it says.' }),
      },
      personActivity: {
        path: `/v3/rp/activity/etsi/${etsi}`,
        key: 'sessionId',
        items: 'sessions',
        as: `Bearer ${demo.apiSecret}`,
        grow: begin,
      },
    };
  });

  after(() => demo.stop());

  /** Asks for the command over an article, to which a colleague agrees. */
  async function article(
    method: 'POST' | 'PUT',
    path: string,
    text: { readonly title: string; readonly content: string },
  ): Promise<void> {
    const { body } = await call(
      `${demo.service.origin}/api/v1/admin/ai/knowledge/articles${path}`,
      { method, body: { ...text, tags: [], language: 'en', source: null } },
    );
    const { id } = body['data'] as { readonly id: string };
    await colleague.call('POST', `/approvals/${id}/approve`);
  }

  const pagedRoutes = () =>
    demo.service.routes.filter(({ query }) => {
      const { shape } = query as Partial<z.ZodObject>;
      return shape !== undefined && 'offset' in shape;
    });

  const takesSnapshot = ({ query }: Route) => 'snapshot' in (query as z.ZodObject).shape;

  it('every route with pages is walked, and takes a snapshot', () => {
    const names = pagedRoutes().map(({ name }) => name);
    const walked = [...Object.keys(lists), ...growingAtTheEnd];
    expect(names.filter((name) => !walked.includes(name))).to.deep.equal([]);
    const lacking = pagedRoutes().filter((route) => !takesSnapshot(route));
    expect(lacking.map(({ name }) => name)).to.have.members(growingAtTheEnd);
  });

  const ask = ({ path, as }: Growing, query: Record<string, string>) =>
    call(`${demo.service.origin}${path}?${new URLSearchParams(query).toString()}`, {
      headers: as === undefined ? {} : { authorization: as },
    });

  async function page(list: Growing, query: Record<string, string>) {
    const { status, body } = await ask(list, query);
    expect(status, JSON.stringify(body)).to.equal(200);
    // Those of the assistant are in an envelope.
    return (body['data'] ?? body) as Readonly<Record<string, unknown>>;
  }

  const rowsOf = (body: Readonly<Record<string, unknown>>, { key, items = 'items' }: Growing) =>
    (body[items] as readonly Record<string, unknown>[]).map((row) => String(row[key]));

  it('show no row twice and leave none out while rows are added', async () => {
    for (const [name, list] of Object.entries(lists)) {
      const rows = async () => rowsOf(await page(list, { limit: '100' }), list);
      for (let count = (await rows()).length; count < 3; count += 1) {
        await list.grow();
        await eventually(async () => expect((await rows()).length, name).to.be.above(count));
      }
      const before = await rows();
      const first = await page(list, { limit: '2', offset: '0' });
      const seen = rowsOf(first, list);
      const snapshot = String(first['snapshot']);
      await list.grow();
      await eventually(async () => {
        expect((await rows()).length, name).to.be.above(before.length);
      });
      for (let more = seen; more.length > 0; seen.push(...more)) {
        const offset = String(seen.length);
        more = rowsOf(await page(list, { limit: '2', offset, snapshot }), list);
      }
      expect(seen, name).to.have.length(new Set(seen).size);
      expect(seen, name).to.include.members(before);
    }
  });

  it('leave no article out that is changed meanwhile, or behind one that is', async () => {
    const list = lists['admin.assistant.articles.list'];
    if (list === undefined) throw new Error('Articles are walked.');
    const before = rowsOf(await page(list, { limit: '100' }), list);
    const first = await page(list, { limit: '1' });
    for (const id of before.slice(0, 2)) {
      const content = `Changed ${(number += 1)}.`;
      await article('PUT', `/${id}`, { title: 'Changed', content });
      await eventually(async () => {
        const { body } = await call(`${demo.service.origin}${list.path}/${id}`);
        expect(body['data']).to.include({ content });
      });
    }
    const snapshot = String(first['snapshot']);
    const rest = await page(list, { limit: '99', offset: '1', snapshot });
    expect([...rowsOf(first, list), ...rowsOf(rest, list)]).to.deep.equal(before);
  });

  it('go on where they were when what was shown leaves the list', async () => {
    const list = { path: '/v3/admin/approvals', key: 'id' } as Growing;
    const pending = { status: 'PENDING', limit: '2' };
    const before = rowsOf(await page(list, { ...pending, limit: '100' }), list);
    const first = await page(list, pending);
    await colleague.call('POST', `/approvals/${before[0] ?? ''}/reject`, { reason: 'Twice' });
    await eventually(async () => {
      const now = rowsOf(await page(list, { ...pending, limit: '100' }), list);
      expect(now).to.deep.equal(before.slice(1));
    });
    const snapshot = String(first['snapshot']);
    const rest = await page(list, { ...pending, limit: '100', offset: '2', snapshot });
    expect(before.length).to.be.above(2);
    expect(rowsOf(rest, list)).to.deep.equal(before.slice(2));
  });

  it('refuse a snapshot that is none', async () => {
    const place = '2026-01-01 00:00:00.5+00\nx';
    const wrong = ['\0', '99 99:99+00\nx', '2026-02-30 00:00:00+00\nx', `${place}\n2`];
    wrong.push(`${place}\n-1\n${place}`, `${place}\n2\n${place}\nx`, `${place}\n2\n25 61+00\nx`);
    for (const [name, list] of Object.entries(lists)) {
      for (const text of wrong) {
        const snapshot = Buffer.from(text).toString('base64url');
        const { status } = await ask(list, { snapshot });
        expect(status, `${name} ${text}`).to.be.within(400, 422);
      }
    }
  });
});
