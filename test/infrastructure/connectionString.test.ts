import { expect } from 'chai';
import {
  InvalidConnectionString,
  parseConnectionString,
} from '../../infrastructure/eventstore/eventStoreDb/connectionString.ts';

const files: Readonly<Record<string, string>> = { '/ca.pem': 'CA', '/c.pem': 'C', '/k.pem': 'K' };

function readFile(path: string): Buffer {
  const content = files[path];
  if (content === undefined) throw new Error('ENOENT');
  return Buffer.from(content);
}

function parse(text: string) {
  return parseConnectionString(text, readFile);
}

describe('An EventStoreDB connection string', () => {
  for (const scheme of ['esdb', 'kurrentdb', 'ESDB']) {
    it(`names several nodes with ${scheme}://`, () => {
      const { seeds, isDnsDiscovery } = parse(`${scheme}://a:2113,b:2114,c?tls=false`);
      expect(seeds).to.deep.equal([
        { address: 'a', port: 2113 },
        { address: 'b', port: 2114 },
        { address: 'c', port: 2113 },
      ]);
      expect(isDnsDiscovery).to.equal(false);
    });
  }

  for (const scheme of ['esdb+discover', 'kurrentdb+discover']) {
    it(`names a cluster with ${scheme}://`, () => {
      const { seeds, isDnsDiscovery } = parse(`${scheme}://log.example.mn`);
      expect(seeds).to.deep.equal([{ address: 'log.example.mn', port: 2113 }]);
      expect(isDnsDiscovery).to.equal(true);
    });
  }

  it('uses TLS and no user unless told otherwise', () => {
    const { tls, credentials } = parse('esdb://a');
    expect(tls).to.deep.equal({
      certificateAuthorities: null,
      clientCertificate: null,
      clientKey: null,
    });
    expect(credentials).to.equal(null);
    expect(parse('esdb://a?tls=false').tls).to.equal(null);
  });

  it('gives user and password decoded, and certificates read', () => {
    const { tls, credentials } = parse(
      'esdb://tamga:p%40ss%3Aword@a/?tlsCAFile=/ca.pem&userCertFile=/c.pem&userKeyFile=/k.pem',
    );
    expect(credentials).to.deep.equal({ username: 'tamga', password: 'p@ss:word' });
    expect(tls?.certificateAuthorities?.toString()).to.equal('CA');
    expect(tls?.clientCertificate?.toString()).to.equal('C');
    expect(tls?.clientKey?.toString()).to.equal('K');
  });

  it('sets keep-alive itself when the string does not', () => {
    const own = parse('esdb://a');
    expect([own.keepAliveIntervalMs, own.keepAliveTimeoutMs]).to.deep.equal([5000, 3000]);
    const given = parse('esdb://a?keepAliveInterval=10000&keep_alive_timeout=-1');
    expect(given.keepAliveIntervalMs).to.equal(10_000);
    expect(given.keepAliveTimeoutMs).to.be.greaterThan(1_000_000);
  });

  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ['no scheme', 'a:2113', /it must look like/],
    ['another scheme', 'http://a:2113', /scheme must be/],
    ['no host', 'esdb://?tls=false', /write each host as/],
    ['an empty host in the list', 'esdb://a,,b', /write each host as/],
    ['a port that is none', 'esdb://a:port', /write each host as/],
    ['a port out of range', 'esdb://a:70000', /write each host as/],
    ['several names to discover', 'esdb+discover://a,b', /must name one host/],
    ['an unknown option', 'esdb://a?colour=red', /unknown option colour/],
    ['reading at followers', 'esdb://a?nodePreference=follower', /nodePreference must be leader/],
    ['certificates that are not verified', 'esdb://a?tlsVerifyCert=false', /is refused/],
    ['a file that is not there', 'esdb://a?tlsCAFile=/none.pem', /none\.pem, cannot be read/],
    ['a certificate without its key', 'esdb://a?userCertFile=/c.pem', /be set together/],
    ['a time that is none', 'esdb://a?keepAliveInterval=soon', /whole number of milliseconds/],
    ['a password badly encoded', 'esdb://u:%zz@a', /percent-encoded/],
    ['E: a user without a password', 'esdb://u@a', /names a user without a password/],
    ['E: an empty password', 'esdb://u:@a', /names a user without a password/],
    ['E: a password without a user', 'esdb://:p@a', /has no user/],
    ['E: nothing before @', 'esdb://@a', /has no user/],
    ['E: @ in the password', 'esdb://u:p@ss@a', /must be percent-encoded: %40/],
    ['E: / in the password', 'esdb://u:p/ss@a', /must be percent-encoded: .*%2F/],
    ['E: an IPv6 address without brackets', 'esdb://::1:2113', /in brackets/],
    ['E: a port of zero', 'esdb://a:0', /a port must be a number/],
    ['E: no port behind the colon', 'esdb://a:', /a port must be a number/],
    ['E: a space in a host', 'esdb://a b', /neither a host name/],
    ['F7: a zone', 'esdb://[fe80::1%25eth0]', /zone/],
    ['E: a path', 'esdb://a/b', /not a path/],
    ['E: a value of tls that is none', 'esdb://a?tls=no', /tls must be true or false/],
  ];
  for (const [what, text, reason] of wrong) {
    it(`is refused in one sentence with ${what}`, () => {
      expect(() => parse(text)).to.throw(InvalidConnectionString, reason);
    });
  }

  it('F7: gives IPv6 addresses as sockets and DNS take them, in one form', () => {
    expect(parse('esdb://[2001:DB8:0::1],Node.Example.MN.:2114').seeds).to.deep.equal([
      { address: '2001:db8::1', port: 2113 },
      { address: 'node.example.mn', port: 2114 },
    ]);
  });

  it('never shows the password when it is refused', () => {
    for (const [, text] of wrong) {
      const secret = text.replace('://', '://tamga:hunter2@');
      try {
        parse(secret);
      } catch (error) {
        expect(String(error)).not.to.contain('hunter2');
      }
    }
  });
});
