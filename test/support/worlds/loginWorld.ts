import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type * as openid from 'openid-client';
import * as client from 'openid-client';
import type { Browser } from 'playwright-core';
import { demoOrganization } from '../../../cli/demo.ts';
import type { OidcClientSettings } from '../../../domain/oidcClient/events.ts';
import { type ScriptedPhones, startScriptedPhones } from '../../../phone/scripted.ts';
import { launchChromium, leaveChromium } from '../browser/chromium.ts';
import { type Setup, type Visitor, visitorOf } from '../browser/visitors.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../installation/demoInstallation.ts';
import { type BegunLogin, beginLogin, discoverAs, registerClient } from '../oidc/oidcLogin.ts';
import { type Settings } from '../installation/serviceProcess.ts';
import { steadyPort } from '../programs/ports.ts';
import { anOrganization, aRight } from '../given/wishes.ts';

/** Visitor at a page, in whichever browser. */
type AtPage = Pick<Visitor, 'page'>;

/** A client of the provider, on an address of its own, and browsers that are sent from it to the login pages. */
export interface LoginWorld {
  readonly demo: DemoInstallation;
  readonly browser: Browser;
  readonly origin: string;
  /** The client's own address. */
  readonly clientOrigin: string;
  readonly configuration: openid.Configuration;
  /** Confirms everything by itself; may act for the demo organization. */
  readonly owner: DemoPhone;
  /** A browser of its own; English unless told otherwise. */
  visit(setup?: Setup): Promise<Visitor>;
  /** Sends a browser to log in. */
  begin(visitor: AtPage, parameters?: Readonly<Record<string, string>>): Promise<BegunLogin>;
  /** Waits until the browser is back at the client, and takes the code there is for tokens. */
  finish(visitor: AtPage, begun: BegunLogin): Promise<openid.IDToken>;
  /** Error in the client's redirect instead of a code. */
  refusal(visitor: AtPage): Promise<string>;
  /** Registers another client of this world, called back at the same address. */
  another(settings: Partial<OidcClientSettings>): Promise<openid.Configuration>;
  /** Closes the browsers of a test and expects that none complained. */
  leave(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param answering civil ids of further demo citizens whose phones answer by themselves
 * @returns null without Chromium
 */
export async function openLoginWorld(
  answering: readonly string[] = [],
  settings: Settings = {},
): Promise<LoginWorld | null> {
  const browser = await launchChromium();
  if (browser === null) {
    process.stdout.write('Chromium is missing: the login pages are not looked at.\n');
    return null;
  }
  const port = String(await steadyPort('service'));
  const demo = await startDemoInstallation({
    SVC_PORT: port,
    // One person logs in again and again here.
    ...settings,
  });
  const { origin } = demo.service;
  const party = await startClient();
  const clientOrigin = `http://127.0.0.1:${(party.address() as AddressInfo).port}`;
  const callback = `${clientOrigin}/callback`;
  const own = {
    redirectUris: [callback],
    postLogoutRedirectUris: [`${clientOrigin}/bye`],
    clientUri: 'https://portal.example.mn/',
  };
  const another = async (wished: Partial<OidcClientSettings>) =>
    discoverAs(origin, await registerClient(demo, { ...own, ...wished }));
  const configuration = await another({});
  const owner = await demo.enrol('110000000001');
  await letRepresent(demo, owner);
  const others = await Promise.all(answering.map((civilId) => demo.enrol(civilId)));
  const phones: ScriptedPhones = startScriptedPhones([owner, ...others]);
  const visitors: Visitor[] = [];

  async function backAtClient({ page }: AtPage): Promise<URL> {
    await page.waitForURL((url) => url.href.startsWith(callback));
    return new URL(page.url());
  }

  return {
    demo,
    browser,
    origin,
    clientOrigin,
    configuration,
    owner,
    another,
    visit: async (setup = {}) => {
      const visitor = await visitorOf(browser, origin, { language: 'en', ...setup });
      visitor.context.setDefaultTimeout(30_000);
      visitors.push(visitor);
      return visitor;
    },
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
    leave: async () => {
      const left = visitors.splice(0);
      for (const visitor of left) await visitor.leave();
      // Going back to the client is what logins are for.
      const isFault = (fault: string) => !fault.startsWith(`asked for ${clientOrigin}/`);
      expect(left.flatMap(({ faults }) => faults.filter(isFault))).to.deep.equal([]);
    },
    stop: async () => {
      await leaveChromium(browser);
      await phones.stop();
      await new Promise((resolve) => party.close(resolve));
      await demo.stop();
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

async function letRepresent({ service }: DemoInstallation, { citizen }: DemoPhone): Promise<void> {
  const { register, name, nameLatin } = demoOrganization;
  await service.organizations.register(anOrganization(register, name, nameLatin));
  await service.organizations.grant(register, citizen.civilId, aRight('ADMIN', 'Захирал'));
}
