import { expect } from 'chai';
import type { Route } from '../../api/http/route.ts';
import { type DemoCitizen, demoCitizens } from '../../main/cli/demo.ts';
import { deviceProof } from '../../apps/phone/crypto.ts';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { accessToken } from '../support/worlds/assistantWorld.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { callerAt, documentSettings } from '../support/worlds/documentWorld.ts';
import { untoldBounds } from '../support/http/bounds.ts';
import type { FuzzRequest } from '../support/http/fuzz.ts';
import { untoldFields } from '../support/http/requiredFields.ts';
import { fuzzRoutes, isPage, isWhole, ofWhole, servedOfWhole } from '../support/http/fuzzRoutes.ts';
import { call } from '../../main/drill/callers.ts';
import { openOperatorWorld } from '../support/worlds/operatorWorld.ts';
import { nestedInteractions } from '../support/http/nestedRequests.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { anOrganization, aParty, aRight } from '../support/given/wishes.ts';

const orgName = 'Тамга ХХК';
const organizationsCsv = 'infrastructure/registry/demo/organization-registry.csv';

describe('Every route of the service, on its real adapters', function () {
  this.timeout(180_000);
  let installation: DemoInstallation;

  before(async () => {
    installation = await startDemoInstallation({
      SVC_RP_ROOT_ROUTES: 'true',
      SVC_DIRECTORY_REQUESTS_PER_MINUTE: '1000000',
      ...documentSettings,
    });
  });

  after(() => installation.stop());

  function enrol(citizen: DemoCitizen, store = createMemoryPhoneStore()) {
    const phone = createPhone({ baseUrl: installation.service.origin, store });
    return phone.enrol({ card: { ...citizen, identifier: citizen.civilId }, ...citizen });
  }

  /** The verification of an identity, as whoever started it knows it. */
  async function startVerification() {
    const { body } = await call(`${installation.service.origin}/v3/kyc/verifications`, {
      method: 'POST',
      body: { method: 'citizenCard' },
    });
    const { verificationId } = body['verification'] as { readonly verificationId: string };
    return { verificationId, secret: String(body['secret']) };
  }

  /** An active organization with this ADMIN and a seal certificate. */
  async function sealingOrganization(admin: string, relyingPartyId: string): Promise<string> {
    const { organizations, changeSealing, issueSealCertificate } = installation.service;
    const register = await organizations.register(anOrganization('УБ5512345', orgName));
    await organizations.grant(register, admin, aRight('ADMIN'));
    await changeSealing('allow', { relyingPartyId, register });
    await issueSealCertificate(register);
    return register;
  }

  it('answers whatever is thrown at it without a 5xx, with a problem that points at the fault', async () => {
    const { service } = installation;
    const { relyingPartyId, apiSecret } = await service.registerRelyingParty(
      aParty('Fuzz', ['AUTH', 'SIGN', 'SEAL', 'ORG_LINK_WRITE', 'PKI_READ'], {
        requestsPerMinute: 1_000_000,
      }),
    );
    const [citizen, other] = demoCitizens;
    if (citizen === undefined || other === undefined) throw new Error('There is no demo citizen.');
    const store = createMemoryPhoneStore();
    const { documentNumber, etsi } = await enrol(citizen, store);
    const transport = (await store.load())?.transport;
    if (transport === undefined) throw new Error('The phone kept nothing.');
    await enrol(other);
    const verification = await startVerification();
    const register = await sealingOrganization(citizen.civilId, relyingPartyId);

    // Deactivating would end the phone the other routes are thrown at with; nobody waits at an empty inbox here.
    const routes = service.routes
      .filter(({ path }) => path !== '/v3/device/deactivate' && !isOperators(path))
      .filter((route) => !isPlatforms(route))
      // Without a language model they answer 500, as specified; test/api/fuzz.test.ts has them before a double.
      .filter(({ name }) => !name.startsWith('ai.'))
      .map((route) => (route.path === '/v3/device/inbox' ? withoutWaiting(route) : route))
      // A removed representative cannot be asked to confirm again; a cancelled verification takes no further steps.
      .sort((left, right) => Number(isRemoval(left)) - Number(isRemoval(right)));
    const { sent, served, servedRoutes } = await fuzzRoutes(routes, {
      runs: 120,
      authorize: async (
        route,
        { method, target, body },
      ): Promise<Readonly<Record<string, string>>> =>
        route.path.startsWith('/v3/device')
          ? {
              dpop: await deviceProof(transport, documentNumber, {
                method,
                path: target,
                body: body ?? '',
                time: new Date(),
              }),
            }
          : {
              authorization: `Bearer ${route.path.startsWith('/v3/kyc/') ? verification.secret : apiSecret}`,
            },
      known: {
        id: etsi,
        etsi,
        personEtsi: etsi,
        actingPersonEtsi: etsi,
        orgRegister: register,
        orgName,
        affiliates: [{ regNo: citizen.regNo }],
        nameLatin: 'TAMGA LLC',
        regNo: citizen.regNo,
        signerRegNo: other.regNo,
        signer: other.regNo,
        orgEtsi: `NTRMN-${register}`,
        'application/pdf': onePage(),
        documentNumber,
        verificationId: verification.verificationId,
        relyingPartyUUID: relyingPartyId,
        relyingPartyName: 'Fuzz',
        rpChallenge: Buffer.alloc(64, 1).toString('base64'),
        digest: Buffer.alloc(32, 1).toString('base64'),
        hashType: 'SHA256',
        onBehalfOf: null,
        displayText60: 'Нэвтрэх үү?',
        vcType: 'alphaNumeric4',
        linkedSessionID: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
        link:
          'https://eid.example/device-link?deviceLinkType=QR&elapsedSeconds=1' +
          `&sessionToken=${'Aa0'.repeat(8)}&sessionType=auth&version=1.0&lang=mon&authCode=${'A'.repeat(43)}`,
        interactions: nestedInteractions,
        nonce: 'a nonce',
      },
    });
    expect(sent).to.be.greaterThan(ofWhole(3000));
    expect(served).to.be.greaterThan(servedOfWhole(300));
    if (!isWhole) return;
    const seals = ['sealCertificate', 'sealCertificateIssue', 'seal', 'sealPdf'];
    const organizations = ['Representations', 'Link', 'Signers', 'SignerAdd', 'SignerResend'];
    expect([...servedRoutes]).to.include.members([
      ...seals,
      'kyc_verification',
      ...[...organizations, 'SignerRemove', 'NameLatin'].map((row) => `organization${row}`),
    ]);
  });

  it('F20: tells the bound and the value of whatever is beyond a bound', () => {
    const untold: string[] = [];
    let tried = 0;
    for (const { name, params, query, body } of installation.service.routes) {
      for (const [part, schema] of Object.entries({ params, query, body })) {
        if (schema === null) continue;
        const found = untoldBounds(schema, part !== 'body');
        tried += found.tried;
        // Pages take what they cannot use in their address for absent.
        if (isPage(name) && part === 'query') continue;
        untold.push(...found.untold.map((sentence) => `${name} ${part}${sentence}`));
      }
    }
    expect(tried).to.be.greaterThan(200);
    expect(untold).to.deep.equal([]);
  });

  it('tells of each required field that it is absent, and the name it was misspelt by', () => {
    const untold: string[] = [];
    let tried = 0;
    for (const { name, body } of installation.service.routes) {
      if (body === null) continue;
      const found = untoldFields(body);
      tried += found.tried;
      untold.push(...found.untold.map((sentence) => `${name} ${sentence}`));
    }
    expect(tried).to.be.greaterThan(100);
    expect(untold.join('\n')).to.equal('');
  });

  it('holds for documents and the directory, whose callers may do everything', async () => {
    const { origin, routes } = installation.service;
    const authorization = `Bearer ${await accessToken({ IsAdmin: true })}`;
    const caller = await callerAt(origin);
    await installation.service.importRegister('organizations', organizationsCsv);
    const [, , person] = demoCitizens;
    const { phone, citizen } = await installation.enrol(person?.civilId ?? '');
    const reg_number = citizen.regNo;
    const [id, asked] = [await caller.create([null, null]), await caller.create()];
    const started = await caller.call('POST', `/${asked}/sign/eid/start`, { reg_number });
    const session_id = String(started.body['session_id']);
    await phone.open(session_id);
    // It has ended: nobody waits at it.
    await phone.refuse(session_id, 'USER_REFUSED');

    const checked = routes
      .filter((route) => isPlatforms(route) && !route.path.startsWith('/api/v1/'))
      // A policy can end signing, and a signing keeps the file.
      .sort((left, right) => turnOf(left) - turnOf(right));
    const isPoll = ({ name }: Route) => name.includes('.poll');
    const form = ['--b', 'content-disposition: form-data; name="file"; filename="a.pdf"', '', ''];
    const options = {
      runs: 100,
      authorize: ({ bodyType }: Route, { body }: FuzzRequest) => ({
        authorization,
        ...(bodyType !== undefined && body?.subarray(0, 3).toString() === '--b'
          ? { 'content-type': `${bodyType}; boundary=b` }
          : {}),
      }),
      known: {
        id,
        timeout_ms: 0,
        reg_number,
        reg_no: reg_number,
        docType: 'CONTRACT',
        doc_type: 'CONTRACT',
        title: 'Гэрээ',
        signers: [{ reg_number: null }],
        q: 'дорж',
        'multipart/form-data': Buffer.concat([
          ...[Buffer.from(form.join('\r\n')), onePage(), Buffer.from('\r\n--b--\r\n')],
        ]),
      },
    };
    const isOrganisation = ({ name }: Route) => name === 'directory_organisation';
    const all = await fuzzRoutes(
      checked.filter((route) => !isPoll(route) && !isOrganisation(route)),
      options,
    );
    const polls = await fuzzRoutes(checked.filter(isPoll), {
      ...options,
      known: { ...options.known, id: asked, session_id },
    });
    const organisation = await fuzzRoutes(checked.filter(isOrganisation), {
      ...options,
      known: { reg_no: '5512345' },
    });
    expect(checked).to.have.length.greaterThan(14);
    if (!isWhole) return;
    expect([
      ...all.servedRoutes,
      ...polls.servedRoutes,
      ...organisation.servedRoutes,
    ]).to.have.members(checked.map(({ name }) => name));
  });

  it('holds for operators, who may do everything', async () => {
    const { service } = installation;
    const { token } = await openOperatorWorld(service.origin).signedIn('SUPER_ADMIN');
    const { relyingPartyId } = await service.registerRelyingParty(aParty('Fuzzed', ['AUTH']));
    const [, citizen] = demoCitizens;
    const { documentNumber } = await installation.enrol(citizen?.civilId ?? '');
    const [certificate] = await service.listCertificates({ documentNumber });
    const register = '5556677';
    await service.organizations.register(
      anOrganization(register, 'Тамга Туршилт ХХК', 'TAMGA TRIAL LLC'),
    );
    // A password is hashed for each attempt, which is all that attempts to sign in would measure here; signing out ends
    // the session of all that follow.
    const left = ['admin.auth.login', 'admin.auth.logout'];
    const routes = service.routes.filter(
      ({ name, path }) => isOperators(path) && !left.includes(name),
    );
    const { sent, served } = await fuzzRoutes(routes, {
      runs: 60,
      authorize: () => ({ authorization: `Bearer ${token}` }),
      known: {
        id: relyingPartyId,
        relyingPartyId,
        documentNumber,
        serial: certificate?.serial,
        etsi: `NTRMN-${register}`,
        orgRegister: register,
        personEtsi: citizen?.civilId,
        reason: 4,
        role: 'AUDITOR',
        rightType: 'MANAGER',
        source: 'MANUAL',
        name: 'Тамга',
      },
    });
    expect(sent).to.be.greaterThan(ofWhole(2000));
    expect(served).to.be.greaterThan(servedOfWhole(300));
  });
});

function isOperators(path: string): boolean {
  return path.startsWith('/v3/admin/');
}

/** Of the platform API: its callers have access tokens. */
function isPlatforms({ name, path }: Route): boolean {
  return name.startsWith('documents.') || path.startsWith('/api/platform/');
}

function turnOf({ name }: Route): number {
  if (name.includes('.policies.change')) return 2;
  return name.includes('.sign.') ? 1 : 0;
}

function isRemoval({ name }: Route): boolean {
  return name === 'organizationSignerRemove' || name === 'kyc_cancel';
}

function withoutWaiting(route: Route): Route {
  return {
    ...route,
    handle: (request) =>
      route.handle({ ...request, query: { ...(request.query as object), timeoutMs: 0 } }),
  };
}
