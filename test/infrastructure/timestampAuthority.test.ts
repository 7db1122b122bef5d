import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as pkijs from 'pkijs';
import { Unavailable } from '../../application/ports/faults.ts';
import {
  derExplicit,
  derExtension,
  derNull,
  derOctetString,
  derOid,
  derSequence,
  derUnsigned,
  derValue,
} from '../../infrastructure/pki/kernel/der.ts';
import { derTag } from '../../infrastructure/pki/kernel/derReader.ts';
import {
  decodeTimestampResponse,
  encodeImprint,
  encodeTimestampRequest,
  readTimestampToken,
  type TimestampRequest,
} from '../../infrastructure/timestamping/timestampMessages.ts';
import { createTimestampVerifier } from '../../infrastructure/timestamping/timestampVerifier.ts';
import { verifyTimestampToken } from '../../infrastructure/timestamping/verifyTimestampToken.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { openssl, printedError, skipWithoutOpenssl } from '../support/programs/openssl.ts';
import { oddBoolean, offCurve } from '../support/pki/oddCertificates.ts';
import {
  startTestTimestampAuthority,
  type TestTimestampAuthority,
  testTimestampPolicy,
} from '../support/pki/timestampAuthority.ts';

const hashes = ['SHA256', 'SHA384', 'SHA512'] as const;

describe('The built-in timestamping authority', () => {
  let test: TestTimestampAuthority;
  const content = randomBytes(200);
  const digestOf = (hash: string, bytes: Uint8Array = content) =>
    createHash(hash).update(bytes).digest();
  const digest = digestOf('SHA256');
  const request = {
    hash: 'SHA256' as const,
    digest,
    policy: null,
    nonce: Buffer.from([0x01, 0x02]),
    certificateWanted: true,
  };

  before(async () => {
    test = await startTestTimestampAuthority();
  });

  after(() => test.stop());

  it('issues nothing while its clock cannot be trusted, and goes on afterwards', async () => {
    let fault: string | null = 'The clock is 2.0 s ahead of a reference.';
    const other = await startTestTimestampAuthority({ clockFault: () => fault });
    const answered = async () =>
      decodeTimestampResponse(await other.authority.answer(encodeTimestampRequest(request)));
    expect(await answered()).to.deep.equal({ status: 'refused', reason: 'timeNotAvailable' });
    const refused = await rejection(other.authority.timestamp(digest, 'SHA256'));
    expect(refused).to.be.instanceOf(Unavailable);
    expect((refused as Unavailable).dependency).to.equal('timestamping');
    fault = null;
    expect((await answered()).status).to.equal('granted');
    await other.stop();
  });

  async function answerTo(bytes: Uint8Array) {
    return decodeTimestampResponse(await test.authority.answer(bytes));
  }

  async function tokenFor(changes: Partial<TimestampRequest> = {}) {
    const answer = await answerTo(encodeTimestampRequest({ ...request, ...changes }));
    if (answer.status === 'refused') throw new Error(answer.reason);
    return answer.token;
  }

  describe('before OpenSSL', () => {
    let directory: string;
    const path = (name: string) => join(directory, name);

    before(async function () {
      directory = await mkdtemp(join(tmpdir(), 'tamga-tsa-'));
      await skipWithoutOpenssl(this);
      await writeFile(path('content'), content);
      const pem = (der: Buffer) => new X509Certificate(der).toString();
      await writeFile(path('root.pem'), pem(test.root));
      await writeFile(path('issuing.pem'), pem(test.issuing));
      await writeFile(path('all.pem'), pem(test.issuing) + pem(test.identity.certificate));
    });

    after(() => rm(directory, { recursive: true, force: true }));

    async function replyTo(...query: readonly string[]) {
      await openssl(...['ts', '-query', '-data', path('content'), '-out', path('query'), ...query]);
      await writeFile(path('reply'), await test.authority.answer(await readFile(path('query'))));
    }

    const verify = (...more: readonly string[]) =>
      openssl(
        ...['ts', '-verify', '-queryfile', path('query'), '-in', path('reply')],
        ...['-CAfile', path('root.pem'), ...more],
      );

    for (const hash of hashes) {
      it(`answers a ${hash} query with its certificates and nonce`, async () => {
        await replyTo(`-${hash.toLowerCase()}`, '-cert');
        expect(await verify()).to.contain('Verification: OK');
      });
    }

    it('leaves the certificates out when they are not asked for', async () => {
      await replyTo('-sha256', '-no_nonce');
      expect(await verify('-untrusted', path('all.pem'))).to.contain('Verification: OK');
      const text = await openssl('ts', '-reply', '-in', path('reply'), '-text');
      expect(text).to.contain(`Policy OID: ${testTimestampPolicy}`);
      expect(text).to.contain('Accuracy: 0x01 seconds');
      expect(text).to.contain('Ordering: no');
      expect(text).to.contain('Nonce: unspecified');
    });

    it('is not accepted for other content', async () => {
      await replyTo('-sha256', '-cert');
      await writeFile(path('other'), 'something else');
      const outcome = await openssl(
        ...['ts', '-verify', '-data', path('other'), '-in', path('reply')],
        ...['-CAfile', path('root.pem')],
      ).catch(printedError);
      expect(outcome).to.contain('message imprint mismatch');
    });

    it('accepts a token made without the detour over a request', async () => {
      await writeFile(path('token'), await test.authority.timestamp(digest, 'SHA256'));
      const outcome = await openssl(
        ...['ts', '-verify', '-token_in', '-digest', digest.toString('hex')],
        ...['-in', path('token'), '-CAfile', path('root.pem')],
      );
      expect(outcome).to.contain('Verification: OK');
    });

    it('says why it refuses', async () => {
      await replyTo('-sha1', '-cert');
      const text = await openssl('ts', '-reply', '-in', path('reply'), '-text');
      expect(text).to.contain('Status: Rejected');
      expect(text).to.contain('unrecognized or unsupported algorithm identifier');
    });
  });

  it('makes tokens pkijs verifies', async () => {
    pkijs.setEngine('node', new pkijs.CryptoEngine({ crypto: globalThis.crypto }));
    const info = pkijs.ContentInfo.fromBER(await tokenFor());
    const signed = new pkijs.SignedData({ schema: info.content as never });
    const isValid = await signed.verify({
      signer: 0,
      data: new Uint8Array(content).buffer,
      trustedCerts: [pkijs.Certificate.fromBER(test.root)],
      checkChain: true,
    });
    expect(isValid).to.equal(true);
  });

  const refusals: readonly (readonly [string, () => Uint8Array, string])[] = [
    ['bytes that are no DER', () => randomBytes(40), 'badDataFormat'],
    ['nothing', () => Buffer.alloc(0), 'badDataFormat'],
    ['a cut request', () => encodeTimestampRequest(request).subarray(0, -1), 'badDataFormat'],
    [
      'another version',
      () => derSequence(derUnsigned(Buffer.from([2])), encodeImprint('SHA256', digest)),
      'badRequest',
    ],
    [
      'a policy without end',
      () => {
        const policy = derValue(derTag.oid, Buffer.concat([Buffer.alloc(8000, 0x81), digest]));
        return derSequence(
          ...[derUnsigned(Buffer.from([1])), encodeImprint('SHA256', digest), policy],
        );
      },
      'badDataFormat',
    ],
    [
      'a digest of the wrong length',
      () => encodeTimestampRequest({ ...request, digest: digest.subarray(1) }),
      'badDataFormat',
    ],
    [
      'an algorithm with parameters of its own',
      () => {
        const algorithm = derSequence(derOid('1.3.14.3.2.26'), derNull);
        const imprint = derSequence(algorithm, derOctetString(Buffer.alloc(20)));
        return derSequence(derUnsigned(Buffer.from([1])), imprint);
      },
      'badAlg',
    ],
    [
      'another policy',
      () => encodeTimestampRequest({ ...request, policy: '1.2.3.4' }),
      'unacceptedPolicy',
    ],
    [
      'extensions',
      () => {
        const version = derUnsigned(Buffer.from([1]));
        const extensions = derExplicit(0, derExtension('1.2.3.4', derNull));
        return derSequence(version, encodeImprint('SHA256', digest), extensions);
      },
      'unacceptedExtension',
    ],
  ];
  for (const [what, bytes, reason] of refusals) {
    it(`refuses ${what} as ${reason}`, async () => {
      expect(await answerTo(bytes())).to.deep.equal({ status: 'refused', reason });
    });
  }

  it('repeats nonce, digest and policy, and tells the time', async () => {
    const before = Date.now();
    const token = readTimestampToken(await tokenFor({ policy: testTimestampPolicy }));
    expect(token.nonce).to.deep.equal(request.nonce);
    expect(token.digest).to.deep.equal(digest);
    expect(token.policy).to.equal(testTimestampPolicy);
    expect(token.time.getTime()).to.be.within(before, Date.now());
  });

  it('never uses a serial number twice', async () => {
    const again = await startTestTimestampAuthority();
    const serials = new Set<string>();
    for (let count = 0; count < 200; count += 1) {
      for (const { authority } of [test, again]) {
        const token = await authority.timestamp(digest, 'SHA256');
        serials.add(readTimestampToken(token).serial.toString('hex'));
      }
    }
    await again.stop();
    expect(serials.size).to.equal(400);
  });

  it('makes a token in less than a millisecond of processor time', async () => {
    const begun = process.cpuUsage();
    for (let made = 0; made < 500; made += 1) await test.authority.timestamp(digest, 'SHA256');
    const { user, system } = process.cpuUsage(begun);
    expect((user + system) / 500).to.be.below(1000);
  });

  describe('when its tokens are verified', () => {
    const expectation = () => ({
      digest,
      hash: 'SHA256' as const,
      trust: { anchors: [test.root] },
    });

    for (const hash of hashes) {
      it(`accepts one over ${hash}`, async () => {
        const token = await test.authority.timestamp(digestOf(hash), hash);
        const expected = { ...expectation(), digest: digestOf(hash), hash };
        const { certificate } = verifyTimestampToken(token, expected);
        expect(certificate).to.deep.equal(test.identity.certificate);
      });
    }

    it('refuses another digest', async () => {
      const token = await tokenFor();
      const other = { ...expectation(), digest: randomBytes(32) };
      expect(() => verifyTimestampToken(token, other)).to.throw('message imprint');
    });

    it('refuses another root', async () => {
      const stranger = await startTestTimestampAuthority();
      const token = await tokenFor();
      const other = { ...expectation(), trust: { anchors: [stranger.root] } };
      expect(() => verifyTimestampToken(token, other)).to.throw(
        'no certification path to a trusted authority',
      );
      await stranger.stop();
    });

    it('refuses a token without its certificate', async () => {
      const token = await tokenFor({ certificateWanted: false });
      expect(() => verifyTimestampToken(token, expectation())).to.throw('is missing');
    });

    it('leaves out what cannot be read of certificates in the token and trusted', async () => {
      const token = await tokenFor();
      const { root, issuing } = test;
      oddBoolean(issuing).copy(token, token.indexOf(issuing));
      const trust = { anchors: [oddBoolean(root), root], intermediates: [issuing] };
      expect(verifyTimestampToken(token, { ...expectation(), trust }).certificate).to.deep.equal(
        test.identity.certificate,
      );
    });

    it('refuses a signer whose key is no point of its curve', async () => {
      const token = await tokenFor();
      const { certificate } = test.identity;
      const odd = offCurve(certificate);
      odd.copy(token, token.indexOf(certificate));
      digestOf('SHA256', odd).copy(token, token.indexOf(digestOf('SHA256', certificate)));
      const verifier = createTimestampVerifier(expectation().trust);
      expect(verifier.verify(token, digest, 'SHA256')).to.equal(null);
    });

    it('refuses every change of what was signed and of the signature', async () => {
      const token = await tokenFor();
      const { content: signedContent, signer } = readTimestampToken(token);
      for (const part of [signedContent, signer.attributes, signer.signature]) {
        const start = token.indexOf(part);
        for (let offset = start; offset < start + part.length; offset += 1) {
          const changed = Buffer.from(token);
          changed[offset] = (changed[offset] ?? 0) ^ 0x01;
          expect(() => verifyTimestampToken(changed, expectation()), `byte ${offset}`).to.throw();
        }
      }
    });

    for (const [what, options] of [
      ['a purpose that is not critical', { isPurposeCritical: false }],
      ['a second purpose', { purposes: ['1.3.6.1.5.5.7.3.8', '1.3.6.1.5.5.7.3.2'] }],
      ['another purpose', { purposes: ['1.3.6.1.5.5.7.3.4'] }],
    ] as const) {
      it(`refuses a certificate with ${what}`, async () => {
        const other = await startTestTimestampAuthority(options);
        const token = await other.authority.timestamp(digest, 'SHA256');
        const expected = { ...expectation(), trust: { anchors: [other.root] } };
        expect(() => verifyTimestampToken(token, expected)).to.throw('timestamping alone');
        await other.stop();
      });
    }
  });
});
