import { expect } from 'chai';
import { demoOrganization } from '../../main/cli/demo.ts';
import { EidClient, type PendingConfirmation } from '../../client/index.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { aParty } from '../support/given/wishes.ts';

const { register, name } = demoOrganization;
const registryCsv = 'infrastructure/registry/demo/organization-registry.csv';
const etsi = ({ citizen }: DemoPhone) => `PNOMN-${citizen.civilId}`;

describe('F5: an organization is not taken over', function () {
  this.timeout(120_000);
  let demo: DemoInstallation;
  let admin: DemoPhone;
  let affiliate: DemoPhone;
  let stranger: DemoPhone;
  let portal: EidClient;
  let registers = 3_000_000;

  before(async () => {
    demo = await startDemoInstallation();
    await demo.service.importRegister('organizations', registryCsv);
    admin = await demo.enrol('110000000001');
    affiliate = await demo.enrol('110000000002');
    stranger = await demo.enrol('110000000003');
    portal = await relyingParty('Portal');
  });

  after(() => demo.stop());

  async function relyingParty(rpName: string): Promise<EidClient> {
    const { relyingPartyId, apiSecret } = await demo.service.registerRelyingParty(
      aParty(rpName, ['ORG_LINK_WRITE']),
    );
    const credentials = { rpUUID: relyingPartyId, rpName, apiSecret };
    return new EidClient({ baseUrl: demo.service.origin, credentials });
  }

  const link = (by: EidClient, phone: DemoPhone, orgRegister: string = register) =>
    by.organization.link(etsi(phone), {
      orgRegister,
      orgName: orgRegister === register ? name : `${name} ${orgRegister}`,
      affiliates: [{ regNo: phone.citizen.regNo, kind: 'CEO' }],
    });
  const codeOf = async (call: Promise<unknown>) =>
    ((await rejection(call)) as { code?: unknown }).code;
  const confirm = async ({ phone, pin2 }: DemoPhone, sessionId: string | undefined) => {
    const request = await phone.open(String(sessionId));
    await phone.confirm(request, pin2);
    return JSON.stringify(request);
  };
  const statusOf = async (phone: DemoPhone, orgRegister: string) => {
    const { signers } = await portal.organization.signers(orgRegister, etsi(admin));
    return signers.find(({ personEtsi }) => personEtsi === etsi(phone));
  };
  const untilActive = (phone: DemoPhone, orgRegister: string) =>
    eventually(async () => {
      expect(await statusOf(phone, orgRegister)).to.include({ status: 'ACTIVE' });
    });
  /** An organization the registry does not know, whose ADMIN the portal linked. */
  async function linked(): Promise<string> {
    registers += 1;
    const orgRegister = `УБ${registers}`;
    const { pendingConfirmation } = await link(portal, admin, orgRegister);
    expect(pendingConfirmation).to.equal(undefined);
    return orgRegister;
  }

  it('a relying party does not make somebody an affiliate the registry does not name', async () => {
    expect(await codeOf(link(portal, stranger))).to.equal('REPRESENTATION_DENIED');
    const { representations } = await link(portal, admin);
    expect(representations.map(({ orgRegister }) => orgRegister)).to.include(register);
  });

  it('a new ADMIN is PENDING until an ADMIN in place confirms by push', async () => {
    const orgRegister = await linked();
    const first = await link(portal, affiliate, orgRegister);
    expect(first.representations.map((right) => right.orgRegister)).not.to.include(orgRegister);
    expect(first.pendingConfirmation).to.include({ orgRegister, signerEtsi: etsi(affiliate) });
    expect(await statusOf(affiliate, orgRegister)).to.include({
      status: 'PENDING',
      rightType: 'ADMIN',
    });
    const again = await link(portal, affiliate, orgRegister);
    expect(again.pendingConfirmation).to.deep.equal(first.pendingConfirmation);
    const shown = await confirm(admin, first.pendingConfirmation?.sessionId);
    expect(shown).to.include('Администратор болгох').and.to.include('Сарангэрэл');
    await untilActive(affiliate, orgRegister);
  });

  it('the ADMIN is notified of every change of another person, and a person of the loss of their right', async () => {
    const orgRegister = await linked();
    const { pendingConfirmation } = await link(portal, affiliate, orgRegister);
    const changes = async ({ phone }: DemoPhone) =>
      (await phone.notices())
        .filter(({ right }) => right?.orgEtsi === `NTRMN-${orgRegister}`)
        .map(({ right }) => `${right?.change} ${right?.personEtsi}`)
        .reverse();
    await eventually(async () =>
      expect(await changes(admin)).to.deep.equal([`REQUESTED ${etsi(affiliate)}`]),
    );
    await confirm(admin, pendingConfirmation?.sessionId);
    await untilActive(affiliate, orgRegister);
    await portal.organization.unlink(etsi(affiliate), orgRegister);
    await eventually(async () => {
      const told = ['REQUESTED', 'GRANTED', 'WITHDRAWN'].map(
        (each) => `${each} ${etsi(affiliate)}`,
      );
      expect(await changes(admin)).to.have.members(told);
      expect(await changes(affiliate)).to.deep.equal([`WITHDRAWN ${etsi(affiliate)}`]);
    });
  });

  it('a refused ADMIN stays PENDING, and is asked about anew by another link', async () => {
    const orgRegister = await linked();
    const { pendingConfirmation: first } = await link(portal, affiliate, orgRegister);
    await admin.phone.refuse(String(first?.sessionId), 'USER_REFUSED');
    const { pendingConfirmation: second } = await link(portal, affiliate, orgRegister);
    expect(second?.sessionId).not.to.equal(first?.sessionId);
    expect(await statusOf(affiliate, orgRegister)).to.include({ status: 'PENDING' });
    await confirm(admin, second?.sessionId);
    await untilActive(affiliate, orgRegister);
  });

  it('a new MANAGER is PENDING until the ADMIN has confirmed, too', async () => {
    const orgRegister = await linked();
    const { pendingConfirmation } = await portal.organization.addSigner(orgRegister, etsi(admin), {
      signerRegNo: stranger.citizen.regNo,
    });
    const asked = pendingConfirmation as PendingConfirmation;
    await confirm(stranger, asked.sessionId);
    expect(await statusOf(stranger, orgRegister)).to.include({ status: 'PENDING' });
    expect(await confirm(admin, asked.adminSessionId)).to.include('Гарын үсэг зурагч');
    await untilActive(stranger, orgRegister);
  });

  it('a relying party unlinks only what it linked', async () => {
    const orgRegister = await linked();
    const other = await relyingParty('Other Portal');
    const { pendingConfirmation } = await link(other, affiliate, orgRegister);
    await confirm(admin, pendingConfirmation?.sessionId);
    await untilActive(affiliate, orgRegister);
    const unlink = (by: EidClient, phone: DemoPhone) =>
      by.organization.unlink(etsi(phone), orgRegister);
    expect(await codeOf(unlink(other, admin))).to.equal('PERMISSION_DENIED');
    expect(await codeOf(unlink(portal, affiliate))).to.equal('PERMISSION_DENIED');
    // Linking somebody else's ADMIN once more gives no hold over that person.
    await link(other, admin, orgRegister);
    expect(await codeOf(unlink(other, admin))).to.equal('PERMISSION_DENIED');
    const { representations } = await unlink(other, affiliate);
    expect(representations.map((right) => right.orgRegister)).not.to.include(orgRegister);
  });

  it('in production nobody is linked by the word of a relying party alone', async () => {
    const strict = await startDemoInstallation({ SVC_ORG_LINK_UNLISTED: 'false' });
    try {
      const { citizen } = await strict.enrol('110000000001');
      const { organization } = new EidClient({
        baseUrl: strict.service.origin,
        credentials: { rpUUID: strict.relyingPartyId, rpName: 'X', apiSecret: strict.apiSecret },
      });
      const wish = {
        orgRegister: 'УБ7777777',
        orgName: name,
        affiliates: [{ regNo: citizen.regNo }],
      };
      expect(await codeOf(organization.link(`PNOMN-${citizen.civilId}`, wish))).to.equal(
        'REPRESENTATION_DENIED',
      );
    } finally {
      await strict.stop();
    }
  });

  it('changes of rights are limited for each relying party', async () => {
    const limited = await startDemoInstallation({ SVC_ORG_LINKS_PER_MINUTE: '2' });
    try {
      const { organization } = new EidClient({
        baseUrl: limited.service.origin,
        credentials: { rpUUID: limited.relyingPartyId, rpName: 'X', apiSecret: limited.apiSecret },
      });
      const unlink = () => codeOf(organization.unlink('PNOMN-110000000001', register));
      const codes = [await unlink(), await unlink(), await unlink()];
      expect(codes).to.deep.equal(['PERSON_NOT_FOUND', 'PERSON_NOT_FOUND', 'RATE_LIMITED']);
    } finally {
      await limited.stop();
    }
  });
});
