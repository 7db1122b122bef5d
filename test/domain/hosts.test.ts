import { expect } from 'chai';
import {
  hostInUrl,
  isLoopback,
  originOf,
  readAddressBlock,
  readHost,
  readHostAndPort,
} from '../../domain/shared/hosts.ts';

describe('F7: hosts are read by one parser', () => {
  for (const [text, written] of [
    ['127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['::', '[::]'],
    ['::1', '[::1]'],
    ['[::]', '[::]'],
    ['[::1]', '[::1]'],
    ['2001:DB8:0:0::1', '[2001:db8::1]'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['localhost', 'localhost'],
    ['localhost.', 'localhost'],
    ['ID.Example.MN.', 'id.example.mn'],
    ['жишээ.мн', 'xn--f1ae2cuaa.xn--l1ac'],
  ] as const) {
    it(`${text} is ${written}`, () => {
      const host = readHost(text);
      if (host === null) throw new Error(`${text} is no host.`);
      expect(hostInUrl(host)).to.equal(written);
      expect(new URL(originOf('http', host, 3000)).port).to.equal('3000');
    });
  }

  for (const text of [
    ...['', ' ', '.', 'a b', 'a/b', 'a@b', 'a?b', 'a#b', 'a\\b', 'http://a', '-a', 'a..b'],
    ...['fe80::1%eth0', '[fe80::1%25eth0]', '[::1', '::1]', '[127.0.0.1]', ':::', '1::2::3'],
    ...['127.1', '0x7f.1', '010.0.0.1', '2130706433', '256.0.0.1', '127.0.0.1.', 'a:80'],
  ]) {
    it(`"${text}" is no host`, () => expect(readHost(text)).to.equal(null));
  }

  it('reads the port after a host', () => {
    const read = (text: string) => {
      const found = readHostAndPort(text);
      return found === null ? null : [hostInUrl(found.host), found.port];
    };
    expect(read('[::1]:8090')).to.deep.equal(['[::1]', 8090]);
    expect(read('id.example.mn.:443')).to.deep.equal(['id.example.mn', 443]);
    expect(read('id.example.mn')).to.deep.equal(['id.example.mn', null]);
    for (const text of ['::1:8090', 'a:', 'a:x', 'a:65536', '']) {
      expect(read(text), text).to.equal(null);
    }
  });

  it('knows this machine under all its names', () => {
    for (const name of ['localhost', 'localhost.', '127.0.0.1', '[::1]', '::ffff:127.0.0.1']) {
      expect(isLoopback(name), name).to.equal(true);
    }
    for (const name of ['localhost.example.mn', '127.0.0.2', '[::2]', '']) {
      expect(isLoopback(name), name).to.equal(false);
    }
  });

  for (const [text, block] of [
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
  ] as const) {
    it(`${text} is the block ${block}`, () =>
      expect(readAddressBlock(text)).to.deep.equal({ block }));
  }

  for (const [text, says] of [
    ['0.0.0.0/0', 'every address'],
    ['::/0', 'every address'],
    ['192.0.2.7/24', 'beyond its prefix'],
    ['2001:db8::1/64', 'beyond its prefix'],
    ['192.0.2.0/33', 'prefix of'],
    ['192.0.2.0/', 'prefix of'],
    ['192.0.2.0/24/1', 'neither'],
    ['id.example.mn', 'neither'],
    ['fe80::1%eth0', 'neither'],
  ] as const) {
    it(`R9: refuses the block ${text}`, () => {
      expect(readAddressBlock(text)).to.have.property('fault').that.includes(says);
    });
  }
});
