import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { demoOrganization } from '../../main/cli/demo.ts';
import { EidClient } from '../../client/index.ts';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { type Given, given } from '../support/given/given.ts';
import { call, type CallOptions } from '../../main/drill/callers.ts';
import type { SignedInOperator } from '../support/worlds/operatorWorld.ts';
import { anOrganization, aParty, aRight } from '../support/given/wishes.ts';

const { register, name } = demoOrganization;
const etsi = `NTRMN-${register}`;
const digest = () => randomBytes(32).toString('base64');

describe('F4: a seal belongs to whom the organization trusts', function () {
  this.timeout(120_000);
  let demo: Given<'admin'>;
  let approver: SignedInOperator;
  let requester: SignedInOperator;

  before(async () => {
    demo = await given({
      settings: {
        SVC_ADMIN_API_KEY: 'the key behind the glass',
        SVC_ADMIN_REQUIRE_4EYES: 'true',
      },
      phones: { admin: '110000000001' },
    });
    await demo.service.organizations.register(
      anOrganization(register, name, demoOrganization.nameLatin),
    );
    requester = await demo.operators.signedIn('RP_OPERATOR');
    approver = await demo.operators.signedIn('SUPER_ADMIN');
  });

  after(() => demo.stop());

  let sealers = 0;
  /** A relying party that may seal, for whom is seen later. */
  async function sealer() {
    const { relyingPartyId, apiSecret } = await demo.service.registerRelyingParty(
      aParty(`Invoice SaaS ${(sealers += 1)}`, ['SEAL']),
    );
    const send = (method: CallOptions['method'] & string, path: string, body?: object) =>
      call(`${demo.service.origin}/v3${path}`, {
        method,
        headers: { authorization: `Bearer ${apiSecret}` },
        ...(body !== undefined && { body }),
      });
    return {
      relyingPartyId,
      apiSecret,
      send,
      seal: () => send('POST', `/seal/${etsi}`, { digest: digest() }),
      issue: (body?: object) => send('POST', `/seal/certificate/${etsi}`, body),
    };
  }

  const grantAdmin = () =>
    demo.service.organizations.grant(register, demo.phones.admin.citizen.civilId, aRight('ADMIN'));

  it('two operators put an organization on the list, one takes it off at once', async () => {
    await demo.service.issueSealCertificate(register);
    const { relyingPartyId, seal } = await sealer();
    expect((await seal()).status).to.equal(403);
    const list = `/relying-parties/${relyingPartyId}/seal-organizations`;
    const pending = await requester.call('POST', list, { orgEtsi: etsi });
    expect(pending.status, JSON.stringify(pending.body)).to.equal(202);
    expect((await seal()).status).to.equal(403);
    const { id } = pending.body as { id: string };
    const approved = await approver.call('POST', `/approvals/${id}/approve`, {});
    expect(approved.status, JSON.stringify(approved.body)).to.equal(200);
    await eventually(async () => expect((await seal()).status).to.equal(200));
    const shown = await requester.call('GET', `/relying-parties/${relyingPartyId}`);
    expect(shown.body['sealOrganizations']).to.deep.equal([etsi]);
    const removed = await requester.call('DELETE', `${list}/${etsi}`);
    expect(removed.body['sealOrganizations']).to.deep.equal([]);
    await eventually(async () => expect((await seal()).status).to.equal(403));
    const unknown = await requester.call('POST', list, { orgEtsi: 'NTRMN-9999999' });
    expect(unknown.status).to.equal(404);
  });

  it('a certificate is issued for a relying party once an ADMIN has confirmed, and once each time', async () => {
    const { relyingPartyId, issue } = await sealer();
    await demo.service.changeSealing('allow', { relyingPartyId, register });
    const alone = await issue();
    expect(alone.status, 'without an ADMIN').to.equal(409);
    await grantAdmin();
    const asked = await eventually(async () => {
      const answer = await issue();
      expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
      return answer.body as { sessionId: string };
    });
    const { sessionId } = asked;
    expect((await issue({ sessionId })).body).to.include({ code: 'SESSION_NOT_COMPLETE' });
    const stranger = await sealer();
    await demo.service.changeSealing('allow', {
      relyingPartyId: stranger.relyingPartyId,
      register,
    });
    expect((await stranger.issue({ sessionId })).status).to.equal(404);
    const request = await demo.phones.admin.phone.open(sessionId);
    expect(JSON.stringify(request)).to.include('Тамганы гэрчилгээ');
    await demo.phones.admin.phone.confirm(request, demo.phones.admin.pin2);
    const issued = await issue({ sessionId });
    expect(issued.status, JSON.stringify(issued.body)).to.equal(200);
    const again = await issue({ sessionId });
    expect(again.body['serialNumber']).to.equal(issued.body['serialNumber']);
  });

  it('no certificate is issued when the ADMIN refuses, or confirmed something else', async () => {
    const { relyingPartyId, issue } = await sealer();
    await demo.service.changeSealing('allow', { relyingPartyId, register });
    await grantAdmin();
    const { sessionId } = (await issue()).body as { sessionId: string };
    await demo.phones.admin.phone.refuse(sessionId, 'USER_REFUSED');
    const refused = await issue({ sessionId });
    expect(refused.status).to.equal(409);
    expect(refused.body['detail']).to.include('USER_REFUSED');
    const path = `/signature/notification/etsi/PNOMN-${demo.phones.admin.citizen.civilId}`;
    const other = await demo.create(path, { digest: digest() });
    const signed = String(other.body['sessionID'] ?? other.body['sessionId']);
    await demo.phones.admin.phone.confirm(
      await demo.phones.admin.phone.open(signed),
      demo.phones.admin.pin2,
    );
    expect((await issue({ sessionId: signed })).status).to.equal(404);
  });

  it('the client library waits for the ADMIN', async () => {
    const { relyingPartyId, apiSecret } = await sealer();
    await demo.service.changeSealing('allow', { relyingPartyId, register });
    await grantAdmin();
    const { seal } = new EidClient({
      baseUrl: demo.service.origin,
      credentials: { rpUUID: relyingPartyId, rpName: 'Invoice SaaS', apiSecret },
    });
    const phones = startScriptedPhones([demo.phones.admin]);
    try {
      const { serialNumber } = await seal.issueCertificate(etsi);
      expect((await seal.certificate(etsi)).serialNumber).to.equal(serialNumber);
    } finally {
      await phones.stop();
    }
  });
});
