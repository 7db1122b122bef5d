import { expect } from 'chai';
import type { Route } from '../../api/http/route.ts';
import { hasCapability } from '../../domain/operator/capabilities.ts';
import {
  type Ask,
  type Owned,
  send as sendTo,
  thingsOf,
} from '../support/worlds/crossAccessThings.ts';
import {
  type Caller,
  type CrossAccessWorld,
  startCrossAccessWorld,
} from '../support/worlds/crossAccessWorld.ts';

/** Routes without a credential: what they show belongs to nobody, or the address itself is the secret. */
const open: readonly string[] = [
  ...[
    'landing',
    'landingStyle',
    'favicon',
    'livez',
    'readyz',
    'metrics',
    'openapi',
    'discovery',
    'signalTransmitter',
    'auditKeys',
  ],
  ...['rootCaCertificate', 'personalCaCertificate', 'organizationCaCertificate'],
  ...['tsa', 'ocsp', 'ocspGet', 'crl', 'crlOrganization', 'crlRoot'],
  ...[
    'verify',
    'verify.start',
    'verify.made',
    'verifyStyle',
    'verifyScript',
    'loginStyle',
    'loginScript',
  ],
  ...['assistant', 'assistantStyle', 'assistantScript'],
  ...['ai.public.chat', 'ai.public.stream', 'ai.public.tts'],
  ...['ai.v1.public.chat', 'ai.v1.public.stream', 'ai.v1.public.tts'],
  // Applicants have nothing yet; what they get is opened by a token or a secret in the request.
  ...['kyc_methods', 'kyc_citizen_card', 'kyc_verifications', 'kyc_dan_callback'],
  'device_enrolments',
  // The cookie names the citizen; a body can name a client, whose consent is theirs.
  ...['login.consents', 'login.consents.return', 'login.consents.withdraw', 'consentLookup'],
  // Tells what /readyz tells, too.
  'admin.restored',
  // The cookie names the citizen, without whom they show the way to log in; another's is 404 in mePage.test.ts.
  ...['me', 'me.return', 'me.history', 'me.session', 'me.session.allow'],
  ...['me.phone', 'me.phone.end', 'me.phone.ending', 'me.phone.ending.status'],
  // Credentials are what is sent.
  ...['admin.auth.login', 'admin.auth.logout', 'handOver', 'handOver.take'],
];

/** Routes that open what belongs to the caller, whom the credential names, and can name nothing else. */
const own: readonly string[] = [
  ...['device', 'device_inbox', 'device_notices', 'device_pin_locked', 'device_deactivate'],
  ...['device_phones', 'device_history'],
  ...['ai.chat', 'ai.stream', 'ai.stt', 'ai.tts', 'ai.translate'],
  ...['documents.list', 'documents.create', 'documents.list.v1', 'documents.create.v1'],
  ...['admin.auth.mfa', 'admin.auth.password', 'admin.auth.accessToken'],
  'admin.account',
  // Rights of persons and seal certificates are for every relying party to read; each look-up is audited.
  ...['organizationRepresentations', 'sealCertificate'],
  // Only the caller's own sessions are counted and listed; below.
  'personActivity',
  // Requests of the caller alone; below.
  'ownRequests',
  // Events of the caller alone (test/e2e/webhooks.test.ts).
  ...['ownWebhooks', 'rotateOwnWebhookKeys', 'ownWebhookMessages', 'resendOwnWebhookMessages'],
  // The stream of the client; that of another one is 404 in sharedSignals.test.ts.
  ...['createSignalStream', 'signalStream', 'changeSignalStream', 'replaceSignalStream'],
  ...['deleteSignalStream', 'signalStreamStatus', 'setSignalStreamStatus', 'addSignalSubject'],
  ...['removeSignalSubject', 'verifySignalStream', 'pollSignalStream'],
];

/** The second step of signing in looks at its token once the request is right. */
const aCode = { json: { code: '000000' } };

/** Pages of a login in a browser, by cookie. */
const ofBrowsers = /^login\.(?!consents)/;

describe("Nobody opens another's things: two citizens, three relying parties, two organizations, four operators", function () {
  this.timeout(240_000);
  let world: CrossAccessWorld;
  let owned: Readonly<Record<string, Owned>>;

  before(async () => {
    world = await startCrossAccessWorld();
    owned = thingsOf(world);
  });

  after(() => world.stop());

  const routes = () => world.demo.service.routes;
  const send = (route: Route, caller: Caller, ask: Ask) =>
    sendTo(world.demo.service.origin, route, caller, ask);
  const byCapability = ({ guard }: Route) => guard.capability !== undefined;

  it('every route says whose things it opens', () => {
    const kindsOf = ({ name, guard }: Route) => [
      ...(open.includes(name) ? ['open'] : []),
      ...(own.includes(name) ? ['own'] : []),
      ...(owned[name] === undefined ? [] : ['owned']),
      ...(guard.capability === undefined ? [] : ['capability']),
      ...(ofBrowsers.test(name) ? ['browser'] : []),
    ];
    const undecided = routes().filter((route) => kindsOf(route).length !== 1);
    expect(undecided.map((route) => `${route.name}: ${kindsOf(route).join()}`)).to.deep.equal([]);
    const unguarded = routes().filter(({ guard }) => guard.security === undefined);
    const unexpected = unguarded.filter(
      ({ name }) => !open.includes(name) && !ofBrowsers.test(name),
    );
    expect(unexpected.map(({ name }) => name)).to.deep.equal([]);
  });

  it('no credential opens what is guarded by another kind, nor does none', async () => {
    const nobody: Caller = { name: 'nobody', scheme: 'adminKey', headers: () => ({}) };
    const callers = [
      ...[world.parties[0], world.phones[0], world.citizens[0], world.organizations[0]],
      ...[world.operators[0], world.applicants[0], nobody],
    ].filter((caller): caller is Caller => caller !== undefined);
    for (const route of routes()) {
      const { security } = route.guard;
      if (security === undefined || open.includes(route.name)) continue;
      for (const caller of callers) {
        if (caller !== nobody && security.includes(caller.scheme)) continue;
        const { status, text } = await send(route, caller, owned[route.name] ?? aCode);
        expect(status, `${caller.name} at ${route.name}: ${text}`).to.be.oneOf([401, 403, 404]);
      }
    }
  });

  it("foreign things are refused at every route, the owner's own are not", async () => {
    for (const [name, thing] of Object.entries(owned)) {
      for (const stranger of thing.strangers) {
        const { status, text } = await send(routeOf(name), stranger, {
          ...thing,
          ...stranger.instead,
        });
        const refusals = [401, 403, 404, ...(thing.refusal === undefined ? [] : [thing.refusal])];
        expect(status, `${stranger.name} at ${name}: ${text}`).to.be.oneOf(refusals);
      }
    }
    for (const [name, thing] of Object.entries(owned)) {
      for (const owner of thing.owners) {
        const { status, text } = await send(routeOf(name), owner, thing);
        expect(status, `${owner.name} at ${name}: ${text}`).not.to.be.oneOf([401, 403, 404, 405]);
      }
    }
  });

  it('an operator does only what the role may', async () => {
    for (const route of routes().filter(byCapability)) {
      for (const operator of world.operators) {
        const { capability } = route.guard;
        if (capability === undefined || hasCapability(operator.role, capability)) continue;
        const { status } = await send(route, operator, {});
        expect(status, `${operator.name} at ${route.name}`).to.equal(403);
      }
    }
  });

  it('a login goes on in the browser it began in, and in no other', async () => {
    const [mine, other] = world.browsers;
    for (const { name, method, path } of routes().filter((route) => ofBrowsers.test(route.name))) {
      const address = world.demo.service.origin + path.replace(':uid', mine.uid);
      const { status, text } =
        method === 'GET'
          ? await other.browser.open(address)
          : await other.browser.submit(address, { id: '110000000001', decision: 'allow' });
      if (name === 'login.status') expect(text).to.equal('{"state":"ended"}');
      else expect(status, `${name}: ${text}`).to.be.oneOf([401, 403, 404]);
    }
    const page = `${world.demo.service.origin}/login/${mine.uid}`;
    expect((await mine.browser.open(page)).status).to.equal(200);
  });

  it('lists have what belongs to the caller', async () => {
    const [first, second] = world.parties;
    const params = { etsi: world.phones[0].etsi };
    const activity = routeOf('personActivity');
    expect((await send(activity, first, { params })).text).to.include(world.signed);
    expect((await send(activity, second, { params })).text).not.to.include(world.signed);
    const inbox = { query: '?timeoutMs=0' };
    expect((await send(routeOf('device_inbox'), world.phones[1], inbox)).text).not.to.include(
      world.running,
    );
    const documents = routeOf('documents.list');
    // The first citizen was asked to sign it, above.
    for (const caller of [...world.citizens.slice(1), ...world.organizations.slice(1)]) {
      expect((await send(documents, caller, {})).text).not.to.include(world.document);
    }
  });

  function routeOf(name: string): Route {
    const found = routes().find((route) => route.name === name);
    if (found === undefined) throw new Error(`There is no route ${name}.`);
    return found;
  }
});
