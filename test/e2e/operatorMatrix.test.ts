import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Route } from '../../api/http/route.ts';
import { createOperatorTokens, type TokenScope } from '../../application/operator/operators.ts';
import { type OperatorRole, operatorRoles } from '../../domain/operator/capabilities.ts';
import { type Given, given } from '../support/given/given.ts';
import { anonymous, operatorTable } from '../support/http/operatorTable.ts';
import type { SignedInOperator } from '../support/worlds/operatorWorld.ts';
import { operatorTokenSecret } from '../support/installation/serviceProcess.ts';
import { systemClock } from '../../infrastructure/system.ts';

const adminKey = 'the key behind the glass';

/** Routes beyond the specification's table, with the roles that may call them. */
const beyond: Readonly<Record<string, string>> = {
  'GET /v3/admin/account': 'none (logged in)',
  'GET /v3/admin/restored': 'none',
  'GET /v3/admin/restored/report': 'cert:revoke',
  'POST /v3/admin/restored/ask': 'cert:revoke',
  'POST /v3/admin/restored/accept': 'cert:revoke',
  'POST /v3/admin/auth/access-token': 'none (logged in)',
  'POST /v3/admin/admins/{}/reset-second-factor': 'admin:manage',
  'GET /v3/admin/approvals/{}': 'audit:read',
  // Only the requester of the result.
  'POST /v3/admin/approvals/{}/collect': 'none (logged in)',
  'POST /v3/admin/users/{}/forget': 'admin:manage',
  'POST /v3/admin/projections/{}/parked-events/{}/skip': 'config:write',
  'POST /v3/admin/projections/{}/retry': 'config:write',
  'GET /v3/admin/relying-parties/{}/requests': 'rp:read',
  'POST /v3/admin/registers/{}/files': 'config:write',
  'POST /v3/admin/registers/{}/files/{}/import': 'config:write',
  'GET /v3/admin/names': 'audit:read',
  'GET /v3/admin/sessions': 'session:read',
  'GET /v3/admin/audit/events': 'audit:read',
  'GET /v3/admin/audit/{}': 'audit:read',
  'GET /v3/admin/audit/tree-head': 'audit:read',
  'POST /v3/admin/audit/tree-head': 'audit:read',
  'GET /v3/admin/audit/tree-keys': 'audit:read',
  'GET /v3/admin/audit/proof/inclusion': 'audit:read',
  'GET /v3/admin/audit/proof/consistency': 'audit:read',
  'GET /v3/admin/certificates/{}': 'cert:read',
  'GET /v3/admin/certificates/{}/body': 'cert:read',
  'GET /v3/admin/identity-verifications': 'user:read',
  'GET /v3/admin/identity-verifications/{}': 'user:read',
  'PUT /v3/admin/relying-parties/{}/names': 'rp:write',
  'POST /v3/admin/relying-parties/{}/seal-organizations': 'rp:write',
  'DELETE /v3/admin/relying-parties/{}/seal-organizations/{}': 'rp:write',
  'GET /v3/admin/oidc-clients': 'rp:read',
  'POST /v3/admin/oidc-clients': 'rp:write',
  'GET /v3/admin/oidc-clients/{}': 'rp:read',
  'PATCH /v3/admin/oidc-clients/{}': 'rp:write',
  'POST /v3/admin/oidc-clients/{}/reactivate': 'rp:write',
  'POST /v3/admin/oidc-clients/{}/deactivate': 'rp:write',
  'POST /v3/admin/oidc-clients/{}/rotate-secret': 'rp:write',
  'POST /v3/admin/oidc-clients/{}/hand-over-secret': 'rp:write',
  'POST /v3/admin/relying-parties/{}/hand-over-secret': 'rp:write',
  'GET /api/v1/admin/ai/prompts': 'config:read',
  'GET /api/v1/admin/ai/prompts/{}': 'config:read',
  'PUT /api/v1/admin/ai/prompts/{}': 'config:write',
  'GET /v3/admin/relying-parties/{}/webhook-messages': 'rp:read',
  'POST /v3/admin/relying-parties/{}/webhook-messages/resend': 'rp:write',
  'GET /v3/admin/documents': 'session:read',
  'GET /v3/admin/documents/{}': 'session:read',
  'GET /api/v1/admin/ai/knowledge/articles': 'config:read',
  'GET /api/v1/admin/ai/knowledge/articles/{}': 'config:read',
  'POST /api/v1/admin/ai/knowledge/articles': 'config:write',
  'PUT /api/v1/admin/ai/knowledge/articles/{}': 'config:write',
  'DELETE /api/v1/admin/ai/knowledge/articles/{}': 'config:write',
  'GET /api/v1/admin/ai/knowledge/reindex': 'config:read',
  'POST /api/v1/admin/ai/knowledge/reindex': 'config:write',
  'POST /api/v1/admin/ai/knowledge/search': 'config:read',
};

const nobody = '00000000-0000-4000-8000-000000000000';

describe('Every role at every address of the operator API', function () {
  this.timeout(180_000);
  const table = operatorTable();
  let demo: Given;
  let operators: readonly SignedInOperator[];

  before(async () => {
    demo = await given({ settings: { SVC_ADMIN_API_KEY: adminKey } });
    const signedIn: SignedInOperator[] = [];
    // One after the other: adding operators and signing in both write the list of all.
    for (const role of operatorRoles) signedIn.push(await demo.operators.signedIn(role));
    operators = signedIn;
  });

  after(() => demo.stop());

  const operatorRoutes = () =>
    demo.service.routes.filter(({ path }) => /^\/(v3|api\/v1)\/admin\//.test(path));
  const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) =>
    `${method} ${anonymous(path)}`;

  /** Roles allowed by the table. */
  function capabilityOf(route: Route): string {
    const specified = table.routes.find(
      ({ method, path }) => `${method} ${path}` === nameOf(route),
    )?.capability;
    return specified ?? beyond[nameOf(route)] ?? `${nameOf(route)} is in no table`;
  }

  /** A request that changes nothing, whoever sends it: it names what does not exist, and its body says nothing. */
  async function ask(route: Route, headers: Readonly<Record<string, string>>) {
    const path = route.path.replaceAll(/:\w+/g, nobody);
    // The second step of signing in looks at its token once the request is right.
    const sent = route.name === 'admin.auth.mfa' ? { code: '000000' } : {};
    const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
    const answer = await fetch(demo.service.origin + path, {
      method: route.method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(hasBody ? { body: JSON.stringify(sent) } : {}),
    });
    const { status } = answer;
    const text = await answer.text();
    const isProblem = answer.headers.get('content-type') === 'application/problem+json';
    const { code } = isProblem ? (JSON.parse(text) as { code?: string }) : {};
    // The envelope names no code; whom it refuses with 403, it refuses for want of a capability.
    const isDenied = code === 'PERMISSION_DENIED' || (!isProblem && status === 403);
    return status === 401 || isDenied ? status : 'let in';
  }

  const mayRole = (role: OperatorRole, capability: string) => {
    const listed = table.roles.get(role);
    return listed === null || listed?.includes(capability) === true;
  };

  it('serves every operation of the specification, and no other', () => {
    const served = new Set(operatorRoutes().map(nameOf));
    const missing = table.routes.map(({ method, path }) => `${method} ${path}`);
    expect(missing.filter((each) => !served.has(each))).to.deep.equal([]);
    const specified = new Set([...missing, ...Object.keys(beyond)]);
    expect([...served].filter((each) => !specified.has(each))).to.deep.equal([]);
    expect([...table.roles.keys()]).to.have.members([...operatorRoles]);
  });

  it('lets each role do what the specification gives it, and refuses it all else with 403', async () => {
    for (const route of operatorRoutes()) {
      const capability = capabilityOf(route);
      for (const { role, token } of operators) {
        const expected = capability.includes(':')
          ? mayRole(role, capability)
            ? 'let in'
            : 403
          : // The token of a session is none for the second step of signing in.
            capability === 'none (mfa token)'
            ? 401
            : 'let in';
        // Signing out ends the session for whatever comes after it.
        const isSignOut = route.path.endsWith('/auth/logout');
        const sent = isSignOut ? anotherSessionOf(token) : token;
        const result = await ask(route, { authorization: `Bearer ${sent}` });
        expect(result, `${role} ${nameOf(route)} (${capability})`).to.equal(expected);
      }
    }
  });

  it('refuses callers without a token, or with one of the first step, altered, forged or expired', async () => {
    const [operator] = operators;
    if (operator === undefined) throw new Error('There is no operator.');
    const claims = claimsOf(operator.token);
    const [payload = '', signature = ''] = operator.token.split('.');
    const made = (scope: TokenScope, secret: string, hoursAgo: number) =>
      createOperatorTokens({
        secret,
        clock: { now: () => new Date(Date.now() - hoursAgo * 3_600_000) },
      }).issue({ scope, ...claims, enrolment: null }).token;
    const other = Buffer.from(
      JSON.stringify({ ...parsed(payload), exp: parsed(payload).exp + 3600 }),
    ).toString('base64url');
    const odd: Readonly<Record<string, string | null>> = {
      nothing: null,
      'a token of scope mfa': made('mfa', operatorTokenSecret, 0),
      'another payload': `${other}.${signature}`,
      'another signature': `${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      'no signature': `${payload}.`,
      'another secret': made('session', 'not the secret of the tests', 0),
      'an expired token': made('session', operatorTokenSecret, 1.01),
      'two tokens': `${operator.token} ${operator.token}`,
    };
    expect(
      await ask(routeNamed('GET /v3/admin/account'), {
        authorization: `Bearer ${made('session', operatorTokenSecret, 0.5)}`,
      }),
      'a token made by this test is as good as one of the service',
    ).to.equal('let in');
    for (const each of operatorRoutes()) {
      const capability = capabilityOf(each);
      if (capability === 'none') continue;
      for (const [what, token] of Object.entries(odd)) {
        const isSecondStep = capability === 'none (mfa token)';
        if (isSecondStep && what === 'a token of scope mfa') continue;
        const headers: Record<string, string> =
          token === null ? {} : { authorization: `Bearer ${token}` };
        expect(await ask(each, headers), `${what} at ${nameOf(each)}`).to.equal(401);
      }
    }
  });

  it('counts a key or a cookie for a token nowhere, and a wrong key beside a token not at all', async () => {
    const [operator] = operators;
    const token = operator?.token ?? '';
    const account = routeNamed('GET /v3/admin/account');
    for (const headers of [
      { cookie: `admin_session=${token}` },
      { authorization: `Basic ${token}` },
      { authorization: token },
      { 'x-admin-key': 'not the key behind the glass' },
      { 'x-admin-key': '' },
      { 'x-authorization': `Bearer ${token}` },
    ] as const) {
      expect(await ask(account, headers), JSON.stringify(headers)).to.equal(401);
    }
  });

  function routeNamed(name: string): Route {
    const found = operatorRoutes().find((each) => nameOf(each) === name);
    if (found === undefined) throw new Error(`There is no ${name}.`);
    return found;
  }
});

function parsed(payload: string) {
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
    readonly sub: string;
    readonly sid: string;
    readonly epoch: number;
    readonly exp: number;
  };
}

/** A token of another session of the same operator. */
function anotherSessionOf(token: string): string {
  return createOperatorTokens({
    secret: operatorTokenSecret,
    clock: systemClock,
  }).issue({ scope: 'session', ...claimsOf(token), sessionId: randomUUID(), enrolment: null })
    .token;
}

function claimsOf(token: string) {
  const { sub, sid, epoch } = parsed(token.split('.')[0] ?? '');
  return { operatorId: sub, sessionId: sid, epoch };
}
