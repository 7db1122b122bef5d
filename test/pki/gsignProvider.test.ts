import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { constants, createHash, sign } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { p256 } from '@noble/curves/nist.js';
import * as x509 from '@peculiar/x509';
import { expect } from 'chai';
import type { Step } from '../../application/identityVerification/submitStep.ts';
import type { VerificationView } from '../../application/identityVerification/verificationView.ts';
import type { CertificateStatusSource } from '../../infrastructure/pki/certificateStatus.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { createGsignProvider } from '../../infrastructure/pki/gsignProvider.ts';
import { createOcspClient } from '../../infrastructure/pki/ocsp/client.ts';
import { certificatePem } from '../../infrastructure/pki/trustFiles.ts';
import { identityProviderContract } from '../contracts/identityProviderContract.ts';
import { skipWithoutOpenssl } from '../support/programs/openssl.ts';
import { oddBoolean, offCurve } from '../support/pki/oddCertificates.ts';
import {
  createPersonalAuthority,
  type Leaf,
  type LeafOptions,
  type PersonalAuthority,
} from '../support/pki/personalAuthority.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';
import { openVerificationWorld } from '../support/worlds/verificationWorld.ts';
import { systemClock } from '../../infrastructure/system.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';
import { twoPersons } from '../support/given/persons.ts';

const run = promisify(execFile);
const boldNumber = 'УБ85031512';

describe('G-Sign as an identity provider', function () {
  this.timeout(30_000);
  let authority: PersonalAuthority;
  let directory: string;
  let bold: Leaf;

  before(async function () {
    await skipWithoutOpenssl(this);
    authority = await createPersonalAuthority();
    directory = await serverDirectory('gsign');
    bold = await authority.person({ serialNumbers: [boldNumber] });
  });

  after(() => rm(directory, { recursive: true, force: true }));

  function openWorld(
    status: CertificateStatusSource | null = null,
    own: readonly Buffer[] = [],
    anchors: readonly Buffer[] = [authority.root],
  ) {
    const clock = manualClock(null);
    const gsign = createGsignProvider({
      anchors,
      own,
      status,
      civilRegistry: twoPersons,
      clock,
    });
    return openVerificationWorld({ gsign }, clock);
  }

  function challengeOf({ step }: VerificationView): Buffer {
    if (step?.type !== 'SIGNATURE') throw new Error('Nothing is to be signed.');
    return Buffer.from(step.challenge, 'base64');
  }

  /** A raw signature with its certificate and that of the issuing CA. */
  function raw(
    challenge: Buffer,
    { certificate, privateKey }: Leaf,
    chain = [authority.issuing],
  ): Step {
    const signature = sign('sha256', challenge, privateKey);
    return { method: 'gsign', input: { signature, certificate, chain, hashType: 'SHA256' } };
  }

  /** Output of `openssl cms -sign`. */
  async function cms(challenge: Buffer, leaf: Leaf, ...options: readonly string[]): Promise<Step> {
    const path = (name: string) => join(directory, name);
    await Promise.all([
      writeFile(path('content'), challenge),
      writeFile(path('certificate'), leaf.files.certificate),
      writeFile(path('key'), leaf.files.key),
      writeFile(path('chain'), certificatePem(authority.issuing)),
    ]);
    await run('openssl', [
      ...['cms', '-sign', '-binary', '-outform', 'DER', '-in', path('content')],
      ...['-signer', path('certificate'), '-inkey', path('key'), '-certfile', path('chain')],
      ...['-out', path('signed'), ...options],
    ]);
    return { method: 'gsign', input: { cms: await readFile(path('signed')) } };
  }

  async function judged(view: Partial<LeafOptions>, world = openWorld()) {
    const leaf = await authority.person({ serialNumbers: [boldNumber], ...view });
    const started = world.start('gsign');
    return world.submit(started.holder, raw(challengeOf(started.view), leaf));
  }

  identityProviderContract(() =>
    Promise.resolve({
      method: 'gsign',
      world: openWorld(),
      good: (view) => raw(view.step === null ? Buffer.alloc(0) : challengeOf(view), bold),
      bad: [
        {
          name: 'a signature of something else',
          reason: 'SIGNATURE_INVALID',
          step: (view) => raw(Buffer.concat([challengeOf(view), Buffer.from('.')]), bold),
        },
        {
          name: 'no path to an authority that is trusted',
          reason: 'CERTIFICATE_UNTRUSTED',
          step: (view) => raw(challengeOf(view), bold, []),
        },
        {
          name: 'an authority whose key is no point of its curve',
          reason: 'CERTIFICATE_UNTRUSTED',
          step: (view) => raw(challengeOf(view), bold, [offCurve(authority.issuing)]),
        },
        {
          name: 'an authority nobody trusts',
          reason: 'CERTIFICATE_UNTRUSTED',
          step: async (view) => {
            const other = await createPersonalAuthority();
            const leaf = await other.person({ serialNumbers: [boldNumber] });
            return raw(challengeOf(view), leaf, [other.issuing, other.root]);
          },
        },
      ],
    }),
  );

  it('takes the CMS of OpenSSL: detached and not, with attributes and without, by name and by key', async () => {
    const rsa = await authority.person({ serialNumbers: [boldNumber], keyType: 'RSA' });
    const pss = ['-keyopt', 'rsa_padding_mode:pss', '-keyopt', 'rsa_pss_saltlen:32'];
    for (const [leaf, options] of [
      [bold, []],
      [bold, ['-nodetach']],
      [bold, ['-noattr']],
      [bold, ['-keyid']],
      [rsa, ['-md', 'sha384']],
      [rsa, pss],
    ] as const) {
      const world = openWorld();
      const { view, holder } = world.start('gsign');
      const verified = await world.submit(holder, await cms(challengeOf(view), leaf, ...options));
      expect(verified, options.join(' ')).to.include({ status: 'VERIFIED' });
    }
  });

  it('leaves out what cannot be read of the certificates sent along and trusted', async () => {
    const world = openWorld(null, [], [oddBoolean(authority.root), authority.root]);
    const first = world.start('gsign');
    const odd = oddBoolean(authority.issuing);
    const sent = raw(challengeOf(first.view), bold, [odd, authority.issuing]);
    expect(await world.submit(first.holder, sent)).to.include({ status: 'VERIFIED' });
    const chain = join(directory, 'odd');
    await writeFile(chain, certificatePem(odd) + certificatePem(authority.issuing));
    const second = world.start('gsign');
    const signed = await cms(challengeOf(second.view), bold, '-certfile', chain);
    expect(await world.submit(second.holder, signed)).to.include({ status: 'VERIFIED' });
  });

  it('takes no CMS of another challenge, with a broken hash, or that is none', async () => {
    const world = openWorld();
    const { view, holder } = world.start('gsign');
    const other = world.start('gsign');
    const challenge = challengeOf(view);
    const ofAnother = await cms(challengeOf(other.view), bold);
    expect(await world.submit(holder, ofAnother)).to.include({ failure: 'SIGNATURE_INVALID' });
    const enclosed = await cms(challengeOf(other.view), bold, '-nodetach');
    expect(await world.submit(holder, enclosed)).to.include({ failure: 'SIGNATURE_INVALID' });
    const third = world.start('gsign');
    const sha1 = await cms(challengeOf(third.view), bold, '-md', 'sha1');
    expect(await world.submit(third.holder, sha1)).to.include({ failure: 'SIGNATURE_INVALID' });
    const none: Step = { method: 'gsign', input: { cms: challenge } };
    expect(await world.submit(third.holder, none)).to.include({ failure: 'SIGNATURE_INVALID' });
  });

  it('takes raw RSA signatures of either padding', async () => {
    const rsa = await authority.person({ serialNumbers: [boldNumber], keyType: 'RSA' });
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    for (const key of [rsa.privateKey, { key: rsa.privateKey, padding, saltLength: 32 }]) {
      const world = openWorld();
      const { view, holder } = world.start('gsign');
      const step = raw(challengeOf(view), rsa);
      const signature = sign('sha256', challengeOf(view), key);
      const input = { ...step.input, signature } as Extract<Step, { method: 'gsign' }>['input'];
      expect(await world.submit(holder, { method: 'gsign', input })).to.include({
        status: 'VERIFIED',
      });
    }
  });

  it('reads the person from the forms serial numbers are written in', async () => {
    for (const serialNumber of [
      'уб85031512',
      'PNOMN-УБ85031512',
      'PNOMN-110000000001',
      // Latin letters that stand for УБ and ҮБ: the name tells.
      'UB85031512',
      'PNOMN-UB85031512',
    ]) {
      const verified = await judged({ serialNumbers: [serialNumber] });
      expect(verified.verified?.etsi, serialNumber).to.equal('PNOMN-110000000001');
    }
  });

  it('takes no signature that a relying party may have had made, its digest being the challenge’s', async () => {
    for (const own of [authority.issuing, authority.root]) {
      const world = openWorld(null, [own]);
      const { view, holder } = world.start('gsign');
      // Signs any digest, like a phone.
      const digest = createHash('sha256').update(challengeOf(view)).digest();
      const jwk = bold.privateKey.export({ format: 'jwk' });
      const signature = Buffer.from(
        p256.sign(digest, Buffer.from(jwk.d ?? '', 'base64url'), {
          prehash: false,
          format: 'der',
        }),
      );
      const { certificate } = bold;
      const input = { signature, certificate, chain: [authority.issuing], hashType: 'SHA256' };
      const step = { method: 'gsign', input } as const satisfies object;
      expect(await world.submit(holder, step as Step)).to.include({
        status: 'PENDING',
        failure: 'CERTIFICATE_UNSUITABLE',
      });
    }
  });

  it('says why a certificate is not taken', async () => {
    const { digitalSignature, keyAgreement, keyCertSign } = x509.KeyUsageFlags;
    for (const [reason, options] of [
      ['CERTIFICATE_NOT_IN_FORCE', { from: -3, to: -2 }],
      ['CERTIFICATE_NOT_IN_FORCE', { from: 2, to: 3 }],
      ['CERTIFICATE_UNSUITABLE', { usage: keyAgreement }],
      ['CERTIFICATE_UNSUITABLE', { usage: keyCertSign }],
      ['CERTIFICATE_UNSUITABLE', { usage: digitalSignature, purposes: ['1.3.6.1.5.5.7.3.1'] }],
      ['SUBJECT_UNREADABLE', { serialNumbers: ['5512345'] }],
      ['SUBJECT_UNREADABLE', { serialNumbers: [] }],
      ['SUBJECT_UNREADABLE', { serialNumbers: [boldNumber, 'АА90110724'] }],
      ['PERSON_UNKNOWN', { serialNumbers: ['УУ00000000'] }],
      // Latin letters leave open who it is, and the name is of nobody it could be.
      ['PERSON_UNKNOWN', { serialNumbers: ['UB85031512'], givenName: 'Saran' }],
      ['PERSON_UNKNOWN', { serialNumbers: ['UB85031512'], surname: 'Ganbaatar' }],
    ] as const) {
      const failed = await judged(options);
      expect(failed, JSON.stringify(options)).to.include({ status: 'PENDING', failure: reason });
    }
  });

  describe('asks the OCSP responder the certificate names', () => {
    let server: Server;
    let url: string;
    let answers: 'good' | 'revoked' | 'unknown' | 'away' | 'another nonce' | 'forged';
    let leaf: Leaf;

    before(async () => {
      server = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          respond(Buffer.concat(chunks)).then(
            (bytes) => response.writeHead(200).end(bytes),
            () => response.writeHead(500).end(),
          );
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ocsp`;
      leaf = await authority.person({ serialNumbers: [boldNumber], responder: url });
    });

    after(() => new Promise((resolve) => server.close(resolve)));

    /** Response of `openssl ocsp`, signed by a delegated responder. */
    async function respond(request: Buffer): Promise<Buffer> {
      if (answers === 'away') throw new Error('away');
      const path = (name: string) => join(directory, name);
      const signer = await (
        answers === 'forged' ? await createPersonalAuthority() : authority
      ).responder();
      const serial = new x509.X509Certificate(new Uint8Array(leaf.certificate)).serialNumber;
      const line =
        answers === 'revoked'
          ? `R\t350101000000Z\t260101000000Z\t${serial.toUpperCase()}\tunknown\t/CN=Bold`
          : `V\t350101000000Z\t\t${serial.toUpperCase()}\tunknown\t/CN=Bold`;
      const nonce = answers === 'another nonce' ? flipped(request) : request;
      await Promise.all([
        writeFile(path('index'), answers === 'unknown' ? '' : `${line}\n`),
        writeFile(path('request'), nonce),
        writeFile(path('ca'), certificatePem(authority.issuing)),
        writeFile(path('responder'), signer.files.certificate),
        writeFile(path('responderKey'), signer.files.key),
      ]);
      await run('openssl', [
        ...['ocsp', '-index', path('index'), '-CA', path('ca'), '-rsigner', path('responder')],
        ...['-rkey', path('responderKey'), '-reqin', path('request')],
        ...['-respout', path('response'), '-ndays', '1'],
      ]);
      return readFile(path('response'));
    }

    /** The nonce is the last thing in a request. */
    function flipped(request: Buffer): Buffer {
      const other = Buffer.from(request);
      other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
      return other;
    }

    function judgedOnline() {
      const calls: string[] = [];
      const clock = systemClock;
      const world = openWorld(
        createOcspClient({ clock, onCalled: (status) => calls.push(status), timeoutMs: 30_000 }),
      );
      const { view, holder } = world.start('gsign');
      const step = raw(challengeOf(view), leaf);
      return { calls, result: world.submit(holder, step), read: () => world.read(holder) };
    }

    it('and takes a certificate that is good', async () => {
      answers = 'good';
      const { result, calls } = judgedOnline();
      expect(await result).to.include({ status: 'VERIFIED' });
      expect(calls).to.deep.equal(['200']);
    });

    it('and takes none that is revoked, or that its issuer does not know', async () => {
      for (const status of ['revoked', 'unknown'] as const) {
        answers = status;
        const { result } = judgedOnline();
        expect(await result, status).to.include({ failure: 'CERTIFICATE_REVOKED' });
      }
    });

    it('refuses when the status is unavailable, and does not count the attempt', async () => {
      for (const fault of ['away', 'another nonce', 'forged'] as const) {
        answers = fault;
        const { result, read } = judgedOnline();
        const error = await rejection(result);
        expect(error, fault).to.be.instanceOf(Unavailable);
        expect(error).to.include({ dependency: 'certificateStatus' });
        expect(await read()).to.include({ attemptsLeft: 3, failure: 'UNAVAILABLE' });
      }
    });

    it('and takes no certificate that names none', async () => {
      const client = createOcspClient({ clock: systemClock });
      const error = await rejection(judged({}, openWorld(client)));
      expect(error).to.be.instanceOf(Unavailable);
    });
  });
});
