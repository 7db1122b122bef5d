import { createHash, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { platformRelyingPartyId } from '../../application/document/platformRelyingParty.ts';
import { demoCitizens } from '../../main/cli/demo.ts';
import {
  callerAt,
  type DocumentAnswer,
  type DocumentWorld,
  startDocumentWorld,
} from '../support/worlds/documentWorld.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { attacksOn } from '../support/pdf/attacks.ts';
import { expectSound } from '../support/pdf/pdfChecks.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { run } from '../support/programs/tools.ts';

const hex = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const seen = ({ status, body }: DocumentAnswer) => [status, body['code']];

describe('Documents of organizations over HTTP (contract §11)', function () {
  this.timeout(60_000);
  let world: DocumentWorld;
  const contract = onePage();
  const letter = Buffer.from('Эрхэм хүндэт ноён, хатагтай\n');

  before(async () => {
    world = await startDocumentWorld();
  });
  after(() => world.stop());

  const regNumber = () => world.phones.first.citizen.civilId;
  const stored = (fileId: string) => join(world.directory, 'files', fileId.slice(0, 2), fileId);

  async function storedFiles(): Promise<readonly string[]> {
    const all = await readdir(join(world.directory, 'files'), { recursive: true });
    return all.filter((name) => name.includes('/')).map((name) => name.split('/')[1] ?? '');
  }

  describe('POST /documents/{id}/file: the type is decided by the bytes', () => {
    it('a PDF, whatever it was declared to be', async () => {
      const id = await world.admin.create();
      const { status, body } = await world.admin.upload(id, contract, {
        name: 'Гэрээ №1.pdf',
        type: 'text/plain',
      });
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        file_name: 'Гэрээ №1.pdf',
        content_type: 'application/pdf',
        size_bytes: contract.length,
        sha256: hex(contract),
        warnings: [],
      });
      const read = await world.admin.call('GET', `/${id}`);
      expect(read.body).to.include({ format: 'pades', status: 'DRAFT', covered_digest: null });
    });

    it('what was declared a PDF and is none becomes application/octet-stream', async () => {
      const id = await world.admin.create();
      const sent = { name: 'a.pdf', type: 'application/pdf' };
      const { body } = await world.admin.upload(id, letter, sent);
      expect(body['content_type']).to.equal('application/octet-stream');
      expect(body['warnings']).to.equal(null);
      expect((await world.admin.call('GET', `/${id}`)).body['format']).to.equal('detached');
    });

    it('F2: of a PDF it is told what it can do besides showing its pages, and the signer is, too', async () => {
      const id = await world.admin.create();
      const active = onePage({
        catalog: '/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>/OCProperties 7 0 R',
        more: { 7: '<</OCGs[8 0 R]/D<</OFF[8 0 R]>>>>', 8: '<</Type/OCG/Name(x)>>' },
      });
      const warnings = ['JAVASCRIPT', 'OPEN_ACTION', 'HIDDEN_LAYERS'];
      const { status, body } = await world.admin.upload(id, active);
      expect([status, body['warnings']]).to.deep.equal([200, warnings]);
      const read = await world.admin.call('GET', `/${id}`);
      expect(read.body['file']).to.deep.include({ warnings });
      const started = await world.start(id, world.phones.first);
      const { phone } = world.phones.first;
      const asked = await phone.open(String(started.body['session_id']));
      expect(asked.documentWarnings).to.deep.equal(warnings);
      await phone.refuse(asked.sessionId, 'USER_REFUSED');
      const broken = await world.admin.create();
      const cut = await world.admin.upload(broken, contract.subarray(0, 100));
      expect([cut.status, cut.body['warnings']]).to.deep.equal([200, ['UNREADABLE_PARTS']]);
    });

    it('may be replaced until it is signed', async () => {
      const id = await world.admin.create();
      await world.admin.upload(id, contract);
      const { body } = await world.admin.upload(id, letter, { name: 'a.txt', type: 'text/plain' });
      expect(body).to.include({ content_type: 'text/plain', sha256: hex(letter) });
      expect((await world.admin.call('GET', `/${id}/file`)).bytes.equals(letter)).to.equal(true);
    });

    it('400 without a file, with an empty one, a bad name, or no form', async () => {
      const id = await world.admin.create();
      const refused = [
        await world.admin.upload(id, contract, { field: 'other' }),
        await world.admin.upload(id, Buffer.alloc(0)),
        await world.admin.upload(id, contract, { name: '../../etc/passwd' }),
        await world.admin.upload(id, contract, { name: 'a\u202efdp.exe' }),
        await world.admin.upload(id, contract, { name: '..' }),
        await world.admin.upload(id, contract, { name: 'C:\\temp\\a.pdf' }),
        await world.admin.upload(id, contract, { name: 'a\u0001.pdf' }),
        await world.admin.upload(id, contract, { name: `${'x'.repeat(120)}.pdf` }),
        await world.admin.call('POST', `/${id}/file`, { file: 'x' }),
        await world.admin.call('POST', `/${id}/file`),
      ];
      for (const answer of refused) {
        expect(seen(answer)).to.deep.equal([400, 'INVALID_REQUEST']);
        expect(answer.body['errors']).to.have.nested.property('[0].pointer', '/file');
      }
      expect((await world.admin.call('GET', `/${id}`)).body['file']).to.equal(null);
    });

    it('takes 25 MiB, 400 for a byte more, whether announced or not', async () => {
      const id = await world.admin.create();
      const most = 26_214_400;
      for (const [size, status] of [
        [most + 1, 400],
        [most + 100_000, 400],
        [most, 200],
      ] as const) {
        const answer = await world.admin.upload(id, Buffer.alloc(size, 'a'));
        expect(answer.status, `${size}`).to.equal(status);
        const file = (await world.admin.call('GET', `/${id}`)).body['file'];
        expect(file === null, `${size}`).to.equal(status === 400);
      }
    });

    it('cut off in the middle: nothing is attached, nothing is stored', async () => {
      const id = await world.admin.create();
      const before = await storedFiles();
      const sending = request(`${world.origin}/documents/${id}/file`, {
        method: 'POST',
        headers: {
          authorization: world.admin.authorization,
          'content-type': 'multipart/form-data; boundary=b',
          'content-length': '1000000',
        },
      });
      sending.on('error', () => undefined);
      const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n';
      await new Promise((resolve) => {
        sending.write(Buffer.concat([Buffer.from(head), contract]), resolve);
      });
      sending.destroy();
      // The next one goes through whatever the cut one has left.
      expect((await world.admin.upload(id, letter)).status).to.equal(200);
      expect(await storedFiles()).to.have.length(before.length + 1);
      expect((await world.admin.call('GET', `/${id}/file`)).bytes.equals(letter)).to.equal(true);
    });

    it('404 for a document that is not there', async () => {
      for (const answer of [
        await world.admin.upload(randomUUID(), contract),
        await world.admin.upload('nothing', contract),
        await world.admin.call('GET', `/${await world.admin.create()}/file`),
      ]) {
        expect(seen(answer)).to.deep.equal([404, 'NOT_FOUND']);
      }
    });

    it('404 for another organization’s, at every address', async () => {
      const id = await world.admin.create();
      await world.admin.upload(id, contract);
      const stranger = await callerAt(world.origin, { IsAdmin: true, TenantID: 'x' });
      const answers = [
        await stranger.upload(id, contract),
        await stranger.call('GET', `/${id}`),
        await stranger.call('GET', `/${id}/file`),
        await stranger.call('GET', `/${id}/signatures`),
        await stranger.call('GET', `/${id}/signing-rails`),
        await stranger.call('POST', `/${id}/sign/eid/start`, { reg_number: regNumber() }),
        await stranger.call('POST', `/${id}/sign/eid/poll`, { session_id: randomUUID() }),
      ];
      for (const answer of answers) expect(seen(answer)).to.deep.equal([404, 'NOT_FOUND']);
    });
  });

  describe('GET /documents/{id}/file: the digest is verified on download', () => {
    it('gives the bytes as an attachment that nobody keeps or guesses about', async () => {
      const id = await world.admin.create();
      await world.admin.upload(id, letter, { name: 'Захидал.txt', type: 'text/plain' });
      const { status, headers, bytes } = await world.admin.call('GET', `/${id}/file`);
      expect(status).to.equal(200);
      expect(bytes.equals(letter)).to.equal(true);
      expect(headers.get('content-type')).to.equal('text/plain');
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('content-disposition')).to.match(/^attachment; .*UTF-8''%D0%97/);
    });

    it('is whole whatever range is asked for; HEAD says how large', async () => {
      const id = await world.admin.create();
      await world.admin.upload(id, letter, { name: 'a.txt', type: 'text/plain' });
      const address = `${world.origin}/documents/${id}/file`;
      const { authorization } = world.admin;
      const part = await fetch(address, { headers: { authorization, range: 'bytes=0-3' } });
      expect([part.status, (await part.arrayBuffer()).byteLength]).to.deep.equal([
        ...[200, letter.length],
      ]);
      const head = await fetch(address, { method: 'HEAD', headers: { authorization } });
      expect(head.headers.get('content-length')).to.equal(String(letter.length));
      expect(head.headers.get('content-disposition')).to.match(/^attachment; /);
    });

    it('a byte flipped in storage: 500, and nothing of the body', async () => {
      const id = await world.admin.create();
      const before = await storedFiles();
      await world.admin.upload(id, contract);
      const [fileId = ''] = (await storedFiles()).filter((each) => !before.includes(each));
      const bytes = await readFile(stored(fileId));
      for (const altered of [
        Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]),
        bytes.subarray(0, -1),
        Buffer.concat([bytes, Buffer.from('x')]),
      ]) {
        await writeFile(stored(fileId), altered);
        const answer = await world.admin.call('GET', `/${id}/file`);
        expect(seen(answer)).to.deep.equal([500, 'INTERNAL']);
        expect(answer.bytes.includes('%PDF')).to.equal(false);
      }
      await writeFile(stored(fileId), bytes);
      expect((await world.admin.call('GET', `/${id}/file`)).status).to.equal(200);
    });
  });

  it('format pades: signed by two citizens in order, frozen, downloaded, verified', async () => {
    const title = `Түрээсийн гэрээ ${'а'.repeat(100)}`;
    const id = await world.admin.create([regNumber(), null], { title });
    await world.admin.upload(id, contract);
    expect(seen(await world.start(id, world.phones.second))).to.deep.equal([403, 'NOT_THE_SIGNER']);

    const started = await world.start(id, world.phones.first);
    expect(started.status).to.equal(200);
    expect(started.body['verification_code']).to.match(/^\d{4}$/);
    expect(started.body['display_text']).to.include('Түрээсийн гэрээ');
    expect(Array.from(String(started.body['display_text']))).to.have.length(60);
    const session_id = String(started.body['session_id']);
    const poll = (timeout_ms = 0) =>
      world.admin.call('POST', `/${id}/sign/eid/poll`, { session_id, timeout_ms });
    expect((await poll()).body).to.deep.equal({ state: 'RUNNING' });
    expect(seen(await world.start(id, world.phones.first))).to.deep.equal([
      409,
      'SIGNING_UNDER_WAY',
    ]);
    expect(seen(await world.admin.upload(id, letter))).to.deep.equal([409, 'SIGNING_UNDER_WAY']);
    const { phone, pin2 } = world.phones.first;
    await phone.confirm(await phone.open(session_id), pin2);
    const { body } = await poll(20_000);
    expect(body).to.include({ state: 'COMPLETE', end_result: 'OK' });
    expect(body['document']).to.include({ status: 'PENDING_APPROVAL', proof: 'eid_signature' });

    expect(seen(await world.admin.upload(id, letter))).to.deep.equal([409, 'DOCUMENT_FROZEN']);
    expect(seen(await world.start(id, world.phones.first))).to.deep.equal([409, 'ALREADY_SIGNED']);
    const last = await world.sign(id, world.phones.second);
    expect(last.body['document']).to.include({ status: 'APPROVED' });
    expect(seen(await world.start(id, world.phones.second))).to.deep.equal([
      409,
      'DOCUMENT_FROZEN',
    ]);

    const { bytes, headers } = await world.admin.call('GET', `/${id}/file`);
    expect(headers.get('content-type')).to.equal('application/pdf');
    await expectSound(world.directory, bytes, {
      original: contract,
      signatures: 2,
      newPages: 1,
    });
    const { signatures } = (await world.admin.call('GET', `/${id}/signatures`)).body as {
      signatures: Record<string, unknown>[];
    };
    expect(signatures.map(({ order, method, format }) => [order, method, format])).to.deep.equal([
      [1, 'EID', 'pades'],
      [2, 'EID', 'pades'],
    ]);
  });

  it('F2: a file is recognised whole or not at all, and nothing of it is kept', async () => {
    const id = await world.admin.create([null, null]);
    await world.admin.upload(id, contract);
    const recognised = async (file: Uint8Array, about = id) => {
      const { status, body } = await world.admin.recognise(about, file);
      expect(status).to.equal(200);
      return body;
    };
    expect((await recognised(contract))['result']).to.equal('other');
    await world.sign(id, world.phones.first);
    const { bytes: first } = await world.admin.call('GET', `/${id}/file`);
    await world.sign(id, world.phones.second);
    const { bytes: signed } = await world.admin.call('GET', `/${id}/file`);
    const before = await storedFiles();
    for (const whole of [first, signed]) {
      expect(await recognised(whole)).to.deep.equal({
        result: 'signed',
        sha256: hex(whole),
        signed_bytes: null,
        added: [],
        added_bytes: 0,
        replaced_objects: 0,
      });
    }
    const [attack] = attacksOn(signed);
    const forged = attack?.forged ?? signed;
    expect(await recognised(forged)).to.deep.equal({
      result: 'altered',
      sha256: hex(signed),
      signed_bytes: signed.length,
      added: ['contents'],
      added_bytes: forged.length - signed.length,
      replaced_objects: 1,
    });
    expect((await recognised(contract))['result']).to.equal('other');
    expect(await storedFiles()).to.have.members([...before]);
    const empty = await world.admin.recognise(id, Buffer.alloc(0));
    expect(seen(empty)).to.deep.equal([400, 'INVALID_REQUEST']);

    const other = await world.admin.create();
    await world.admin.upload(other, letter, { name: 'a.txt', type: 'text/plain' });
    await world.sign(other, world.phones.first);
    expect((await recognised(letter, other))['result']).to.equal('signed');
    expect((await recognised(Buffer.concat([letter, letter]), other))['result']).to.equal('other');
  });

  it('format detached: a CMS signature that openssl verifies against the file', async () => {
    const id = await world.admin.create([null, null]);
    await world.admin.upload(id, letter, { name: 'a.txt', type: 'text/plain' });
    await world.sign(id, world.phones.first);
    await world.sign(id, world.phones.second);
    const { body } = await world.admin.call('GET', `/${id}`);
    expect(body).to.include({ format: 'detached', covered_digest: hex(letter) });
    const answer = await world.admin.call('GET', `/${id}/signatures`);
    const { signatures } = answer.body as { signatures: { evidence: string }[] };
    expect(signatures).to.have.length(2);
    for (const { evidence } of signatures) expect(await opensslFinds(letter, evidence)).to.equal(0);
    const [one] = signatures;
    const other = Buffer.concat([letter, Buffer.from('.')]);
    expect(await opensslFinds(other, one?.evidence ?? '')).not.to.equal(0);
    expect((await world.admin.call('GET', `/${id}/file`)).bytes.equals(letter)).to.equal(true);
  });

  it('format approval: without a file its record is signed', async () => {
    const id = await world.admin.create([regNumber()], { doc_type: 'APPROVAL' });
    await world.sign(id, world.phones.first);
    const { body } = await world.admin.call('GET', `/${id}/signatures`);
    const record = Buffer.from(String(body['signed_record']));
    const [signature] = body['signatures'] as { covered_digest: string; evidence: string }[];
    expect(signature?.covered_digest).to.equal(hex(record));
    expect(JSON.parse(record.toString())).to.include({ id, doc_type: 'APPROVAL' });
    expect(await opensslFinds(record, signature?.evidence ?? '')).to.equal(0);
    expect((await world.admin.call('GET', `/${id}`)).body).to.include({
      format: 'approval',
      status: 'APPROVED',
      covered_digest: hex(record),
    });
    expect(seen(await world.admin.upload(id, contract))).to.deep.equal([409, 'DOCUMENT_FROZEN']);
  });

  it('a document signed by a person forgotten since shows no text that was not signed', async () => {
    const third = await world.enrol(demoCitizens[2]?.civilId ?? '');
    const id = await world.admin.create([third.citizen.civilId], { doc_type: 'APPROVAL' });
    await world.sign(id, third);
    const read = async () => (await world.admin.call('GET', `/${id}/signatures`)).body;
    expect((await read())['signed_record']).to.include('Түрээсийн гэрээ');
    await world.service.forgetPerson(third.citizen.civilId);
    const { signed_record, signatures } = await read();
    expect(signed_record).to.equal(null);
    expect((signatures as object[])[0]).to.include({
      signer_name: null,
      reg_number: null,
      evidence: null,
      proof: 'eid_signature',
    });
  });

  it('is rejected when a named signer refuses; an open one may ask somebody else', async () => {
    for (const [signers, status] of [
      [[regNumber()], 'REJECTED'],
      [[null], 'PENDING_APPROVAL'],
    ] as const) {
      const id = await world.admin.create(signers);
      const session_id = String((await world.start(id, world.phones.first)).body['session_id']);
      await world.phones.first.phone.open(session_id);
      await world.phones.first.phone.refuse(session_id, 'USER_REFUSED');
      const poll = { session_id, timeout_ms: 20_000 };
      const { body } = await world.admin.call('POST', `/${id}/sign/eid/poll`, poll);
      expect(body).to.include({ state: 'COMPLETE', end_result: 'USER_REFUSED' });
      expect(body['document']).to.include({ status, proof: null });
    }
  });

  it('records a signature that nobody polls for', async () => {
    const id = await world.admin.create();
    const session_id = String((await world.start(id, world.phones.first)).body['session_id']);
    const { phone, pin2 } = world.phones.first;
    await phone.confirm(await phone.open(session_id), pin2);
    for (;;) {
      const { body } = await world.admin.call('GET', `/${id}`);
      if (body['status'] === 'APPROVED') return;
    }
  });

  it('of two who start at once one asks the citizen', async () => {
    const id = await world.admin.create([null]);
    await world.admin.upload(id, contract);
    const answers = await Promise.all(
      [world.phones.first, world.phones.second].map((one) => world.start(id, one)),
    );
    expect(answers.map(seen)).to.have.deep.members([
      [200, undefined],
      [409, 'SIGNING_UNDER_WAY'],
    ]);
  });

  it('404 for a session in which the document was never to be signed; 404 for an unknown person', async () => {
    const id = await world.admin.create();
    const poll = { session_id: randomUUID() };
    const answer = await world.admin.call('POST', `/${id}/sign/eid/poll`, poll);
    expect(seen(answer)).to.deep.equal([404, 'SESSION_NOT_FOUND']);
    const nobody = { reg_number: '999999999999' };
    const started = await world.admin.call('POST', `/${id}/sign/eid/start`, nobody);
    expect(seen(started)).to.deep.equal([404, 'PERSON_NOT_FOUND']);
  });

  describe('GET /documents/{id}/signing-rails and GET/PUT /documents/policies[/{docType}]', () => {
    const terms = { allow_eid: true, allow_dan: true, require_named_signer: false };
    let tenant: Awaited<ReturnType<typeof callerAt>>;
    before(async () => {
      tenant = await callerAt(world.origin, { IsAdmin: true, TenantID: 'policies' });
    });

    const railsOf = async (id: string) =>
      (await tenant.call('GET', `/${id}/signing-rails`)).body['rails'];

    it('says for each unusable rail whether policy or configuration stands against it', async () => {
      const id = await tenant.create();
      const dan = { method: 'DAN', available: false };
      expect(await railsOf(id)).to.deep.equal([
        { method: 'EID', available: true },
        { ...dan, reason: 'not_configured' },
      ]);
      await tenant.call('PUT', '/policies/CONTRACT', { ...terms, allow_dan: false });
      expect(await railsOf(id)).to.deep.equal([
        { method: 'EID', available: true },
        { ...dan, reason: 'not_allowed' },
      ]);
      await tenant.call('PUT', '/policies/CONTRACT', { ...terms, allow_eid: false });
      expect(await railsOf(id)).to.deep.equal([
        { method: 'EID', available: false, reason: 'not_allowed' },
        { ...dan, reason: 'not_configured' },
      ]);
      const start = { reg_number: regNumber() };
      const refused = await tenant.call('POST', `/${id}/sign/eid/start`, start);
      expect(seen(refused)).to.deep.equal([409, 'SIGNING_RAIL_UNAVAILABLE']);
      expect((await tenant.call('PUT', '/policies', terms)).status).to.equal(200);
      expect(await railsOf(id)).to.have.deep.nested.property('[0].available', true);
    });

    it('policy changed while a citizen is asked: what was begun is finished, nothing else begins', async () => {
      const id = await tenant.create([null, null], { doc_type: 'APPROVAL' });
      const start = { reg_number: regNumber() };
      const { body } = await tenant.call('POST', `/${id}/sign/eid/start`, start);
      const session_id = String(body['session_id']);
      await tenant.call('PUT', '/policies/APPROVAL', { ...terms, allow_eid: false });
      const { phone, pin2 } = world.phones.first;
      await phone.confirm(await phone.open(session_id), pin2);
      const poll = { session_id, timeout_ms: 20_000 };
      const polled = await tenant.call('POST', `/${id}/sign/eid/poll`, poll);
      expect(polled.body).to.include({ end_result: 'OK' });
      const next = { reg_number: world.phones.second.citizen.regNo };
      const refused = await tenant.call('POST', `/${id}/sign/eid/start`, next);
      expect(seen(refused)).to.deep.equal([409, 'SIGNING_RAIL_UNAVAILABLE']);
    });

    it('not_configured once operators took the platform its right to ask; policy goes first', async () => {
      const id = await tenant.create([null], { doc_type: 'REQUEST' });
      const eid = async () => (await railsOf(id)) as object[];
      const operators = `${world.origin}/v3/admin/relying-parties/${platformRelyingPartyId}`;
      await fetch(`${operators}/deactivate`, { method: 'POST' });
      await eventually(async () => {
        const [first] = await eid();
        expect(first).to.deep.equal({ method: 'EID', available: false, reason: 'not_configured' });
      });
      await tenant.call('PUT', '/policies/REQUEST', { ...terms, allow_eid: false });
      expect((await eid())[0]).to.include({ reason: 'not_allowed' });
      await tenant.call('PUT', '/policies/REQUEST', terms);
      await fetch(`${operators}/reactivate`, { method: 'POST' });
      await eventually(async () => expect((await eid())[0]).to.include({ available: true }));
    });

    it('400 when no rail is allowed', async () => {
      const none = { ...terms, allow_eid: false, allow_dan: false };
      for (const path of ['/policies', '/policies/REQUEST']) {
        const answer = await tenant.call('PUT', path, none);
        expect(seen(answer)).to.deep.equal([400, 'INVALID_REQUEST']);
      }
      expect((await tenant.call('GET', '/policies/OTHER')).status).to.equal(400);
    });

    it('admits only named signers, where the policy requires it', async () => {
      const named = { ...terms, require_named_signer: true };
      await tenant.call('PUT', '/policies/REQUEST', named);
      expect((await tenant.call('GET', '/policies/request')).body).to.deep.equal(named);
      const open = await tenant.create([null], { doc_type: 'REQUEST' });
      const start = { reg_number: regNumber() };
      const refused = await tenant.call('POST', `/${open}/sign/eid/start`, start);
      expect(seen(refused)).to.deep.equal([409, 'SIGNER_NOT_NAMED']);
      const closed = await tenant.create([regNumber()], { doc_type: 'REQUEST' });
      expect((await tenant.call('POST', `/${closed}/sign/eid/start`, start)).status).to.equal(200);
    });

    it("is each organization's own", async () => {
      const { body } = await world.admin.call('GET', '/policies/REQUEST');
      expect(body).to.deep.equal(terms);
    });
  });

  it('GET /documents lists those of the organization, the newest first, in pages', async () => {
    const origin = world.origin;
    const tenant = await callerAt(origin, { IsAdmin: true, TenantID: 'list' });
    const ids: string[] = [];
    for (let made = 0; made < 3; made += 1) ids.unshift(await tenant.create());
    const page = async (query: string) => {
      const { snapshot, ...body } = (await tenant.call('GET', query)).body;
      expect(snapshot).to.be.a('string');
      const shown = body['documents'] as { id: string }[];
      return { ...body, documents: shown.map(({ id }) => id) };
    };
    expect(await page('?limit=2')).to.deep.equal({
      documents: ids.slice(0, 2),
      limit: 2,
      offset: 0,
      total: 3,
    });
    expect(await page('?limit=2&offset=2')).to.deep.equal({
      documents: ids.slice(2),
      limit: 2,
      offset: 2,
      total: 3,
    });
    const below = await callerAt(origin, { IsAdmin: true, TenantID: 'list' }, '/api/v1/documents');
    expect((await below.call('GET', `/${ids[0] ?? ''}`)).body['id']).to.equal(ids[0]);
  });

  it('asks for documents.read, documents.manage and documents.sign', async () => {
    const { origin } = world.service;
    const id = await world.admin.create();
    const reads = [
      ...['', `/${id}`, `/${id}/file`, `/${id}/signatures`, `/${id}/signing-rails`],
      ...['/policies', '/policies/CONTRACT'],
    ];
    const needed: readonly (readonly [permission: string, method: string, path: string])[] = [
      ...reads.map((path) => ['read', 'GET', path] as const),
      ...['', `/${id}/file`].map((path) => ['manage', 'POST', path] as const),
      ...['/policies', '/policies/CONTRACT'].map((path) => ['manage', 'PUT', path] as const),
      ...['start', 'poll'].map((step) => ['sign', 'POST', `/${id}/sign/eid/${step}`] as const),
    ];
    const may = { reader: ['read'], clerk: ['read', 'manage'], signer: ['read', 'sign'], none: [] };
    for (const [RoleID, permissions] of Object.entries(may)) {
      const caller = await callerAt(origin, { RoleID });
      for (const [permission, method, path] of needed) {
        // Whoever is let in is told what is missing, or 404.
        const { status } = await caller.call(method, path, method === 'GET' ? undefined : {});
        const isLetIn = (permissions as string[]).includes(permission);
        expect(status === 403, `${RoleID} ${method} ${path}: ${status}`).to.equal(!isLetIn);
        expect(status).not.to.equal(401);
      }
    }
    for (const [, method, path] of needed) {
      const { status } = await fetch(`${origin}/documents${path}`, { method });
      expect(status, `${method} ${path}`).to.equal(401);
    }
  });

  it('operators find documents by any number that names them, and every event is audited', async () => {
    const { origin } = world.service;
    const id = await world.admin.create([regNumber()]);
    await world.sign(id, world.phones.first);
    const get = async (path: string) =>
      (await (await fetch(`${origin}/v3/admin${path}`)).json()) as {
        items: Record<string, unknown>[];
        [key: string]: unknown;
      };
    for (const q of [id, regNumber(), `PNOMN-${regNumber()}`]) {
      const { items } = await get(`/documents?q=${q}&status=APPROVED`);
      expect(items.map((each) => each['id'])).to.include(id);
    }
    expect((await get(`/documents/${id}`))['signatures']).to.have.length(1);
    const deadline = Date.now() + 10_000;
    for (;;) {
      const { items } = await get(`/audit?subject=${id}`);
      const types = items.map(({ type }) => type);
      if (types.includes('DOCUMENT_SIGN') || Date.now() > deadline) {
        expect(types).to.include.members([
          'DOCUMENT_CREATE',
          'DOCUMENT_SIGN_START',
          'DOCUMENT_SIGN',
        ]);
        break;
      }
    }
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    expect(metrics).to.match(/documents_signed_total\{rail="EID",result="OK"\} [1-9]/);
  });

  /** @returns the exit status of `openssl cms -verify` */
  async function opensslFinds(content: Buffer, evidence: string): Promise<number> {
    const at = (name: string) => join(world.directory, name);
    await world.service.writeTrustFiles(at('trust'));
    await writeFile(at('content'), content);
    await writeFile(at('evidence.p7s'), Buffer.from(evidence, 'base64'));
    const { code } = await run(
      ...(['openssl', 'cms', '-verify', '-binary', '-inform', 'DER'] as const),
      ...['-in', at('evidence.p7s'), '-content', at('content'), '-purpose', 'any'],
      ...['-CAfile', at('trust/anchors.pem'), '-out', at('verified')],
    );
    return code;
  }
});
