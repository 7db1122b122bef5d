import { createHash, randomBytes } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { expect } from 'chai';
import { ApiError, EidClient, ForbiddenError, ValidationError } from '../../client/index.ts';
import { type ContractServer, startContractServer } from '../support/http/contractServer.ts';
import { rejection } from '../support/assertions/rejection.ts';

const admin = 'PNOMN-110000000001';
const other = 'PNOMN-110000000002';

describe('The sub-APIs of the client library, against a server that speaks the contract', () => {
  let server: ContractServer;
  let client: EidClient;

  beforeEach(async () => {
    server = await startContractServer();
    client = new EidClient({
      baseUrl: server.origin,
      credentials: { rpUUID: 'u1', rpName: 'DEMO', apiSecret: server.apiSecret },
    });
  });

  afterEach(() => server.stop());

  describe('stamp', () => {
    const pdf = Buffer.from('%PDF-1.7\n…\n%%EOF\n');

    it('sends the bytes of the document and its name, and returns what they became', async () => {
      const stamped = await client.stamp.pdf('s1', pdf, { fileName: 'гэрээ № 1.pdf' });
      expect(stamped.subarray(0, pdf.length).equals(pdf)).to.equal(true);
      expect(stamped.toString()).to.contain('% stamped');
      const [request] = server.arrived;
      expect(request?.body.equals(pdf)).to.equal(true);
      expect(request?.headers['content-type']).to.equal('application/pdf');
      const url = new URL(request?.path ?? '', server.origin);
      expect(url.pathname).to.equal('/v3/signature/stamp/s1');
      expect(url.searchParams.get('fileName')).to.equal('гэрээ № 1.pdf');
    });

    it('says why there is none', async () => {
      const error = await rejection(client.stamp.pdf('s1', Buffer.from('text')));
      expect(error).to.be.instanceOf(ApiError);
      expect(error).to.include({ status: 422, code: 'DIGEST_MISMATCH' });
    });

    it('believes no answer that does not begin with the original', async () => {
      for (const body of [Buffer.from('%PDF-1.7\nanother'), pdf, Buffer.alloc(0)]) {
        server.script({ body });
        const error = await rejection(client.stamp.pdf('s1', pdf));
        expect(error).to.be.instanceOf(ValidationError);
        expect(error).to.have.property('code', 'DOCUMENT_ALTERED');
      }
    });
  });

  describe('seal', () => {
    it('issues a certificate, then seals digests of every length', async () => {
      const missing = await rejection(client.seal.certificate('NTRMN-1234567'));
      expect(missing).to.include({ status: 404 });
      const issued = await client.seal.issueCertificate('NTRMN-1234567');
      expect(await client.seal.certificate('NTRMN-1234567')).to.deep.equal(issued);
      expect(issued).to.deep.equal({
        serialNumber: '0abc',
        subjectDn: 'CN=Тамга ХХК',
        certificateLevel: 'QUALIFIED',
        notBefore: '2026-01-01T00:00:00Z',
        notAfter: '2029-01-01T00:00:00Z',
        certificateDerB64: 'c2VhbA==',
      });
      for (const hash of ['sha256', 'sha384', 'sha512']) {
        const digest = createHash(hash).update('document').digest();
        const sealed = await client.seal.digest('NTRMN-1234567', digest.toString('base64'));
        expect(sealed.signatureAlgorithm).to.equal(`ecdsa-with-${hash.toUpperCase()}`);
        const signature = Buffer.from(sealed.signatureValueB64, 'base64');
        expect(
          p256.verify(signature, digest, server.sealPublicKey, {
            prehash: false,
            format: 'der',
            lowS: false,
          }),
        ).to.equal(true);
        expect(sealed).to.include({
          certificateDerB64: 'c2VhbA==',
          certificateLevel: 'QUALIFIED',
          sealedAt: '2026-01-01T00:00:00Z',
        });
      }
    });

    it('says why there is none', async () => {
      const digest = randomBytes(32).toString('base64');
      for (const [org, value, status, code] of [
        ['NTRMN-7654321', digest, 409, 'ORG_NOT_ACTIVE'],
        ['NTRMN-0000000', digest, 404, 'ORG_NOT_FOUND'],
        ['NTRMN-1234567', 'AAAA', 400, 'INVALID_REQUEST'],
      ] as const) {
        const error = await rejection(client.seal.digest(org, value));
        expect(error).to.be.instanceOf(ApiError);
        expect(error).to.include({ status, code });
      }
    });
  });

  describe('organization', () => {
    it('tells whom a person may act for', async () => {
      expect(await client.organization.representations(other)).to.deep.equal({
        personEtsi: other,
        representations: [],
      });
      const { representations } = await client.organization.representations(admin);
      expect(representations).to.deep.equal([
        {
          orgEtsi: 'NTRMN-1234567',
          orgRegister: '1234567',
          orgName: 'Тамга ХХК',
          orgNameEn: 'TAMGA',
          role: 'CEO',
          rightType: 'ADMIN',
          source: 'REGISTRY',
          validFrom: '2026-01-01T00:00:00Z',
          validTo: null,
        },
      ]);
    });

    it('links and unlinks', async () => {
      const organization = { orgRegister: '1111111', orgName: 'Шинэ ХХК' };
      const stranger = await rejection(
        client.organization.link(other, {
          ...organization,
          affiliates: [{ regNo: 'УБ90010112', kind: 'CEO' }],
        }),
      );
      expect(stranger).to.be.instanceOf(ForbiddenError);
      const linked = await client.organization.link(other, {
        ...organization,
        affiliates: [{ regNo: 'УБ91020223', role: 'Захирал', kind: 'CEO' }],
      });
      expect(linked.representations.map(({ orgRegister }) => orgRegister)).to.deep.equal([
        '1111111',
      ]);
      const left = await client.organization.unlink(other, '1111111');
      expect(left.representations).to.deep.equal([]);
    });

    it('adds, asks again and removes a signer', async () => {
      const { organization } = client;
      const added = await organization.addSigner('1234567', admin, {
        signerRegNo: 'УБ91020223',
        role: 'Нягтлан',
      });
      expect(added.signers.map(({ regNo, status, self }) => [regNo, status, self])).to.deep.equal([
        ['уб90010112', 'ACTIVE', true],
        ['уб91020223', 'PENDING', false],
      ]);
      expect(added.pendingConfirmation).to.deep.equal({
        orgRegister: '1234567',
        orgName: 'Тамга ХХК',
        signerEtsi: other,
        signerRegNo: 'уб91020223',
        sessionId: 'session-of-the-signer',
      });
      const again = await organization.resendConfirmation('1234567', admin, 'УБ91020223');
      expect(again.pendingConfirmation).to.include({ signerEtsi: other });
      const removed = await organization.removeSigner('1234567', admin, 'УБ91020223');
      expect(removed.pendingConfirmation).to.equal(null);
      expect(removed).to.deep.equal(await organization.signers('1234567', admin));
      expect(removed.signers).to.have.length(1);
    });

    it('renames', async () => {
      const renamed = await client.organization.setNameLatin('1234567', admin, 'Tamga LLC');
      expect(renamed.representations[0]).to.include({ orgNameEn: 'TAMGA LLC' });
    });

    it('says who may not', async () => {
      const { organization } = client;
      const signer = { signerRegNo: 'УБ99999999' };
      const denied = await rejection(organization.addSigner('1234567', other, signer));
      expect(denied).to.be.instanceOf(ForbiddenError);
      const unknown = await rejection(organization.addSigner('1234567', admin, signer));
      expect(unknown).to.include({ status: 404, code: 'SIGNER_NOT_ENROLLED' });
    });
  });

  describe('personPki', () => {
    const counts = { valid: 2, revoked: 1, expired: 0, suspended: 0, total: 3 };

    it('reads summary, certificates and devices', async () => {
      expect(await client.personPki.summary(admin)).to.deep.equal({
        givenName: 'Болд',
        surname: 'Дорж',
        certificates: counts,
        activity: { authentication: 4, signature: 1 },
        devicesActive: 1,
        devicesTotal: 2,
        representationCount: 1,
      });
      const certificates = await client.personPki.certificates(admin);
      expect(certificates).to.deep.include({ personEtsi: admin, counts });
      expect(certificates.certificates[0]).to.include({ type: 'SIGN', status: 'REVOKED' });
      const devices = await client.personPki.devices(admin);
      expect(devices).to.include({ personEtsi: admin, activeCount: 1, total: 1 });
      expect(devices.devices[0]).to.include({ platform: 'FCM', active: true, deactivatedAt: null });
    });

    it('reads the activity page by page', async () => {
      const { sessions, total } = await client.personPki.activity(admin, {
        limit: 1,
        offset: 4,
        flow: 'SIGNATURE',
      });
      expect(sessions[0]).to.include({ sessionId: 's1', flow: 'SIGNATURE', docText: 'Sign' });
      expect(total).to.equal(5);
      expect(server.arrived[0]?.path).to.match(/\?limit=1&offset=4&flow=SIGNATURE$/);
      await client.personPki.activity(admin);
      expect(server.arrived[1]?.path).to.match(/\?limit=20&offset=0$/);
    });

    it('says who is unknown', async () => {
      const error = await rejection(client.personPki.summary('PNOMN-999999999999'));
      expect(error).to.include({ status: 404, code: 'PERSON_NOT_FOUND' });
    });
  });
});
