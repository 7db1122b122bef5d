import { expect } from 'chai';
import { ApiError, EidClient, ForbiddenError } from '../../client/index.ts';
import { accessToken } from '../support/worlds/assistantWorld.ts';
import { type DocumentWorld, startDocumentWorld } from '../support/worlds/documentWorld.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { onePage } from '../support/pdf/samplePdf.ts';

describe("The client library's calls in the name of a user, against the service", function () {
  this.timeout(60_000);
  let world: DocumentWorld;
  let client: EidClient;

  before(async () => {
    world = await startDocumentWorld();
    client = new EidClient({
      baseUrl: world.origin,
      credentials: { rpUUID: 'u', rpName: 'n', apiSecret: 's' },
    });
  });
  after(() => world.stop());

  const userWith = async (claims: Readonly<Record<string, unknown>>) =>
    client.withAccessToken(await accessToken(claims));

  it('make a document, have it signed on the phone, and recognise its file', async () => {
    const { documents } = await userWith({ IsAdmin: true });
    const { phone, citizen, pin2 } = world.phones.first;
    const bytes = onePage();
    const made = await documents.create({ title: 'Түрээсийн гэрээ', docType: 'CONTRACT' });
    expect(made).to.include({ status: 'DRAFT', file: null });
    const file = await documents.attach(made.id, { bytes, fileName: 'Гэрээ №1.pdf' });
    expect(file).to.include({ fileName: 'Гэрээ №1.pdf', contentType: 'application/pdf' });
    const started = await documents.startSigning(made.id, citizen.civilId);
    expect(started.verificationCode).to.match(/^\d+$/);
    const { state } = await documents.pollSigning(made.id, started.sessionId, 0);
    expect(state).to.equal('RUNNING');
    await phone.confirm(await phone.open(started.sessionId), pin2);
    const signed = await documents.pollSigning(made.id, started.sessionId);
    expect(signed).to.include({ state: 'COMPLETE', endResult: 'OK' });
    expect(signed.document?.signers[0]?.signedAt).to.be.a('string');
    const [signature] = await documents.signatures(made.id);
    expect(signature).to.include({ order: 1, sessionId: started.sessionId });
    const copy = await documents.download(made.id);
    expect(copy.length).to.be.above(bytes.length);
    const sent = { bytes: copy, fileName: 'copy.pdf' };
    expect(await documents.recognize(made.id, sent)).to.include({ result: 'signed' });
    const [rail] = await documents.signingRails(made.id);
    expect(rail).to.include({ method: 'EID', available: true });
    const page = await documents.list({ limit: 1 });
    expect(page.documents.map(({ id }) => id)).to.deep.equal([made.id]);
    expect(await documents.read(made.id)).to.have.property('title', 'Түрээсийн гэрээ');
  });

  it('decide how documents of a type may be signed', async () => {
    const { documents } = await userWith({ IsAdmin: true });
    const policy = { allowEid: true, allowDan: false, requireNamedSigner: true };
    expect(await documents.setPolicy('REQUEST', policy)).to.deep.equal(policy);
    expect(await documents.policy('REQUEST')).to.deep.equal(policy);
  });

  it('ask the directory', async () => {
    const { directory } = await userWith({ IsAdmin: true });
    const { civilId, regNo } = world.phones.first.citizen;
    const people = await directory.people('');
    expect(people.map(({ etsi }) => etsi)).to.include(`PNOMN-${civilId}`);
    expect(await directory.person(regNo)).to.have.property('regNo', regNo.toUpperCase());
    expect(await rejection(directory.person('уб00000000'))).to.be.instanceOf(ApiError);
  });

  it('are refused where the user may not', async () => {
    const { documents } = await userWith({ role: 'reader' });
    const wish = { title: 'Contract', docType: 'CONTRACT' } as const;
    expect(await rejection(documents.create(wish))).to.be.instanceOf(ForbiddenError);
    const { directory } = client.withAccessToken('unknown');
    expect(await rejection(directory.people(''))).to.include({ status: 401 });
  });
});
