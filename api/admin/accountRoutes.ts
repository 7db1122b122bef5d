import { z } from 'zod';
import { sensitiveOperations, type SensitiveOperationName } from '../../domain/approval/events.ts';
import { capabilities, hasCapability, operatorRoles } from '../../domain/operator/capabilities.ts';
import { type Route, route } from '../http/route.ts';
import type { OperatorGuards } from './guard.ts';

/**
 * The operator's own account and client settings.
 *
 * @param settings for clients: the public origin of the relying-party API, without `/v3`, and that of the platform API,
 * which is the issuer identifier of the OpenID Connect provider; and whether there is an assistant
 */
export function accountRoutes(
  guards: OperatorGuards,
  settings: {
    readonly rpApi: string;
    readonly platform: string;
    readonly hasAssistant: boolean;
    readonly reviewedCommands: readonly SensitiveOperationName[];
  },
): readonly Route[] {
  return [
    route({
      name: 'admin.account',
      summary: 'Get the signed-in operator and their capabilities',
      method: 'GET',
      path: '/v3/admin/account',
      guard: guards.signedInBeforePasswordChange,
      whileClosed: 'serveOnceSettled',
      response: {
        200: z.strictObject({
          id: z.string(),
          role: z.enum(operatorRoles),
          capabilities: z.array(z.enum(capabilities)),
          email: z.string().nullable(),
          mustChangePassword: z.boolean(),
          expiresAt: z.iso.datetime().nullable(),
          relyingPartyApi: z.url(),
          openIdIssuer: z.url(),
          hasAssistant: z
            .boolean()
            .meta({ description: 'False if no language model is configured' }),
          reviewedCommands: z.array(z.enum(sensitiveOperations)).meta({
            description: 'Commands that a second operator approves, whoever asks for them',
          }),
        }),
      },
      handle: ({ principal: { id, role, session } }) => ({
        body: {
          id,
          role,
          capabilities: capabilities.filter((capability) => hasCapability(role, capability)),
          email: session?.operator.email ?? null,
          mustChangePassword: session?.operator.mustChangePassword ?? false,
          expiresAt: session?.expiresAt ?? null,
          relyingPartyApi: settings.rpApi,
          openIdIssuer: settings.platform,
          reviewedCommands: settings.reviewedCommands,
          hasAssistant: settings.hasAssistant,
        },
      }),
    }),
  ];
}
