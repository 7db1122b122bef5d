import { expect } from 'chai';
import {
  ApiError,
  EidClient,
  ForbiddenError,
  type PendingConfirmation,
} from '../../client/index.ts';
import { demoCitizens } from '../../main/cli/demo.ts';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { call } from '../../main/drill/callers.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { aParty, aRight } from '../support/given/wishes.ts';

const [bold, saran] = demoCitizens;
if (bold === undefined || saran === undefined) throw new Error('There are too few demo citizens.');
const [boldEtsi, saranEtsi] = [bold, saran].map(({ civilId }) => `PNOMN-${civilId}`) as [
  string,
  string,
];

describe('Organizations, from the library to the log', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let phones: readonly [DemoPhone, DemoPhone];
  let client: EidClient;
  let registers = 1_000_000;

  before(async () => {
    demo = await startDemoInstallation();
    phones = [await demo.enrol(bold.civilId), await demo.enrol(saran.civilId)];
    client = new EidClient({
      baseUrl: demo.service.origin,
      credentials: {
        rpUUID: demo.relyingPartyId,
        rpName: 'Tamga Demo',
        apiSecret: demo.apiSecret,
      },
      trust: { allowUntrusted: true, trustAnchorsPem: [] },
    });
  });

  after(() => demo.stop());

  const nameOf = (register: string) => `Тамга ${register} ХХК`;

  /** A new organization whose ADMIN is Bold. */
  async function linked(): Promise<string> {
    registers += 1;
    const orgRegister = `УБ${registers}`;
    const affiliates = [{ regNo: bold?.regNo.toUpperCase() ?? '', kind: 'CEO' as const }];
    const organization = {
      orgRegister,
      affiliates,
      orgName: nameOf(orgRegister),
      orgNameEn: `tamga ${registers}`,
    };
    await client.organization.link(boldEtsi, organization);
    return orgRegister;
  }

  const codeOf = async (call: Promise<unknown>) => {
    const error = await rejection(call);
    expect(error).to.be.instanceOf(ApiError);
    return (error as ApiError).code;
  };
  const audit = (register: string) =>
    demo.service.organizations.audit({ subject: `NTRMN-${register}` }, 100);
  const statusOf = async (register: string) => {
    const { signers } = await client.organization.signers(register, boldEtsi);
    return signers.find(({ personEtsi }) => personEtsi === saranEtsi)?.status;
  };
  const invite = (register: string) =>
    client.organization.addSigner(register, boldEtsi, {
      signerRegNo: saran.regNo.toUpperCase(),
      role: 'Нягтлан',
    });

  async function confirm({ phone, pin2 }: DemoPhone, sessionId: string | undefined) {
    await phone.confirm(await phone.open(String(sessionId)), pin2);
  }
  /** The signer agrees and the ADMIN confirms. */
  async function agree(pending: PendingConfirmation | null | undefined) {
    await confirm(phones[1], pending?.sessionId);
    await confirm(phones[0], pending?.adminSessionId);
  }

  it('are linked by an affiliate, who becomes ADMIN, once', async () => {
    const register = await linked();
    const organization = { orgRegister: register.toLowerCase(), orgName: nameOf(register) };
    const again = await client.organization.link(boldEtsi, {
      ...organization,
      affiliates: [{ regNo: bold.regNo, kind: 'CEO' }],
    });
    const right = again.representations.find(({ orgRegister }) => orgRegister === register);
    expect(right).to.deep.include({
      orgEtsi: `NTRMN-${register}`,
      orgName: nameOf(register),
      orgNameEn: `TAMGA ${registers}`,
      role: 'CEO',
      rightType: 'ADMIN',
      source: 'MANUAL',
      validTo: null,
    });
    const refused = client.organization.link(saranEtsi, {
      ...organization,
      affiliates: [{ regNo: bold.regNo }],
    });
    expect(await rejection(refused)).to.be.instanceOf(ForbiddenError);
    expect((await audit(register)).map(({ type }) => type)).to.have.members([
      'ORG_REGISTER',
      'ORG_REP_ADD',
    ]);
  });

  it('are looked up by anybody, nobody enrolled included, and the look-up is audited', async () => {
    const register = await linked();
    const { representations } = await client.organization.representations(
      `PNOMN-${bold.regNo.toUpperCase()}`,
    );
    expect(representations.map(({ orgRegister }) => orgRegister)).to.include(register);
    const nobody = await client.organization.representations('PNOMN-999999999999');
    expect(nobody).to.deep.equal({ personEtsi: 'PNOMN-999999999999', representations: [] });
    const [last, before] = await demo.service.organizations.audit({}, 2);
    expect(last).to.deep.include({ type: 'ORG_REP_LOOKUP', subject: '-', outcome: 'OK' });
    expect(before).to.deep.include({
      type: 'ORG_REP_LOOKUP',
      subject: boldEtsi,
      actor: { kind: 'relyingParty', id: demo.relyingPartyId },
    });
  });

  it('are not represented while they are suspended', async () => {
    const register = await linked();
    await demo.service.organizations.changeStatus(register, 'suspend');
    const { representations } = await client.organization.representations(boldEtsi);
    expect(representations.map(({ orgRegister }) => orgRegister)).not.to.include(register);
    expect(await codeOf(client.organization.signers(register, boldEtsi))).to.equal(
      'ORG_NOT_ACTIVE',
    );
    await demo.service.organizations.changeStatus(register, 'restore');
    expect((await client.organization.signers(register, boldEtsi)).signers).to.have.length(1);
  });

  it('get a signer who agrees on the phone', async () => {
    const register = await linked();
    const { signers, pendingConfirmation } = await invite(register);
    expect(signers.find(({ personEtsi }) => personEtsi === saranEtsi)).to.deep.include({
      regNo: saran.regNo,
      role: 'Нягтлан',
      rightType: 'MANAGER',
      status: 'PENDING',
      self: false,
    });
    expect(signers.find(({ self }) => self)?.personEtsi).to.equal(boldEtsi);
    expect((await invite(register)).pendingConfirmation).to.deep.equal(pendingConfirmation);
    await agree(pendingConfirmation);
    await eventually(async () => expect(await statusOf(register)).to.equal('ACTIVE'));
    expect(await codeOf(invite(register))).to.equal('CONFLICT');
    // The log told the status; the list of a person is a read model.
    await eventually(async () => {
      const { representations } = await client.organization.representations(saranEtsi);
      expect(representations.map(({ orgRegister }) => orgRegister)).to.include(register);
    });
    await client.organization.removeSigner(register, boldEtsi, saran.regNo);
    expect(await statusOf(register)).to.equal(undefined);
    const kinds = (await audit(register)).map(({ type, actor }) => `${type} ${actor.kind}`);
    expect(kinds).to.include.members([
      'ORG_REP_ADD relyingParty',
      'ORG_REP_ADD citizen',
      'ORG_REP_REMOVE relyingParty',
    ]);
  });

  it('ask a signer again, and take the answer to either question', async () => {
    const register = await linked();
    const first = (await invite(register)).pendingConfirmation;
    const { pendingConfirmation: second } = await client.organization.resendConfirmation(
      register,
      boldEtsi,
      saran.regNo,
    );
    expect(second?.sessionId).not.to.equal(first?.sessionId);
    await agree(first);
    await eventually(async () => expect(await statusOf(register)).to.equal('ACTIVE'));
    const again = client.organization.resendConfirmation(register, boldEtsi, saran.regNo);
    expect(await codeOf(again)).to.equal('CONFLICT');
  });

  it('make no signer of one whose invitation was taken back', async () => {
    const register = await linked();
    const { pendingConfirmation } = await invite(register);
    await client.organization.removeSigner(register, boldEtsi, saran.regNo);
    await agree(pendingConfirmation);
    expect(await statusOf(register)).to.equal(undefined);
  });

  it('refuse what is wrong with a clear code', async () => {
    const register = await linked();
    const add = (signerRegNo: string, actingPerson = boldEtsi, to = register) =>
      codeOf(client.organization.addSigner(to, actingPerson, { signerRegNo }));
    expect(await add(bold.regNo)).to.equal('CONFLICT');
    expect(await add('ЯЯ00000000')).to.equal('SIGNER_NOT_ENROLLED');
    expect(await add('x')).to.equal('INVALID_REQUEST');
    expect(await add(saran.regNo, saranEtsi)).to.equal('NOT_ORG_ADMIN');
    expect(await add(saran.regNo, boldEtsi, 'УБ0000000')).to.equal('ORG_NOT_FOUND');
    const { unlink, setNameLatin, removeSigner } = client.organization;
    expect(await codeOf(unlink(boldEtsi, register))).to.equal('LAST_ADMIN');
    expect(await codeOf(unlink(saranEtsi, register))).to.equal('NOT_ORG_ADMIN');
    expect(await codeOf(setNameLatin(register, boldEtsi, 'Тамга'))).to.equal('INVALID_REQUEST');
    expect(await codeOf(setNameLatin(register, saranEtsi, 'X'))).to.equal('NOT_ORG_ADMIN');
    expect(await codeOf(removeSigner(register, boldEtsi, bold.regNo))).to.equal('CONFLICT');
  });

  it('point at the field that is wrong, in its own name', async () => {
    const link = (fields: object) =>
      call(`${demo.service.origin}/v3/organization/representations/etsi/${boldEtsi}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${demo.apiSecret}` },
        body: {
          orgRegister: 'УБ7654321',
          orgName: 'Тамга ХХК',
          affiliates: [{ regNo: bold.regNo }],
          ...fields,
        },
      });
    const wrong: readonly (readonly [string, object])[] = [
      ['/orgNameEn', { orgNameEn: 'Тамга' }],
      ['/orgRegister', { orgRegister: 'x' }],
      ['/orgName', { orgName: ' ' }],
      ['/orgName', { orgName: 'Там\u0000га' }],
      ['/affiliates/0/role', { affiliates: [{ regNo: bold.regNo, role: 'a\u0000' }] }],
    ];
    for (const [pointer, fields] of wrong) {
      const { status, body } = await link(fields);
      expect(status, pointer).to.equal(400);
      expect(body['errors']).to.have.nested.property('[0].pointer', pointer);
    }
  });

  it('no longer show a right once its end is answered', async () => {
    const register = await linked();
    for (let round = 0; round < 3; round += 1) {
      await demo.service.organizations.grant(register, saran.civilId, aRight('MANAGER'));
      await demo.service.organizations.withdraw(register, saran.civilId);
      const { representations } = await client.organization.representations(saranEtsi);
      expect(representations.map(({ orgRegister }) => orgRegister)).not.to.include(register);
    }
  });

  it('lose a signer, too, who was forgotten', async () => {
    const register = await linked();
    const { civilId: forgotten = '', regNo: signerRegNo = '' } = demoCitizens[2] ?? {};
    const signer = await demo.enrol(forgotten);
    const { pendingConfirmation: pending } = await client.organization.addSigner(
      register,
      boldEtsi,
      { signerRegNo },
    );
    await confirm(signer, pending?.sessionId);
    await confirm(phones[0], pending?.adminSessionId);
    await eventually(async () => {
      const { signers } = await client.organization.signers(register, boldEtsi);
      expect(signers.map(({ status }) => status)).to.deep.equal(['ACTIVE', 'ACTIVE']);
    });
    await demo.service.forgetPerson(forgotten);
    const { signers } = await client.organization.removeSigner(
      register,
      boldEtsi,
      `PNOMN-${forgotten}`,
    );
    expect(signers.map(({ personEtsi }) => personEtsi)).to.deep.equal([boldEtsi]);
  });

  it('change their Latin name', async () => {
    const register = await linked();
    const answering = startScriptedPhones([{ ...phones[0], outcome: 'OK' }]);
    const answer = await client.organization
      .setNameLatin(register, boldEtsi, 'khan bank')
      .finally(() => answering.stop());
    const named = answer.representations.find(({ orgRegister }) => orgRegister === register);
    expect(named?.orgNameEn).to.equal('KHAN BANK');
  });

  it('keep one of two last ADMINs who leave at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const register = await linked();
      const { pendingConfirmation } = await client.organization.link(saranEtsi, {
        orgRegister: register,
        orgName: nameOf(register),
        affiliates: [{ regNo: saran.regNo }],
      });
      await confirm(phones[0], pendingConfirmation?.sessionId);
      await eventually(async () => expect(await statusOf(register)).to.equal('ACTIVE'));
      const left = await Promise.allSettled(
        [boldEtsi, saranEtsi].map((etsi) => client.organization.unlink(etsi, register)),
      );
      expect(left.map(({ status }) => status)).to.have.members(['fulfilled', 'rejected']);
      const refused = left.find((each) => each.status === 'rejected');
      expect((refused?.reason as ApiError).code).to.equal('LAST_ADMIN');
    }
  });

  it('are signed for, in sessions that say so', async () => {
    const register = await linked();
    const etsi = `NTRMN-${register}`;
    const digest = Buffer.alloc(32, 7).toString('base64');
    const { body } = await demo.create(`/signature/notification/etsi/${boldEtsi}`, {
      digest,
      onBehalfOf: etsi,
    });
    const sessionId = String(body['sessionID']);
    const request = await phones[0].phone.open(sessionId);
    const orgName = nameOf(register);
    expect(request.onBehalfOf).to.deep.equal({
      orgEtsi: etsi,
      orgName,
      role: 'CEO',
      rightType: 'ADMIN',
    });
    await phones[0].phone.confirm(request, phones[0].pin2);
    const polled = await demo.poll(sessionId);
    expect(polled.body['onBehalfOf']).to.deep.equal({
      orgEtsi: etsi,
      orgName,
      role: 'CEO',
      rightType: 'ADMIN',
    });
    const page = await (await fetch(`${demo.service.origin}/verify/${sessionId}?lang=en`)).text();
    expect(page).to.include('On behalf of').and.to.include(etsi);
    const { status } = await demo.create(`/signature/notification/etsi/${saranEtsi}`, {
      digest,
      onBehalfOf: etsi,
    });
    expect(status).to.equal(403);
    const checks = (await audit(register)).filter(({ type }) => type === 'ORG_ONBEHALF');
    expect(checks.map(({ outcome }) => outcome)).to.deep.equal(['DENIED', 'OK']);
  });

  it('leave every kind of audit the specification names, with actor, subject and outcome', async () => {
    const register = await linked();
    const etsi = `NTRMN-${register}`;
    const sealer = await demo.service.registerRelyingParty(aParty('Tamga Seals', ['SEAL']));
    const { seal } = new EidClient({
      baseUrl: demo.service.origin,
      credentials: {
        rpUUID: sealer.relyingPartyId,
        rpName: 'Tamga Seals',
        apiSecret: sealer.apiSecret,
      },
    });
    const digest = Buffer.alloc(32, 7).toString('base64');
    await demo.service.changeSealing('allow', {
      relyingPartyId: sealer.relyingPartyId,
      register,
    });
    await demo.service.issueSealCertificate(register);
    await seal.digest(etsi, digest);
    await client.organization.representations(boldEtsi);
    await demo.create(`/signature/notification/etsi/${boldEtsi}`, { digest, onBehalfOf: etsi });
    await demo.create(`/signature/notification/etsi/${saranEtsi}`, { digest, onBehalfOf: etsi });
    await demo.service.organizations.grant(register, saran.civilId, {
      rightType: 'MANAGER',
      role: null,
      source: 'MANUAL',
      evidenceRef: 'order 7',
      validTo: null,
    });
    await demo.service.organizations.withdraw(register, saran.civilId);
    await demo.service.organizations.changeStatus(register, 'suspend');
    await rejection(seal.digest(etsi, digest));

    const [rp, rpOfSeals, operator] = [demo.relyingPartyId, sealer.relyingPartyId, 'command line'];
    const about = (await audit(register)).map(
      ({ type, outcome, actor, subject }) => `${type} ${outcome} by ${actor.id} of ${subject}`,
    );
    expect(about).to.include.members([
      `ORG_REGISTER OK by ${rp} of ${etsi}`,
      `ORG_STATUS OK by ${operator} of ${etsi}`,
      `ORG_REP_ADD OK by ${rp} of ${etsi}`,
      `ORG_REP_ADD OK by ${operator} of ${etsi}`,
      `ORG_REP_REMOVE OK by ${operator} of ${etsi}`,
      `ORG_ONBEHALF OK by ${rp} of ${etsi}`,
      `ORG_ONBEHALF DENIED by ${rp} of ${etsi}`,
      `SEAL_CERT_ISSUE OK by ${operator} of ${etsi}`,
      `ORG_SEAL OK by ${rpOfSeals} of ${etsi}`,
      `ORG_SEAL DENIED by ${rpOfSeals} of ${etsi}`,
    ]);
    const [lookUp] = await demo.service.organizations.audit({ type: 'ORG_REP_LOOKUP' }, 1);
    expect(lookUp).to.deep.include({
      subject: boldEtsi,
      outcome: 'OK',
      actor: { kind: 'relyingParty', id: rp },
    });
  });

  it('make a signer once of one who agrees to both questions', async () => {
    const register = await linked();
    const { pendingConfirmation } = await invite(register);
    const again = (await client.organization.resendConfirmation(register, boldEtsi, saran.regNo))
      .pendingConfirmation;
    await agree(pendingConfirmation);
    await agree(again);
    await eventually(async () => expect(await statusOf(register)).to.equal('ACTIVE'));
    const confirmed = (await audit(register)).filter(({ actor }) => actor.kind === 'citizen');
    expect(confirmed).to.have.length(1);
  });
});
