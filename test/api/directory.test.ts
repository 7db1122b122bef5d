import { expect } from 'chai';
import { createAddressLimit } from '../../api/bounds/admission.ts';
import { createRequestAudit } from '../../api/http/requestAudit.ts';
import { createDirectoryRoutes } from '../../api/platform/directoryRoutes.ts';
import { createPlatformGuards } from '../../api/platform/guard.ts';
import type { ApiServer } from '../../api/server.ts';
import type { Disclosure } from '../../application/audit/requestJournal.ts';
import { createEmbeddedDirectory } from '../../application/directory/embeddedDirectory.ts';
import { type Directory, DirectoryFailure } from '../../application/directory/ports/directory.ts';
import type { PlatformPermission } from '../../application/ports/platformTokens.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createMemoryCivilRegistry } from '../support/doubles/memoryCivilRegistry.ts';
import {
  createPostgresOrganizationRegistry,
  type OrganizationRegistryStore,
} from '../../infrastructure/registry/postgresOrganizationRegistry.ts';
import { createLists } from '../../projections/engine/lists.ts';
import { createPeopleViews } from '../../projections/people.ts';
import { createPersonTies } from '../../projections/personTies.ts';
import {
  citizenEnrolled,
  recordable,
  sessionConfirmed,
  sessionStarted,
} from '../support/events/exampleEvents.ts';
import { importsInto } from '../support/installation/registerFiles.ts';
import { startTestServer } from '../support/http/http.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';
import { bold, saran } from '../support/given/persons.ts';

const DEMO = 'infrastructure/registry/demo/organization-registry.csv';
const sessionId = 'a0000000-0000-4000-8000-000000000001';

describe('The directory', function () {
  this.timeout(60_000);
  let side: ReadSide;
  let pool: ReturnType<typeof createPool>;
  let registry: OrganizationRegistryStore;
  let lists: ReturnType<typeof createLists>;
  let embedded: Directory;
  let server: ApiServer;
  let origin = '';
  /** Null: not configured. */
  let directory: Directory | null;
  const disclosed: Disclosure[] = [];

  async function append(stream: string, ...events: readonly DomainEvent[]): Promise<void> {
    for (const event of events) await side.eventStore.append(stream, [recordable(event)], 'any');
  }

  before(async () => {
    side = await openReadSide();
    pool = createPool({ url: side.url });
    registry = createPostgresOrganizationRegistry(pool, side.vault);
    await importsInto({ organizationRegistry: registry })('organizations', DEMO);
    for (const [{ civilId, identity }, enrolledAt] of [
      [bold, '2026-01-01T00:00:00.000Z'],
      [saran, '2026-01-02T00:00:00.000Z'],
    ] as const) {
      const enrolled = citizenEnrolled(civilId, identity);
      await append(`citizen-${civilId}`, { ...enrolled, data: { ...enrolled.data, enrolledAt } });
    }
    await append(
      `session-${sessionId}`,
      sessionStarted(sessionId, { civilId: bold.civilId }),
      sessionConfirmed({ civilId: bold.civilId, completedAt: '2026-02-03T04:05:06.000Z' }),
    );
    await append('organization-5512345', {
      type: 'OrganizationRegistered',
      data: {
        register: '5512345',
        name: 'Тамга Демо ХХК',
        nameLatin: null,
        status: 'ACTIVE',
        registeredAt: '2026-01-01T00:00:00.000Z',
      },
    });
    const right = {
      rightType: 'ADMIN',
      source: 'MANUAL',
      evidenceRef: null,
      validTo: null,
      validFrom: '2026-01-01T00:00:00.000Z',
      grantedAt: '2026-01-01T00:00:00.000Z',
      linkedBy: null,
    };
    await append(
      'representation-5512345',
      {
        type: 'RightGranted',
        data: { ...right, register: '5512345', civilId: bold.civilId, role: 'Захирал' },
      },
      {
        type: 'RightGranted',
        data: {
          ...right,
          register: '5512345',
          civilId: saran.civilId,
          role: null,
          validTo: '2026-01-02T00:00:00.000Z',
        },
      },
    );
    // Not ACTIVE: its rights do not appear in look-ups (specification, Representative).
    await append(
      'organization-5598765',
      {
        type: 'OrganizationRegistered',
        data: {
          register: '5598765',
          name: 'Зогссон ХХК',
          nameLatin: null,
          status: 'ACTIVE',
          registeredAt: '2026-01-01T00:00:00.000Z',
        },
      },
      {
        type: 'OrganizationSuspended',
        data: { register: '5598765', suspendedAt: '2026-01-03T00:00:00.000Z' },
      },
    );
    await append('representation-5598765', {
      type: 'RightGranted',
      data: { ...right, register: '5598765', civilId: bold.civilId, role: 'Захирал' },
    });
    const projector = side.projector();
    projector.start();

    lists = createLists(side);
    const civilRegistry = createMemoryCivilRegistry({ vault: side.vault });
    await civilRegistry.save([bold, saran]);
    embedded = createEmbeddedDirectory({ civilRegistry, organizationRegistry: registry });
    directory = embedded;
    const people = createPeopleViews({ ...side, lists });
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
    const routes = createDirectoryRoutes({
      get directory() {
        return directory;
      },
      civilRegistry,
      people,
      ties: createPersonTies(side.database),
      clock: { now: () => new Date('2026-03-01T00:00:00.000Z') },
      guards: createPlatformGuards([
        {
          read: (token) =>
            Promise.resolve(
              token === 'nobody'
                ? null
                : {
                    userId: 'clerk-1',
                    clientId: null,
                    tenantId: 'default',
                    civilId: null,
                    operatorId: null,
                    actsForSelf: false,
                    permissions: new Set([token as PlatformPermission]),
                  },
            ),
        },
      ]),
      limit: createAddressLimit({ name: 'test', redis: null }, 1000),
      base: 'http://127.0.0.1',
    });
    const journal = {
      refused: () => undefined,
      disclosing: (disclosure: Disclosure) => {
        disclosed.push(disclosure);
        return Promise.resolve();
      },
      settle: () => Promise.resolve(),
    };
    ({ server, origin } = await startTestServer(routes, { audit: createRequestAudit(journal) }));
  });

  after(async () => {
    await server.stop(100);
    await lists.stop();
    await side.close();
    await pool.end();
  });

  async function get(path: string, token = 'directory.read') {
    const response = await fetch(`${origin}/api/platform/v1/directory/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  const ofBold = `person?reg_no=${encodeURIComponent('УБ85031512')}`;

  describe('specification, GET /api/platform/v1/directory/person', () => {
    it('answers a person by registration number, and the audit has who asked for whom', async () => {
      disclosed.length = 0;
      expect(await get(ofBold)).to.deep.equal({
        status: 200,
        body: {
          core_id: 200001,
          name: 'Дорж Болд',
          email: null,
          phone: null,
          registration_number: 'УБ85031512',
        },
      });
      expect(disclosed).to.have.length(1);
      expect(disclosed[0]).to.deep.include({
        operation: 'directory_person',
        subject: `PNOMN-${bold.civilId}`,
        actor: { kind: 'unknown', id: 'clerk-1' },
      });
    });

    it('404 for an unknown number, 400 for a malformed one', async () => {
      const nobody = await get(`person?reg_no=${encodeURIComponent('УБ85031599')}`);
      expect([nobody.status, nobody.body['code']]).to.deep.equal([404, 'PERSON_NOT_FOUND']);
      for (const path of ['person', 'person?reg_no=', 'person?reg_no=1']) {
        expect((await get(path)).status, path).to.equal(400);
      }
    });
  });

  describe('specification, GET /api/platform/v1/directory/organisation', () => {
    it('answers an organisation by registration number', async () => {
      disclosed.length = 0;
      expect(await get('organisation?reg_no=5512345')).to.deep.equal({
        status: 200,
        body: {
          core_id: 500001,
          name: 'Тамга Демо',
          legal_name: 'Тамга Демо ХХК',
          registration_number: '5512345',
          suggested_slug: 'tamga-demo',
          email: 'info@tamga.example',
          phone: '+976 7000 0001',
          address: 'Улаанбаатар, Сүхбаатар дүүрэг, 1-р хороо',
        },
      });
      expect(disclosed[0]?.subject).to.equal('NTRMN-5512345');
    });

    it('404 for none, 400 for what is no number', async () => {
      const none = await get('organisation?reg_no=9999999');
      expect([none.status, none.body['code']]).to.deep.equal([404, 'ORG_NOT_FOUND']);
      expect((await get('organisation?reg_no=-')).status).to.equal(400);
    });
  });

  for (const path of [ofBold, 'organisation?reg_no=5512345']) {
    it(`503 without a directory, 502 when it fails: ${path.slice(0, 12)}`, async () => {
      directory = null;
      const off = await get(path);
      expect([off.status, off.body['code']]).to.deep.equal([503, 'DIRECTORY_NOT_CONFIGURED']);
      const fail = () => Promise.reject(new DirectoryFailure('It did not answer.'));
      directory = { person: fail, organization: fail, isAffiliate: fail };
      const failed = await get(path);
      expect([failed.status, failed.body['code']]).to.deep.equal([502, 'DIRECTORY_FAILED']);
      directory = embedded;
    });
  }

  describe('specification, GET /api/platform/v1/directory/people', () => {
    const boldListed = {
      user_id: `PNOMN-${bold.civilId}`,
      name: 'Дорж Болд',
      email: null,
      reg_number: 'УБ85031512',
      linked_at: '2026-01-01T00:00:00.000Z',
      last_seen_at: '2026-02-03T04:05:06.000Z',
      organisations: [{ registration_number: '5512345', name: 'Тамга Демо ХХК', role: 'Захирал' }],
    };

    it('lists who has a verified identity, the most recent first, with whom they represent now', async () => {
      const { status, body } = await get('people');
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        people: [
          {
            user_id: `PNOMN-${saran.civilId}`,
            name: 'Дорж Саран',
            email: null,
            reg_number: 'АА90110724',
            linked_at: '2026-01-02T00:00:00.000Z',
            last_seen_at: null,
            organisations: [],
          },
          boldListed,
        ],
        directory: true,
      });
    });

    it('finds by name, by registration number, and nobody', async () => {
      disclosed.length = 0;
      for (const q of ['болд', 'bold dorj', 'уб85031512']) {
        const { body } = await get(`people?q=${encodeURIComponent(q)}`);
        expect(body['people'], q).to.deep.equal([boldListed]);
      }
      expect(disclosed.map(({ subject }) => subject)).to.deep.equal(
        Array.from({ length: 3 }, () => `PNOMN-${bold.civilId}`),
      );
      expect((await get('people?q=xyz')).body['people']).to.deep.equal([]);
    });

    it('says whether persons and organisations can be looked up', async () => {
      directory = null;
      expect((await get('people')).body['directory']).to.equal(false);
      directory = embedded;
    });

    it('leaves out who was forgotten', async () => {
      await side.vault.forget(saran.civilId);
      const { body } = await get('people');
      expect(body['people']).to.deep.equal([boldListed]);
    });
  });

  for (const path of [ofBold, 'organisation?reg_no=5512345', 'people']) {
    it(`401 without a token, 403 without directory.read: ${path.slice(0, 12)}`, async () => {
      expect((await get(path, 'nobody')).status).to.equal(401);
      const denied = await get(path, 'documents.read');
      expect([denied.status, denied.body['code']]).to.deep.equal([403, 'PERMISSION_DENIED']);
    });
  }
});
