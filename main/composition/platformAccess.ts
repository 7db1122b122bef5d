import { accessTokenRoute } from '../../api/admin/accessTokenRoute.ts';
import type { OperatorGuards } from '../../api/admin/guard.ts';
import { createPlatformGuards, type PlatformGuards } from '../../api/platform/guard.ts';
import {
  type FindOperatorSession,
  operatorOf,
  type OperatorSessions,
} from '../../application/operator/operators.ts';
import {
  createAccessTokenUsers,
  createIssuerTenants,
} from '../../application/platform/accessTokenUsers.ts';
import {
  createFindSignedInUser,
  type FindSignedInUser,
} from '../../application/platform/signedInUsers.ts';
import type { AccessClaims } from '../../application/platform/ports/accessTokens.ts';
import type { PlatformTokens } from '../../application/ports/platformTokens.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import { createJwtAccessTokens } from '../../infrastructure/credentials/jwtAccessTokens.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';

/** Authentication of the assistant and platform APIs. */
export interface PlatformAccess {
  readonly findUser: FindSignedInUser;
  readonly guards: PlatformGuards;
  readonly module: ServiceModule;
}

/**
 * Access tokens of the assistant and platform APIs: verified, and issued to operators.
 * @param further verifiers of other kinds of tokens
 */
export function composePlatformAccess(
  { config, foundation }: Core,
  operators: {
    readonly guards: OperatorGuards;
    readonly findSession: FindOperatorSession;
    readonly sessions: OperatorSessions;
    readonly roleOf: (id: string) => Promise<OperatorRole | null>;
  },
  further: readonly PlatformTokens[] = [],
): PlatformAccess {
  const { clock, randomness, derivationKey, restoreGate } = foundation;
  const tokens = createJwtAccessTokens({
    issuers: config.SVC_AI_TOKEN_KEYS,
    masterKey: derivationKey,
    clock,
    randomness,
    countsSince: restoreGate.countsSince,
    audience: config.SVC_AI_TOKEN_AUDIENCE ?? null,
  });

  async function currentRole({ userId, operatorSession }: AccessClaims) {
    if (operatorSession === null) return operators.roleOf(userId);
    const claims = { operatorId: userId, ...operatorSession };
    return (await operatorOf(operators.sessions, claims))?.role ?? null;
  }

  const { findSession } = operators;
  const findUser = createFindSignedInUser({ tokens, findSession, currentRole });
  const issuers = config.SVC_AI_TOKEN_KEYS.map(({ issuer }) => issuer);
  const tenantsOf = createIssuerTenants(config.SVC_AI_TOKEN_TENANTS, issuers);
  const users = createAccessTokenUsers(findUser, config.SVC_PLATFORM_ROLES, tenantsOf);
  return {
    findUser,
    guards: createPlatformGuards([users, ...further]),
    module: { routes: [accessTokenRoute(operators.guards, tokens)] },
  };
}
