import { expect } from 'chai';
import type { Route } from '../../api/http/route.ts';
import { demoCitizens } from '../../cli/demo.ts';
import { deviceProof, importPrivateKey } from '../../phone/crypto.ts';
import { createPhone } from '../../phone/phone.ts';
import { createMemoryPhoneStore } from '../../phone/phoneStore.ts';
import { type DemoInstallation, startDemoInstallation } from '../support/demoInstallation.ts';
import { fuzzRoutes } from '../support/fuzzRoutes.ts';
import { openOperatorWorld } from '../support/operatorWorld.ts';
import { nestedInteractions } from '../support/nestedRequests.ts';

describe('Every route of the service, on its real adapters', function () {
  this.timeout(180_000);
  let installation: DemoInstallation;

  before(async () => {
    installation = await startDemoInstallation({ SVC_RP_ROOT_ROUTES: 'true' });
  });

  after(() => installation.stop());

  it('answers whatever is thrown at it without a 5xx, with a problem that points at the fault', async () => {
    const { service } = installation;
    const { relyingPartyId, apiSecret } = await service.registerRelyingParty({
      name: 'Fuzz',
      callbackHosts: [],
      ipAllowlist: [],
      clientCertificates: [],
      permissions: ['AUTH', 'SIGN', 'SEAL', 'ORG_LINK_WRITE', 'PKI_READ'],
      firstParty: false,
      requestsPerMinute: 1_000_000,
      smartIdStatuses: false,
    });
    const [citizen] = demoCitizens;
    if (citizen === undefined) throw new Error('There is no demo citizen.');
    const store = createMemoryPhoneStore();
    const phone = createPhone({ baseUrl: service.origin, store });
    const { documentNumber, etsi } = await phone.enrol({
      card: { ...citizen, identifier: citizen.civilId },
      ...citizen,
    });
    const transport = (await store.load())?.transport.privateKey ?? '';
    const key = importPrivateKey(Buffer.from(transport, 'base64'));

    // Deactivating would end the phone the other rows are thrown at with; nobody waits at an empty inbox here.
    const routes = service.routes
      .filter(({ path }) => path !== '/v3/device/deactivate' && !isOperators(path))
      .map((row) => (row.path === '/v3/device/inbox' ? withoutWaiting(row) : row));
    const { sent, served } = await fuzzRoutes(routes, {
      runs: 120,
      authorize: (row, { method, target, body }): Readonly<Record<string, string>> =>
        row.path.startsWith('/v3/device')
          ? {
              dpop: deviceProof(key, documentNumber, {
                method,
                path: target,
                body: body ?? '',
                time: new Date(),
              }),
            }
          : { authorization: `Bearer ${apiSecret}` },
      known: {
        id: etsi,
        ...{ etsi, personEtsi: etsi, actingPersonEtsi: etsi },
        ...{ orgRegister: 'УБ5512345', orgName: 'Тамга ХХК', nameLatin: 'TAMGA LLC' },
        ...{ regNo: citizen.regNo, signerRegNo: demoCitizens[1]?.regNo },
        orgEtsi: 'NTRMN-5123456',
        documentNumber,
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
    expect(sent).to.be.greaterThan(3000);
    expect(served).to.be.greaterThan(300);
  });

  it('holds for operators, who may do everything', async () => {
    const { service } = installation;
    const { token } = await openOperatorWorld(service.origin).signedIn('SUPER_ADMIN');
    const { relyingPartyId } = await service.registerRelyingParty({
      ...{ name: 'Fuzzed', callbackHosts: [], ipAllowlist: [], clientCertificates: [] },
      ...{ permissions: ['AUTH'], firstParty: false, requestsPerMinute: null },
      smartIdStatuses: false,
    });
    const [, citizen] = demoCitizens;
    const { documentNumber } = await installation.enrol(citizen?.civilId ?? '');
    const [certificate] = await service.listCertificates({ documentNumber });
    const register = '5556677';
    await service.organizations.register({
      ...{ register, name: 'Тамга ХХК', nameLatin: 'TAMGA LLC', activate: true },
    });
    // A password is hashed for each attempt, which is all that attempts to sign in would measure here.
    const routes = service.routes.filter(
      ({ path }) => isOperators(path) && path !== '/v3/admin/auth/login',
    );
    const { sent, served } = await fuzzRoutes(routes, {
      runs: 60,
      authorize: () => ({ authorization: `Bearer ${token}` }),
      known: {
        ...{ id: relyingPartyId, relyingPartyId, documentNumber, serial: certificate?.serial },
        ...{ etsi: `NTRMN-${register}`, orgRegister: register, personEtsi: citizen?.civilId },
        ...{ reason: 4, role: 'AUDITOR', rightType: 'MANAGER', source: 'MANUAL', name: 'Тамга' },
      },
    });
    expect(sent).to.be.greaterThan(2000);
    expect(served).to.be.greaterThan(300);
  });
});

function isOperators(path: string): boolean {
  return path.startsWith('/v3/admin/');
}

function withoutWaiting(row: Route): Route {
  return {
    ...row,
    handle: (request) =>
      row.handle({ ...request, query: { ...(request.query as object), timeoutMs: 0 } }),
  };
}
