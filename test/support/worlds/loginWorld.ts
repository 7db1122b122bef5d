import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as openid from 'openid-client';
import * as client from 'openid-client';
import { demoOrganization } from '../../../main/cli/demo.ts';
import type { OidcClientSettings } from '../../../domain/oidcClient/settings.ts';
import type { Visitor } from '../browser/visitors.ts';
import { type GivenPages, givenPages } from '../given/givenPages.ts';
import { anOrganization } from '../given/wishes.ts';
import { type BegunLogin, beginLogin, discoverAs, registerClient } from '../oidc/oidcLogin.ts';
import type { Settings } from '../installation/serviceProcess.ts';
import { steadyPort } from '../programs/ports.ts';

/** Visitor at a page, in whichever browser. */
type AtPage = Pick<Visitor, 'page'>;

/**
 * A client of the provider, on an address of its own, and browsers that are sent from it to the login pages. The phone
 * of the owner confirms everything by itself; its citizen may act for the demo organization.
 */
export interface LoginWorld extends GivenPages<'owner'> {
  /** The client's own address. */
  readonly clientOrigin: string;
  readonly configuration: openid.Configuration;
  /** Sends a browser to log in. */
  begin(visitor: AtPage, parameters?: Readonly<Record<string, string>>): Promise<BegunLogin>;
  /** Waits until the browser is back at the client, and takes the code there is for tokens. */
  finish(visitor: AtPage, begun: BegunLogin): Promise<openid.IDToken>;
  /** Error in the client's redirect instead of a code. */
  refusal(visitor: AtPage): Promise<string>;
  /** Registers another client of this world, called back at the same address. */
  another(settings: Partial<OidcClientSettings>): Promise<openid.Configuration>;
}

/**
 * @param answering civil ids of further demo citizens whose phones answer by themselves
 * @returns null without Chromium
 */
export async function openLoginWorld(
  answering: readonly string[] = [],
  settings: Settings = {},
): Promise<LoginWorld | null> {
  const { register, name, nameLatin } = demoOrganization;
  const world = await givenPages({
    settings: { SVC_PORT: String(await steadyPort('service')), ...settings },
    phones: { owner: '110000000001' },
    answering: ['owner'],
    organization: { ...anOrganization(register, name, nameLatin), admin: 'owner' },
  });
  if (world === null) return null;
  const { origin } = world;
  await world.answering(...answering);
  const party = await startClient();
  const clientOrigin = `http://127.0.0.1:${(party.address() as AddressInfo).port}`;
  const callback = `${clientOrigin}/callback`;
  const own = {
    redirectUris: [callback],
    postLogoutRedirectUris: [`${clientOrigin}/bye`],
    clientUri: 'https://portal.example.mn/',
  };
  const another = async (wished: Partial<OidcClientSettings>) =>
    discoverAs(origin, await registerClient(world, { ...own, ...wished }));
  const configuration = await another({});

  async function backAtClient({ page }: AtPage): Promise<URL> {
    await page.waitForURL((url) => url.href.startsWith(callback));
    return new URL(page.url());
  }

  return {
    ...world,
    clientOrigin,
    configuration,
    another,
    begin: async (visitor, parameters = {}) => {
      const begun = await beginLogin(configuration, { redirect_uri: callback, ...parameters });
      await visitor.page.goto(begun.url.href);
      return begun;
    },
    finish: async (visitor, { verifier, state, nonce }) => {
      const tokens = await client.authorizationCodeGrant(
        configuration,
        await backAtClient(visitor),
        { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce },
      );
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('There is no ID token.');
      return claims;
    },
    refusal: async (visitor) => (await backAtClient(visitor)).searchParams.get('error') ?? '',
    // Going back to the client is what logins are for.
    leave: () => world.leave(`${clientOrigin}/`),
    stop: async () => {
      await world.stop();
      await new Promise((resolve) => party.close(resolve));
    },
  };
}

/** Shows who is called that it was called. */
function startClient(): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', connection: 'close' });
    response.end('<!doctype html><link rel="icon" href="data:,"><h1>Portal</h1>');
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** Fills in the number and has a push sent. */
export async function logInByPush({ page }: AtPage, id: string): Promise<void> {
  await page.locator('#id').fill(id);
  await page.locator('form.push button').click();
}

/** Agrees to everything. */
export async function agree({ page }: AtPage): Promise<void> {
  await page.locator('button[value=allow]').click();
}

/** Title of an error page. */
export async function failureOf({ page }: AtPage): Promise<string> {
  const failure = page.locator('[data-failure]');
  await failure.waitFor();
  return (await failure.getAttribute('data-failure')) ?? '';
}
