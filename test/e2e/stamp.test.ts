import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { call } from '../../main/drill/callers.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { aParty } from '../support/given/wishes.ts';

const [okCitizen, rsaCitizen] = demoCitizens;
const maxBytes = 4 * 1024 * 1024;

function sha256(document: Uint8Array): string {
  return createHash('sha256').update(document).digest('base64');
}

describe('Stamping over HTTP', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let owner: DemoPhone;
  let rsaOwner: DemoPhone;
  let signedSession: string;
  const contract = onePage();

  before(async () => {
    demo = await startDemoInstallation({ SVC_PDF_MAX_BYTES: String(maxBytes) });
    owner = await demo.enrol(okCitizen?.civilId ?? '');
    rsaOwner = await demo.enrol(rsaCitizen?.civilId ?? '');
    signedSession = await sign(owner, { digest: sha256(contract), hashType: 'SHA256' });
  });

  after(() => demo.stop());

  async function start(phone: DemoPhone, fields: object): Promise<string> {
    const path = `/signature/notification/document/${phone.documentNumber}`;
    const { status, body } = await demo.create(path, fields);
    expect(status).to.equal(200);
    return String(body['sessionID']);
  }

  async function sign(phone: DemoPhone, fields: object): Promise<string> {
    const sessionId = await start(phone, fields);
    await phone.phone.confirm(await phone.phone.open(sessionId), phone.pin2);
    expect((await demo.poll(sessionId)).body).to.have.nested.property('result.endResult', 'OK');
    return sessionId;
  }

  async function post(path: string, body: Uint8Array, secret = demo.apiSecret) {
    const response = await fetch(`${demo.service.origin}/v3/signature/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      ...(body.length === 0 ? {} : { body: Buffer.from(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const json = isJson ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : {};
    return { status: response.status, headers: response.headers, bytes, json };
  }

  const stamp = (sessionId: string, body: Uint8Array, query = '') =>
    post(`stamp/${sessionId}${query}`, body);

  it('answers a PDF that begins with the document and goes on', async () => {
    const { status, headers, bytes } = await stamp(signedSession, contract, '?fileName=a.pdf');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('application/pdf');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(bytes.subarray(0, contract.length).equals(contract)).to.equal(true);
    expect(bytes.includes('ETSI.CAdES.detached')).to.equal(true);
    expect(bytes.includes('/DSS')).to.equal(true);
    expect(headers.get('document-warnings')).to.equal(null);
  });

  it('can be repeated while the session can be read', async () => {
    expect((await stamp(signedSession.toUpperCase(), contract)).status).to.equal(200);
  });

  it('refuses a document other than the one signed, and what is none', async () => {
    const other = await stamp(signedSession, onePage({ page: '/Rotate 90' }));
    expect([other.status, other.json['code']]).to.deep.equal([422, 'DIGEST_MISMATCH']);
    const text = await stamp(signedSession, Buffer.from('Dear sir or madam'));
    expect([text.status, text.json['code']]).to.deep.equal([415, 'NOT_A_PDF']);
    const nothing = await stamp(signedSession, Buffer.alloc(0));
    expect([nothing.status, nothing.json['code']]).to.deep.equal([415, 'NOT_A_PDF']);
  });

  it('refuses a session that is unknown, not complete, or ended otherwise', async () => {
    const unknown = await stamp('6f9619ff-8b86-4d01-b42d-00cf4fc964ff', contract);
    expect([unknown.status, unknown.json['code']]).to.deep.equal([404, 'SESSION_NOT_FOUND']);
    expect((await stamp('nothing', contract)).status).to.equal(404);
    const running = await start(owner, { digest: sha256(contract), hashType: 'SHA256' });
    const early = await stamp(running, contract);
    expect([early.status, early.json['code']]).to.deep.equal([409, 'SESSION_NOT_COMPLETE']);
    await owner.phone.open(running);
    await owner.phone.refuse(running, 'USER_REFUSED');
    expect((await stamp(running, contract)).status).to.equal(409);
  });

  it("does not know another relying party's session", async () => {
    const { apiSecret } = await demo.service.registerRelyingParty(aParty('Stranger', ['SIGN']));
    const { status, json } = await post(`stamp/${signedSession}`, contract, apiSecret);
    expect([status, json['code']]).to.deep.equal([404, 'SESSION_NOT_FOUND']);
  });

  it('refuses above the size that discovery publishes, and anonymous callers before they send it', async () => {
    const { body } = await call(`${demo.service.origin}/.well-known/eid`);
    expect(body['pdfSigning']).to.deep.equal({ maxInputBytes: maxBytes });
    const large = await stamp(signedSession, onePage({ padding: maxBytes }));
    expect([large.status, large.json['code']]).to.deep.equal([413, 'PAYLOAD_TOO_LARGE']);
    const stranger = await post(`stamp/${signedSession}`, onePage({ padding: 3e6 }), 'rp_sk_wrong');
    expect(stranger.status).to.equal(401);
  });

  describe("with a document prepared for the citizen's own signature", () => {
    const prepare = (query: string, body: Uint8Array = contract) => post(`prepare?${query}`, body);

    for (const [keyType, phoneOf] of [
      ['P-256', () => owner],
      ['RSA', () => rsaOwner],
    ] as const) {
      for (const hashType of ['SHA256', 'SHA512']) {
        it(`embeds a ${keyType} signature over a ${hashType} digest`, async () => {
          const phone = phoneOf();
          const signer = `PNOMN-${phone.citizen.civilId}`;
          const prepared = await prepare(`signer=${signer}&hashType=${hashType}&fileName=a.pdf`);
          expect(prepared.status).to.equal(200);
          expect(prepared.json['documentNumber']).to.equal(phone.documentNumber);
          const { digest, preparedId } = prepared.json;
          const sessionId = await sign(phone, { digest, hashType });
          const { status, bytes } = await stamp(sessionId, Buffer.alloc(0));
          expect(status).to.equal(200);
          expect(bytes.subarray(0, contract.length).equals(contract)).to.equal(true);
          const again = await stamp(
            sessionId,
            Buffer.alloc(0),
            `?preparedId=${String(preparedId)}`,
          );
          expect(again.status).to.equal(200);
          const page = await fetch(`${demo.service.origin}/verify/${String(preparedId)}`);
          expect(page.status).to.equal(200);
          expect(await page.text()).to.contain(sessionId);
        });
      }
    }

    it('F2: tells the relying party and the signer what the document can do besides showing its pages', async () => {
      const active = onePage({ catalog: '/Names<</JavaScript 7 0 R>>', more: { 7: '<<>>' } });
      const { json } = await prepare(`documentNumber=${owner.documentNumber}`, active);
      expect(json['warnings']).to.deep.equal(['JAVASCRIPT']);
      const sessionId = await start(owner, { digest: json['digest'], hashType: 'SHA256' });
      const asked = await owner.phone.open(sessionId);
      expect(asked.documentWarnings).to.deep.equal(['JAVASCRIPT']);
      await owner.phone.confirm(asked, owner.pin2);
      const signed = await stamp(sessionId, Buffer.alloc(0));
      expect(signed.headers.get('document-warnings')).to.equal('JAVASCRIPT');
      const other = await sign(owner, { digest: sha256(active), hashType: 'SHA256' });
      expect((await stamp(other, active)).headers.get('document-warnings')).to.equal('JAVASCRIPT');
      const plain = await prepare(`documentNumber=${owner.documentNumber}`);
      expect(plain.json['warnings']).to.deep.equal([]);
    });

    it('refuses another prepared document, and the signature of another certificate', async () => {
      const { json } = await prepare(`documentNumber=${owner.documentNumber}`);
      const other = await sign(rsaOwner, { digest: json['digest'], hashType: 'SHA256' });
      const wrong = await stamp(other, Buffer.alloc(0));
      expect([wrong.status, wrong.json['code']]).to.deep.equal([409, 'PREPARED_FOR_OTHER_SIGNER']);
      const right = await sign(owner, { digest: json['digest'], hashType: 'SHA256' });
      const id = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
      const unknown = await stamp(right, Buffer.alloc(0), `?preparedId=${id}`);
      expect([unknown.status, unknown.json['code']]).to.deep.equal([
        404,
        'PREPARED_DOCUMENT_NOT_FOUND',
      ]);
    });

    it('refuses a request without exactly one signer, an unknown one, and what is no PDF', async () => {
      expect((await prepare('fileName=a.pdf')).status).to.equal(400);
      expect((await prepare('signer=PNOMN-999999999999')).json['code']).to.equal(
        'PERSON_NOT_FOUND',
      );
      const text = await prepare(`documentNumber=${owner.documentNumber}`, Buffer.from('text'));
      expect([text.status, text.json['code']]).to.deep.equal([415, 'NOT_A_PDF']);
    });
  });
});
