import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import {
  createRevocationChecker,
  ResponseValidator,
  type RevocationCheckerOptions,
  type RevocationStatus,
  type ValidationError,
} from '../../client/index.ts';
import { readCertificate } from '../../infrastructure/pki/kernel/certificate.ts';
import { indexedList } from '../../client/validator/crl.ts';
import {
  craftCrl,
  type OpensslRevocation,
  type RevocationServer,
  startOpensslRevocation,
  startRevocationServer,
} from './revocationSupport.ts';
import { type Issued, issue, policy } from './support.ts';

const ocspSigning = '1.3.6.1.5.5.7.3.9';
const DAY_MS = 86_400_000;
/** Without certificates the answer ends with its signature. */
const bare = ['-ndays', '1', '-resp_no_certs'];

const tamper = (der: Buffer, at: number) => {
  const changed = Buffer.from(der);
  const index = at < 0 ? changed.length + at : at;
  changed[index] = (changed[index] ?? 0) ^ 1;
  return changed;
};

describe('The revocation checker', function () {
  this.timeout(60_000);
  let server: RevocationServer;
  let openssl: OpensslRevocation;
  let issuing: Issued;
  let otherCa: Issued;
  let good: Issued;
  let revoked: Issued;
  let forgotten: Issued;

  before(async () => {
    server = await startRevocationServer();
    const root = await issue({ name: 'Root', ca: true });
    issuing = await issue({ name: 'Issuing', ca: true, issuer: root });
    otherCa = await issue({ name: 'Issuing', ca: true, issuer: root });
    const { ocspUrl, crlUrl } = server;
    const wish = {
      usage: 'AUTH',
      policies: [policy.qcpN],
      issuer: issuing,
      ocspUrl,
      crlUrl,
    } as const;
    good = await issue({ ...wish, name: 'Good' });
    revoked = await issue({ ...wish, name: 'Revoked' });
    forgotten = await issue({ ...wish, name: 'Forgotten' });
    openssl = await startOpensslRevocation(issuing);
    await openssl.index([good], [revoked]);
  });

  after(async () => {
    await openssl.stop();
    await server.stop();
  });

  beforeEach(() => {
    server.asked.ocsp = 0;
    server.asked.crl = 0;
    server.ocsp = (request) => openssl.ocsp(request);
    server.crl = (response) => {
      response.writeHead(404).end();
      return Promise.resolve(null);
    };
  });

  const x509 = (holder: Issued) => readCertificate(Buffer.from(holder.derB64, 'base64')).x509;

  function check(holder: Issued, options: RevocationCheckerOptions = {}) {
    return createRevocationChecker(options)(x509(holder), x509(issuing));
  }

  /** Failures of the sources as one text, or the status when a source was accepted. */
  async function outcome(holder: Issued, options: RevocationCheckerOptions = {}): Promise<string> {
    try {
      return await check(holder, options);
    } catch (error) {
      return (error as AggregateError).errors.map(String).join('; ');
    }
  }

  describe('by OCSP', () => {
    it('tells good, revoked and unknown certificates apart', async () => {
      expect(await check(good)).to.equal('good');
      expect(await check(revoked)).to.equal('revoked');
      expect(await check(forgotten)).to.equal('unknown');
    });

    it('believes a responder the issuer appointed, by name or by key', async () => {
      const responder = await issue({
        name: 'OCSP',
        usage: 'AUTH',
        purposes: [ocspSigning],
        issuer: issuing,
      });
      server.ocsp = (request) => openssl.ocsp(request, responder);
      expect(await check(good)).to.equal('good');
      server.ocsp = (request) => openssl.ocsp(request, responder, ['-ndays', '1', '-resp_key_id']);
      expect(await check(revoked)).to.equal('revoked');
    });

    it('refuses a responder without the purpose, of another CA, out of date, or self-appointed', async () => {
      const wish = { name: 'OCSP', usage: 'AUTH', purposes: [ocspSigning] } as const;
      for (const responder of [
        await issue({ name: 'OCSP', usage: 'AUTH', issuer: issuing }),
        await issue({ ...wish, purposes: ['1.3.6.1.5.5.7.3.2'], issuer: issuing }),
        await issue({ ...wish, issuer: otherCa }),
        await issue({ ...wish, issuer: good }),
        await issue({ ...wish, usage: 'SIGN', issuer: issuing }),
        await issue({ ...wish, criticalExtra: true, issuer: issuing }),
        await issue(wish),
        await issue({ ...wish, issuer: issuing, notAfter: new Date('2026-06-01T00:00:00Z') }),
        otherCa,
      ]) {
        server.ocsp = (request) => openssl.ocsp(request, responder);
        expect(await outcome(good), responder.certificate.subject).to.match(/not signed by/);
      }
    });

    it('refuses a response for another certificate, or with another nonce', async () => {
      const replies: Buffer[] = [];
      server.ocsp = async (request) => {
        const reply = await openssl.ocsp(request);
        replies.push(reply);
        return reply;
      };
      await check(good);
      server.ocsp = () => Promise.resolve(replies[0] ?? null);
      expect(await outcome(good)).to.match(/nonce does not match/);
      expect(await outcome(revoked, { nonce: 'none' })).to.match(/nonce does not match/);
      server.ocsp = (request) => openssl.ocsp(request, issuing, ['-ndays', '1']);
      await check(good, { nonce: 'none' });
      let last: Buffer | null = null;
      server.ocsp = async (request) => (last = await openssl.ocsp(request));
      await check(good, { nonce: 'none' });
      server.ocsp = () => Promise.resolve(last);
      expect(await outcome(revoked, { nonce: 'none' })).to.match(
        /does not contain the certificate/,
      );
    });

    it('accepts an answer signed in advance unless a nonce is required', async () => {
      let inAdvance: Buffer | null = null;
      server.ocsp = async (request) => (inAdvance = await openssl.ocsp(request));
      await check(good, { nonce: 'none' });
      server.ocsp = () => Promise.resolve(inAdvance);
      expect(await check(good)).to.equal('good');
      expect(await outcome(good, { nonce: 'require' })).to.match(/no nonce/);
      server.ocsp = (request) => openssl.ocsp(request);
      expect(await check(good, { nonce: 'require' })).to.equal('good');
    });

    it('refuses an answer of another time, but for the clock skew', async () => {
      const at = (ms: number) => () => new Date(Date.now() + ms);
      expect(await outcome(good, { now: at(2 * DAY_MS) })).to.match(/not of this time/);
      expect(await outcome(good, { now: at(-DAY_MS) })).to.match(/not of this time/);
      expect(await check(good, { now: at(-DAY_MS), clockSkewMs: 2 * DAY_MS })).to.equal('good');
      server.ocsp = (request) => openssl.ocsp(request, issuing, []);
      expect(await check(good)).to.equal('good');
      expect(await outcome(good, { now: at(3_600_000) })).to.match(/not of this time/);
    });

    it('refuses a changed answer, a failure, and anything that is none', async () => {
      server.ocsp = async (request) => tamper(await openssl.ocsp(request, issuing, bare), -1);
      expect(await outcome(good)).to.match(/not signed by|OCSP|DER/);
      server.ocsp = () => Promise.resolve(Buffer.from('30030a0103', 'hex'));
      expect(await outcome(good)).to.match(/status 3/);
      for (const junk of [Buffer.alloc(0), Buffer.from('<html>'), Buffer.from('3000', 'hex')]) {
        server.ocsp = () => Promise.resolve(junk);
        expect(await outcome(good)).to.match(/Error/);
      }
      let whole: Buffer = Buffer.alloc(0);
      server.ocsp = async (request) => (whole = await openssl.ocsp(request));
      await check(good);
      for (let length = 0; length < whole.length; length += 11) {
        server.ocsp = () => Promise.resolve(whole.subarray(0, length));
        expect(await outcome(good)).to.match(/Error/);
      }
    });

    it('asks once until nextUpdate, and again after it', async () => {
      let ahead = 0;
      const checker = createRevocationChecker({ now: () => new Date(Date.now() + ahead) });
      const ask = (holder: Issued) => checker(x509(holder), x509(issuing));
      for (let round = 0; round < 3; round += 1) {
        expect(await ask(good)).to.equal('good');
        expect(await ask(revoked)).to.equal('revoked');
      }
      expect(server.asked.ocsp).to.equal(2);
      ahead = 2 * DAY_MS;
      await ask(good).catch(() => null);
      expect(server.asked.ocsp).to.equal(3);
      const forgetful = createRevocationChecker({ cachedAnswers: 0 });
      await forgetful(x509(good), x509(issuing));
      await forgetful(x509(good), x509(issuing));
      expect(server.asked.ocsp).to.equal(5);
    });

    it('asks again about a certificate the responder did not know', async () => {
      const checker = createRevocationChecker();
      await checker(x509(forgotten), x509(issuing));
      await checker(x509(forgotten), x509(issuing));
      expect(server.asked.ocsp).to.equal(2);
    });

    it('gives up on a silent, an endless and a redirecting responder', async () => {
      server.ocsp = () => Promise.resolve(null);
      expect(await outcome(good, { timeoutMs: 500 })).to.match(/Timeout|aborted/);
      server.ocsp = (_request, response) => {
        const more = () => {
          while (!response.destroyed && response.write(randomBytes(16_384)));
        };
        response.on('drain', more);
        more();
        return Promise.resolve(null);
      };
      expect(await outcome(good)).to.match(/larger than 65536 bytes/);
      server.ocsp = (_request, response) => {
        response.writeHead(302, { location: server.crlUrl }).end();
        return Promise.resolve(null);
      };
      expect(await outcome(good)).to.match(/fetch failed/);
      // The list is asked as the second source; nobody was led there.
      expect(server.asked.crl).to.equal(3);
    });

    it('ends with the reason of its signal when it is aborted', async () => {
      const abort = new AbortController();
      server.ocsp = () => {
        abort.abort(new Error('The visitor left.'));
        return Promise.resolve(null);
      };
      const validator = new ResponseValidator({
        trustAnchorsPem: issuing.pem,
        revocation: createRevocationChecker(),
        revocationMode: 'soft-fail',
      });
      const failure = await validator.checkRevocation(x509(good), { signal: abort.signal }).then(
        () => null,
        (error: unknown) => error,
      );
      expect(failure).to.have.property('message', 'The visitor left.');
    });
  });

  describe('by the list of the issuer', () => {
    const serial = (value: number) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64BE(BigInt(value) * 0x0123_4567_89abn + 0x0100_0000_0000_0000n);
      return bytes;
    };

    it('answers where OCSP does not', async () => {
      server.ocsp = (_request, response) => {
        response.writeHead(500).end();
        return Promise.resolve(null);
      };
      server.crl = () => openssl.crl();
      expect(await check(good)).to.equal('good');
      expect(await check(revoked)).to.equal('revoked');
      expect(server.asked).to.deep.equal({ ocsp: 2, crl: 2 });
    });

    it('is fetched once for all, until its nextUpdate', async () => {
      server.crl = () => openssl.crl();
      let ahead = 0;
      const now = () => new Date(Date.now() + ahead);
      const checker = createRevocationChecker({ sources: ['crl'], now });
      const ask = (holder: Issued) => checker(x509(holder), x509(issuing));
      const together = await Promise.all([good, revoked, good, forgotten].map(ask));
      expect(together).to.deep.equal(['good', 'revoked', 'good', 'good']);
      await ask(revoked);
      expect(server.asked.crl).to.equal(1);
      ahead = 2 * DAY_MS;
      await ask(good).catch(() => null);
      expect(server.asked.crl).to.equal(2);
    });

    it('does not rescue a certificate OCSP does not know', async () => {
      server.crl = () => openssl.crl();
      expect(await check(forgotten)).to.equal('unknown');
      expect(server.asked.crl).to.equal(0);
    });

    it('is refused when it is of another CA, not signed by this one, changed, or not of this time', async () => {
      const list = (der: Buffer) => {
        server.crl = () => Promise.resolve(der);
        return outcome(good, { sources: ['crl'] });
      };
      const stranger = await issue({ name: 'Stranger', ca: true });
      expect(await list(craftCrl(stranger, []))).to.match(/of another CA/);
      expect(await list(craftCrl(otherCa, []))).to.match(/not signed by the CA/);
      expect(await list(tamper(craftCrl(issuing, [serial(1)]), 100))).to.match(/Error/);
      const past = { thisUpdate: new Date(Date.now() - 3 * DAY_MS) };
      const nextUpdate = new Date(Date.now() - 2 * DAY_MS);
      expect(await list(craftCrl(issuing, [], { ...past, nextUpdate }))).to.match(
        /not of this time/,
      );
      const thisUpdate = new Date(Date.now() + DAY_MS);
      expect(await list(craftCrl(issuing, [], { thisUpdate }))).to.match(/not of this time/);
      expect(await list(craftCrl(issuing, [], { nextUpdate: null }))).to.match(/unusable form/);
      expect(await list(Buffer.from('<html>'))).to.match(/Error/);
    });

    it('is refused when it is a delta, or covers other certificates', async () => {
      const options = { sources: ['crl'] } as const;
      const withExtensions = async (...lines: string[]) => {
        const der = await openssl.crl(['-crldays', '1'], lines);
        server.crl = () => Promise.resolve(der);
        return outcome(revoked, options);
      };
      expect(await withExtensions('2.5.29.27 = critical,DER:020101')).to.match(/delta/);
      const point = (value: string) =>
        withExtensions('issuingDistributionPoint = critical,@p', '[p]', ...value.split(';'));
      expect(await point('onlyCA = TRUE')).to.match(/other certificates/);
      expect(await point('onlyAA = TRUE')).to.match(/other certificates/);
      expect(await point('indirectCRL = TRUE')).to.match(/other certificates/);
      expect(await point('onlysomereasons = keyCompromise')).to.match(/other certificates/);
      expect(await point('fullname = URI:http://another.example/crl')).to.match(
        /other certificates/,
      );
      expect(await point(`onlyuser = TRUE;fullname = URI:${server.crlUrl}`)).to.equal('revoked');
    });

    it('is not read past its bound', async () => {
      const large = craftCrl(
        issuing,
        Array.from({ length: 500 }, (_, index) => serial(index)),
      );
      server.crl = () => Promise.resolve(large);
      const options = { sources: ['crl'], maxCrlBytes: 5000 } as const;
      expect(await outcome(good, options)).to.match(/larger than 5000 bytes/);
    });

    it('may be large: 200,000 entries, each found, none invented', () => {
      const serials = Array.from({ length: 200_000 }, (_, index) => serial(index));
      const der = craftCrl(issuing, serials);
      const issuer = readCertificate(Buffer.from(issuing.derB64, 'base64'));
      const moment = { now: new Date(), clockSkewMs: 0 };
      const list = indexedList(der, { issuer, address: server.crlUrl }, moment);
      expect(list.size).to.equal(200_000);
      expect(serials.every((known) => list.has(known))).to.equal(true);
      for (let index = 0; index < 50_000; index += 1) {
        if (list.has(serial(200_000 + index)) || list.has(randomBytes(8))) expect.fail('Invented.');
      }
      expect(list.has(Buffer.alloc(0))).to.equal(false);
      expect(indexedList(craftCrl(issuing, []), { issuer, address: '' }, moment).size).to.equal(0);
    });
  });

  it('is plugged into the validator, which fails hard or softly', async () => {
    const status = async (holder: Issued, revocationMode: 'hard-fail' | 'soft-fail') => {
      const validator = new ResponseValidator({
        trustAnchorsPem: issuing.pem,
        revocation: createRevocationChecker({ timeoutMs: 30_000 }),
        revocationMode,
      });
      try {
        await validator.checkRevocation(x509(holder));
        return 'accepted';
      } catch (error) {
        return (error as ValidationError).code;
      }
    };
    expect(await status(good, 'hard-fail')).to.equal('accepted');
    expect(await status(revoked, 'soft-fail')).to.equal('REVOKED');
    expect(await status(forgotten, 'hard-fail')).to.equal('REVOCATION_UNKNOWN');
    server.ocsp = async (request) => tamper(await openssl.ocsp(request, issuing, bare), -1);
    expect(await status(revoked, 'hard-fail')).to.equal('REVOCATION_UNKNOWN');
    expect(await status(revoked, 'soft-fail')).to.equal('accepted');
  });

  it('has nothing to ask where the certificate names no address, or the issuer is not known', async () => {
    const silent = await issue({ name: 'Silent', usage: 'AUTH', issuer: issuing });
    const failed = async (promise: Promise<RevocationStatus>) =>
      promise.then(
        () => null,
        (error: unknown) => error,
      );
    expect(await failed(check(silent))).to.be.instanceOf(AggregateError);
    expect(await failed(createRevocationChecker()(x509(good), null))).to.be.instanceOf(Error);
    await openssl.index([good, silent], [revoked]);
    expect(await check(silent, { ocspUrl: server.ocspUrl })).to.equal('good');
  });
});
