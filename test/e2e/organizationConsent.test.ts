import { expect } from 'chai';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import type { Permission } from '../../domain/relyingParty/settings.ts';
import { EidClient } from '../../client/index.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { call, type CallOptions } from '../../main/drill/callers.ts';
import { anOrganization, aParty, aRight } from '../support/given/wishes.ts';

const register = '8123456';
const name = 'Хаан тээвэр, худалдаа, үйлчилгээний нэгдсэн групп компани ХХК';
const etsiOf = ({ citizen }: DemoPhone) => `PNOMN-${citizen.civilId}`;

describe('What a relying party changes or reads of an organization, the organization wants', function () {
  this.timeout(120_000);
  let demo: DemoInstallation;
  let admin: DemoPhone;
  let stranger: DemoPhone;
  let names = 0;

  before(async () => {
    demo = await startDemoInstallation({
      SVC_PUSHES_PER_MINUTE: '1000',
      SVC_PUSHES_PER_RELYING_PARTY: '3',
      SVC_PUSHES_RUNNING: '0',
    });
    admin = await demo.enrol('110000000001');
    stranger = await demo.enrol('110000000003');
    await demo.service.organizations.register(anOrganization(register, name, 'KHAAN GROUP LLC'));
    await demo.service.organizations.grant(register, admin.citizen.civilId, aRight('ADMIN'));
  });

  after(() => demo.stop());

  /** A relying party that has nothing to do with the organization. */
  async function relyingParty(permissions: Permission[] = ['ORG_LINK_WRITE']) {
    names += 1;
    const rpName = `Stranger ${names}`;
    const { relyingPartyId, apiSecret } = await demo.service.registerRelyingParty(
      aParty(rpName, permissions),
    );
    const send = (method: CallOptions['method'] & string, path: string, body?: object) =>
      call(`${demo.service.origin}/v3${path}`, {
        method,
        headers: { authorization: `Bearer ${apiSecret}` },
        ...(body !== undefined && { body }),
      });
    const credentials = { rpUUID: relyingPartyId, rpName, apiSecret };
    const { organization } = new EidClient({ baseUrl: demo.service.origin, credentials });
    return { relyingPartyId, send, organization };
  }

  type Party = Awaited<ReturnType<typeof relyingParty>>;
  const signersPath = () => `/organization/signers/${register}/etsi/${etsiOf(admin)}`;
  const rename = ({ send }: Party, nameLatin: string, sessionId?: unknown) =>
    send('PUT', `/organization/name-latin/${register}/etsi/${etsiOf(admin)}`, {
      nameLatin,
      ...(sessionId !== undefined && { sessionId }),
    });
  const latinName = async () => {
    const list = await demo.service.organizations.list();
    return list.find((each) => each.register === register)?.nameLatin;
  };
  const audit = (count = 50) =>
    demo.service.organizations.audit({ subject: `NTRMN-${register}` }, count);
  const confirm = async ({ phone, pin2 }: DemoPhone, sessionId: unknown) => {
    const request = await phone.open(String(sessionId));
    await phone.confirm(request, pin2);
    return request.interactions;
  };

  describe('N2: a Latin name', () => {
    it('is changed by nobody who only names an ADMIN', async () => {
      const { status, body } = await rename(await relyingParty(), 'MALLORY HOLDING LLC');
      expect(status, JSON.stringify(body)).to.equal(202);
      expect(await latinName()).to.equal('KHAAN GROUP LLC');
    });

    it('changes once an ADMIN confirmed that very name, and leaves who did', async () => {
      const party = await relyingParty();
      const asked = await rename(party, 'khaan holding');
      expect(asked.status).to.equal(202);
      const { sessionId } = asked.body;
      expect((await rename(party, 'KHAAN HOLDING', sessionId)).body).to.include({
        code: 'SESSION_NOT_COMPLETE',
      });
      const shown = await confirm(admin, sessionId);
      for (const text of JSON.stringify(shown).match(/"displayText\d+":"[^"]*"/g) ?? []) {
        expect(text).to.include('KHAAN HOLDING').and.to.include('Хаан');
      }
      expect((await rename(party, 'MALLORY', sessionId)).status).to.equal(404);
      expect((await rename(await relyingParty(), 'KHAAN HOLDING', sessionId)).status).to.equal(404);
      const renamed = await rename(party, 'KHAAN HOLDING', sessionId);
      expect(renamed.status, JSON.stringify(renamed.body)).to.equal(200);
      expect(await latinName()).to.equal('KHAAN HOLDING');
      const [entry] = (await audit()).filter(({ type }) => type === 'ORG_RENAME');
      expect(entry?.details).to.include({ confirmedBy: etsiOf(admin), sessionId });
      await eventually(async () => {
        const notices = await admin.phone.notices();
        expect(notices.map(({ organization }) => organization)).to.deep.include({
          orgEtsi: `NTRMN-${register}`,
          orgName: name,
          orgNameEn: 'KHAAN HOLDING',
          change: 'RENAMED',
        });
      });
    });

    it('does not come back by an old confirmation', async () => {
      const party = await relyingParty();
      const first = await rename(party, 'FIRST');
      await confirm(admin, first.body['sessionId']);
      const second = await rename(party, 'SECOND');
      await confirm(admin, second.body['sessionId']);
      expect((await rename(party, 'SECOND', second.body['sessionId'])).status).to.equal(200);
      expect((await rename(party, 'FIRST', first.body['sessionId'])).status).to.equal(409);
      expect(await latinName()).to.equal('SECOND');
    });

    it('stays when the ADMIN refuses', async () => {
      const party = await relyingParty();
      const { body } = await rename(party, 'REFUSED');
      await admin.phone.refuse(String(body['sessionId']), 'USER_REFUSED');
      expect((await rename(party, 'REFUSED', body['sessionId'])).status).to.equal(409);
      expect(await latinName()).not.to.equal('REFUSED');
    });

    it('N7: is none that looks like another organization’s, before the ADMIN is asked and after', async () => {
      const party = await relyingParty();
      const other = (number: string, latin: string) =>
        demo.service.organizations.register(anOrganization(number, `Өөр ${number}`, latin));
      await other('8123457', 'ALPHA LLC');
      const told = await rename(party, 'alpha llc');
      expect([told.status, told.body['code']]).to.deep.equal([409, 'CONFLICT']);
      const { body: asked } = await rename(party, 'BETA LLC');
      await confirm(admin, asked['sessionId']);
      await other('8123458', 'Beta LLC.');
      const late = await rename(party, 'BETA LLC', asked['sessionId']);
      expect([late.status, late.body['code']]).to.deep.equal([409, 'CONFLICT']);
      expect(await latinName()).not.to.match(/ALPHA|BETA/u);
    });

    it('N7, F4: is, with the name, none that looks like another’s when a new one is linked', async () => {
      const { send } = await relyingParty();
      const path = `/organization/representations/etsi/${etsiOf(admin)}`;
      const affiliates = [{ regNo: admin.citizen.regNo }];
      for (const [orgName, status] of [
        [name, 409],
        [`${name.toUpperCase()}.`, 409],
        ['Хaан банк', 400],
        ['Хаан\u200b банк', 400],
        ['Хаан\u00a0банк', 400],
      ] as const) {
        const answer = await send('POST', path, { orgRegister: '8123459', orgName, affiliates });
        expect(answer.status, `${orgName} ${JSON.stringify(answer.body)}`).to.equal(status);
        if (status !== 400) continue;
        expect(answer.body).to.have.nested.property('errors[0].pointer', '/orgName');
      }
    });

    it('is waited for by the client library', async () => {
      const { organization } = await relyingParty();
      const answering = startScriptedPhones([{ ...admin, outcome: 'OK' }]);
      try {
        const { representations } = await organization.setNameLatin(
          register,
          etsiOf(admin),
          'by library',
        );
        const named = representations.find(({ orgRegister }) => orgRegister === register);
        expect(named?.orgNameEn).to.equal('BY LIBRARY');
      } finally {
        await answering.stop();
      }
    });

    it('is in the question whether a certificate may carry it', async () => {
      const party = await relyingParty(['SEAL']);
      const { relyingPartyId } = party;
      await demo.service.changeSealing('allow', { relyingPartyId, register });
      const asked = await eventually(async () => {
        const answer = await party.send('POST', `/seal/certificate/NTRMN-${register}`);
        expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
        return answer;
      });
      const shown = await confirm(admin, asked.body['sessionId']);
      const certified = String(await latinName());
      for (const text of JSON.stringify(shown).match(/"displayText\d+":"[^"]*"/g) ?? []) {
        expect(text).to.include(certified).and.to.include('Хаан');
      }
    });
  });

  describe('N3: the signers', () => {
    it('are shown to no relying party without a right here, by no route', async () => {
      const party = await relyingParty();
      expect((await party.send('GET', signersPath())).status).to.equal(403);
      const of = `/organization/signers/${register}/etsi/${etsiOf(stranger)}`;
      expect((await party.send('GET', of)).body).to.include({ code: 'PERMISSION_DENIED' });
      const { regNo: signerRegNo } = stranger.citizen;
      const invited = await party.send('POST', signersPath(), { signerRegNo });
      expect(invited.status, JSON.stringify(invited.body)).to.equal(200);
      const again = await party.send('POST', `${signersPath()}/resend?signer=${signerRegNo}`);
      const removed = await party.send('DELETE', `${signersPath()}?signer=${signerRegNo}`);
      for (const { body } of [invited, again, removed]) {
        expect(JSON.stringify(body)).not.to.include(admin.citizen.regNo);
        expect(JSON.stringify(body)).not.to.include(etsiOf(admin));
      }
    });

    it('are shown once an ADMIN has confirmed a right for it, and each look-up is recorded', async () => {
      const party = await relyingParty();
      const { regNo: signerRegNo } = stranger.citizen;
      const { body } = await party.send('POST', signersPath(), { signerRegNo });
      const { sessionId, adminSessionId } = body['pendingConfirmation'] as Record<string, unknown>;
      await confirm(admin, adminSessionId);
      await confirm(stranger, sessionId);
      const shown = await eventually(async () => {
        const answer = await party.send('GET', signersPath());
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
        return answer.body['signers'] as readonly { readonly personEtsi: string }[];
      });
      expect(shown.map(({ personEtsi }) => personEtsi)).to.have.members([
        etsiOf(admin),
        etsiOf(stranger),
      ]);
      const [entry] = (await audit()).filter(({ type }) => type === 'ORG_REP_LOOKUP');
      expect(entry?.actor).to.deep.equal({ kind: 'relyingParty', id: party.relyingPartyId });
      expect(JSON.stringify(entry?.details)).to.include(etsiOf(stranger));
      await party.send('DELETE', `${signersPath()}?signer=${signerRegNo}`);
      expect((await party.send('GET', signersPath())).status).to.equal(403);
    });
  });

  describe('N12: invitations', () => {
    it('reach nobody who never had a right, and the ADMINs once an hour', async () => {
      const party = await relyingParty();
      const { regNo: signerRegNo } = stranger.citizen;
      const before = { stranger: (await stranger.phone.notices()).length };
      const ofAdmin = async () =>
        (await admin.phone.notices())
          .map(({ right }) => right?.change)
          .filter((change) => change === 'INVITED' || change === 'WITHDRAWN').length;
      const statuses: number[] = [];
      for (let round = 0; round < 8; round += 1) {
        statuses.push((await party.send('POST', signersPath(), { signerRegNo })).status);
        await party.send('DELETE', `${signersPath()}?signer=${signerRegNo}`);
      }
      expect(statuses).to.deep.equal([200, 200, 200, 429, 429, 429, 429, 429]);
      const removed = (await audit(200)).filter(
        ({ type, actor }) => type === 'ORG_REP_REMOVE' && actor.id === party.relyingPartyId,
      );
      expect(removed, 'what was refused left no fact').to.have.length(3);
      // A change that is told of for sure, after all of them.
      await demo.service.organizations.grant(register, stranger.citizen.civilId, aRight('MANAGER'));
      await eventually(async () => {
        const [newest] = await admin.phone.notices();
        expect(newest?.right).to.include({ change: 'GRANTED', personEtsi: etsiOf(stranger) });
      });
      expect(await stranger.phone.notices()).to.have.length(before.stranger);
      // Earlier examples of this hour count, too.
      expect(await ofAdmin()).to.be.at.most(4);
    });
  });
});
