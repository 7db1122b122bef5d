import type * as openid from 'openid-client';
import type { IssuedClientSecret } from '../../../application/openIdConnect/administerClients.ts';
import { startScriptedPhones } from '../../../apps/phone/scripted.ts';
import { call } from '../../../main/drill/callers.ts';
import { createOidcBrowser, type OidcBrowser } from '../oidc/oidcBrowser.ts';
import {
  beginLogin,
  type BegunLogin,
  discoverAs,
  goThroughLogin,
  logIn,
  redirectUri,
  registerClient,
} from '../oidc/oidcLogin.ts';
import { type EndsPhone, type EndsWorld, toldBy } from './endsWorld.ts';
import { casesOf, type EndRows } from './rows.ts';
import { anOrganization } from '../given/wishes.ts';

/** A citizen who logged in at a client. */
interface Login {
  readonly issued: IssuedClientSecret;
  readonly relyingPartyId: string;
  readonly client: openid.Configuration;
  readonly phone: EndsPhone;
  readonly browser: OidcBrowser;
  readonly access: string;
  readonly refresh: string;
  readonly begun: BegunLogin;
  /** The used code, in the address the client was called back at. */
  readonly callback: URL;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const scope = 'openid documents.read offline_access';
const offline = { scope, prompt: 'consent' };

/** Logins of citizens, and what clients have of them. */
export const loginEnds: EndRows = (world) => {
  const later = (ms: number) => () => world().later(ms);

  let shared: Promise<EndsPhone> | undefined;

  /** @param phone of whom it ends with; default: one for all that nobody ends */
  async function client(phone?: EndsPhone) {
    const { demo, here, enrol, relyingParty, next } = world();
    shared ??= enrol();
    const { relyingPartyId } = await relyingParty(`Portal ${next()}`);
    const issued = await registerClient(
      { ...demo, relyingPartyId },
      { name: `Портал ${next()}`, nameEn: null },
    );
    const configuration = await discoverAs(here.origin, issued);
    return { issued, relyingPartyId, phone: phone ?? (await shared), client: configuration };
  }

  async function loggedIn(
    parameters: Readonly<Record<string, string>> = offline,
    phone?: EndsPhone,
  ): Promise<Login> {
    const made = await client(phone);
    const answers = { citizen: made.phone.civilId, parameters };
    const { tokens, ...kept } = await answered(made.phone, () => logIn(made.client, answers));
    const refresh = tokens.refresh_token ?? '';
    return { ...made, ...kept, access: tokens.access_token, refresh };
  }

  const ofTheirOwn = async () => loggedIn(offline, await world().enrol());
  const there = () => world().there.origin;
  const withdrawal = ({ phone, issued }: Login) =>
    world().here.openIdConnect.withdrawConsent(phone.civilId, issued.clientId);
  const forgetting = ({ phone }: Login) => world().here.forgetPerson(phone.civilId);
  const endOfCertificates = ({ phone }: Login) =>
    world().here.deactivateDevice(phone.documentNumber, 1);

  const userinfo = ({ access }: Pick<Login, 'access'>) =>
    call(`${there()}/oidc/userinfo`, bearer(access)).then(toldBy);
  const documents = ({ access }: Login) =>
    call(`${there()}/documents?limit=1`, bearer(access)).then(toldBy);
  const introspection = async ({ access, issued }: Login) => {
    const form = { token: access };
    const { status, body } = await sendForm(`${there()}/oidc/introspect`, issued, form);
    return status === 200 ? `active ${String(body['active'])}` : toldBy({ status, body });
  };
  const refreshed = async ({ refresh, issued }: Login, origin = there()) => {
    const form = { grant_type: 'refresh_token', refresh_token: refresh };
    return toldBy(await sendForm(`${origin}/oidc/token`, issued, form));
  };
  const exchanged = async ({ callback, begun, issued }: Login, origin = there()) => {
    const form = {
      grant_type: 'authorization_code',
      redirect_uri: redirectUri,
      code: callback.searchParams.get('code') ?? '',
      code_verifier: begun.verifier,
    };
    return toldBy(await sendForm(`${origin}/oidc/token`, issued, form));
  };
  const revocation =
    (token: 'access' | 'refresh') =>
    ({ issued, ...login }: Login) =>
      sendForm(`${world().here.origin}/oidc/revoke`, issued, { token: login[token] });

  const grants = {
    use: async (login: Login) => {
      const told = await userinfo(login);
      return told === '200'
        ? told
        : `${told}, ${await documents(login)}, ${await refreshed(login)}`;
    },
    refused: /^401 invalid_token, 401 UNAUTHENTICATED, (400 invalid_grant|401 invalid_client)$/,
    remembered: true,
  };

  return {
    'Login of a citizen (OpenID Connect)': casesOf({
      issue: async () => loggedIn({ scope: 'openid' }, await world().enrol()),
      use: async ({ client: configuration, browser }) => {
        const { url } = await beginLogin(configuration, { scope: 'openid', prompt: 'none' });
        const at = url.href.replace(url.origin, there());
        const { searchParams } = new URL((await browser.open(at, redirectUri)).url);
        const consents = await browser.open(`${there()}/login/consents`);
        const told = searchParams.get('error') ?? '200';
        return `${told}, ${consents.text.includes('id="log-in"') ? 'asked' : 'known'}`;
      },
      works: '200, known',
      refused: /^login_required, asked$/,
      remembered: true,
      ends: {
        'logging out': [({ browser }) => logOut(world(), browser)],
        'end of all certificates': [endOfCertificates],
        forgetting: [forgetting],
        '`SVC_OIDC_SESSION_HOURS`': [later(8 * HOUR_MS)],
      },
    }),
    'Grant of a client': [
      ...casesOf({
        ...grants,
        issue: loggedIn,
        ends: {
          'withdrawn consent': [withdrawal],
          'a code or refresh token used twice': [
            (login) => exchanged(login, world().here.origin),
            async (login) => {
              await refreshed(login, world().here.origin);
              await refreshed(login, world().here.origin);
            },
          ],
          'a deactivated client or relying party': [
            ({ issued }) => world().here.openIdConnect.deactivate(issued.clientId),
            ({ relyingPartyId }) => world().here.deactivateRelyingParty(relyingPartyId),
          ],
        },
      }),
      ...casesOf({
        ...grants,
        issue: ofTheirOwn,
        ends: { 'end of all certificates': [endOfCertificates], forgetting: [forgetting] },
      }),
      ...casesOf({
        issue: () => loggedIn({ scope: 'openid documents.read' }),
        use: async (login) => `${await userinfo(login)}, ${await documents(login)}`,
        works: '200, 200',
        refused: /^401 invalid_token, 401 UNAUTHENTICATED$/,
        ends: {
          'logging out, without `offline_access`': [({ browser }) => logOut(world(), browser)],
        },
      }),
    ],
    'Access and refresh token, code': [
      ...casesOf({
        issue: loggedIn,
        use: async (login) =>
          [await userinfo(login), await documents(login), await introspection(login)].join(', '),
        works: '200, 200, active true',
        refused: /^401 invalid_token, 401 UNAUTHENTICATED, active false$/,
        ends: {
          'their grant': [withdrawal],
          'revocation by the client': [revocation('access')],
          'their time': [later(600_000)],
        },
      }),
      ...casesOf({
        issue: loggedIn,
        use: (login) => refreshed(login),
        refused: /^400 invalid_grant$/,
        once: true,
        ends: {
          'their grant': [withdrawal],
          'revocation by the client': [revocation('refresh')],
          'their time': [later(30 * DAY_MS)],
        },
      }),
      ...casesOf({
        issue: async (): Promise<Login> => {
          const made = await client();
          const browser = createOidcBrowser();
          const begun = await beginLogin(made.client, offline);
          const answers = { citizen: made.phone.civilId };
          const callback = await answered(made.phone, () =>
            goThroughLogin(browser, begun.url, answers),
          );
          return { ...made, browser, begun, callback, access: '', refresh: '' };
        },
        use: (login) => exchanged(login),
        refused: /^400 invalid_grant$/,
        once: true,
        ends: { 'their grant': [withdrawal], 'their time': [later(60_000)] },
      }),
    ],
    'Access for an organization': casesOf({
      issue: async () => {
        const { demo, here, enrol, next } = world();
        const register = String(6_100_000 + next());
        const name = `Байгууллага ${register}`;
        await here.organizations.register(anOrganization(register, name));
        const phone = await enrol();
        const wish = { role: null, source: 'MANUAL', evidenceRef: null, validTo: null } as const;
        await here.organizations.grant(register, phone.civilId, { rightType: 'MANAGER', ...wish });
        const issued = await registerClient(demo, { organization: register });
        const configuration = await discoverAs(here.origin, issued);
        const parameters = { scope: 'openid organization', on_behalf_of: `NTRMN-${register}` };
        const answers = { citizen: phone.civilId, parameters };
        const { tokens } = await answered(phone, () => logIn(configuration, answers));
        return { register, phone, access: tokens.access_token };
      },
      use: (login) => userinfo(login),
      refused: /^401 invalid_token$/,
      remembered: true,
      ends: {
        'the withdrawn right': [
          ({ register, phone }) => world().here.organizations.withdraw(register, phone.civilId),
        ],
        'a suspended or revoked organization': [
          ({ register }) => world().here.organizations.changeStatus(register, 'suspend'),
          ({ register }) => world().here.organizations.changeStatus(register, 'revoke'),
        ],
      },
    }),
  };
};

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** Does what needs the answers of this phone. */
async function answered<Result>(phone: EndsPhone, work: () => Promise<Result>): Promise<Result> {
  const phones = startScriptedPhones([phone]);
  try {
    return await work();
  } finally {
    await phones.stop();
  }
}

/** A form, sent by a client with its secret. */
export async function sendForm(
  url: string,
  { clientId, clientSecret }: IssuedClientSecret,
  fields: Readonly<Record<string, string>>,
) {
  const basic = Buffer.from(`${clientId}:${clientSecret ?? ''}`).toString('base64');
  const headers = { authorization: `Basic ${basic}` };
  const body = new URLSearchParams(fields);
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  return {
    status: response.status,
    body: (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>,
  };
}

async function logOut({ here }: EndsWorld, browser: OidcBrowser): Promise<void> {
  const { text } = await browser.open(`${here.origin}/oidc/logout`);
  const [, xsrf = ''] = /name="xsrf"\s+value="([^"]+)"/.exec(text) ?? [];
  await browser.submit(`${here.origin}/oidc/logout/confirm`, { xsrf, logout: 'yes' });
}
