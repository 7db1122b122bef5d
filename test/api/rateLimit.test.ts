import { expect } from 'chai';
import { createAddressLimit, RateLimited } from '../../api/bounds/admission.ts';
import { rejection } from '../support/assertions/rejection.ts';

describe('A limit for addresses', () => {
  const limit = () => createAddressLimit({ name: 'test', redis: null }, 1);

  it('counts the addresses of one IPv6 network together', async () => {
    const { consume } = limit();
    await consume('2001:db8:1:2::1');
    expect(await rejection(consume('2001:db8:1:2:ffff::2'))).to.be.instanceOf(RateLimited);
    await consume('2001:db8:1:3::1');
  });

  it('counts each IPv4 address alone', async () => {
    const { consume } = limit();
    await consume('192.0.2.1');
    await consume('192.0.2.2');
    expect(await rejection(consume('192.0.2.1'))).to.be.instanceOf(RateLimited);
  });
});
