import { expect } from 'chai';
import type { Route } from '../../api/http/route.ts';
import { demoOrganization } from '../../main/cli/demo.ts';
import { type OperatorRole, operatorRoles } from '../../domain/operator/capabilities.ts';
import { type ScriptedPhones, startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { createOidcBrowser } from '../support/oidc/oidcBrowser.ts';
import { discoverAs, logIn, registerClient } from '../support/oidc/oidcLogin.ts';
import { accessToken, testIssuer } from '../support/worlds/assistantWorld.ts';
import {
  type DocumentCaller,
  documentCaller,
  documentSettings,
} from '../support/worlds/documentWorld.ts';
import { openOperatorWorld } from '../support/worlds/operatorWorld.ts';
import { anOrganization, aRight } from '../support/given/wishes.ts';

const adminKey = 'the key behind the glass';
const one = '110000000001';
const other = '110000000002';
const { register } = demoOrganization;
const agency = { issuer: 'https://agency.example', key: 'agency'.repeat(6) };
const scope = 'openid documents.read documents.manage documents.sign directory.read';
/** Operators' roles with permissions here. */
const permitted: readonly OperatorRole[] = ['SUPER_ADMIN', 'SUPPORT'];

/** A kind of caller: the tenant it has, and what else it may. */
interface Caller {
  /** Null: none. */
  readonly authorization: string | null;
  /** Null: refused everywhere. */
  readonly tenant: string | null;
  /** Civil id of a citizen for themselves. */
  readonly citizen: string | null;
  readonly mayLookUp: boolean;
  readonly refusal: 401 | 403;
}

interface Made {
  readonly id: string;
  readonly tenant: string;
  readonly signer: string | null;
}

describe('Every caller at every route of documents and the directory, F1', function () {
  this.timeout(180_000);
  let demo: DemoInstallation;
  let phones: ScriptedPhones;
  const callers = new Map<string, Caller>();
  const documents: Made[] = [];

  before(async () => {
    demo = await startDemoInstallation({
      ...documentSettings,
      SVC_ADMIN_API_KEY: adminKey,
      SVC_AI_TOKEN_KEYS: [testIssuer, agency].map(({ issuer, key }) => `${issuer}=${key}`).join(),
      SVC_AI_TOKEN_TENANTS: `${testIssuer.issuer}=ministry,${agency.issuer}=agency+default`,
      SVC_PLATFORM_ROLES: 'SUPPORT=documents.read+documents.manage+documents.sign+directory.read',
    });
    phones = startScriptedPhones([await demo.enrol(one), await demo.enrol(other)]);
    await demo.service.organizations.register(
      anOrganization(register, demoOrganization.name, demoOrganization.nameLatin),
    );
    await demo.service.organizations.grant(register, one, aRight('ADMIN'));
    await addCallers();
    await addDocuments();
  });

  after(async () => {
    await phones.stop();
    await demo.stop();
  });

  async function citizenToken(civilId: string, ofClient: string, organization: string | null) {
    const issued = await registerClient(demo, { organization: ofClient });
    const client = await discoverAs(demo.service.origin, issued);
    const parameters =
      organization === null
        ? { scope }
        : { scope: `${scope} organization`, on_behalf_of: `NTRMN-${organization}` };
    const browser = createOidcBrowser();
    const { tokens } = await logIn(client, { citizen: civilId, browser, parameters });
    return `Bearer ${tokens.access_token}`;
  }

  async function addCallers(): Promise<void> {
    const add = (name: string, caller: Partial<Caller>) =>
      callers.set(name, {
        authorization: null,
        tenant: null,
        citizen: null,
        mayLookUp: false,
        refusal: 403,
        ...caller,
      });
    add('nobody', { refusal: 401 });
    for (const citizen of [one, other]) {
      add(`citizen ${citizen}`, {
        authorization: await citizenToken(citizen, register, null),
        tenant: `citizen:${citizen}`,
        citizen,
      });
    }
    add('citizen for the organization of the client', {
      authorization: await citizenToken(one, register, register),
      tenant: register,
      mayLookUp: true,
    });
    add("citizen for an organization, at another one's client", {
      authorization: await citizenToken(one, '7654321', register),
      tenant: register,
    });
    const external = async (issuer: typeof testIssuer, claims: object) =>
      `Bearer ${await accessToken({ IsAdmin: true, iss: issuer.issuer, ...claims }, issuer.key)}`;
    add('issuer of a ministry', {
      authorization: await external(testIssuer, { TenantID: 'ministry' }),
      tenant: 'ministry',
      mayLookUp: true,
    });
    add('issuer of an agency', {
      authorization: await external(agency, { TenantID: 'agency' }),
      tenant: 'agency',
      mayLookUp: true,
    });
    for (const TenantID of ['agency', register, `citizen:${one}`, undefined]) {
      add(`issuer of a ministry that names ${String(TenantID)}`, {
        authorization: await external(testIssuer, { TenantID }),
      });
    }
    const operators = openOperatorWorld(demo.service.origin, adminKey, demo.service.operators);
    for (const role of operatorRoles) {
      const isPermitted = permitted.includes(role);
      add(`operator ${role}`, {
        authorization: `Bearer ${(await operators.signedIn(role)).token}`,
        tenant: isPermitted ? 'default' : null,
        mayLookUp: isPermitted,
      });
    }
  }

  const callerNamed = (name: string): Caller => {
    const caller = callers.get(name);
    if (caller === undefined) throw new Error(`There is no caller ${name}.`);
    return caller;
  };
  const documentsOf = (caller: Caller): DocumentCaller =>
    documentCaller(demo.service.origin, caller.authorization ?? '');

  async function addDocuments(): Promise<void> {
    const makers = [
      ...[`citizen ${one}`, `citizen ${other}`, 'citizen for the organization of the client'],
      ...['issuer of a ministry', 'issuer of an agency', 'operator SUPER_ADMIN'],
    ];
    for (const name of makers) {
      const maker = callerNamed(name);
      for (const signer of [null, other]) {
        const id = await documentsOf(maker).create([signer]);
        expect((await documentsOf(maker).upload(id, Buffer.from(`of ${name}`))).status).to.equal(
          200,
        );
        documents.push({ id, tenant: maker.tenant ?? '', signer });
      }
    }
  }

  /** Reach of a caller: their own document, one that names them, or none. */
  function reach({ tenant, citizen }: Caller, document: Made): 'own' | 'named' | 'none' {
    if (tenant === document.tenant) return 'own';
    return citizen !== null && citizen === document.signer ? 'named' : 'none';
  }

  /** Sends a request of a route that succeeds for whom the rights suffice. */
  async function ask({ method, path }: Route, caller: Caller, id: string) {
    const address = path.replace(':id', id).replace(':docType', 'CONTRACT');
    const headers = new Headers(
      caller.authorization === null ? {} : { authorization: caller.authorization },
    );
    const { form, json, query } = sample(`${method} ${path}`, caller);
    if (json !== undefined) headers.set('content-type', 'application/json');
    const body = form ?? (json === undefined ? null : JSON.stringify(json));
    const answer = await fetch(`${demo.service.origin}${address}${query ?? ''}`, {
      method,
      headers,
      body,
    });
    const text = await answer.text();
    const isProblem = answer.headers.get('content-type') === 'application/problem+json';
    const { code } = isProblem ? (JSON.parse(text) as { code?: string }) : {};
    return { status: answer.status, code, text };
  }

  /** A request for each route; a route that is not here fails: it is to be decided who may. */
  function sample(
    name: string,
    { citizen }: Caller,
  ): { form?: FormData; json?: object; query?: string } {
    const terms = { allow_eid: true, allow_dan: false, require_named_signer: false };
    const form = new FormData();
    form.append('file', new Blob(['replaced']), 'a.txt');
    const samples: Readonly<Record<string, ReturnType<typeof sample>>> = {
      'GET /documents': {},
      'POST /documents': { json: { title: 'A', doc_type: 'REQUEST' } },
      'GET /documents/policies': {},
      'PUT /documents/policies': { json: terms },
      'GET /documents/policies/:docType': {},
      'PUT /documents/policies/:docType': { json: terms },
      'GET /documents/:id': {},
      'GET /documents/:id/signatures': {},
      'GET /documents/:id/signing-rails': {},
      'GET /documents/:id/file': {},
      'POST /documents/:id/file': { form },
      'POST /documents/:id/file/recognition': { form },
      'POST /documents/:id/sign/eid/start': { json: { reg_number: citizen ?? '110000000003' } },
      'POST /documents/:id/sign/eid/poll': {
        json: { session_id: '00000000-0000-4000-8000-000000000000' },
      },
      'GET /api/platform/v1/directory/person': { query: '?reg_no=УБ85031512' },
      'GET /api/platform/v1/directory/organisation': { query: '?reg_no=5512345' },
      'GET /api/platform/v1/directory/people': { query: '?q=' },
    };
    const found = samples[name];
    if (found === undefined) throw new Error(`Say who may ${name}, and how it is asked.`);
    return found;
  }

  const pairs = () =>
    Array.from(callers).flatMap(([name, caller]) =>
      documents.map((document) => ({ name, caller, document })),
    );
  const routesBelow = (root: RegExp) => demo.service.routes.filter(({ path }) => root.test(path));
  const isRefused = ({ status, code = '' }: { status: number; code?: string | undefined }) =>
    status === 401 || ['PERMISSION_DENIED', 'NOT_FOUND'].includes(code);

  it('documents by id: their own, or read and signed by whom they name', async () => {
    const routes = routesBelow(/^\/documents\/:id/);
    expect(routes).to.have.length(8);
    for (const route of routes) {
      const what = `${route.method} ${route.path}`;
      for (const { name, caller, document } of pairs()) {
        const found = reach(caller, document);
        const isUpload = what === 'POST /documents/:id/file';
        const mayDo = found === 'own' || (found === 'named' && !isUpload);
        const answer = await ask(route, caller, document.id);
        const message = `${name}: ${what} of ${document.tenant} for ${document.signer ?? 'all'}`;
        expect(isRefused(answer), `${message}: ${answer.status} ${answer.text}`).to.equal(!mayDo);
        if (caller.tenant === null) expect(answer.status, message).to.equal(caller.refusal);
        else if (!mayDo) expect(answer.status, message).to.equal(404);
      }
    }
  });

  it('lists: what they reach, and nothing else', async () => {
    for (const [name, caller] of callers) {
      const { status, body } = await documentsOf(caller).call('GET', '?limit=100');
      if (caller.tenant === null) {
        expect(status, name).to.equal(caller.refusal);
        continue;
      }
      const ids = (body['documents'] as { id: string }[]).map(({ id }) => id);
      const reached = documents.filter((each) => reach(caller, each) !== 'none');
      expect(ids, name).to.have.members(reached.map(({ id }) => id));
      expect(body['total'], name).to.equal(reached.length);
    }
  });

  it('policies: of organizations alone', async () => {
    const routes = routesBelow(/^\/documents\/policies/);
    expect(routes).to.have.length(4);
    for (const route of routes) {
      for (const [name, caller] of callers) {
        const { status } = await ask(route, caller, '');
        const isTheirs = caller.tenant !== null && caller.citizen === null;
        expect(status, `${name} ${route.name}`).to.equal(isTheirs ? 200 : caller.refusal);
      }
    }
  });

  it('the directory: whom operators opened it to, never a citizen', async () => {
    const routes = routesBelow(/directory/);
    expect(routes).to.have.length(3);
    for (const route of routes) {
      for (const [name, caller] of callers) {
        const answer = await ask(route, caller, '');
        expect(isRefused(answer), `${name} ${route.name}`).to.equal(!caller.mayLookUp);
        if (!caller.mayLookUp) expect(answer.status).to.equal(caller.refusal);
      }
    }
  });

  it("the operators' routes: nobody but operators", async () => {
    // The state of a restored installation is what `/readyz` says to everybody.
    const open = ['admin.auth.login', 'admin.auth.mfa', 'admin.auth.logout', 'admin.restored'];
    const routes = routesBelow(/^\/(v3|api\/v1)\/admin\//).filter(
      ({ name }) => !open.includes(name),
    );
    const strangers = Array.from(callers).filter(([name]) => !name.startsWith('operator'));
    for (const { method, path } of routes) {
      const address = demo.service.origin + path.replaceAll(/:\w+/g, documents[0]?.id ?? '');
      for (const [name, { authorization }] of strangers) {
        const headers = new Headers({ 'content-type': 'application/json' });
        if (authorization !== null) headers.set('authorization', authorization);
        const body = ['GET', 'DELETE'].includes(method) ? null : '{}';
        const { status } = await fetch(address, { method, headers, body });
        expect(status, `${name}: ${method} ${path}`).to.equal(401);
      }
    }
  });

  describe("F1: a citizen's token opens only a citizen's things", () => {
    it('starts no signature of somebody else in the name of the platform', async () => {
      const citizen = documentsOf(callerNamed(`citizen ${other}`));
      const id = await citizen.create([one]);
      for (const reg_number of [one, 'УБ85031512', '999999999999']) {
        const { status, body } = await citizen.call('POST', `/${id}/sign/eid/start`, {
          reg_number,
        });
        expect(status, JSON.stringify(body)).to.equal(403);
        expect(body['code']).to.equal('PERMISSION_DENIED');
      }
    });

    it('looks nobody up by naming them as a signer', async () => {
      const { body } = await documentsOf(callerNamed(`citizen ${other}`)).call('POST', '', {
        title: 'Loan',
        doc_type: 'CONTRACT',
        signers: [{ reg_number: one }],
      });
      expect(body['signers']).to.deep.equal([
        { order: 1, reg_number: null, is_named: true, signed_at: null },
      ]);
    });

    it('has their own documents signed by themselves', async () => {
      const citizen = documentsOf(callerNamed(`citizen ${one}`));
      const id = await citizen.create([null]);
      const started = await citizen.call('POST', `/${id}/sign/eid/start`, { reg_number: one });
      const session_id = String(started.body['session_id']);
      const wait = { session_id, timeout_ms: 20_000 };
      const { body } = await citizen.call('POST', `/${id}/sign/eid/poll`, wait);
      expect(body['end_result']).to.equal('OK');
    });
  });
});
