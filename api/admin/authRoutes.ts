import { z } from 'zod';
import {
  changePassword,
  type ChangePasswordDependencies,
} from '../../application/operator/password.ts';
import type { TokenScope } from '../../application/operator/operators.ts';
import {
  confirmSecondFactor,
  signIn,
  type SignInDependencies,
} from '../../application/operator/signIn.ts';
import type { SignOut } from '../../application/operator/signOut.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import { operatorRoles } from '../../domain/operator/capabilities.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { anyone, commandContext } from '../http/handling.ts';
import { type RequestContext, type Route, route } from '../http/route.ts';
import { type OperatorGuards, operatorToken } from './guard.ts';

export interface AuthRouteDependencies {
  readonly guards: OperatorGuards;
  readonly signingIn: SignInDependencies;
  readonly passwords: ChangePasswordDependencies;
  readonly signOut: SignOut;
}

/** Issued token in a response. */
const issued = (scope: TokenScope) => ({
  token: z.string(),
  scope: z.literal(scope),
  expiresAt: z.iso.datetime(),
});

/** Sign-in, sign-out, and the operator's own password. */
export function authRoutes(dependencies: AuthRouteDependencies): readonly Route[] {
  const { guards, signingIn, passwords, signOut } = dependencies;
  return [
    route({
      method: 'POST',
      name: 'admin.auth.login',
      summary: 'Sign in, first step: e-mail and password',
      path: '/v3/admin/auth/login',
      guard: anyone,
      whileClosed: 'serveOnceSettled',
      body: z.object({ email: z.string().max(320), password: z.string().max(1024) }),
      response: {
        200: z.strictObject({
          ...issued('mfa'),
          enrolmentRequired: z.boolean(),
          otpauthUri: z.string().optional(),
          secret: z.string().optional(),
        }),
      },
      handle: async ({ body, context }) => {
        const { token, expiresAt, enrolment } = await signIn(
          signingIn,
          body,
          unauthenticatedContext(context),
        );
        const first =
          enrolment === null ? {} : { otpauthUri: enrolment.uri, secret: enrolment.secret };
        return {
          headers: uncached,
          body: { token, scope: 'mfa', expiresAt, enrolmentRequired: enrolment !== null, ...first },
        };
      },
    }),
    route({
      method: 'POST',
      name: 'admin.auth.mfa',
      summary: 'Sign in, second step: the code of an authenticator',
      path: '/v3/admin/auth/mfa',
      whileClosed: 'serveOnceSettled',
      guard: {
        description: 'operator with an mfa token',
        security: ['operatorMfa'],
        check: operatorToken,
      },
      body: z.object({ code: z.string().max(16) }),
      response: {
        200: z.strictObject({
          ...issued('session'),
          id: z.string(),
          role: z.enum(operatorRoles),
          mustChangePassword: z.boolean(),
        }),
      },
      handle: async ({ principal: token, body: { code }, context }) => {
        const bare = code.replaceAll(/\s/g, '');
        const signedIn = await confirmSecondFactor(
          signingIn,
          { token, code: bare },
          unauthenticatedContext(context),
        );
        const { operatorId: id, role, mustChangePassword } = signedIn.operator;
        return {
          headers: uncached,
          body: {
            token: signedIn.token,
            scope: 'session',
            expiresAt: signedIn.expiresAt,
            id,
            role,
            mustChangePassword,
          },
        };
      },
    }),
    route({
      method: 'POST',
      name: 'admin.auth.logout',
      summary: 'Sign out; the tokens of this session end at once',
      path: '/v3/admin/auth/logout',
      guard: anyone,
      whileClosed: 'serveOnceSettled',
      response: { 204: null },
      handle: async ({ context }) => {
        if (context.headers.authorization !== undefined) {
          await signOut(operatorToken(context), (id, sessionId) =>
            commandContext(context, { kind: 'operator', id }, sessionId),
          );
        }
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      name: 'admin.auth.password',
      summary: 'Change your own password; your other sessions end',
      path: '/v3/admin/auth/password',
      guard: guards.signedInBeforePasswordChange,
      body: z.object({ currentPassword: z.string().max(1024), newPassword: z.string().max(1024) }),
      response: { 204: null },
      handle: async ({ principal: { id, session }, body, context }) => {
        // Neither the break-glass key nor the open development profile has a password.
        if (session === null) throw new Refusal('PERMISSION_DENIED');
        const { operator, sessionId } = session;
        const by = commandContext(context, { kind: 'operator', id }, sessionId);
        await changePassword(passwords, operator, { ...body, sessionId }, by);
        return { status: 204 };
      },
    }),
  ];
}

const uncached = { 'cache-control': 'no-store' };

/** Command context of an unauthenticated caller who is signing in. */
function unauthenticatedContext(context: RequestContext): CommandContext {
  return commandContext(context, { kind: 'operator', id: 'unauthenticated' }, context.requestId);
}
