import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Route } from '../../api/http/route.ts';
import { hasCapability } from '../../domain/operator/capabilities.ts';
import { nestedSignatureBody } from '../support/http/nestedRequests.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import {
  type Caller,
  type CrossAccessWorld,
  registers,
  startCrossAccessWorld,
} from '../support/worlds/crossAccessWorld.ts';

/** A request to a route. */
interface Ask {
  readonly params?: Readonly<Record<string, string>>;
  /** Query, with its question mark. */
  readonly query?: string;
  readonly json?: object;
  readonly bytes?: Buffer;
  readonly form?: true;
}

/** Things of somebody that a route opens: who may, who may not, and how it is asked. */
interface Owned extends Ask {
  /** Let in: anything but the refusals. */
  readonly owners: readonly Caller[];
  readonly strangers: readonly (Caller & { readonly instead?: Ask })[];
  /** Refusals beside 401, 403 and 404, where the thing is named in the body. */
  readonly refusal?: 400;
}

/** Routes without a credential: what they show belongs to nobody, or the address itself is the secret. */
const open: readonly string[] = [
  ...['livez', 'readyz', 'metrics', 'openapi', 'discovery', 'auditKeys'],
  ...['rootCaCertificate', 'personalCaCertificate', 'organizationCaCertificate'],
  ...['tsa', 'ocsp', 'ocspGet', 'crl', 'crlOrganization', 'crlRoot'],
  ...['verify', 'verifyStyle', 'verifyScript', 'loginStyle', 'loginScript'],
  ...['assistant', 'assistantStyle', 'assistantScript'],
  ...['ai.public.chat', 'ai.public.stream', 'ai.public.tts'],
  ...['ai.v1.public.chat', 'ai.v1.public.stream', 'ai.v1.public.tts'],
  // Applicants have nothing yet; what they get is opened by a token or a secret in the request.
  ...['kyc_methods', 'kyc_citizen_card', 'kyc_verifications', 'kyc_dan_callback'],
  'device_enrolments',
  // The cookie names the citizen; a body can name a client, whose consent is theirs.
  ...['login.consents', 'login.consents.return', 'login.consents.withdraw', 'consentLookup'],
  // Credentials are what is sent.
  ...['admin.auth.login', 'admin.auth.logout'],
];

/** Routes that open what belongs to the caller, whom the credential names, and can name nothing else. */
const own: readonly string[] = [
  ...['device', 'device_inbox', 'device_notices', 'device_deactivate'],
  ...['ai.chat', 'ai.stream', 'ai.stt', 'ai.tts', 'ai.translate'],
  ...['documents.list', 'documents.create', 'documents.list.v1', 'documents.create.v1'],
  ...['admin.auth.mfa', 'admin.auth.password', 'admin.auth.accessToken'],
  'admin.account',
  // Rights of persons and seal certificates are for every relying party to read; each look-up is audited.
  ...['organizationRepresentations', 'sealCertificate'],
  // Only the caller's own sessions are counted and listed; below.
  'personActivity',
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
    const things = {
      ...ofRelyingParties(),
      ...ofPhones(),
      ...ofApplicants(),
      ...ofTenants(),
      ...ofOperators(),
    };
    const names = routes().map(({ name }) => name);
    owned = Object.fromEntries(Object.entries(things).filter(([name]) => names.includes(name)));
  });

  after(() => world.stop());

  const routes = () => world.demo.service.routes;
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

  async function send({ method, path }: Route, caller: Caller, ask: Ask) {
    const anything = '00000000-0000-4000-8000-000000000000';
    const target = path.replaceAll(/[:*](\w+)/g, (_, name: string) =>
      encodeURIComponent(ask.params?.[name] ?? anything),
    );
    const isRead = method === 'GET' || method === 'DELETE';
    const json = isRead ? '' : JSON.stringify(ask.json ?? {});
    const body = isRead ? null : (form(ask) ?? ask.bytes ?? json);
    const sent = { method, target: target + (ask.query ?? ''), body: json };
    const response = await fetch(world.demo.service.origin + sent.target, {
      method,
      headers: {
        ...caller.headers(sent),
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      },
      body: Buffer.isBuffer(body) ? new Uint8Array(body) : body,
    });
    return { status: response.status, text: await response.text() };
  }

  function form({ form: isForm }: Ask): FormData | null {
    if (isForm !== true) return null;
    const data = new FormData();
    data.append('file', new Blob(['replaced']), 'a.txt');
    return data;
  }

  function ofRelyingParties(): Record<string, Owned> {
    const [first, second, third] = world.parties;
    const [phone, otherPhone] = world.phones;
    const [register, otherRegister] = registers;
    const strangers = [second, third];
    const mine = { owners: [first], strangers };
    const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Тийм үү?' }];
    const named = { relyingPartyUUID: first.id, relyingPartyName: first.name };
    const authentication = {
      ...named,
      interactions,
      signatureProtocol: 'ACSP_V2',
      rpChallenge: randomBytes(64).toString('base64'),
    };
    const signature = {
      ...named,
      interactions,
      signatureProtocol: 'ACSP_V2',
      digest: randomBytes(32).toString('base64'),
      hashType: 'SHA256',
    };
    const { documentNumber } = phone;
    /** Started in the name of the first relying party, whose UUID is in the body. */
    const starts = (prefix: string, json: object, places: readonly string[]) =>
      Object.fromEntries(
        places.map((place) => [
          `${prefix}${place}`,
          { ...mine, json, params: { id: phone.etsi, documentNumber } },
        ]),
      );
    const acting = { orgRegister: register, actingPersonEtsi: phone.etsi };
    /** Asked by the same relying party, for a person who is no ADMIN of the organization. */
    const byOther = (instead: Ask) => [{ ...first, instead }, third];
    const asOther = { params: { ...acting, actingPersonEtsi: otherPhone.etsi } };
    const signer = `?signer=${otherPhone.etsi}`;
    const seals = { ...mine, params: { orgEtsi: `NTRMN-${register}` } };
    const link = {
      orgRegister: otherRegister,
      orgName: 'Тамга ХХК',
      affiliates: [{ regNo: otherPhone.citizen.regNo, kind: 'CEO' }],
    };
    const pki = { owners: [first], strangers: [third], params: { etsi: phone.etsi } };
    return {
      ...starts('authentication', authentication, [
        ...['DeviceLinkAnonymous', 'DeviceLinkEtsi', 'DeviceLinkDocument'],
        ...['NotificationEtsi', 'NotificationDocument'],
      ]),
      ...starts('signature', signature, [
        ...['NotificationDocument', 'NotificationEtsi', 'DeviceLinkDocument', 'DeviceLinkEtsi'],
      ]),
      ...starts('certificateChoice', { ...named, nonce: 'once' }, [
        ...['DeviceLinkAnonymous', 'DeviceLinkEtsi', 'NotificationEtsi'],
      ]),
      ...starts('signature', named, ['Certificate']),
      signatureNotificationLinked: {
        ...mine,
        params: { documentNumber },
        json: nestedSignatureBody(first.id, {}, { ...named, linkedSessionID: world.chosen }),
        strangers: [
          ...strangers,
          {
            ...second,
            instead: {
              json: nestedSignatureBody(
                second.id,
                {},
                { relyingPartyName: second.name, linkedSessionID: world.chosen },
              ),
            },
          },
        ],
        // Refused like a session that is not there.
        refusal: 400,
      },
      session: { ...mine, params: { sessionId: world.signed } },
      signatureStamp: { ...mine, params: { sessionId: world.signed }, bytes: onePage() },
      signaturePrepare: {
        owners: [first],
        strangers: [third],
        query: `?signer=${phone.etsi}`,
        bytes: onePage(),
      },
      personSummary: pki,
      personCertificates: pki,
      personDevices: pki,
      organizationLink: {
        owners: [],
        strangers: [first, third],
        params: { personEtsi: phone.etsi },
        json: link,
      },
      organizationUnlink: {
        owners: [],
        strangers: [first, third],
        params: { personEtsi: phone.etsi, orgRegister: otherRegister },
      },
      organizationSigners: { owners: [first], strangers: byOther(asOther), params: acting },
      organizationSignerAdd: {
        owners: [first],
        strangers: byOther(asOther),
        params: acting,
        json: { signerRegNo: otherPhone.citizen.regNo },
      },
      organizationSignerResend: {
        owners: [first],
        strangers: byOther(asOther),
        params: acting,
        query: signer,
      },
      organizationSignerRemove: {
        owners: [first],
        strangers: byOther(asOther),
        params: acting,
        query: signer,
      },
      organizationNameLatin: {
        owners: [first],
        strangers: byOther(asOther),
        params: acting,
        json: { nameLatin: 'TAMGA LLC' },
      },
      sealCertificateIssue: seals,
      seal: { ...seals, json: { digest: randomBytes(32).toString('base64') } },
      sealPdf: { ...seals, bytes: onePage() },
    };
  }

  function ofPhones(): Record<string, Owned> {
    const [mine, other] = world.phones;
    const asked = { owners: [mine], strangers: [other], params: { sessionId: world.running } };
    return {
      device_session: asked,
      device_confirm: {
        ...asked,
        json: {
          verificationCode: '0000',
          signature: randomBytes(64).toString('base64'),
          interactionTypeUsed: 'displayTextAndPIN',
        },
      },
      device_certificate: asked,
      device_refuse: { ...asked, json: { reason: 'USER_REFUSED' } },
      // No notice was given to either; older phones of the same citizen: silentEnrolment.test.ts.
      device_disown: { owners: [], strangers: [mine, other] },
      device_links: { owners: [mine], strangers: [other], json: { link: world.link() } },
    };
  }

  function ofApplicants(): Record<string, Owned> {
    const [mine, other] = world.applicants;
    const { verificationId } = mine;
    const step = { owners: [mine], strangers: [other], params: { verificationId } };
    const { civilId: identifier } = world.phones[0].citizen;
    const bytes = randomBytes(64).toString('base64');
    const card = { identifier, cardNumber: 'E0', birthDate: '1990-01-01' };
    return {
      kyc_verification: step,
      kyc_step_citizen_card: { ...step, json: card },
      kyc_step_dan: { ...step, json: { state: 'a state', code: 'a code' } },
      kyc_step_gsign: { ...step, json: { cms: bytes } },
      kyc_step_passport: {
        ...step,
        json: { securityObject: bytes, dataGroups: { dg1: bytes } },
      },
      kyc_cancel: step,
    };
  }

  function ofTenants(): Record<string, Owned> {
    const [mine, other] = world.organizations;
    if (mine === undefined || other === undefined) throw new Error('There are no organizations.');
    const strangers = [...world.citizens, other, ...world.operators];
    const document = { owners: [mine], strangers, params: { id: world.document } };
    const policy = {
      owners: [mine],
      strangers: world.citizens,
      params: { docType: 'CONTRACT' },
      json: { allow_eid: true, allow_dan: false, require_named_signer: false },
    };
    const things: Record<string, Owned> = {
      read: document,
      signatures: document,
      signingRails: document,
      'file.download': document,
      'file.upload': { ...document, form: true },
      'file.recognise': { ...document, form: true },
      'sign.eid.start': { ...document, json: { reg_number: world.phones[0].citizen.civilId } },
      'sign.eid.poll': { ...document, json: { session_id: world.running }, owners: [] },
      'policies.list': policy,
      'policies.change': policy,
      'policies.read': policy,
      'policies.changeOne': policy,
    };
    const directory = { owners: [mine], strangers: world.citizens };
    const rows = Object.entries(things);
    return {
      ...Object.fromEntries(rows.map(([name, thing]) => [`documents.${name}`, thing])),
      ...Object.fromEntries(rows.map(([name, thing]) => [`documents.${name}.v1`, thing])),
      directory_person: { ...directory, query: '?reg_no=УБ85031512' },
      directory_organisation: { ...directory, query: '?reg_no=5512345' },
      directory_people: { ...directory, query: '?q=' },
    };
  }

  /** The request for approval of a RP_OPERATOR. */
  function ofOperators(): Record<string, Owned> {
    const [superAdmin, requester, support, auditor] = world.operators;
    if (!superAdmin || !requester || !support || !auditor)
      throw new Error('Operators are missing.');
    const approval = { params: { id: world.approval } };
    return {
      'admin.approvals.approve': {
        ...approval,
        owners: [superAdmin],
        strangers: [requester, support, auditor],
      },
      'admin.approvals.reject': {
        ...approval,
        owners: [],
        strangers: [support, auditor],
        json: { reason: 'No.' },
      },
      'admin.approvals.collect': {
        ...approval,
        owners: [],
        strangers: [superAdmin, support, auditor],
      },
    };
  }
});
