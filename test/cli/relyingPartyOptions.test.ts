import { expect } from 'chai';
import { Command } from 'commander';
import { relyingPartySettings } from '../../domain/relyingParty/settings.ts';
import { relyingPartyOptions, settingsFromOptions } from '../../main/cli/relyingPartyOptions.ts';

describe('Options of ./tamga rp register', () => {
  it('are settings in the order in which events store them, the others at their initial values', () => {
    const settings = settingsFromOptions('Нэр', { allowIp: ['192.0.2.1'] });
    expect(Object.keys(settings)).to.deep.equal(Object.keys(relyingPartySettings));
    expect(settings).to.include({ name: 'Нэр', firstParty: false });
    expect(settings.ipAllowlist).to.deep.equal(['192.0.2.1']);
  });

  it('send an address of events the types that follow it, one after the other', () => {
    const given = (...values: readonly string[]) => {
      const command = relyingPartyOptions.addTo(new Command('register').exitOverride());
      command.parse(['--webhook', ...values], { from: 'user' });
      return settingsFromOptions('Нэр', command.opts()).webhooks;
    };
    expect(given('https://rp.example/a device.ended', 'https://rp.example/b')).to.deep.equal([
      { address: 'https://rp.example/a', events: ['device.ended'] },
      { address: 'https://rp.example/b', events: [] },
    ]);
    expect(() => given('https://rp.example/a device.begun')).to.throw(/device\.begun; known: /);
  });
});
