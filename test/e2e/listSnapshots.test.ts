import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Route } from '../../api/http/route.ts';
import { demoCitizens } from '../../cli/demo.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { call } from '../support/installation/liveCallers.ts';
import { registerClient } from '../support/oidc/oidcLogin.ts';
import { callerAt, documentSettings } from '../support/worlds/documentWorld.ts';
import { openOperatorWorld, type OperatorWorld } from '../support/worlds/operatorWorld.ts';

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
  let lists: Readonly<Record<string, Growing>>;
  let number = 2_100_000;
  const citizens = [...demoCitizens];

  before(async () => {
    demo = await startDemoInstallation({ ...documentSettings, SVC_ADMIN_REQUIRE_4EYES: 'true' });
    const portal = await callerAt(demo.service.origin);
    operators = openOperatorWorld(demo.service.origin);
    const colleague = await operators.signedIn('SUPER_ADMIN');
    const enrol = () => demo.enrol(citizens.shift()?.civilId ?? '');
    const [first] = citizens;
    const again = () => demo.enrol(first?.civilId ?? '');
    const documents = { grow: () => portal.create(), as: portal.authorization };
    const { documentNumber } = await enrol();
    const etsi = `PNOMN-${first?.civilId ?? ''}`;
    lists = {
      'admin.organizations.list': {
        path: '/v3/admin/organizations',
        key: 'orgRegister',
        grow: () =>
          demo.service.organizations.register({
            register: `ТМ${(number += 1)}`,
            name: `Тамга ${number}`,
            nameLatin: null,
            activate: true,
          }),
      },
      'admin.relyingParties.list': {
        path: '/v3/admin/relying-parties',
        key: 'relyingPartyUUID',
        grow: () =>
          demo.service.registerRelyingParty({
            name: `Party ${(number += 1)}`,
            callbackHosts: [],
            ipAllowlist: [],
            clientCertificates: [],
            permissions: [],
            firstParty: false,
            requestsPerMinute: null,
            smartIdStatuses: false,
          }),
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
        grow: () => operators.call('POST', `/devices/${documentNumber}/deactivate`),
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
        grow: async () => {
          const { body } = await call(`${demo.service.origin}/api/v1/admin/ai/knowledge/articles`, {
            method: 'POST',
            body: {
              title: `Article ${(number += 1)}`,
              content: 'What it says.',
              tags: [],
              language: 'en',
              source: null,
            },
          });
          const { id } = body['data'] as { readonly id: string };
          await colleague.call('POST', `/approvals/${id}/approve`);
        },
      },
      personActivity: {
        path: `/v3/rp/activity/etsi/${etsi}`,
        key: 'sessionId',
        items: 'sessions',
        as: `Bearer ${demo.apiSecret}`,
        grow: () =>
          demo.create(`/signature/notification/etsi/${etsi}`, {
            digest: randomBytes(32).toString('base64'),
          }),
      },
    };
  });

  after(() => demo.stop());

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
      for (let offset = 2; offset < before.length; offset += 2) {
        seen.push(
          ...rowsOf(await page(list, { limit: '2', offset: String(offset), snapshot }), list),
        );
      }
      expect(seen, name).to.have.length(new Set(seen).size);
      expect(seen, name).to.include.members(before);
    }
  });

  it('refuse a snapshot that is none', async () => {
    for (const list of Object.values(lists)) {
      const { status } = await ask(list, { snapshot: '\0' });
      expect(status, list.path).to.be.within(400, 422);
    }
  });
});
