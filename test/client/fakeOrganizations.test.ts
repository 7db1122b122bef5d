import { expect } from 'chai';
import { type EndResult, EidClient } from '../../client/index.ts';
import { createFakePlatform, type FakePlatform } from '../../client/testing/index.ts';
import { rejection } from '../support/assertions/rejection.ts';

describe('An ADMIN of an organization of the fake platform', () => {
  let platform: FakePlatform;
  let client: EidClient;

  beforeEach(() => {
    platform = createFakePlatform();
    client = new EidClient(platform.config);
  });

  /** Adds an organization whose one ADMIN answers so. */
  function organizationWhose(answers: EndResult | null) {
    const { register, orgEtsi, name: orgName } = platform.addOrganization();
    const right = { orgEtsi, orgName, role: null, rightType: 'ADMIN' } as const;
    const admin = platform.addCitizen({ answers, represents: [right] });
    return { register, orgEtsi, orgName, admin };
  }

  function linkOf(
    { etsi, regNo }: { readonly etsi: string; readonly regNo: string },
    { register: orgRegister, orgName }: { readonly register: string; readonly orgName: string },
  ) {
    return client.organization.link(etsi, { orgRegister, orgName, affiliates: [{ regNo }] });
  }

  it('who confirms lets a second ADMIN and a signer be in force at once', async () => {
    const organization = organizationWhose('OK');
    const second = platform.addCitizen();
    const linked = await linkOf(second, organization);
    expect(linked.representations[0]).to.include({ rightType: 'ADMIN' });
    expect(linked).not.to.have.property('pendingConfirmation');
    const { register, admin } = organization;
    const { regNo: signerRegNo } = platform.addCitizen();
    const added = await client.organization.addSigner(register, admin.etsi, { signerRegNo });
    expect(added.pendingConfirmation).to.equal(null);
  });

  for (const answers of ['USER_REFUSED', null] as const) {
    it(`who does not leaves them pending: ${answers ?? 'no answer'}`, async () => {
      const organization = organizationWhose(answers);
      const second = platform.addCitizen();
      const linked = await linkOf(second, organization);
      expect(linked.representations).to.deep.equal([]);
      expect(linked.pendingConfirmation).to.include({ signerEtsi: second.etsi });
      expect(linked.pendingConfirmation).not.to.have.property('adminSessionId');
      const { register, admin } = organization;
      const { regNo: signerRegNo } = platform.addCitizen();
      const added = await client.organization.addSigner(register, admin.etsi, { signerRegNo });
      expect(added.pendingConfirmation).to.include({ signerRegNo });
      expect(added.pendingConfirmation).to.have.property('adminSessionId');
      expect(added.signers.map(({ status }) => status)).to.deep.equal([
        ...['ACTIVE', 'PENDING', 'PENDING'],
      ]);
    });

    it(`who does not keeps the name and the seal as they are: ${answers ?? 'no answer'}`, async () => {
      const { register, orgEtsi, admin } = organizationWhose(answers);
      const before = await client.seal.certificate(orgEtsi);
      const calls = [
        client.organization.setNameLatin(register, admin.etsi, 'TAMGA LLC'),
        client.seal.issueCertificate(orgEtsi),
      ];
      for (const call of calls) expect(await rejection(call)).to.include({ code: 'CONFLICT' });
      expect(await client.seal.certificate(orgEtsi)).to.deep.equal(before);
      const { representations } = await client.organization.representations(admin.etsi);
      expect(representations[0]).to.include({ orgNameEn: null });
    });
  }

  it('is not asked about a right that is renewed', async () => {
    const organization = organizationWhose('USER_REFUSED');
    const { representations } = await linkOf(organization.admin, organization);
    expect(representations[0]).to.include({ rightType: 'ADMIN' });
  });
});
