import { demoCitizens } from '../../../main/cli/demo.ts';
import { freePort } from '../../../main/drill/freePort.ts';
import { createPhone } from '../../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../../apps/phone/phoneStore.ts';
import { startScriptedPhones } from '../../../apps/phone/scripted.ts';
import type { IssuedClientSecret } from '../../../application/openIdConnect/administerClients.ts';
import { createOidcBrowser } from '../../support/oidc/oidcBrowser.ts';
import { answer } from '../../support/oidc/oidcLogin.ts';
import { startChildServer } from '../support/childServer.ts';
import { createCostMeter, type CycleCost } from '../support/cycleCost.ts';
import { closedLoop } from '../support/load.ts';
import { interleave, measured, type Row, row, type Target } from '../support/measure.ts';
import {
  bareClient,
  oidcOperations,
  type OidcUser,
  openOidcUser,
  ownClient,
} from '../support/oidcUser.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { startBenchService } from '../support/service.ts';

/** P14: what clients ask the OpenID Connect provider, beside the library it is made of with its state in memory. */
export const openIdConnectScenario: Scenario = { id: 'P14', title: 'OpenID Connect', run };

type Operation = (typeof oidcOperations)[number];

const names: Readonly<Record<Operation, string>> = {
  codeFlow: 'code flow with a session',
  refresh: 'refresh',
  userInfo: 'UserInfo',
  introspection: 'introspection',
  discovery: 'discovery',
  keys: 'keys',
};

/** Operations a second of a core of the service. */
const targets: Readonly<Partial<Record<Operation, Target>>> = {
  codeFlow: { goal: { atLeast: 400 }, floor: { atLeast: 220 } },
  refresh: { goal: { atLeast: 700 }, floor: { atLeast: 400 } },
  userInfo: { goal: { atLeast: 2500 }, floor: { atLeast: 1200 } },
};

/** Of what the bare library makes. */
const SHARE: Target = { goal: { atLeast: 0.5 } };

const USERS = 16;

async function run(bench: Bench): Promise<readonly Row[]> {
  const own = await startOwn(bench);
  const bare = await startBare(bench);
  const contestants = Object.fromEntries(
    oidcOperations.flatMap((operation) => [
      [`own ${operation}`, () => own(operation, bench.size(2000, 100))],
      [`bare ${operation}`, () => bare(operation, bench.size(2000, 100))],
    ]),
  );
  for (const operation of oidcOperations) {
    bench.progress(`warming up: ${operation}`);
    await own(operation, bench.size(3000, 10));
    await bare(operation, bench.size(3000, 10));
  }
  const runs = await interleave(bench.rounds, contestants, bench.progress);
  return oidcOperations.flatMap((operation) =>
    rowsOf(operation, runs[`own ${operation}`] ?? [], runs[`bare ${operation}`] ?? []),
  );
}

type Cost = Pick<CycleCost, 'service' | 'postgres' | 'statements' | 'commits'>;

/** Costs of PostgreSQL that an operation has. */
const stored: Readonly<Record<Operation, readonly (keyof typeof units)[]>> = {
  codeFlow: ['postgres', 'statements', 'commits'],
  refresh: ['postgres', 'statements', 'commits'],
  userInfo: ['postgres', 'statements'],
  introspection: ['postgres', 'statements'],
  discovery: [],
  keys: [],
};

const units = { postgres: 'µs', statements: '', commits: '' } as const;

function rowsOf(operation: Operation, own: readonly Cost[], bare: readonly Cost[]): Row[] {
  const name = names[operation];
  const rates = (costs: readonly Cost[]) => costs.map(({ service }) => 1e6 / service);
  const subject = measured(name, rates(own));
  const target = targets[operation];
  const peer = measured('oidc-provider, state in memory', rates(bare));
  return [
    row(`${name}, of a core of the service`, '/s', { subject }, target),
    row(`${name}, beside the library alone`, '/s', { subject, peer }, target && SHARE),
    ...stored[operation].map((cost) => {
      const measure = cost === 'postgres' ? 'processor time of PostgreSQL' : cost;
      const values = own.map((each) => each[cost]);
      return row(`${name}: ${measure}`, units[cost], { subject: measured(name, values) });
    }),
  ];
}

/** Has all users repeat an operation for so many milliseconds. @returns cost of one */
type Load = (operation: Operation, milliseconds: number) => Promise<Cost>;

function loadOf(users: readonly OidcUser[], measure: Measure): Load {
  return async (operation, milliseconds) => {
    for (const user of users) await user.connect();
    const cost = await measure(async () => {
      const { latencies } = await closedLoop(users.length, milliseconds, (_, worker) =>
        (users[worker] as OidcUser)[operation](),
      );
      return latencies.length;
    });
    for (const user of users) user.close();
    return cost;
  };
}

/** @param load resolves with the number of operations */
type Measure = (load: () => Promise<number>) => Promise<Cost>;

async function startOwn(bench: Bench): Promise<Load> {
  const url = await bench.freshDatabase('openid_connect');
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const service = await startBenchService(bench, {
    databaseUrl: url,
    citizens: 0,
    environment: {
      SVC_PORT: String(port),
      SVC_BASE_URL: origin,
      SVC_OIDC_REQUESTS_PER_MINUTE: '100000000',
      SVC_OIDC_ACCESS_TOKEN_SECONDS: '3600',
    },
  });
  bench.atEnd(() => service.stop());
  const { main, relyingParty } = service;
  await main.ask('importCivilRegistry', 'infrastructure/registry/demo/civil-registry.csv');
  const [citizen] = demoCitizens;
  if (citizen === undefined) throw new Error('There is no demo citizen.');
  const { civilId, cardNumber, birthDate, pin1, pin2 } = citizen;
  const phone = createPhone({ baseUrl: origin, store: createMemoryPhoneStore() });
  const card = { identifier: civilId, cardNumber, birthDate };
  await phone.enrol({ card, pin1, pin2 });
  const phones = startScriptedPhones([{ phone, pin1, pin2, outcome: 'OK' }]);
  bench.atEnd(() => phones.stop());
  const { relyingPartyId } = relyingParty;
  const issued = await main.ask<IssuedClientSecret>('registerOidcClient', {
    ...ownClient,
    relyingPartyId,
  });
  const target = { port, clientId: issued.clientId, clientSecret: issued.clientSecret ?? '' };
  const users = await usersOf(bench, async () => {
    const browser = createOidcBrowser();
    return openOidcUser(target, browser, async (begun, until) => {
      let shown = await browser.open(begun.href, until);
      while (shown.status !== 0) {
        shown = await answer(browser, shown, { citizen: civilId }, until);
      }
      return shown.url;
    });
  });
  await phones.stop();
  const meter = createCostMeter(main, { postgres: await bench.postgres(), url }, { counts: true });
  return loadOf(users, async (load) => (await meter.measure(load, (count) => count)).cost);
}

async function startBare(bench: Bench): Promise<Load> {
  const server = await startChildServer({
    module: new URL('../peers/bareOidcProvider.js', import.meta.url),
    settings: null,
  });
  bench.atEnd(() => server.stop());
  const { client_id: clientId, client_secret: clientSecret } = bareClient;
  const users = await usersOf(bench, async () => {
    const browser = createOidcBrowser();
    return openOidcUser(
      { port: server.port, clientId, clientSecret },
      browser,
      async (url, until) => (await browser.open(url.href, until)).url,
    );
  });
  return loadOf(users, async (load) => {
    const before = await server.ask<number>('cpu');
    const count = await load();
    const service = ((await server.ask<number>('cpu')) - before) / count;
    return { service, postgres: 0, statements: 0, commits: 0 };
  });
}

/** Logs in one after another. */
async function usersOf(bench: Bench, open: () => Promise<OidcUser>): Promise<readonly OidcUser[]> {
  const users: OidcUser[] = [];
  for (let index = 0; index < bench.size(USERS, 2); index += 1) {
    bench.progress(`logging in: ${index + 1}`);
    users.push(await open());
  }
  return users;
}
