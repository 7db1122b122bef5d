import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import {
  checkCallback,
  createRevocationChecker,
  type DeviceLinkSession,
  EidClient,
  plainDeviceLink,
  signedDeviceLink,
  ValidationError,
  verificationCode,
} from '../../client/index.ts';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  demoEnvironment,
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { openAsScripted } from '../support/programs/openAsScripted.ts';

const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Гэрээ байгуулах' }] as const;
const withEc = '110000000001';
const withRsa = '110000000002';
const etsi = (civilId: string) => `PNOMN-${civilId}`;
const digest = (hash: string) => createHash(hash).update('contract').digest('base64');

describe('The client library, against the service and its phones', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let phones: readonly DemoPhone[];
  let client: EidClient;

  before(async () => {
    demo = await startDemoInstallation();
    phones = await Promise.all([withEc, withRsa].map((civilId) => demo.enrol(civilId)));
    await demo.service.setRelyingPartyNames({
      relyingPartyId: demo.relyingPartyId,
      aliases: ['Жишээ банк'],
      otherNames: false,
    });
    const environment = await demoEnvironment(demo);
    client = new EidClient({
      baseUrl: demo.service.origin,
      credentials: {
        rpUUID: demo.relyingPartyId,
        rpName: 'Жишээ банк',
        apiSecret: demo.apiSecret,
      },
      trust: {
        trustAnchorsPem: await readFile(environment['TRUST_ANCHORS'] ?? '', 'utf8'),
        intermediatesPem: await readFile(environment['TRUST_INTERMEDIATES'] ?? '', 'utf8'),
        revocation: createRevocationChecker({
          sources: ['ocsp'],
          ocspUrl: `${demo.service.origin}/ocsp`,
        }),
      },
    });
  });

  after(() => demo.stop());

  const phoneOf = (civilId: string) => {
    const found = phones.find(({ citizen }) => citizen.civilId === civilId);
    if (found === undefined) throw new Error('There is no such phone.');
    return found;
  };

  describe('by push', () => {
    let scripted: ReturnType<typeof startScriptedPhones>;

    before(() => {
      scripted = startScriptedPhones(phones);
    });

    after(() => scripted.stop());

    for (const generation of ['G1', 'G2'] as const) {
      for (const civilId of [withEc, withRsa]) {
        it(`logs citizen ${civilId} in, ${generation}`, async () => {
          const session = await client.auth.notificationByEtsi(etsi(civilId), interactions, {
            generation,
          });
          expect(session.vc.value).to.equal(verificationCode(session.rpChallenge, generation));
          const result = await client.session.waitForResult(session.sessionId);
          const validated = client.validator.validateAuth(result, session);
          expect(validated.subject.serialNumber).to.equal(etsi(civilId));
          expect(validated.statedByService.documentNumber).to.equal(
            phoneOf(civilId).documentNumber,
          );
          await client.validator.checkRevocation(validated.certificate);
          expect(result.person).to.include({ civilId });
          const { documentNumber } = validated.statedByService;
          const again = await client.auth.notificationByDocument(documentNumber, interactions, {
            generation,
          });
          const stale = await client.session.waitForResult(again.sessionId);
          expect(() => client.validator.validateAuth(stale, session)).to.throw(ValidationError);
          client.validator.validateAuth(stale, again);
        });
      }
    }

    it('signs digests of every hash, in the first generation', async () => {
      for (const civilId of [withEc, withRsa]) {
        for (const hashType of ['SHA256', 'SHA384', 'SHA512'] as const) {
          const value = digest(hashType.toLowerCase());
          const session = await client.sign.digestByEtsi(etsi(civilId), value, interactions, {
            hashType,
            fileName: 'гэрээ.pdf',
          });
          const result = await client.session.waitForResult(session.sessionId);
          client.validator.validateSign(result, value);
          expect(() =>
            client.validator.validateSign(result, randomBytes(32).toString('base64')),
          ).to.throw(ValidationError);
        }
      }
    });

    it('signs digests with every algorithm, in the second generation', async () => {
      const pss = (['SHA-256', 'SHA-384', 'SHA-512', 'SHA3-256', 'SHA3-512'] as const).map(
        (hashAlgorithm) => ({ signatureAlgorithm: 'rsassa-pss', hashAlgorithm }) as const,
      );
      const pkcs1 = (
        [
          ['sha256WithRSAEncryption', 'SHA-256'],
          ['sha384WithRSAEncryption', 'SHA-384'],
          ['sha512WithRSAEncryption', 'SHA-512'],
        ] as const
      ).map(([signatureAlgorithm, hashAlgorithm]) => ({ signatureAlgorithm, hashAlgorithm }));
      for (const options of [...pss, ...pkcs1]) {
        const name = options.hashAlgorithm.toLowerCase().replace('sha-', 'sha');
        const value = digest(name);
        const session = await client.sign.digestByEtsi(etsi(withRsa), value, interactions, {
          ...options,
          generation: 'G2',
        });
        const result = await client.session.waitForResult(session.sessionId);
        expect(result).to.include({ signatureAlgorithm: options.signatureAlgorithm });
        client.validator.validateSign(result, value, { session, personEtsi: etsi(withRsa) });
      }
    });

    it('signs a text with the key of a P-256 citizen', async () => {
      const session = await client.sign.textByEtsi(etsi(withEc), 'contract', interactions, {
        generation: 'G2',
      });
      const result = await client.session.waitForResult(session.sessionId);
      client.validator.validateSign(result, digest('sha256'), { session });
    });

    it("has the citizen's own signature put into a PDF", async () => {
      const pdf = onePage();
      for (const civilId of [withEc, withRsa]) {
        const { preparedId, digestB64, hashType, documentNumber } = await client.stamp.prepare(
          { id: etsi(civilId) },
          pdf,
          { hashType: 'SHA384', fileName: 'гэрээ.pdf' },
        );
        expect(hashType).to.equal('SHA384');
        const session = await client.sign.digestByDocument(
          documentNumber,
          digestB64,
          interactions,
          {
            hashType,
          },
        );
        const result = await client.session.waitForResult(session.sessionId);
        client.validator.validateSign(result, digestB64, { documentNumber });
        const signed = await client.stamp.prepared(session.sessionId, { preparedId, pdf });
        expect(signed.length).to.be.greaterThan(pdf.length);
      }
      expect(
        await rejection(client.stamp.prepare({ documentNumber: 'none' }, pdf)),
      ).to.have.property('status', 400);
    });

    it('signs several documents with one PIN, with keys of each kind', async () => {
      const documents = (['SHA256', 'SHA384', 'SHA512'] as const).map((hashType) => ({
        digest: digest(hashType.toLowerCase()),
        hashType,
        displayText60: `Contract by ${hashType}`,
      }));
      for (const civilId of [withEc, withRsa]) {
        const session = await client.sign.batchByEtsi(etsi(civilId), documents, interactions);
        const result = await client.session.waitForResult(session.sessionId);
        const personEtsi = etsi(civilId);
        const signed = client.validator.validateBatch(result, documents, { personEtsi });
        expect(signed).to.have.length(documents.length);
      }
    });

    it('asks for a certificate, and signs on the phone that gave it', async () => {
      const choice = await client.sign.certificateChoiceAnonymous();
      await openAsScripted(phoneOf(withEc), signedDeviceLink(choice, { type: 'QR' }));
      const chosen = await client.session.waitForResult(choice.sessionId);
      expect(chosen).to.include({ endResult: 'OK', signatureValueB64: null });
      const documentNumber = chosen.documentNumber ?? '';
      const known = await client.sign.certificateOf(documentNumber);
      expect(known.certificateDerB64).to.equal(chosen.certificateDerB64);
      const session = await client.sign.linkedDigest(
        { sessionId: choice.sessionId, documentNumber },
        digest('sha256'),
        interactions,
      );
      const signed = await client.session.waitForResult(session.sessionId);
      const { certificate } = client.validator.validateSign(signed, digest('sha256'), { session });
      expect(certificate.raw.toString('base64')).to.equal(known.certificateDerB64);
    });

    it('asks for a certificate by push', async () => {
      const choice = await client.sign.certificateChoiceNotification(etsi(withRsa));
      const chosen = await client.session.waitForResult(choice.sessionId);
      expect(chosen).to.include({ documentNumber: phoneOf(withRsa).documentNumber });
    });
  });

  describe('by device link', () => {
    const callbackUrl = 'https://rp.example.mn/auth/eid/callback?state=abc%20d';

    it('logs in whoever scans the signed QR code', async () => {
      // A QR link is signed without the callback, which a session for both ways has.
      const session = await client.auth.deviceLinkAnonymous(interactions, {
        generation: 'G2',
        callbackUrl,
      });
      const { request } = await openAsScripted(
        phoneOf(withRsa),
        signedDeviceLink(session, { type: 'QR' }),
      );
      expect(request.verificationCode).to.equal(session.vc);
      const result = await client.session.waitForResult(session.sessionId);
      const { subject } = client.validator.validateAuth(result, session);
      expect(subject.serialNumber).to.equal(etsi(withRsa));
      expect(result.flowType).to.equal('QR');
    });

    it('makes no QR code that is older than it says', async () => {
      const session = await client.auth.deviceLinkAnonymous(interactions, { generation: 'G2' });
      const stored = JSON.parse(JSON.stringify(session)) as DeviceLinkSession;
      const early = { ...stored, receivedAt: (stored.receivedAt ?? 0) - 60_000 };
      const open = openAsScripted(phoneOf(withRsa), signedDeviceLink(early, { type: 'QR' }));
      expect(await rejection(open)).to.have.property('code', 'DEVICE_LINK_EXPIRED');
      const forged = signedDeviceLink(session, { type: 'QR' }).replace('lang=mon', 'lang=eng');
      const refused = await rejection(openAsScripted(phoneOf(withRsa), forged));
      expect(refused).to.have.property('code', 'DEVICE_LINK_INVALID');
    });

    for (const type of ['Web2App', 'App2App'] as const) {
      it(`knows the browser that returns, ${type}`, async () => {
        const session = await client.auth.deviceLinkByEtsi(etsi(withEc), interactions, {
          generation: 'G2',
          callbackUrl,
        });
        const { returnTo } = await openAsScripted(
          phoneOf(withEc),
          signedDeviceLink(session, { type }),
        );
        const result = await client.session.waitForResult(session.sessionId);
        client.validator.validateAuth(result, session);
        const expected = { session, result, state: 'abc d' };
        checkCallback(new URL(returnTo ?? ''), expected);
        const other = await client.auth.deviceLinkByEtsi(etsi(withEc), interactions, {
          generation: 'G2',
          callbackUrl,
        });
        expect(() =>
          checkCallback(new URL(returnTo ?? ''), { ...expected, session: other }),
        ).to.throw(ValidationError);
      });
    }

    it('signs by link, and asks for a certificate by link', async () => {
      const session = await client.sign.deviceLinkByEtsi(
        etsi(withEc),
        digest('sha256'),
        interactions,
        {
          generation: 'G2',
          callbackUrl,
        },
      );
      const { returnTo } = await openAsScripted(
        phoneOf(withEc),
        signedDeviceLink(session, { type: 'Web2App' }),
      );
      const result = await client.session.waitForResult(session.sessionId);
      client.validator.validateSign(result, digest('sha256'), { session });
      checkCallback(new URL(returnTo ?? ''), { session, result, state: 'abc d' });
      const choice = await client.sign.certificateChoiceAnonymous();
      expect(choice.vc).to.equal('');
      await openAsScripted(phoneOf(withEc), signedDeviceLink(choice, { type: 'QR' }));
      const chosen = await client.session.waitForResult(choice.sessionId);
      expect(chosen).to.include({ documentNumber: phoneOf(withEc).documentNumber });
      expect(await client.sign.certificateChoiceDeviceLink(etsi(withEc))).to.include({ vc: '' });
    });

    it('opens the unsigned links of both generations', async () => {
      for (const generation of ['G1', 'G2'] as const) {
        const session = await client.auth.deviceLinkByDocument(
          phoneOf(withEc).documentNumber,
          interactions,
          { generation },
        );
        await openAsScripted(phoneOf(withEc), plainDeviceLink(session));
        const result = await client.session.waitForResult(session.sessionId);
        client.validator.validateAuth(result, session);
      }
    });
  });
});
