import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import type { IssuedClientSecret } from '../../application/openIdConnect/administerClients.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { freePort } from '../../main/drill/freePort.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { type Given, given } from '../support/given/given.ts';
import { createOidcBrowser, type OidcBrowser, type Shown } from '../support/oidc/oidcBrowser.ts';
import {
  answer,
  beginLogin,
  discoverAs,
  goThroughLogin,
  logIn,
  redirectUri,
  registerClient,
} from '../support/oidc/oidcLogin.ts';
import { authJsProgram } from '../support/programs/authJs.ts';
import { authlibProgram } from '../support/programs/authlib.ts';
import { type DotnetProgram, dotnetProgram } from '../support/programs/dotnet.ts';
import { shownBlock } from '../support/programs/shownBlocks.ts';

const citizen = '110000000001';
const page = 'docs/openid-clients.md';

describe('OpenID Connect, with the lines of docs/openid-clients.md in the software they are for', function () {
  this.timeout(300_000);
  let demo: Given<'citizen'>;
  const stopping: (() => Promise<unknown>)[] = [];

  before(async () => {
    demo = await given({ phones: { citizen }, answering: ['citizen'] });
  });

  after(async () => {
    for (const stop of stopping) await stop();
    await demo.stop();
  });

  async function programOf(
    name: string,
    sdk: string,
    packages: Readonly<Record<string, string>>,
    shownOn: string = page,
  ): Promise<DotnetProgram | null> {
    const program = await dotnetProgram(shownBlock(shownOn, name), sdk, packages);
    if (typeof program !== 'string') {
      stopping.push(program.remove);
      return program;
    }
    process.stdout.write(`${program}: ${name} logs nobody in.\n`);
    return null;
  }

  const register = (settings: Partial<OidcClientSettings>): Promise<IssuedClientSecret> =>
    registerClient(demo, { scopes: ['openid', 'profile', 'offline_access'], ...settings });

  function start({ start: command }: DotnetProgram, more: readonly string[], env = {}) {
    const child = spawn('dotnet', [...command, ...more], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    stopping.unshift(() => ended(child));
    return child;
  }

  /** Goes on until the client shows a page of its own. */
  async function until(browser: OidcBrowser, from: Shown, origin: string): Promise<Shown> {
    let shown = from;
    for (let step = 0; !shown.url.startsWith(`${origin}/`) && step < 12; step += 1) {
      shown = isFormPost(shown)
        ? await browser.submit(actionOf(shown), hiddenFields(shown))
        : await answer(browser, shown, { citizen }, 'nowhere');
    }
    return shown;
  }

  async function logOut(browser: OidcBrowser, question: Shown, back?: string): Promise<Shown> {
    expect(question.text).to.include('name="logout"');
    const fields = { ...hiddenFields(question), logout: 'yes' };
    return browser.submit(actionOf(question), fields, back);
  }

  it('ASP.NET Core logs in, refreshes and logs out', async function () {
    const program = await programOf('aspnet', 'Microsoft.NET.Sdk.Web', {
      'Microsoft.AspNetCore.Authentication.OpenIdConnect': '10.0.15',
    });
    if (program === null) return this.skip();
    const origin = `http://127.0.0.1:${await freePort()}`;
    const { clientId, clientSecret } = await register({
      authMethod: 'client_secret_post',
      redirectUris: [`${origin}/signin-oidc`],
      postLogoutRedirectUris: [`${origin}/signout-callback-oidc`],
    });
    start(program, [], {
      ASPNETCORE_URLS: origin,
      Tamga__Authority: demo.service.origin,
      Tamga__ClientId: clientId,
      Tamga__ClientSecret: String(clientSecret),
      // The tests are without TLS.
      Tamga__RequireHttpsMetadata: 'false',
    });
    await eventually(() => fetch(`${origin}/bye`), 60_000);
    const browser = createOidcBrowser();

    const home = await until(browser, await browser.open(`${origin}/`), origin);
    expect(home).to.include({ status: 200, text: 'Дорж Бат-Эрдэнэ' });
    for (const turn of ['first', 'second']) {
      expect((await browser.open(`${origin}/refresh`)).text, turn).to.equal('renewed');
    }
    const bye = await logOut(browser, await browser.open(`${origin}/logout`));
    expect(bye).to.include({ url: `${origin}/bye`, text: 'bye' });
    const again = await browser.open(`${origin}/`);
    expect(again.text, 'has to log in again').to.include('/start"');
  });

  it('ASP.NET Core protects an API by the lines of docs/protect-your-api.md', async function () {
    const program = await programOf(
      'aspnet',
      'Microsoft.NET.Sdk.Web',
      { 'Microsoft.AspNetCore.Authentication.JwtBearer': '10.0.15' },
      'docs/protect-your-api.md',
    );
    if (program === null) return this.skip();
    const audience = 'https://orders.example.mn/';
    const apiScopes = ['orders.read', 'orders.write'].map((name) => ({
      name,
      description: 'Orders',
      descriptionMn: 'Захиалга',
    }));
    const none = { redirectUris: [], postLogoutRedirectUris: [] };
    const api = await register({ ...none, audience, apiScopes, accessTokenFormat: 'jwt' });
    const client = await discoverAs(
      demo.service.origin,
      await register({ apis: [api.clientId], redirectUris: [redirectUri] }),
    );
    const origin = `http://127.0.0.1:${await freePort()}`;
    start(program, [], {
      ASPNETCORE_URLS: origin,
      Tamga__Authority: demo.service.origin,
      Tamga__Audience: audience,
      // The tests are without TLS.
      Tamga__RequireHttpsMetadata: 'false',
    });
    const ask = async (token: string, method = 'GET') =>
      fetch(`${origin}/orders`, { method, headers: { authorization: `Bearer ${token}` } });
    await eventually(() => fetch(origin), 60_000);

    const scope = 'openid orders.read';
    const { tokens } = await logIn(client, { citizen, parameters: { scope, resource: audience } });
    const served = await ask(tokens.access_token);
    expect(await served.json()).to.deep.equal({ of: decodeJwt(tokens.access_token).sub });
    expect((await ask(tokens.access_token, 'POST')).status, 'another scope').to.equal(403);
    expect((await ask(tokens.id_token ?? '')).status, 'no access token').to.equal(401);
    const plain = await logIn(client, { citizen, parameters: { scope: 'openid' } });
    expect((await ask(plain.tokens.access_token)).status, 'opaque').to.equal(401);
    expect((await fetch(`${origin}/orders`)).status).to.equal(401);
    const begun = await beginLogin(client, { scope, resource: audience });
    const callback = await goThroughLogin(createOidcBrowser(), begun.url, { citizen });
    const checks = {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
    };
    const DPoP = openid.getDPoPHandle(client, await openid.randomDPoPKeyPair('ES256'));
    const bound = await openid.authorizationCodeGrant(client, callback, checks, {}, { DPoP });
    expect(decodeJwt(bound.access_token)).to.have.nested.property('cnf.jkt');
    expect((await ask(bound.access_token)).status, 'bound').to.equal(401);
  });

  it('Authlib logs in and refreshes', async function () {
    const lines = shownBlock(page, 'authlib').replace('https://tamga.example.mn', demo.origin);
    const program = await authlibProgram(lines);
    if (typeof program === 'string') {
      process.stdout.write(`${program}: Authlib logs nobody in.\n`);
      return this.skip();
    }
    stopping.push(program.remove);
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const { clientId, clientSecret } = await register({ redirectUris: [`${origin}/callback`] });
    const child = spawn(program.python, [program.path], {
      stdio: 'ignore',
      env: {
        ...process.env,
        PORT: String(port),
        TAMGA_CLIENT_ID: clientId,
        TAMGA_CLIENT_SECRET: String(clientSecret),
      },
    });
    stopping.unshift(() => ended(child));
    await eventually(() => fetch(`${origin}/up`), 30_000);
    const browser = createOidcBrowser();
    const home = await until(browser, await browser.open(`${origin}/`), origin);
    expect(home).to.include({ status: 200, text: 'Дорж Бат-Эрдэнэ' });
    for (const turn of ['first', 'second']) {
      expect((await browser.open(`${origin}/refresh`)).text, turn).to.equal('renewed');
    }
  });

  it('Auth.js logs in and out', async function () {
    const lines = shownBlock(page, 'authjs').replace('https://tamga.example.mn', demo.origin);
    const program = await authJsProgram(lines);
    if (typeof program === 'string') {
      process.stdout.write(`${program}: Auth.js logs nobody in.\n`);
      return this.skip();
    }
    stopping.push(program.remove);
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const { clientId, clientSecret } = await registerClient(demo, {
      redirectUris: [`${origin}/api/auth/callback/tamga`],
    });
    const child = spawn(process.execPath, [program.path], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        PORT: String(port),
        AUTH_SECRET: 'a secret of thirty-two characters',
        AUTH_TAMGA_ID: clientId,
        AUTH_TAMGA_SECRET: String(clientSecret),
      },
    });
    stopping.unshift(() => ended(child));
    const at = (path: string) => `${origin}/api/auth/${path}`;
    await eventually(() => fetch(at('csrf')), 30_000);
    const browser = createOidcBrowser();
    const csrf = async () => {
      const { text } = await browser.open(at('csrf'));
      return (JSON.parse(text) as { readonly csrfToken: string }).csrfToken;
    };
    const session = async () => (await browser.open(at('session'))).text;

    const fields = { csrfToken: await csrf(), callbackUrl: at('session') };
    await until(browser, await browser.submit(at('signin/tamga'), fields), origin);
    expect(await session())
      .to.include('Дорж Бат-Эрдэнэ')
      .and.include('@citizen.example');
    await browser.submit(at('signout'), { csrfToken: await csrf(), callbackUrl: at('session') });
    expect(await session()).to.equal('null');
  });

  it('Duende IdentityModel.OidcClient logs in, refreshes and logs out', async function () {
    const program = await programOf('oidcClient', 'Microsoft.NET.Sdk', {
      'Duende.IdentityModel.OidcClient': '7.1.1',
    });
    if (program === null) return this.skip();
    const bye = 'http://127.0.0.1:9/bye';
    const { clientId } = await register({ authMethod: 'none', redirectUris: [redirectUri] });
    const child = start(program, [demo.service.origin, clientId, redirectUri, bye]);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const said = async () => String((await lines.next()).value);
    const browser = createOidcBrowser();

    let shown = await browser.open(await said(), redirectUri);
    while (shown.status !== 0) shown = await answer(browser, shown, { citizen });
    child.stdin.write(`${shown.url}\n`);
    expect(await said()).to.equal('Дорж Бат-Эрдэнэ');
    expect(await said()).to.equal('renewed');
    const out = await logOut(browser, await browser.open(await said()), bye);
    expect(out.url).to.match(/^http:\/\/127\.0\.0\.1:9\/bye/);
  });
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** True for a page that sends the answer to the client by itself (OAuth 2.0 Form Post Response Mode). */
function isFormPost({ text }: Shown): boolean {
  return text.includes('name="code"') && text.includes('submit()');
}

function actionOf({ text, url }: Shown): string {
  const [, action = ''] = /action="([^"]+)"/.exec(text) ?? [];
  return new URL(action, url).href;
}

function hiddenFields({ text }: Shown): Readonly<Record<string, string>> {
  const fields = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries(
    [...fields].map(([, name = '', value = '']) => [name, unescaped(value)]),
  );
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
