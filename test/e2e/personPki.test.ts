import { expect } from 'chai';
import * as openid from 'openid-client';
import { type ApiError, EidClient, ForbiddenError } from '../../client/index.ts';
import { demoCitizens } from '../../main/cli/demo.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  newChallenge,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { aParty } from '../support/given/wishes.ts';
import { discoverAs, registerClient } from '../support/oidc/oidcLogin.ts';

const [citizen] = demoCitizens;
if (citizen === undefined) throw new Error('There is no demo citizen.');
const etsi = `PNOMN-${citizen.civilId}`;

describe('The person PKI panel, from the library to the read models', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let phone: DemoPhone;

  before(async () => {
    demo = await startDemoInstallation();
    phone = await demo.enrol(citizen.civilId);
  });

  after(() => demo.stop());

  const clientOf = (rpUUID: string, apiSecret: string) =>
    new EidClient({
      baseUrl: demo.service.origin,
      credentials: { rpUUID, rpName: 'Tamga Demo', apiSecret },
      trust: { allowUntrusted: true, trustAnchorsPem: [] },
    });
  const own = () => clientOf(demo.relyingPartyId, demo.apiSecret);

  async function another(permissions: readonly 'PKI_READ'[]) {
    const { relyingPartyId, apiSecret } = await demo.service.registerRelyingParty(
      aParty(`Other ${permissions.join()}`.trim(), permissions),
    );
    return clientOf(relyingPartyId, apiSecret);
  }

  it('shows certificates, phones and the own sessions of a person', async () => {
    const { body } = await demo.create(`/authentication/notification/etsi/${etsi}`, newChallenge());
    await phone.phone.refuse(String(body['sessionID']), 'USER_REFUSED');
    const digest = Buffer.alloc(32, 3).toString('base64');
    await demo.create(`/signature/notification/etsi/${etsi}`, { digest });
    const { personPki } = own();
    await eventually(async () => {
      const { counts, sessions, total } = await personPki.activity(etsi);
      expect([counts, total]).to.deep.equal([{ authentication: 1, signature: 1 }, 2]);
      expect(sessions.map(({ flow, outcome, docText }) => [flow, outcome, docText])).to.deep.equal([
        ['SIGNATURE', 'RUNNING', 'Тийм үү?'],
        ['AUTHENTICATION', 'USER_REFUSED', 'Тийм үү?'],
      ]);
    });
    const page = await personPki.activity(etsi, { limit: 1, offset: 1, flow: 'SIGNATURE' });
    expect([page.sessions, page.total]).to.deep.equal([[], 1]);
    const { certificates, counts } = await personPki.certificates(citizen.regNo.toUpperCase());
    expect(certificates.map(({ type, status }) => `${type} ${status}`)).to.have.members([
      'AUTH VALID',
      'SIGN VALID',
    ]);
    expect(counts).to.deep.equal({ valid: 2, revoked: 0, expired: 0, suspended: 0, total: 2 });
    const { devices, activeCount } = await personPki.devices(etsi);
    expect(devices).to.have.length(1);
    expect(devices[0]).to.include({
      documentNumber: phone.documentNumber,
      active: true,
      deactivatedAt: null,
    });
    expect(activeCount).to.equal(1);
    expect(await personPki.summary(etsi)).to.deep.include({
      activity: { authentication: 1, signature: 1 },
      devicesActive: 1,
      devicesTotal: 1,
      representationCount: 0,
    });
  });

  it('shows no login of an OpenID Connect client: its subject leads to nobody', async () => {
    const { personPki } = own();
    const { total } = await personPki.activity(etsi);
    const client = await discoverAs(
      demo.service.origin,
      await registerClient(demo, { backchannelTokenDeliveryMode: 'poll' }),
    );
    const asked = { scope: 'openid', login_hint: citizen.civilId, binding_message: 'Nomin' };
    await openid.initiateBackchannelAuthentication(client, asked);
    await demo.create(`/authentication/notification/etsi/${etsi}`, newChallenge());
    await eventually(async () => {
      const { sessions, total: after } = await personPki.activity(etsi);
      expect(sessions.map(({ docText }) => docText)).not.to.include('Nomin');
      expect(after).to.equal(total + 1);
    });
  });

  it('shows nobody the sessions of others', async () => {
    const { personPki } = await another(['PKI_READ']);
    expect(await personPki.activity(etsi)).to.deep.include({ sessions: [], total: 0 });
  });

  it('needs PKI_READ and an enrolled person', async () => {
    const { personPki } = await another([]);
    expect(await rejection(personPki.summary(etsi))).to.be.instanceOf(ForbiddenError);
    for (const call of [own().personPki.summary, own().personPki.certificates]) {
      const error = await rejection(call('PNOMN-999999999999'));
      expect((error as ApiError).code).to.equal('PERSON_NOT_FOUND');
    }
  });
});
