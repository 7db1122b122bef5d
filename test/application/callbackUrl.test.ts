import { expect } from 'chai';
import { acceptedCallbackUrl } from '../../application/session/callbackUrl.ts';

describe('A return address on the machine itself', () => {
  const allowedHosts = ['127.0.0.1', 'localhost', '[::1]', 'rp.example.mn'];
  const kept = (sent: string, loopbackOverHttp: boolean, hosts = allowedHosts) =>
    acceptedCallbackUrl(sent, { allowedHosts: hosts, loopbackOverHttp });

  it('is dropped when it is http, as everywhere', () => {
    expect(kept('http://127.0.0.1:8080/x?state=1', false)).to.equal(null);
  });

  it('is kept when that is allowed, its path forced', () => {
    for (const host of ['127.0.0.1:8080', 'localhost:3000', '[::1]:9']) {
      expect(kept(`http://${host}/x?state=1`, true)).to.equal(
        `http://${host}/auth/eid/callback?state=1`,
      );
    }
  });

  it('F7: is of a host on the allowlist however the host is written', () => {
    for (const host of ['RP.Example.MN', '[0:0::1]', '[::ffff:127.0.0.1]']) {
      expect(kept(`https://${host}/x`, false), host).to.match(
        /^https:\/\/\S+\/auth\/eid\/callback$/u,
      );
    }
    // To browsers another site.
    expect(kept('https://rp.example.mn./', false)).to.equal(null);
    expect(kept('https://rp.example.mn:8443/', false, ['rp.example.mn:8443'])).not.to.equal(null);
    expect(kept('https://rp.example.mn/', false, ['rp.example.mn:8443'])).to.equal(null);
  });

  it('must be on the allowlist, and be the machine itself', () => {
    expect(kept('http://127.0.0.1:8080/', true, ['rp.example.mn'])).to.equal(null);
    for (const elsewhere of [
      ...['http://rp.example.mn/', 'http://127.0.0.1.rp.example.mn/', 'http://user@localhost/'],
      ...['http:localhost/', 'ftp://localhost/'],
    ]) {
      expect(kept(elsewhere, true), elsewhere).to.equal(null);
    }
  });
});
