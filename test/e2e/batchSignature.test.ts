import { createHash, verify, X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { deviceProof } from '../../apps/phone/crypto.ts';
import { uuidFrom } from '../../domain/shared/digest.ts';
import { demoCitizens } from '../../main/cli/demo.ts';
import { call } from '../../main/drill/callers.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { openOperatorWorld } from '../support/worlds/operatorWorld.ts';

type HashType = 'SHA256' | 'SHA384' | 'SHA512';

interface Wanted {
  readonly file: Buffer;
  readonly hashType: HashType;
  readonly displayText60: string;
  readonly fileName?: string;
}

interface Signature {
  readonly digest: string;
  readonly hashType: HashType;
  readonly fileName?: string;
  readonly value: string;
  readonly signatureAlgorithm: string;
}

const digestOf = (file: Buffer, hashType: string) =>
  createHash(hashType.toLowerCase()).update(file).digest('base64');

const asked = ({ file, ...shown }: Wanted) => ({
  digest: digestOf(file, shown.hashType),
  ...shown,
});

/** Distinct documents. */
const some = (count: number): readonly Wanted[] =>
  Array.from({ length: count }, (_, index) => ({
    file: Buffer.from(`document ${index}`),
    hashType: 'SHA256' as const,
    displayText60: `Document ${index}`,
  }));

const three: readonly Wanted[] = [
  { file: Buffer.from('lease'), hashType: 'SHA256', displayText60: 'Түрээсийн гэрээ' },
  { file: Buffer.from('annex'), hashType: 'SHA512', displayText60: 'Хавсралт', fileName: 'b.pdf' },
  { file: Buffer.from('minutes'), hashType: 'SHA384', displayText60: 'Тэмдэглэл' },
];

describe('Signing several documents with one PIN', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  const phones = new Map<string, DemoPhone>();

  before(async () => {
    demo = await startDemoInstallation();
    for (const { civilId, keyType } of demoCitizens.slice(0, 2)) {
      phones.set(keyType, await demo.enrol(civilId));
    }
  });

  after(() => demo.stop());

  function phoneWith(keyType: string): DemoPhone {
    const phone = phones.get(keyType);
    if (phone === undefined) throw new Error('There is no such phone.');
    return phone;
  }

  const start = (phone: DemoPhone, fields: object) =>
    demo.create(`/signature/notification/document/${phone.documentNumber}`, fields);

  async function started(phone: DemoPhone, wanted: readonly Wanted[]): Promise<string> {
    const { status, body } = await start(phone, { documents: wanted.map(asked) });
    expect(status, JSON.stringify(body)).to.equal(200);
    return String(body['sessionID']);
  }

  async function signed(phone: DemoPhone, wanted: readonly Wanted[]) {
    const sessionId = await started(phone, wanted);
    await phone.phone.confirm(await phone.phone.open(sessionId), phone.pin2);
    return { sessionId, body: (await demo.poll(sessionId)).body };
  }

  for (const keyType of ['P-256', 'RSA']) {
    it(`gets a ${keyType} signature for each, over its own digest`, async () => {
      const { body } = await signed(phoneWith(keyType), three);
      expect(body).to.have.nested.property('result.endResult', 'OK');
      expect(body).to.not.have.property('signature');
      const signatures = body['signatures'] as readonly Signature[];
      expect(signatures.map(({ digest }) => digest)).to.deep.equal(
        three.map((each) => asked(each).digest),
      );
      expect(signatures.map(({ fileName }) => fileName)).to.deep.equal([
        undefined,
        'b.pdf',
        undefined,
      ]);
      const cert = body['cert'] as { readonly value: string };
      const { publicKey } = new X509Certificate(Buffer.from(cert.value, 'base64'));
      for (const [index, { file, hashType }] of three.entries()) {
        const { value, signatureAlgorithm } = signatures[index] ?? { value: '' };
        const isRight = verify(hashType, file, publicKey, Buffer.from(value, 'base64'));
        expect(isRight, `${hashType} ${String(signatureAlgorithm)}`).to.equal(true);
        expect(signatureAlgorithm).to.match(new RegExp(hashType, 'i'));
      }
      expect(new Set(signatures.map(({ value }) => value)).size).to.equal(three.length);
    });
  }

  it('shows the phone every text, and a code over all digests', async () => {
    const { phone } = phoneWith('P-256');
    const { body } = await start(phoneWith('P-256'), { documents: three.map(asked) });
    const request = await phone.open(String(body['sessionID']));
    expect(request.documents?.map(({ displayText60 }) => displayText60)).to.deep.equal(
      three.map(({ displayText60 }) => displayText60),
    );
    expect(body).to.have.nested.property('vc.value', request.verificationCode);
    await phone.refuse(request.sessionId, 'USER_REFUSED');
    const refused = (await demo.poll(request.sessionId)).body;
    expect(refused).to.have.nested.property('result.endResult', 'USER_REFUSED');
    expect(refused).to.not.have.property('signatures');
  });

  it('takes 2 to 20 documents, each once, none beside a digest of its own', async () => {
    const phone = phoneWith('P-256');
    const [one, ...others] = some(21).map(asked);
    const refusedAt = async (fields: object) => {
      const { status, body } = await start(phone, fields);
      const errors = body['errors'] as readonly { readonly pointer: string }[];
      return [status, errors.map(({ pointer }) => pointer)];
    };
    for (const documents of [[], [one], [one, ...others], [one, one]]) {
      expect(await refusedAt({ documents })).to.deep.equal([400, ['/documents']]);
    }
    expect(await refusedAt({ documents: others, digest: one?.digest })).to.deep.equal([
      400,
      ['/digest'],
    ]);
    const short = { ...one, hashType: 'SHA512' };
    expect(await refusedAt({ documents: [short, ...others.slice(0, 2)] })).to.deep.equal([
      400,
      ['/documents/0/digest'],
    ]);
    await signed(phone, some(20));
  });

  it('records nothing when one of the signatures is not over its digest', async () => {
    const phone = phoneWith('P-256');
    const sessionId = await started(phone, three);
    const request = await phone.phone.open(sessionId);
    const [first, ...rest] = request.documents ?? [];
    if (first === undefined) throw new Error('There are no documents.');
    const other = { ...first, digest: digestOf(Buffer.from('another'), 'SHA256') };
    const mixed = { ...request, documents: [...rest, other] };
    const refusal = await rejection(phone.phone.confirm(mixed, phone.pin2));
    expect(refusal).to.include({ code: 'SIGNATURE_INVALID' });
    const { body } = await demo.poll(sessionId, 0);
    expect(body['state']).to.equal('RUNNING');
  });

  it('tells a phone that cannot show several documents to be updated, and ends what only it was asked', async () => {
    const phone = phoneWith('P-256');
    const sessionId = await started(phone, three);
    const state = await phone.store.load();
    if (state === null) throw new Error('The phone kept nothing.');
    const path = `/v3/device/sessions/${sessionId}`;
    const made = { method: 'GET', path, body: '', time: new Date() } as const;
    const dpop = await deviceProof(state.transport, phone.documentNumber, made);
    const { status, body } = await call(`${demo.service.origin}${path}`, { headers: { dpop } });
    expect([status, body['code']]).to.deep.equal([480, 'CLIENT_TOO_OLD']);
    expect((await demo.poll(sessionId)).body).to.have.nested.property(
      'result.endResult',
      'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP',
    );
  });

  it('signs what was asked for by device link, too', async () => {
    const phone = phoneWith('P-256');
    const path = `/signature/device-link/document/${phone.documentNumber}`;
    const { body } = await demo.create(path, { documents: three.map(asked) });
    const request = await phone.phone.open(String(body['sessionID']));
    expect(body['vc']).to.equal(request.verificationCode);
    await phone.phone.confirm(request, phone.pin2);
    const answer = (await demo.poll(body['sessionID'])).body;
    expect(answer['signatures']).to.have.length(three.length);
  });

  it('stamps each PDF with its own signature, and has a verification page for each', async () => {
    const pdfs = [onePage(), onePage({ page: '/Rotate 90' })];
    const wanted = pdfs.map((file, index) => ({
      file,
      hashType: 'SHA256' as const,
      displayText60: `PDF ${index}`,
      fileName: `${index}.pdf`,
    }));
    const { sessionId } = await signed(phoneWith('P-256'), wanted);
    for (const [index, pdf] of pdfs.entries()) {
      const response = await stamp(sessionId, pdf);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(response.status).to.equal(200);
      expect(bytes.subarray(0, pdf.length).equals(pdf)).to.equal(true);
      const page = `/verify/${uuidFrom(Buffer.from(`batch ${sessionId} ${index + 1}`))}`;
      const headers = { accept: 'text/html' };
      const shown = await fetch(`${demo.service.origin}${page}?lang=en`, { headers });
      const text = await shown.text();
      expect(shown.status, page).to.equal(200);
      expect(text).to.include('class="verdict passed"');
      expect(text).to.include(createHash('sha256').update(pdf).digest('hex'));
    }
    expect((await fetch(`${demo.service.origin}/verify/${sessionId}`)).status).to.equal(404);
    const operator = await openOperatorWorld(demo.service.origin).signedIn('SUPER_ADMIN');
    const { timeline } = (await operator.call('GET', `/sessions/${sessionId}`)).body;
    expect(
      (timeline as readonly { type: string }[]).map(({ type }) => type).slice(-2),
    ).to.deep.equal(pdfs.map(() => 'DocumentStamped'));
    const other = await stamp(sessionId, onePage({ page: '/Rotate 180' }));
    expect(other.status).to.equal(422);
  });

  it('completes each prepared PDF by its id, and warns the signer of each', async () => {
    const phone = phoneWith('P-256');
    const active = onePage({ catalog: '/Names<</JavaScript 7 0 R>>', more: { 7: '<<>>' } });
    const pdfs = [onePage(), active];
    const prepared: Record<string, string>[] = [];
    for (const pdf of pdfs) {
      const response = await post(`prepare?documentNumber=${phone.documentNumber}`, pdf);
      prepared.push((await response.json()) as Record<string, string>);
    }
    const documents = prepared.map(({ digest }, index) => ({
      digest,
      hashType: 'SHA256',
      displayText60: `PDF ${index}`,
    }));
    const { body } = await start(phone, { documents });
    const sessionId = String(body['sessionID']);
    const request = await phone.phone.open(sessionId);
    expect(request.documents?.map(({ documentWarnings }) => documentWarnings)).to.deep.equal([
      [],
      ['JAVASCRIPT'],
    ]);
    await phone.phone.confirm(request, phone.pin2);
    for (const [index, pdf] of pdfs.entries()) {
      const { preparedId } = prepared[index] ?? {};
      const completed = await post(`stamp/${sessionId}?preparedId=${preparedId}`, Buffer.alloc(0));
      expect(completed.status).to.equal(200);
      const bytes = Buffer.from(await completed.arrayBuffer());
      expect(bytes.subarray(0, pdf.length).equals(pdf)).to.equal(true);
    }
    const unnamed = await stamp(sessionId, Buffer.alloc(0));
    expect(unnamed.status).to.equal(400);
    const pointer = 'errors[0].pointer';
    expect(await unnamed.json()).to.have.nested.property(pointer, '#/query/preparedId');
  });

  const stamp = (sessionId: string, pdf: Buffer) => post(`stamp/${sessionId}`, pdf);

  const post = (path: string, pdf: Buffer) =>
    fetch(`${demo.service.origin}/v3/signature/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.apiSecret}` },
      body: new Uint8Array(pdf),
    });
});
