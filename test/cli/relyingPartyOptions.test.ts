import { expect } from 'chai';
import { relyingPartySettings } from '../../domain/relyingParty/settings.ts';
import { settingsFromOptions } from '../../main/cli/relyingPartyOptions.ts';

describe('Options of ./tamga rp register', () => {
  it('are settings in the order in which events store them, the others at their initial values', () => {
    const settings = settingsFromOptions('Нэр', { allowIp: ['192.0.2.1'] });
    expect(Object.keys(settings)).to.deep.equal(Object.keys(relyingPartySettings));
    expect(settings).to.include({ name: 'Нэр', firstParty: false });
    expect(settings.ipAllowlist).to.deep.equal(['192.0.2.1']);
  });
});
