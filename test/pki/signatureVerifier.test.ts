import { execFile } from 'node:child_process';
import {
  constants,
  createHash,
  createPublicKey,
  generateKeyPairSync,
  privateEncrypt,
  randomBytes,
  sign,
} from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { p256 } from '@noble/curves/nist.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { Overloaded } from '../../application/ports/faults.ts';
import type { SignedInput } from '../../application/ports/signatureVerifier.ts';
import { hashTypes } from '../../domain/shared/digest.ts';
import { createEcdsaDigestPool } from '../../infrastructure/pki/ecdsaDigestPool.ts';
import { readEcdsaSignature, writeEcdsaSignature } from '../../infrastructure/pki/kernel/der.ts';
import { createSignatureVerifier } from '../../infrastructure/pki/signatureVerifier.ts';
import { ecKey, rsaKey } from '../support/pki/pkiFixtures.ts';

describe('Signature verifier', () => {
  const ecdsaDigests = createEcdsaDigestPool({ threads: 1 });
  const verifier = createSignatureVerifier({ ecdsaDigests });
  const ec = ecKey();
  const rsa = rsaKey();
  const message = Buffer.from('what the citizen saw');

  after(() => ecdsaDigests.stop());

  for (const [name, key] of [
    ['ECDSA P-256', ec],
    ['RSA-2048', rsa],
    ['RSA-4094', rsaKey(4094)],
  ] as const) {
    const spki = key.publicKey.toString('base64');
    for (const hash of hashTypes) {
      const signature = sign(hash, message, key.privateKey);
      const digest = createHash(hash).update(message).digest();

      it(`accepts ${name} over a payload hashed with ${hash}, and nothing else`, async () => {
        expect(await verifier.verify(spki, { payload: message, hash }, signature)).to.equal(true);
        const other = { payload: Buffer.from('something else'), hash };
        expect(await verifier.verify(spki, other, signature)).to.equal(false);
      });

      it(`accepts ${name} over a ${hash} digest as it is, and nothing else`, async () => {
        expect(await verifier.verify(spki, { digest, hash }, signature)).to.equal(true);
        const other = { digest: createHash(hash).update('something else').digest(), hash };
        expect(await verifier.verify(spki, other, signature)).to.equal(false);
      });
    }
  }

  for (const [name, key, padding] of [
    ['ECDSA P-256', ec, []],
    ['RSA', rsa, ['-pkeyopt', 'rsa_padding_mode:pkcs1', '-pkeyopt', 'digest:sha256']],
  ] as const) {
    it(`accepts what openssl pkeyutl signs over a digest with ${name}`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'tamga-verifier-'));
      const digest = createHash('sha256').update(message).digest();
      const pkcs8 = key.privateKey.export({ format: 'pem', type: 'pkcs8' });
      await writeFile(join(directory, 'key.pem'), pkcs8);
      await writeFile(join(directory, 'digest'), digest);
      await promisify(execFile)(
        'openssl',
        ['pkeyutl', '-sign', '-inkey', 'key.pem', '-in', 'digest', '-out', 'signature', ...padding],
        { cwd: directory },
      );
      const signature = await readFile(join(directory, 'signature'));
      const spki = key.publicKey.toString('base64');
      expect(await verifier.verify(spki, { digest, hash: 'SHA256' }, signature)).to.equal(true);
      await rm(directory, { recursive: true, force: true });
    });
  }

  it('remembers an outcome of one signature only for that signature', async () => {
    const spki = ec.publicKey.toString('base64');
    const digest = createHash('sha256').update(message).digest();
    const input = { digest, hash: 'SHA256' } as const;
    const good = sign('sha256', message, ec.privateKey);
    const another = sign('sha256', message, ec.privateKey);
    const wrong = sign('sha256', digest, ec.privateKey);
    for (const [signature, outcome] of [
      [good, true],
      [wrong, false],
      [good, true],
      [wrong, false],
      [another, true],
    ] as const) {
      expect(await verifier.verify(spki, input, signature)).to.equal(outcome);
    }
    const stranger = ecKey().publicKey.toString('base64');
    expect(await verifier.verify(stranger, input, good)).to.equal(false);
  });

  it('refuses more digests than can wait', async () => {
    const crowded = createEcdsaDigestPool({ threads: 1, maxWaiting: 2 });
    const { verify } = createSignatureVerifier({ ecdsaDigests: crowded });
    const signature = sign('sha256', message, ec.privateKey);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        verify(
          ec.publicKey.toString('base64'),
          { digest: randomBytes(32), hash: 'SHA256' },
          signature,
        ),
      ),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).to.have.length.within(7, 8);
    for (const outcome of refused) {
      expect(outcome.status === 'rejected' && outcome.reason).to.be.instanceOf(Overloaded);
    }
    await crowded.stop();
  });

  it('does not take the digest for a message', async () => {
    const spki = ec.publicKey.toString('base64');
    const digest = createHash('sha256').update(message).digest();
    const hashedTwice = sign('sha256', digest, ec.privateKey);
    expect(await verifier.verify(spki, { digest, hash: 'SHA256' }, hashedTwice)).to.equal(false);
  });

  it('accepts high and low s alike', async () => {
    const spki = ec.publicKey.toString('base64');
    const digest = createHash('sha256').update(message).digest();
    const raw = readEcdsaSignature(sign('sha256', message, ec.privateKey), 32) ?? Buffer.alloc(64);
    const s = BigInt(`0x${raw.subarray(32).toString('hex')}`);
    const mirrored = (p256.Point.Fn.ORDER - s).toString(16).padStart(64, '0');
    const other = writeEcdsaSignature(
      Buffer.concat([raw.subarray(0, 32), Buffer.from(mirrored, 'hex')]),
    );
    for (const input of [
      { digest, hash: 'SHA256' },
      { payload: message, hash: 'SHA256' },
    ] satisfies SignedInput[]) {
      expect(await verifier.verify(spki, input, other)).to.equal(true);
    }
  });

  describe('with a malformed ECDSA signature', () => {
    const spki = ec.publicKey.toString('base64');
    const good = sign('sha256', message, ec.privateKey);
    const raw = readEcdsaSignature(good, 32) ?? Buffer.alloc(64);
    const integer = (bytes: readonly number[]) => [2, bytes.length, ...bytes];
    const sequence = (...parts: readonly (readonly number[])[]) => {
      const body = parts.flat();
      return Buffer.from([0x30, body.length, ...body]);
    };
    const minimal = (bytes: Buffer) => {
      const trimmed = [...bytes].slice([...bytes].findIndex((byte) => byte !== 0));
      return (trimmed[0] ?? 0) >= 0x80 ? [0, ...trimmed] : trimmed;
    };
    const r = minimal(raw.subarray(0, 32));
    const s = minimal(raw.subarray(32));
    const order = minimal(Buffer.from(p256.Point.Fn.ORDER.toString(16), 'hex'));
    const malformed: Readonly<Record<string, Uint8Array>> = {
      'nothing at all': Buffer.alloc(0),
      'bytes behind it': Buffer.concat([good, Buffer.from([0])]),
      'bytes behind s inside': sequence(integer(r), integer(s), [0]),
      'a third integer': sequence(integer(r), integer(s), integer([1])),
      'the raw form': raw,
      'r zero': sequence(integer([0]), integer(s)),
      's zero': sequence(integer(r), integer([0])),
      'r negative': sequence(integer([0x80, ...r.slice(1)]), integer(s)),
      's padded': sequence(integer(r), integer([0, 0, ...s])),
      'r the order': sequence(integer(order), integer(s)),
      's the order': sequence(integer(r), integer(order)),
      'an empty integer': sequence(integer([]), integer(s)),
      'an indefinite length': Buffer.from([0x30, 0x80, ...integer(r), ...integer(s), 0, 0]),
      'a long-form length': Buffer.from([0x30, 0x81, good.length - 2, ...good.subarray(2)]),
      'a length too short': Buffer.from([0x30, good.length - 3, ...good.subarray(2)]),
      'a SET': Buffer.from([0x31, ...good.subarray(1)]),
      'one byte short': good.subarray(0, good.length - 1),
    };

    it('reads the well-formed one', async () => {
      const again = sequence(integer(r), integer(s));
      expect(await verifier.verify(spki, { payload: message, hash: 'SHA256' }, again)).to.equal(
        true,
      );
    });

    for (const [what, signature] of Object.entries(malformed)) {
      it(`says no to ${what}`, async () => {
        const digest = createHash('sha256').update(message).digest();
        const payloadInput = { payload: message, hash: 'SHA256' } as const;
        expect(await verifier.verify(spki, payloadInput, signature)).to.equal(false);
        expect(await verifier.verify(spki, { digest, hash: 'SHA256' }, signature)).to.equal(false);
      });
    }
  });

  describe('with a malformed RSA signature', () => {
    const spki = rsa.publicKey.toString('base64');
    const digest = createHash('sha256').update(message).digest();
    const digestInfo = Buffer.concat([
      Buffer.from('3031300d060960864801650304020105000420', 'hex'),
      digest,
    ]);
    const raised = (block: Buffer) =>
      privateEncrypt({ key: rsa.privateKey, padding: constants.RSA_NO_PADDING }, block);
    const padded = (info: Buffer, length = 256 - 3 - info.length) =>
      Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(length, 0xff), Buffer.from([0]), info]);

    it('reads the well-formed one', async () => {
      const input = { digest, hash: 'SHA256' } as const;
      expect(await verifier.verify(spki, input, raised(padded(digestInfo)))).to.equal(true);
    });

    const garbage = padded(digestInfo, 8);
    for (const [what, block] of [
      ['bytes behind the digest', Buffer.concat([garbage, Buffer.alloc(256 - garbage.length, 1)])],
      ['padding type 2', Buffer.concat([Buffer.from([0, 2]), padded(digestInfo).subarray(2)])],
      [
        'no algorithm parameters',
        padded(
          Buffer.concat([
            Buffer.from('302f300b0609608648016503040201', 'hex'),
            Buffer.from('0420', 'hex'),
            digest,
          ]),
        ),
      ],
      ['the digest alone', padded(digest)],
    ] as const) {
      it(`says no to ${what}`, async () => {
        const input = { digest, hash: 'SHA256' } as const;
        expect(await verifier.verify(spki, input, raised(block))).to.equal(false);
      });
    }

    it('says no to another length', async () => {
      const good = sign('sha256', message, rsa.privateKey);
      for (const input of [
        { digest, hash: 'SHA256' },
        { payload: message, hash: 'SHA256' },
      ] satisfies SignedInput[]) {
        for (const wrong of [good.subarray(1), Buffer.concat([Buffer.alloc(1), good])]) {
          expect(await verifier.verify(spki, input, wrong)).to.equal(false);
        }
        expect(await verifier.verify(spki, input, Buffer.alloc(256, 0xff))).to.equal(false);
      }
    });
  });

  it('says no to keys citizens may not have', async () => {
    const p384 = ecKey('P-384');
    const small = rsaKey(1024);
    const weak = rsaKey(2048, 3);
    const ed = generateKeyPairSync('ed25519');
    const edSpki = ed.publicKey.export({ format: 'der', type: 'spki' });
    for (const [spki, signature] of [
      [p384.publicKey, sign('sha256', message, p384.privateKey)],
      [small.publicKey, sign('sha256', message, small.privateKey)],
      [weak.publicKey, sign('sha256', message, weak.privateKey)],
      [edSpki, sign(null, message, ed.privateKey)],
      [Buffer.concat([ec.publicKey, Buffer.from([0])]), sign('sha256', message, ec.privateKey)],
      [Buffer.alloc(0), Buffer.alloc(70)],
    ] as const) {
      const input = { payload: message, hash: 'SHA256' } as const;
      expect(await verifier.verify(spki.toString('base64'), input, signature)).to.equal(false);
    }
  });

  it('says no to a key in another encoding than certificates have (docs/certificates.md)', async () => {
    const signature = sign('sha256', message, ec.privateKey);
    const point = ec.publicKey.subarray(-65);
    const parity = (point.at(-1) ?? 0) & 1;
    const compressed = Buffer.concat([
      Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex'),
      Buffer.from([2 | parity]),
      point.subarray(1, 33),
    ]);
    const hybrid = Buffer.from(ec.publicKey);
    hybrid[hybrid.length - 65] = 6 | parity;
    const input = { payload: message, hash: 'SHA256' } as const;
    for (const spki of [compressed, hybrid]) {
      expect(createPublicKey({ key: spki, format: 'der', type: 'spki' })).to.have.property('type');
      expect(await verifier.verify(spki.toString('base64'), input, signature)).to.equal(false);
    }
    expect(await verifier.verify(ec.publicKey.toString('base64'), input, signature)).to.equal(true);
  });

  it('says no to a digest of another length than its hash', async () => {
    const signature = sign('sha256', message, ec.privateKey);
    const digest = createHash('sha256').update(message).digest();
    const spki = ec.publicKey.toString('base64');
    expect(await verifier.verify(spki, { digest, hash: 'SHA384' }, signature)).to.equal(false);
  });

  it('answers no, never an exception, whatever the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.base64String(),
          fc.constantFrom(ec.publicKey.toString('base64'), rsa.publicKey.toString('base64')),
        ),
        fc.uint8Array({ maxLength: 300 }),
        fc.boolean(),
        fc.constantFrom('pss', 'pkcs1'),
        async (spki, signature, asDigest, padding) => {
          const input: SignedInput = asDigest
            ? { digest: Buffer.alloc(32, 7), hash: 'SHA256' }
            : { payload: message, hash: 'SHA256' };
          expect(await verifier.verify(spki, input, signature, { rsa: padding })).to.equal(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('verifies many at once without keeping the event loop', async () => {
    const signature = sign('sha256', message, ec.privateKey);
    const spki = ec.publicKey.toString('base64');
    const digests = Array.from({ length: 100 }, () => randomBytes(32));
    let answered = 0;
    const verifying = [
      ...digests.map((digest) => verifier.verify(spki, { digest, hash: 'SHA256' }, signature)),
      ...digests.map((payload) => verifier.verify(spki, { payload, hash: 'SHA256' }, signature)),
    ];
    for (const verification of verifying) void verification.then(() => (answered += 1));
    // Without a turn of the event loop: what is verified on this thread is answered, and no answer of another comes in.
    for (let steps = 0; steps < 100; steps += 1) await Promise.resolve();
    // Two of a turn are cheaper here than to hand over.
    expect(answered).to.be.at.most(2);
    const answers = await Promise.all(verifying);
    expect(answers.some(Boolean)).to.equal(false);
  });
});
