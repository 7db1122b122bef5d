import { expect } from 'chai';
import { eventually } from '../support/assertions/eventually.ts';
import { type Given, given } from '../support/given/given.ts';

const owner = '110000000001';
const other = '110000000002';

describe('The history on a phone', function () {
  this.timeout(60_000);
  let world: Given<'owner' | 'other'>;

  before(async () => {
    world = await given({ phones: { owner, other } });
  });

  after(() => world.stop());

  it('is that of all phones of the citizen, with outcome, code and time, and nobody else’s', async () => {
    const { phone, pin1 } = world.phones.owner;
    const client = world.client();
    const text = [{ type: 'displayTextAndPIN', displayText60: 'Нэвтрэх' }] as const;
    const refused = await client.auth.notificationByEtsi(`PNOMN-${owner}`, text);
    await phone.refuse(refused.sessionId, 'USER_REFUSED');
    const confirmed = await client.auth.notificationByDocument(
      world.phones.owner.documentNumber,
      text,
    );
    await phone.confirm(await phone.open(confirmed.sessionId), pin1);
    const running = await client.auth.deviceLinkByEtsi(`PNOMN-${owner}`, text);

    const second = await world.enrol(owner);

    const history = await eventually(async () => {
      const found = await second.phone.history();
      expect(found.map(({ sessionId }) => sessionId)).to.deep.equal([
        confirmed.sessionId,
        refused.sessionId,
      ]);
      return found;
    });
    expect(running.sessionId).not.to.equal('');
    expect(history[0]).to.include({
      kind: 'AUTHENTICATION',
      endResult: 'OK',
      verificationCode: confirmed.vc.value,
      relyingPartyName: 'Tamga Demo',
      text: 'Нэвтрэх',
      fileName: null,
      onBehalfOf: null,
    });
    expect(Date.parse(history[0]?.at ?? '')).to.be.above(0);
    expect(history[1])
      .to.have.property('endResult')
      .that.matches(/^USER_REFUSED/);
    expect(await world.phones.other.phone.history()).to.deep.equal([]);
  });
});
