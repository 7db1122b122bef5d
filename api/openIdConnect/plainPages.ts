import { z } from 'zod';
import type { CitizenLogin, LoginView } from '../../application/openIdConnect/citizenLogin.ts';
import { parsePersonIdentifier } from '../../domain/shared/etsi.ts';
import { openIdScopeNames, openIdScopes } from '../../domain/shared/openIdScopes.ts';
import { anyone, commandContext } from '../http/guards.ts';
import { type Reply, type RequestContext, type Route, route } from '../http/route.ts';

const nothing = z.object({});
const params = z.object({ uid: z.string().max(64) });
const policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
const WAIT_MS = 20_000;

/** Logging in and agreeing on the plainest pages there can be. */
export function plainLoginRoutes({ login }: { readonly login: CitizenLogin }): readonly Route[] {
  const reference = (uid: string, { headers }: RequestContext) => ({
    uid,
    cookies: headers.cookie,
  });
  const contextOf = (context: RequestContext, clientId: string) => (correlationId: string) =>
    commandContext(context, { kind: 'unknown', id: clientId }, correlationId);
  const row = { guard: anyone, listedUnder: null, query: nothing, body: null } as const;
  const shown = { 200: 'text/html; charset=utf-8', 303: null };

  return [
    route({
      ...row,
      name: 'login.show',
      summary: 'A login or a consent a client waits for',
      method: 'GET',
      path: '/login/:uid',
      params,
      response: shown,
      handle: async ({ params: { uid }, context }) => {
        const view = await login.show(reference(uid, context));
        return html(view.prompt === 'login' ? loginForm(view) : consentForm(view));
      },
    }),
    route({
      ...row,
      name: 'login.start',
      summary: 'Asks the citizen to authenticate',
      method: 'POST',
      path: '/login/:uid/start',
      bodyType: 'application/x-www-form-urlencoded',
      params,
      response: shown,
      handle: async ({ params: { uid }, context }) => {
        const form = new URLSearchParams(context.rawBody.toString('utf8'));
        const identifier = parsePersonIdentifier(form.get('id') ?? '', '/id');
        const at = reference(uid, context);
        const { client } = await login.show(at);
        const started = await login.start(
          at,
          {
            target: { type: 'person', identifier },
            ...{ flow: 'NOTIFICATION', onBehalfOf: form.get('on_behalf_of'), callbackUrl: null },
          },
          contextOf(context, client.clientId),
        );
        return see(`/login/${uid}/wait/${started.sessionId}`);
      },
    }),
    route({
      ...row,
      name: 'login.wait',
      summary: 'Waits for the citizen to answer, and goes on',
      method: 'GET',
      path: '/login/:uid/wait/:sessionId',
      params: params.extend({ sessionId: z.string().max(64) }),
      response: shown,
      handle: async ({ params: { uid, sessionId }, context }) => {
        const at = reference(uid, context);
        const { client } = await login.show(at);
        const onGone = (callback: () => void) => context.onGone(callback);
        const result = await login.wait(at, { sessionId, timeoutMs: WAIT_MS, onGone });
        if (result.state === 'RUNNING') {
          return html('<p>Confirm on your phone…</p><meta http-equiv="refresh" content="1">');
        }
        const { endResult } = result.session.outcome;
        if (endResult !== 'OK') {
          return html(`<p>${endResult}</p><p><a href="/login/${uid}">Try again</a></p>`);
        }
        return see(
          await login.finish(at, sessionId, contextOf(context, client.clientId)(sessionId)),
        );
      },
    }),
    route({
      ...row,
      name: 'login.agree',
      summary: 'The citizen agrees to what a client asks for',
      method: 'POST',
      path: '/login/:uid/agree',
      bodyType: 'application/x-www-form-urlencoded',
      params,
      response: shown,
      handle: async ({ params: { uid }, context }) => {
        const form = new URLSearchParams(context.rawBody.toString('utf8'));
        const chosen = form.getAll('scope');
        const scopes = openIdScopeNames.filter((name) => chosen.includes(name));
        const at = reference(uid, context);
        const { client } = await login.show(at);
        return see(await login.agree(at, scopes, contextOf(context, client.clientId)(uid)));
      },
    }),
    route({
      ...row,
      name: 'login.abort',
      summary: 'The citizen refuses',
      method: 'POST',
      path: '/login/:uid/abort',
      params,
      response: shown,
      handle: async ({ params: { uid }, context }) =>
        see(await login.abort(reference(uid, context))),
    }),
  ];
}

function see(location: string): Reply {
  return { status: 303, headers: { location } };
}

function html(body: string): Reply {
  return {
    contentType: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': policy },
    body: Buffer.from(`<!doctype html><meta charset="utf-8"><title>Tamga</title>${body}`),
  };
}

const escapes: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '');
}

function abortForm(uid: string): string {
  return `<form method="post" action="/login/${uid}/abort"><button>No</button></form>`;
}

function loginForm({ uid, client, loginHint }: LoginView): string {
  return `<h1>${escaped(client.name)}</h1><form method="post" action="/login/${uid}/start">
<label>Id <input name="id" value="${escaped(loginHint ?? '')}"></label><button>Log in</button></form>${abortForm(uid)}`;
}

function consentForm({ uid, client, scopes }: LoginView): string {
  const items = scopes.map(
    (name) =>
      `<li><label><input type="checkbox" name="scope" value="${name}" checked> ${escaped(openIdScopes[name].description)}</label></li>`,
  );
  return `<h1>${escaped(client.name)}</h1><form method="post" action="/login/${uid}/agree">
<ul>${items.join('')}</ul><button>Yes</button></form>${abortForm(uid)}`;
}
