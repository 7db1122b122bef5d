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
import { openOperatorWorld, type OperatorWorld } from '../support/worlds/operatorWorld.ts';

/** Way to make a list grow by one row, and the key of its rows. */
interface Growing {
  readonly path: string;
  readonly key: string;
  readonly items?: string;
  readonly grow: () => Promise<unknown>;
  readonly rp?: true;
}

/** Lists that are whole in memory, the oldest first: what is added is at their end. */
const growingAtTheEnd = ['admin.admins.list', 'admin.subsystems.list'];

/** Grow by what needs two operators, a model or a file; that they take a snapshot is asked here alone. */
const onlyAsked = [
  ...['admin.approvals.list', 'admin.documents.list', 'documents.list', 'documents.list.v1'],
  ...['admin.assistant.articles.list'],
];

describe('F16: pages of lists that grow', function () {
  this.timeout(300_000);
  let demo: DemoInstallation;
  let operators: OperatorWorld;
  let lists: Readonly<Record<string, Growing>>;
  let number = 2_100_000;
  const citizens = [...demoCitizens];

  before(async () => {
    demo = await startDemoInstallation();
    operators = openOperatorWorld(demo.service.origin);
    const enrol = () => demo.enrol(citizens.shift()?.civilId ?? '');
    const [first] = citizens;
    const again = () => demo.enrol(first?.civilId ?? '');
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
      personActivity: {
        path: `/v3/rp/activity/etsi/${etsi}`,
        key: 'sessionId',
        items: 'sessions',
        rp: true,
        grow: () =>
          demo.create(`/signature/device-link/anonymous`, {
            digest: randomBytes(32).toString('base64'),
          }),
      },
    };
    await enrol();
  });

  after(() => demo.stop());

  const pagedRoutes = () =>
    demo.service.routes.filter(({ query }) => {
      const { shape } = query as Partial<z.ZodObject>;
      return shape !== undefined && 'offset' in shape;
    });

  const takesSnapshot = ({ query }: Route) => 'snapshot' in (query as z.ZodObject).shape;

  it('every route with pages is walked or asked, and takes a snapshot', () => {
    const names = pagedRoutes().map(({ name }) => name);
    const walked = [...Object.keys(lists), ...onlyAsked, ...growingAtTheEnd];
    expect(names.filter((name) => !walked.includes(name))).to.deep.equal([]);
    const lacking = pagedRoutes().filter((route) => !takesSnapshot(route));
    expect(lacking.map(({ name }) => name)).to.have.members(growingAtTheEnd);
  });

  async function page({ path, rp }: Growing, query: Record<string, string>) {
    const asked = `${path}?${new URLSearchParams(query).toString()}`;
    const { status, body } = await (rp
      ? call(demo.service.origin + asked, {
          headers: { authorization: `Bearer ${demo.apiSecret}` },
        })
      : operators.call('GET', asked.replace('/v3/admin', '')));
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  }

  const rowsOf = (body: Readonly<Record<string, unknown>>, { key, items = 'items' }: Growing) =>
    (body[items] as readonly Record<string, unknown>[]).map((row) => String(row[key]));

  it('show no row twice and leave none out while rows are added', async () => {
    for (const [name, list] of Object.entries(lists)) {
      if (name === 'personActivity') continue;
      const rows = async () => rowsOf(await page(list, { limit: '200' }), list);
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
    for (const { path } of Object.values(lists)) {
      if (!path.startsWith('/v3/admin')) continue;
      const { status } = await operators.call(
        'GET',
        `${path.replace('/v3/admin', '')}?snapshot=%00`,
      );
      expect(status, path).to.equal(400);
    }
  });
});
