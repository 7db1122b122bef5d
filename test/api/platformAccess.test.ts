import { expect } from 'chai';
import { z } from 'zod';
import { createPlatformGuards } from '../../api/platform/guard.ts';
import { route } from '../../api/http/route.ts';
import {
  createAccessTokenUsers,
  createIssuerTenants,
} from '../../application/platform/accessTokenUsers.ts';
import { createFindSignedInUser } from '../../application/platform/signedInUsers.ts';
import { createJwtAccessTokens } from '../../infrastructure/credentials/jwtAccessTokens.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import { systemRandomness, systemClock } from '../../infrastructure/system.ts';
import { accessToken, testIssuer } from '../support/worlds/assistantWorld.ts';
import { startTestServer } from '../support/http/http.ts';
import { commonSettings, masterKey } from '../support/installation/serviceProcess.ts';

type Settings = Readonly<Record<string, string>>;

/** Answers who the caller is taken for, to whom may read documents. */
async function startWorld(settings: Settings = {}, issuers = [testIssuer.issuer]) {
  const config = readConfig({ ...commonSettings(), ...settings });
  const external = issuers.map((issuer) => ({ ...testIssuer, issuer }));
  const operators = new Map<string, OperatorRole>([['clerk', 'SUPPORT']]);
  const tokens = createJwtAccessTokens({
    audience: null,
    issuers: external,
    masterKey: Buffer.from(masterKey, 'base64'),
    clock: systemClock,
    randomness: systemRandomness,
  });
  const findUser = createFindSignedInUser({
    tokens,
    findSession: () => Promise.resolve(null),
    currentRole: ({ userId }) => Promise.resolve(operators.get(userId) ?? null),
  });
  const ofCitizens = {
    read: (token: string) =>
      Promise.resolve(
        token === 'of-a-citizen'
          ? {
              userId: 'pairwise',
              tenantId: '1234567',
              civilId: '110000000001',
              clientId: null,
              operatorId: null,
              actsForSelf: false,
              permissions: new Set(['documents.read'] as const),
            }
          : null,
      ),
  };
  const guards = createPlatformGuards([
    createAccessTokenUsers(
      findUser,
      config.SVC_PLATFORM_ROLES,
      createIssuerTenants(config.SVC_AI_TOKEN_TENANTS, issuers),
    ),
    ofCitizens,
  ]);
  const { server, origin } = await startTestServer([
    route({
      name: 'whoami',
      summary: 'Who one is taken for',
      method: 'GET',
      path: '/whoami',
      guard: guards.permitted('documents.read'),
      params: z.object({}),
      query: z.object({}),
      body: null,
      handle: ({ principal }) => ({
        body: { ...principal, permissions: [...principal.permissions] },
      }),
    }),
  ]);
  return {
    tokens,
    operators,
    whoami: async (token: string | null) => {
      const headers = new Headers(token === null ? {} : { authorization: `Bearer ${token}` });
      const response = await fetch(`${origin}/whoami`, { headers });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    stop: () => server.stop(100),
  };
}

describe('Callers of the platform API', () => {
  let world: Awaited<ReturnType<typeof startWorld>>;
  before(async () => {
    const roles = '3=documents.read+directory.read,4=directory.read,SUPPORT=documents.read';
    world = await startWorld({ SVC_PLATFORM_ROLES: roles });
  });
  after(() => world.stop());

  const ofOperator = async (userId: string) =>
    (
      await world.tokens.issue({
        userId,
        isAdmin: false,
        roleId: 'SUPER_ADMIN',
        email: null,
        operatorSession: null,
        notAfter: null,
      })
    ).token;

  it('have the permissions of the role their access token names', async () => {
    const { status, body } = await world.whoami(await accessToken());
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      userId: '42',
      tenantId: 'default',
      civilId: null,
      clientId: null,
      operatorId: null,
      actsForSelf: false,
      permissions: ['documents.read', 'directory.read'],
    });
  });

  it('R2: act for the tenants bound to their issuer, and for no other', async () => {
    const issuers = [
      'https://a.example',
      'https://b.example',
      'https://c.example',
      'https://d.example',
    ];
    const [a, b, c, d] = issuers;
    const tenants = `${a}=7+default,${b}=8,${c}=*`;
    const roles = '3=documents.read';
    const bound = await startWorld(
      { SVC_PLATFORM_ROLES: roles, SVC_AI_TOKEN_TENANTS: tenants },
      issuers,
    );
    const whoami = async (iss: string | undefined, TenantID?: unknown) => {
      const { status, body } = await bound.whoami(await accessToken({ iss, TenantID }));
      return status === 200 ? body['tenantId'] : `${status} ${String(body['code'])}`;
    };
    try {
      expect(await whoami(a, 7)).to.equal('7');
      expect(await whoami(a)).to.equal('default');
      expect(await whoami(b, '8')).to.equal('8');
      expect(await whoami(c, '7')).to.equal('7');
      const denied = '403 PERMISSION_DENIED';
      for (const tenant of ['7', undefined, 'citizen:110000000001', '*']) {
        expect(await whoami(b, tenant), String(tenant)).to.equal(denied);
        expect(await whoami(d, tenant), String(tenant)).to.equal(denied);
      }
      expect(await whoami(c, 'citizen:110000000001')).to.equal(denied);
    } finally {
      await bound.stop();
    }
  });

  it('R2: have the tenant of nobody in particular while theirs is the only issuer', async () => {
    const { status } = await world.whoami(await accessToken({ TenantID: 7 }));
    expect(status).to.equal(403);
  });

  it('R2: no issuer is given the tenants of citizens', () => {
    for (const tenants of ['https://a.example=citizen:1', 'https://a.example', 'a=']) {
      const read = () => readConfig({ ...commonSettings(), SVC_AI_TOKEN_TENANTS: tenants });
      expect(read, tenants).to.throw(/SVC_AI_TOKEN_TENANTS/);
    }
  });

  it('may do everything as administrators of their issuer', async () => {
    const { body } = await world.whoami(await accessToken({ IsAdmin: true, RoleID: null }));
    expect(body['permissions']).to.deep.equal([
      ...['documents.read', 'documents.manage', 'documents.sign', 'directory.read'],
    ]);
  });

  it('who are operators have the permissions of the role they have now', async () => {
    const token = await ofOperator('clerk');
    const { status, body } = await world.whoami(token);
    expect(status).to.equal(200);
    expect(body).to.include({ userId: 'clerk', operatorId: 'clerk', tenantId: 'default' });
    world.operators.delete('clerk');
    expect((await world.whoami(token)).status).to.equal(401);
  });

  it('may hold a token of another kind', async () => {
    const { body } = await world.whoami('of-a-citizen');
    expect(body).to.include({ tenantId: '1234567', civilId: '110000000001' });
  });

  it('403 PERMISSION_DENIED without the permission', async () => {
    for (const RoleID of [4, 5, null]) {
      const { status, body } = await world.whoami(await accessToken({ RoleID }));
      expect(status).to.equal(403);
      expect(body['code']).to.equal('PERMISSION_DENIED');
      expect(body['error']).not.to.include('represent');
    }
  });

  it('401 without a token, with an unknown one, and with a refresh token', async () => {
    for (const token of [null, 'x', await accessToken({ Kind: 'refresh' })]) {
      const { status, body } = await world.whoami(token);
      expect(status).to.equal(401);
      expect(body['code']).to.equal('UNAUTHENTICATED');
    }
  });

  it('no role may do what there is no permission for', () => {
    for (const roles of ['3=documents.destroy', '3=', '3', '=documents.read']) {
      const read = () => readConfig({ ...commonSettings(), SVC_PLATFORM_ROLES: roles });
      expect(read, roles).to.throw(/SVC_PLATFORM_ROLES/);
    }
  });
});
