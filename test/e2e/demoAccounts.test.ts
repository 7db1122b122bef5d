import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import { showDocument } from '../../main/cli/demoDocument.ts';
import { createDemoIssuer } from '../../main/cli/demoPlatform.ts';
import { verificationCode } from '../../apps/phone/crypto.ts';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  newChallenge,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { rejection } from '../support/assertions/rejection.ts';

const [okay, rsa] = demoCitizens.map(({ civilId }) => civilId);

describe('The demo accounts, over HTTP', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let phones: readonly DemoPhone[];
  const issuer = createDemoIssuer({});

  before(async () => {
    demo = await startDemoInstallation({ SVC_SESSION_WINDOW: '10', ...issuer.settings });
    phones = await Promise.all(demoCitizens.map(({ civilId }) => demo.enrol(civilId)));
  });

  after(() => demo.stop());

  const phoneOf = (civilId: string | undefined) => {
    const found = phones.find(({ citizen }) => citizen.civilId === civilId);
    if (found === undefined) throw new Error('There is no such phone.');
    return found;
  };

  describe('answering by themselves', () => {
    let scripted: ReturnType<typeof startScriptedPhones>;

    before(() => {
      scripted = startScriptedPhones(phones);
    });

    after(() => scripted.stop());

    it('sign a document in order, for the clerk whose access token is in demo.json', async () => {
      const said: string[] = [];
      const tell = (text: string) => void said.push(text);
      const path = join(demo.directory, 'lease-signed.pdf');
      await showDocument({
        platform: await issuer.issue(demo.service.origin),
        path,
        signers: demoCitizens.slice(0, 2),
        telling: { step: tell, say: tell, show: tell, warn: tell },
      });
      expect(said.join('\n')).to.include('the document is APPROVED').and.include(path);
      expect((await readFile(path)).subarray(0, 5).toString()).to.equal('%PDF-');
    });

    for (const { civilId, regNo, name, outcome, keyType } of demoCitizens) {
      it(`let a poll see ${outcome} of ${name} (${keyType}), login and signature`, async () => {
        const path = (kind: string, id: string) =>
          `/${kind}/notification/etsi/${encodeURIComponent(id)}`;
        const digest = randomBytes(32).toString('base64');
        const started = await Promise.all([
          demo.create(path('authentication', `PNOMN-${civilId}`), newChallenge()),
          demo.create(path('signature', regNo.toUpperCase()), { digest, hashType: 'SHA256' }),
        ]);
        for (const { status, body } of started) {
          expect(status).to.equal(200);
          const polled = await demo.poll(body['sessionID']);
          expect(polled.body).to.have.property('state', 'COMPLETE');
          expect(polled.body).to.have.nested.property('result.endResult', outcome);
          expect('signature' in polled.body).to.equal(outcome === 'OK');
          expect('cert' in polled.body).to.equal(outcome === 'OK');
        }
      });
    }

    it('answer a push to one document', async () => {
      const { documentNumber } = phoneOf(okay);
      for (const [kind, fields] of [
        ['authentication', newChallenge()],
        ['signature', { digest: randomBytes(64).toString('base64'), hashType: 'SHA512' }],
      ] as const) {
        const { body } = await demo.create(
          `/${kind}/notification/document/${documentNumber}`,
          fields,
        );
        const polled = await demo.poll(body['sessionID']);
        expect(polled.body['result']).to.deep.equal({ endResult: 'OK', documentNumber });
      }
    });

    it('give the signing certificate of the phone, which is also told without asking', async () => {
      const { documentNumber } = phoneOf(rsa);
      const { body } = await demo.create(
        `/signature/certificate-choice/notification/etsi/${rsa}`,
        {},
      );
      const { body: chosen } = await demo.poll(body['sessionID']);
      expect(chosen['result']).to.deep.equal({ endResult: 'OK', documentNumber });
      expect(chosen).not.to.have.property('signature');
      const { body: told } = await demo.create(`/signature/certificate/${documentNumber}`, {});
      expect(told).to.deep.equal({ state: 'OK', cert: chosen['cert'] });
    });
  });

  describe('opening a device link', () => {
    const callback = { initialCallbackUrl: 'https://rp.example.mn/anywhere?state=abc%20d#x' };

    it('show the code of the browser, return to the forced path, and may be anybody', async () => {
      const { rpChallenge } = newChallenge();
      const { status, body } = await demo.create('/authentication/device-link/anonymous', {
        rpChallenge,
        ...callback,
      });
      expect(status).to.equal(200);
      expect(body['vc']).to.equal(await verificationCode(Buffer.from(rpChallenge, 'base64')));

      const { phone, pin1, documentNumber } = phoneOf(rsa);
      const request = await phone.open(`tamga://approve?sessionId=${String(body['sessionID'])}`);
      expect(request.verificationCode).to.equal(body['vc']);
      expect(request.callbackUrl).to.equal('https://rp.example.mn/auth/eid/callback?state=abc%20d');
      const tooLate = await rejection(phoneOf(okay).phone.open(String(body['sessionID'])));
      expect(tooLate).to.have.property('code', 'SESSION_ALREADY_CLAIMED');
      expect((await demo.poll(body['sessionID'], 0)).body).to.include({ state: 'RUNNING' });
      await phone.confirm(request, pin1);

      const polled = await demo.poll(body['sessionID']);
      expect(polled.body['result']).to.deep.equal({ endResult: 'OK', documentNumber });
      expect(polled.body).to.have.nested.property('person.civilId', rsa);
    });

    it('belong to the person named, and nobody else', async () => {
      const { body } = await demo.create(`/authentication/device-link/etsi/PNOMN-${String(okay)}`, {
        ...newChallenge(32),
        initialCallbackUrl: 'https://evil.example/steal?state=1',
      });
      const sessionId = String(body['sessionID']);
      const stranger = await rejection(phoneOf(rsa).phone.open(sessionId));
      expect(stranger).to.have.property('code', 'SESSION_NOT_FOUND');
      const { phone, pin1 } = phoneOf(okay);
      const request = await phone.open(sessionId);
      expect(request.callbackUrl, 'a host nobody registered is dropped').to.equal(null);
      await phone.confirm(request, pin1);
      const polled = await demo.poll(sessionId);
      expect(polled.body).to.have.nested.property('result.endResult', 'OK');
    });

    it('sign a digest with PIN2', async () => {
      const { phone, pin2, documentNumber } = phoneOf(okay);
      const digest = createHash('sha384').update('contract').digest('base64');
      const { body } = await demo.create(`/signature/device-link/document/${documentNumber}`, {
        digest,
        hashType: 'SHA384',
        fileName: 'гэрээ.pdf',
        ...callback,
      });
      const request = await phone.open(String(body['sessionID']));
      expect([request.pin, request.fileName, request.digest]).to.deep.equal([
        'PIN2',
        'гэрээ.pdf',
        digest,
      ]);
      expect(request.verificationCode).to.equal(body['vc']);
      await phone.confirm(request, pin2);
      const polled = await demo.poll(body['sessionID']);
      expect(polled.body['result']).to.deep.equal({ endResult: 'OK', documentNumber });
      expect(polled.body).not.to.have.property('person');
    });
  });
});
