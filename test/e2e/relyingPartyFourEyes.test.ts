import { expect } from 'chai';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { type Given, given } from '../support/given/given.ts';
import { call } from '../../main/drill/callers.ts';
import { redirectUri, registerClient } from '../support/oidc/oidcLogin.ts';
import type { SignedInOperator } from '../support/worlds/operatorWorld.ts';
import { aParty } from '../support/given/wishes.ts';

describe('A relying party that acts upon organizations, or under a name, is approved by two', function () {
  this.timeout(120_000);
  let demo: Given;
  let requester: SignedInOperator;
  let approver: SignedInOperator;

  before(async () => {
    demo = await given({ settings: { SVC_ADMIN_REQUIRE_4EYES: 'true' } });
    requester = await demo.operators.signedIn('RP_OPERATOR');
    approver = await demo.operators.signedIn('SUPER_ADMIN');
  });

  after(() => demo.stop());

  const settings = (name: string) => aParty(name, ['AUTH']);

  async function approve(pending: { readonly status: number; readonly body: object }) {
    expect(pending.status, JSON.stringify(pending.body)).to.equal(202);
    const { id } = pending.body as { id: string };
    const approved = await approver.call('POST', `/approvals/${id}/approve`, {});
    expect(approved.status, JSON.stringify(approved.body)).to.equal(200);
    return id;
  }

  it('R1: is registered once another operator approved, and who asked collects its secret', async () => {
    const pending = await requester.call('POST', '/relying-parties', {
      relyingPartyName: 'Notary',
      permissions: ['SEAL', 'ORG_LINK_WRITE'],
    });
    expect(JSON.stringify(pending.body)).not.to.include('rp_sk_');
    const { subject } = pending.body as { subject: string };
    expect((await requester.call('GET', `/relying-parties/${subject}`)).status).to.equal(404);
    const id = await approve(pending);
    const collected = await requester.call('POST', `/approvals/${id}/collect`);
    expect(collected.status, JSON.stringify(collected.body)).to.equal(200);
    const { apiSecret } = collected.body as { apiSecret: string };
    const answer = await call(`${demo.service.origin}/v3/seal/certificate/NTRMN-1234567`, {
      headers: { authorization: `Bearer ${apiSecret}` },
    });
    expect(answer.body).to.include({ code: 'ORG_NOT_FOUND' });
  });

  it('R1: is registered by two with a link to its secret, which neither of them sees', async () => {
    const body = { relyingPartyName: 'Linked', byLink: true };
    const pending = await requester.call('POST', '/relying-parties', body);
    const { effects } = pending.body as { effects: readonly { readonly after: string }[] };
    expect(effects.at(-1)?.after).to.match(/who opens a link/);
    const id = await approve(pending);
    const { body: made } = await requester.call('POST', `/approvals/${id}/collect`);
    expect(made).to.have.all.keys('handOverPath', 'until');
    const [, token] = String(made['handOverPath']).split('#');
    const taken = await call(`${demo.service.origin}/hand-over`, {
      method: 'POST',
      body: { token },
    });
    expect(taken.body).to.have.nested.property('variables.RP_NAME', 'Linked');
    const again = await requester.call('POST', `/approvals/${id}/collect`);
    expect(again.status).to.equal(409);
  });

  it('gets an OpenID Connect client without a secret once another approved: nothing is collected', async () => {
    const { relyingPartyId } = await demo.service.registerRelyingParty(settings('App maker'));
    const pending = await requester.call('POST', '/oidc-clients', {
      relyingPartyUUID: relyingPartyId,
      name: 'App',
      redirectUris: ['https://app.example/callback'],
      authMethod: 'none',
    });
    expect(pending.body).to.include({ execution: 'AT_ONCE' });
    await approve(pending);
    const path = `/oidc-clients/${String(pending.body['subject'])}`;
    await eventually(async () => expect((await requester.call('GET', path)).status).to.equal(200));
  });

  it('R1: gets another name or a permission upon organizations from two, all else from one', async () => {
    const { relyingPartyId } = await demo.service.registerRelyingParty(settings('Plain'));
    const edit = (body: object) =>
      requester.call('PATCH', `/relying-parties/${relyingPartyId}`, body);
    const permissions = async () =>
      (await requester.call('GET', `/relying-parties/${relyingPartyId}`)).body['permissions'];
    for (const body of [
      { permissions: ['AUTH', 'SEAL'] },
      { permissions: ['ORG_LINK_WRITE'] },
      { firstParty: true },
      { relyingPartyName: 'Other name' },
    ]) {
      expect((await edit(body)).status, JSON.stringify(body)).to.equal(202);
    }
    expect(await permissions()).to.deep.equal(['AUTH']);
    expect((await edit({ callbackHosts: ['a.example'], permissions: [] })).status).to.equal(200);
    await approve(await edit({ permissions: ['SEAL'] }));
    await eventually(async () => expect(await permissions()).to.deep.equal(['SEAL']));
  });

  it('gets an OpenID Connect client once another operator approved, and who asked collects its secret', async () => {
    const { relyingPartyId } = await demo.service.registerRelyingParty(settings('Owner'));
    const register = (body: object) =>
      requester.call('POST', '/oidc-clients', {
        relyingPartyUUID: relyingPartyId,
        name: 'Owner portal',
        scopes: ['openid'],
        redirectUris: ['https://elsewhere.example/callback'],
        ...body,
      });
    const pending = await register({ comment: 'A portal.' });
    expect(JSON.stringify(pending.body)).not.to.include('oidc_sk_');
    const { subject, effects } = pending.body as {
      subject: string;
      effects: { before: string; after: string }[];
    };
    expect(new Set(effects.map(({ before }) => before))).to.deep.equal(new Set(['none']));
    expect(effects.map(({ after }) => after)).to.include.members([
      `Owner ${relyingPartyId}`,
      'https://elsewhere.example/callback',
    ]);
    expect((await requester.call('GET', `/oidc-clients/${subject}`)).status).to.equal(404);
    const id = await approve(pending);
    const collected = await requester.call('POST', `/approvals/${id}/collect`);
    expect(collected.body['clientId']).to.equal(subject);
    expect(collected.body['clientSecret']).to.match(/^oidc_sk_/);
    const shown = await requester.call('GET', `/oidc-clients/${subject}`);
    expect(shown.body).to.include({ relyingPartyUUID: relyingPartyId, sector: relyingPartyId });
    const foreign = await register({ sector: demo.relyingPartyId });
    expect([foreign.status, foreign.body['code']]).to.deep.equal([409, 'CONFLICT']);
  });

  it('changes where its OpenID Connect client sends tokens, and how that proves itself, by two', async () => {
    const { clientId } = await registerClient(demo);
    const path = `/oidc-clients/${clientId}`;
    const edit = (body: object) => requester.call('PATCH', path, body);
    const shown = async () => (await requester.call('GET', path)).body;
    const elsewhere = [redirectUri, 'https://elsewhere.example/callback'];
    for (const body of [
      { redirectUris: ['https://third.example/'] },
      { name: 'Өөр нэр' },
      { requirePkce: false },
      { securityProfile: 'standard', nameEn: 'Another' },
      { deviceFlow: true },
      { backchannelTokenDeliveryMode: 'poll' },
      { backchannelLogoutUri: 'https://elsewhere.example/logout' },
      { authorizationDetailsTypes: ['payment_initiation'] },
      { apis: [clientId] },
    ]) {
      const { status, body: answered } = await edit(body);
      expect(status, JSON.stringify([body, answered])).to.equal(202);
    }
    expect(await shown()).to.deep.include({ redirectUris: [redirectUri], requirePkce: true });
    const fewer = await edit({ scopes: ['openid'], postLogoutRedirectUris: [] });
    expect(fewer.status).to.equal(200);
    const pending = await edit({ redirectUris: elsewhere });
    expect(pending.body, JSON.stringify(pending.body))
      .to.have.property('effects')
      .that.deep.equals([
        {
          target: 'redirectUris of OpenID Connect client Жишээ портал',
          before: redirectUri,
          after: elsewhere.join(' '),
        },
      ]);
    await approve(pending);
    await eventually(async () => expect((await shown())['redirectUris']).to.deep.equal(elsewhere));
    const unusable = await edit({ redirectUris: ['http://elsewhere.example/'] });
    expect(unusable.status).to.equal(400);
  });

  it('N7: is nobody who looks like another, by name, alias or client, not even at once', async () => {
    const { service } = demo;
    const { relyingPartyId } = await service.registerRelyingParty(settings('Big Bank'));
    await service.setRelyingPartyNames({
      relyingPartyId,
      aliases: ['Big Bank Loans'],
      otherNames: false,
    });
    for (const name of ['Big Bank', 'BIG BANK', 'Big Bank.', 'Ｂig Bank', 'big bank loans']) {
      const refused = await rejection(service.registerRelyingParty(settings(name)));
      expect(refused, name).to.have.property('code').that.is.oneOf(['CONFLICT', 'INVALID_REQUEST']);
    }
    for (const name of ['Big  Bank', 'Big\u00a0Bank', 'Big\u2003Bank']) {
      const refused = await rejection(service.registerRelyingParty(settings(name)));
      expect(refused, name).to.include({ code: 'INVALID_REQUEST' });
    }
    const other = await service.registerRelyingParty(settings('Small Bank'));
    const wish = { relyingPartyId: other.relyingPartyId, aliases: ['BIG bank'], otherNames: false };
    expect(await rejection(service.setRelyingPartyNames(wish))).to.include({ code: 'CONFLICT' });
    const tried = await Promise.allSettled(
      ['One Bank', 'ONE BANK', 'one bank.'].map((name) =>
        service.registerRelyingParty(settings(name)),
      ),
    );
    expect(tried.map(({ status }) => status).sort()).to.deep.equal([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    const renamed = (relyingPartyName: string) =>
      requester.call('PATCH', `/relying-parties/${other.relyingPartyId}`, { relyingPartyName });
    const aliased = (aliases: readonly string[]) =>
      requester.call('PUT', `/relying-parties/${other.relyingPartyId}/names`, {
        aliases,
        otherNames: false,
      });
    const registering = await requester.call('POST', '/relying-parties', {
      relyingPartyName: 'big BANK',
    });
    for (const { status, body } of [
      registering,
      await renamed('big BANK'),
      await aliased(['Small', 'big bank LOANS']),
    ]) {
      expect([status, body['code']]).to.deep.equal([409, 'CONFLICT']);
    }
    const renaming = await renamed('Late Bank');
    await service.registerRelyingParty(settings('LATE Bank'));
    const id = await approve(renaming);
    await eventually(async () => {
      const { body } = await requester.call('GET', `/approvals/${id}`);
      expect(body).to.include({ status: 'FAILED', code: 'CONFLICT' });
    });
  });
});
