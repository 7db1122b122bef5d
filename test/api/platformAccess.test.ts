import { expect } from 'chai';
import { z } from 'zod';
import { createPlatformGuards } from '../../api/platform/guard.ts';
import { route } from '../../api/http/route.ts';
import { createAccessTokenUsers } from '../../application/platform/accessTokenUsers.ts';
import { createFindSignedInUser } from '../../application/platform/signedInUsers.ts';
import { createJwtAccessTokens } from '../../infrastructure/credentials/jwtAccessTokens.ts';
import { readConfig } from '../../infrastructure/config.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import { systemRandomness } from '../../infrastructure/system.ts';
import { accessToken, testIssuer } from '../support/assistantWorld.ts';
import { startTestServer } from '../support/http.ts';
import { commonSettings, masterKey } from '../support/serviceProcess.ts';

type Settings = Readonly<Record<string, string>>;

/** Answers who the caller is taken for, to whom may read documents. */
async function startWorld(settings: Settings = {}) {
  const config = readConfig({ ...commonSettings(), ...settings });
  const operators = new Map<string, OperatorRole>([['clerk', 'SUPPORT']]);
  const tokens = createJwtAccessTokens({
    audience: null,
    ...{ issuers: [testIssuer], masterKey: Buffer.from(masterKey, 'base64') },
    ...{ clock: { now: () => new Date() }, randomness: systemRandomness },
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
              ...{ userId: 'pairwise', tenantId: '1234567', civilId: '110000000001' },
              ...{ operatorId: null, permissions: new Set(['documents.read'] as const) },
            }
          : null,
      ),
  };
  const guards = createPlatformGuards([
    createAccessTokenUsers(findUser, config.SVC_PLATFORM_ROLES),
    ofCitizens,
  ]);
  const { server, origin } = await startTestServer([
    route({
      ...{ name: 'whoami', summary: 'Who one is taken for', method: 'GET', path: '/whoami' },
      guard: guards.permitted('documents.read'),
      ...{ params: z.object({}), query: z.object({}), body: null },
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
        ...{ userId, isAdmin: false, roleId: 'SUPER_ADMIN', email: null },
        ...{ operatorSession: null, notAfter: null },
      })
    ).token;

  it('have the permissions of the role their access token names', async () => {
    const { status, body } = await world.whoami(await accessToken());
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      ...{ userId: '42', tenantId: 'default', civilId: null, operatorId: null },
      permissions: ['documents.read', 'directory.read'],
    });
  });

  it('act for the tenant their access token names', async () => {
    const { body } = await world.whoami(await accessToken({ TenantID: 7 }));
    expect(body['tenantId']).to.equal('7');
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

  it('401 without a token, with one that nobody knows, and with a refresh token', async () => {
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
