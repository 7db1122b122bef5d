import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createRateLimit } from '../../api/bounds/admission.ts';
import { sealRoutes } from '../../api/seal/routes.ts';
import type { ApiServer } from '../../api/server.ts';
import type { RelyingPartyData } from '../../application/ports/referenceData.ts';
import { issueSealCertificate } from '../../application/seal/issueSealCertificate.ts';
import {
  createExpectSealsFor,
  readSealPreconditions,
  sealIdentityOf,
} from '../../application/seal/sealPreconditions.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { subjectText } from '../../infrastructure/pki/parsedCertificate.ts';
import { fuzzRoutes, servedOfWhole } from '../support/http/fuzzRoutes.ts';
import { startTestServer } from '../support/http/http.ts';
import { call } from '../../main/drill/callers.ts';
import { startTestAuthority, type TestAuthority } from '../support/doubles/memoryPki.ts';
import { relyingPartyData } from '../support/worlds/relyingPartyWorld.ts';
import { createSealWorld, register, type SealWorld } from '../support/worlds/sealWorld.ts';

describe('The seal API', () => {
  let test: TestAuthority;
  let world: SealWorld;
  let server: ApiServer;
  let origin: string;
  let routes: ReturnType<typeof sealRoutes>;
  let referenceData: SealWorld['referenceData'];
  const etsi = `NTRMN-${register}`;

  before(async () => {
    test = await startTestAuthority();
  });

  after(() => test.stop());

  beforeEach(async () => {
    world = await createSealWorld(test);
    const { eventStore, issuing } = world;
    ({ referenceData } = world);
    routes = sealRoutes({
      referenceData,
      sealDigest: world.sealDigest,
      certificateOf: async (organization) =>
        sealIdentityOf(
          await readSealPreconditions(eventStore, organization),
          new Date().toISOString(),
        ),
      expectSealsFor: createExpectSealsFor(world.organizations),
      // An ADMIN who confirms at once.
      requestCertificate: async ({ register: organization }, contextOf) => ({
        kind: 'ISSUED',
        identity: await issueSealCertificate(issuing, organization, contextOf('test')),
      }),
      subjectOf: subjectText,
      rateLimit: createRateLimit({ name: 'seal', redis: null }),
      requestsPerMinute: 1_000_000,
    });
    ({ server, origin } = await startTestServer(routes));
  });

  afterEach(async () => {
    await server.stop(100);
    await world.stop();
  });

  /** A relying party that may seal; its Authorization header. */
  function caller(changes: Partial<RelyingPartyData> = {}) {
    const secret = `rp_sk_${randomBytes(8).toString('hex')}`;
    const fact = relyingPartyData(secret, {
      permissions: ['SEAL'],
      sealsFor: [register],
      ...changes,
    });
    referenceData.relyingParties.set(secret, { ...fact, secretHash: sha256Hex(secret) });
    return { authorization: `Bearer ${secret}` };
  }

  const seal = (digest: unknown, headers = caller(), organization = etsi) =>
    call(`${origin}/v3/seal/${encodeURIComponent(organization)}`, {
      method: 'POST',
      headers,
      body: { digest },
    });
  const certificate = (method: 'GET' | 'POST', organization = etsi) =>
    call(`${origin}/v3/seal/certificate/${organization}`, { method, headers: caller() });

  it('issues a certificate and shows it', async () => {
    const issued = await certificate('POST');
    expect(issued.status).to.equal(200);
    expect(issued.body).to.include({
      subjectDn: `CN=TAMGA LLC,serialNumber=${register},organizationIdentifier=${etsi},O=TAMGA LLC,C=MN`,
      certificateLevel: 'QUALIFIED',
    });
    expect(issued.body).to.have.keys(
      ...['serialNumber', 'subjectDn', 'notBefore', 'notAfter', 'certificateLevel', 'cert'],
    );
    expect((await certificate('GET')).body).to.deep.equal(issued.body);
  });

  for (const [bytes, algorithm] of [
    [32, 'ecdsa-with-SHA256'],
    [48, 'ecdsa-with-SHA384'],
    [64, 'ecdsa-with-SHA512'],
  ] as const) {
    it(`seals a digest of ${bytes} bytes with ${algorithm}`, async () => {
      await world.issue();
      const sealed = await seal(randomBytes(bytes).toString('base64'));
      expect(sealed.status).to.equal(200);
      expect(sealed.body['signature']).to.include({ signatureAlgorithm: algorithm });
      expect(sealed.body['cert']).to.include({ certificateLevel: 'QUALIFIED' });
      expect(sealed.body).to.have.keys('signature', 'cert', 'sealedAt');
    });
  }

  for (const [what, digest] of [
    ['of 31 bytes', Buffer.alloc(31).toString('base64')],
    ['of 20 bytes', Buffer.alloc(20).toString('base64')],
    ['of 65 bytes', Buffer.alloc(65).toString('base64')],
    ['that is empty', ''],
    ['in base64url', Buffer.alloc(32, 0xff).toString('base64url')],
    ['in hexadecimal of odd length', 'abc'],
    ['that is a number', 42],
    ['that is not there', undefined],
  ] as const) {
    it(`refuses a digest ${what} and points at it`, async () => {
      await world.issue();
      const refused = await seal(digest);
      expect(refused.status).to.equal(400);
      expect(refused.body['errors']).to.have.nested.property('[0].pointer', '/digest');
      expect(world.sealEvents()).to.deep.equal([]);
    });
  }

  it('is for relying parties with SEAL and for first-party ones', async () => {
    await world.issue();
    const digest = randomBytes(32).toString('base64');
    const denied = await seal(digest, caller({ permissions: ['AUTH', 'SIGN'] }));
    expect(denied.status).to.equal(403);
    expect(denied.body).to.include({ code: 'PERMISSION_DENIED' });
    expect((await seal(digest, caller({ permissions: [], firstParty: true }))).status).to.equal(
      200,
    );
    expect((await seal(digest, { authorization: 'Bearer rp_sk_wrong' })).status).to.equal(401);
  });

  it('F4: seals and issues only for the organizations on the list of the relying party', async () => {
    await world.issue();
    const digest = randomBytes(32).toString('base64');
    for (const sealsFor of [[], ['7654321']]) {
      const elsewhere = caller({ sealsFor, firstParty: true });
      const path = `${origin}/v3/seal/certificate/${etsi}`;
      for (const refused of [
        await seal(digest, elsewhere),
        await call(path, { method: 'POST', headers: elsewhere }),
      ]) {
        expect(refused.status).to.equal(403);
        expect(refused.body).to.include({ code: 'SEAL_NOT_ALLOWED' });
        expect(refused.body['error']).to.include('to allow it');
      }
      const shown = await call(path, { headers: elsewhere });
      expect(shown.status, 'a certificate is public').to.equal(200);
    }
    expect(world.sealEvents()).to.deep.equal([]);
  });

  it('answers 404 for organizations nobody knows, however they are written', async () => {
    for (const unknown of ['NTRMN-9999999', 'NTRMN-', 'аа', '%00', 'PNOMN-110000000001']) {
      const digest = randomBytes(32).toString('base64');
      const refused = await seal(digest, caller(), unknown);
      expect(refused.status, unknown).to.equal(404);
      expect(refused.body).to.include({ code: 'ORG_NOT_FOUND' });
    }
  });

  it('answers 409 while the organization is suspended and when its certificate is revoked', async () => {
    const { serial } = await world.issue();
    const digest = randomBytes(32).toString('base64');
    await world.changeOrganization('SuspendOrganization');
    for (const answer of [
      await seal(digest),
      await certificate('GET'),
      await certificate('POST'),
    ]) {
      expect(answer.status).to.equal(409);
      expect(answer.body).to.include({ code: 'ORG_NOT_ACTIVE' });
    }
    await world.changeOrganization('RestoreOrganization');
    await world.revokeCertificate(serial);
    for (const answer of [await seal(digest), await certificate('GET')]) {
      expect(answer.status).to.equal(409);
      expect(answer.body).to.include({ code: 'CERTIFICATE_NOT_ACTIVE' });
    }
    expect((await certificate('POST')).status).to.equal(200);
    expect((await seal(digest)).status).to.equal(200);
  });

  it('answers whatever is thrown at it without a 5xx', async function () {
    this.timeout(60_000);
    await world.issue();
    const headers = caller();
    const { served } = await fuzzRoutes(routes, {
      runs: 100,
      authorize: () => headers,
      known: { orgEtsi: etsi, digest: Buffer.alloc(48, 1).toString('base64') },
    });
    expect(served).to.be.greaterThan(servedOfWhole(20));
  });
});
