import { z } from 'zod';
import type { ConsentFault, LookUpConsent } from '../../application/openIdConnect/consentLookup.ts';
import type { PlatformUser } from '../../application/ports/platformTokens.ts';
import { openIdScopes } from '../../domain/shared/openIdScopes.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { AddressLimit } from '../http/route.ts';
import { type Guard, type Route, route } from '../http/route.ts';
import { asOauthError } from './refusals.ts';

/** Caller: the bearer of a platform access token, or a browser with a login session. */
export interface ConsentReader {
  /** Null: a caller without a citizen, who cannot have granted anything. */
  readonly civilId: string | null;
}

export interface ConsentLookupOptions {
  readonly lookUp: LookUpConsent;
  /** Admits the bearer of any platform access token. */
  readonly platformUser: Guard<PlatformUser>;
  /** Citizen of the browser's login session, by its `Cookie` header; null: none. */
  readonly loggedIn: (cookies: string | undefined) => Promise<string | null>;
  readonly limit: AddressLimit;
}

const query = z.object({
  client_id: z.string().min(1).max(200),
  redirect_uri: z.string().min(1).max(2000),
  scope: z.string().max(1000).default('openid'),
  state: z.string().max(2000).optional(),
  // Public clients bind the code by PKCE only (RFC 7636).
  code_challenge: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  code_challenge_method: z.literal('S256').default('S256'),
});

const scope = z.strictObject({
  name: z.string(),
  description: z.string(),
  description_mn: z.string(),
  sensitive: z.boolean(),
});

const answer = z.strictObject({
  client_id: z.string(),
  client_name: z.string(),
  client_uri: z.string().optional(),
  logo_uri: z.string().optional(),
  redirect_uri: z.string(),
  scopes: z.array(scope),
  already_granted: z.array(z.string()),
});

const statuses: Readonly<Record<ConsentFault['error'], number>> = {
  invalid_client: 404,
  invalid_request: 400,
  invalid_scope: 400,
};

/** `GET /api/v1/oauth2/consent` (specification, Other platform endpoints; contract §11). */
export function consentLookupRoute(options: ConsentLookupOptions): Route {
  return route({
    name: 'consentLookup',
    summary: 'Get what a client would ask a person to consent to, and earlier consents',
    method: 'GET',
    path: '/api/v1/oauth2/consent',
    limit: options.limit,
    guard: readerGuard(options),
    query,
    refusedAs: asOauthError,
    response: { 200: answer },
    handle: async ({ query: asked, principal: { civilId } }) => {
      const { client_id: clientId, redirect_uri: redirectUri } = asked;
      const found = await options.lookUp({ clientId, redirectUri, scope: asked.scope }, civilId);
      if ('error' in found) {
        const { error, description } = found;
        return { status: statuses[error], body: { error, error_description: description } };
      }
      const { client, scopes, alreadyGranted } = found;
      return {
        body: {
          client_id: found.clientId,
          client_name: client.name,
          ...(client.clientUri !== null && { client_uri: client.clientUri }),
          ...(client.logoUri !== null && { logo_uri: client.logoUri }),
          redirect_uri: redirectUri,
          scopes: scopes.map((name) => {
            const { description, descriptionMn, sensitive } = openIdScopes[name];
            return { name, description, description_mn: descriptionMn, sensitive };
          }),
          already_granted: alreadyGranted,
        },
      };
    },
  });
}

function readerGuard({ platformUser, loggedIn }: ConsentLookupOptions): Guard<ConsentReader> {
  return {
    description: 'signed in to the platform, or logged in with this browser',
    ...(platformUser.security === undefined ? {} : { security: platformUser.security }),
    check: async (context) => {
      if (context.headers.authorization !== undefined) return platformUser.check(context);
      const civilId = await loggedIn(context.headers.cookie);
      if (civilId === null) throw new Refusal('UNAUTHENTICATED');
      return { civilId };
    },
  };
}
