import { execFile } from 'node:child_process';
import { constants, createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256, p384 } from '@noble/curves/nist.js';
import { expect } from 'chai';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import { hashTypes } from '../../domain/shared/digest.ts';
import { readEcdsaSignature } from '../../infrastructure/pki/kernel/der.ts';
import { rejection } from '../support/assertions/rejection.ts';

const run = promisify(execFile);

export interface VaultUnderTest {
  readonly vault: KeyVault;
  /** Another process's view of the same keys. */
  readonly sibling: KeyVault;
}

/** Contract of every key vault. `open` gives a started pair on the same keys. */
export function describeKeyVault(name: string, open: () => VaultUnderTest): void {
  describe(`${name}, as every key vault`, () => {
    const label = () => `test-${randomBytes(8).toString('hex')}`;
    const imported = (spki: Buffer) => createPublicKey({ key: spki, format: 'der', type: 'spki' });

    for (const type of ['P-256', 'P-384'] as const) {
      it(`makes a ${type} key once and finds it again`, async () => {
        const { vault, sibling } = open();
        const wanted = label();
        expect(await vault.findKey(wanted)).to.equal(null);

        const made = await vault.ensureKey(wanted, type);

        expect(made).to.include({ label: wanted, type });
        expect(imported(made.publicKey).asymmetricKeyDetails?.namedCurve).to.equal(
          type === 'P-256' ? 'prime256v1' : 'secp384r1',
        );
        expect(await vault.ensureKey(wanted, type)).to.deep.equal(made);
        expect(await sibling.findKey(wanted)).to.deep.equal(made);
      });

      for (const hash of hashTypes) {
        it(`signs messages with ${type} over ${hash}`, async () => {
          const { vault } = open();
          const { publicKey, label: made } = await vault.ensureKey(label(), type);
          const message = randomBytes(1000);
          const signature = await vault.sign(made, message, hash);
          expect(verify(hash, message, imported(publicKey), signature)).to.equal(true);
          expect(verify(hash, randomBytes(1000), imported(publicKey), signature)).to.equal(false);
        });

        it(`signs ${hash} digests with ${type} without hashing again`, async () => {
          const { vault } = open();
          const { publicKey, label: made } = await vault.ensureKey(label(), type);
          const message = randomBytes(100);
          const digest = createHash(hash).update(message).digest();
          const signature = await vault.signDigest(made, digest);
          expect(verify(hash, message, imported(publicKey), signature)).to.equal(true);
        });
      }
    }

    it('makes an RSA-3072 key once, and signs messages with either padding', async () => {
      const { vault, sibling } = open();
      const wanted = label();
      const made = await vault.ensureKey(wanted, 'RSA-3072');
      expect(made).to.include({ label: wanted, type: 'RSA-3072' });
      expect(await sibling.ensureKey(wanted, 'RSA-3072')).to.deep.equal(made);
      const key = imported(made.publicKey);
      expect(key.asymmetricKeyDetails).to.deep.include({
        modulusLength: 3072,
        publicExponent: 65537n,
      });
      const message = randomBytes(1000);
      const padded = {
        PKCS1: { padding: constants.RSA_PKCS1_PADDING },
        PSS: {
          padding: constants.RSA_PKCS1_PSS_PADDING,
          saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
        },
      };
      for (const hash of hashTypes) {
        for (const padding of ['PKCS1', 'PSS'] as const) {
          const signature = await sibling.sign(wanted, message, hash, padding);
          const isSigned = (text: Buffer, how: keyof typeof padded) =>
            verify(hash, text, { key, ...padded[how] }, signature);
          expect(isSigned(message, padding), `${hash} ${padding}`).to.equal(true);
          expect(isSigned(randomBytes(1000), padding)).to.equal(false);
          expect(isSigned(message, padding === 'PSS' ? 'PKCS1' : 'PSS')).to.equal(false);
        }
      }
      const usual = await vault.sign(wanted, message, 'SHA256');
      expect(verify('SHA256', message, key, usual)).to.equal(true);
      expect(await rejection(vault.signDigest(wanted, randomBytes(32))))
        .to.have.property('message')
        .that.includes('messages only');
    });

    it('makes an Ed25519 key once, and signs messages with it as the standard has it', async () => {
      const { vault, sibling } = open();
      const wanted = label();
      const made = await vault.ensureKey(wanted, 'Ed25519');
      expect(made).to.include({ label: wanted, type: 'Ed25519' });
      expect(await sibling.ensureKey(wanted, 'Ed25519')).to.deep.equal(made);
      const key = imported(made.publicKey);
      expect(key.asymmetricKeyType).to.equal('ed25519');
      for (const message of [randomBytes(1), randomBytes(1000)]) {
        const signature = await sibling.sign(wanted, message, 'SHA256');
        // RFC 8032 §5.1.6: the same message has one signature, whatever hash is named.
        expect(await vault.sign(wanted, message, 'SHA512')).to.deep.equal(signature);
        expect(verify(null, message, key, signature)).to.equal(true);
        expect(ed25519.verify(signature, message, made.publicKey.subarray(-32))).to.equal(true);
        expect(verify(null, randomBytes(1000), key, signature)).to.equal(false);
      }
      expect(await rejection(vault.signDigest(wanted, randomBytes(32))))
        .to.have.property('message')
        .that.includes('messages only');
    });

    it('signs so that another implementation agrees', async () => {
      const { vault } = open();
      for (const [type, curve, length] of [
        ['P-256', p256, 32],
        ['P-384', p384, 48],
      ] as const) {
        const { publicKey, label: made } = await vault.ensureKey(label(), type);
        const digest = randomBytes(length);
        const raw = readEcdsaSignature(await vault.signDigest(made, digest), length);
        const point = publicKey.subarray(publicKey.length - 2 * length - 1);
        expect(
          raw !== null && curve.verify(raw, digest, point, { prehash: false, lowS: false }),
        ).to.equal(true);
      }
    });

    it('signs digests so that openssl pkeyutl verifies them', async () => {
      const { vault } = open();
      const { publicKey, label: made } = await vault.ensureKey(label(), 'P-256');
      const directory = await mkdtemp(join(tmpdir(), 'tamga-vault-'));
      const file = (name: string) => join(directory, name);
      const digest = randomBytes(32);
      await writeFile(file('key.der'), publicKey);
      await writeFile(file('digest'), digest);
      await writeFile(file('signature'), await vault.signDigest(made, digest));
      const { stdout } = await run(
        'openssl',
        [
          ...['pkeyutl', '-verify', '-pubin', '-keyform', 'DER', '-inkey', 'key.der'],
          ...['-in', 'digest', '-sigfile', 'signature'],
        ],
        { cwd: directory },
      );
      expect(stdout.trim()).to.equal('Signature Verified Successfully');
      await rm(directory, { recursive: true, force: true });
    });

    it('settles on one key when several processes want it at once', async () => {
      const { vault, sibling } = open();
      const wanted = label();
      const keys = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? vault : sibling).ensureKey(wanted, 'P-256'),
        ),
      );
      for (const key of keys) expect(key).to.deep.equal(keys[0]);
      const message = randomBytes(10);
      const signature = await sibling.sign(wanted, message, 'SHA256');
      expect(
        verify('SHA256', message, imported(keys[0]?.publicKey ?? Buffer.alloc(0)), signature),
      ).to.equal(true);
    });

    it('refuses a key of another type under a label taken', async () => {
      const { vault } = open();
      const wanted = label();
      await vault.ensureKey(wanted, 'P-256');
      const error = await rejection(vault.ensureKey(wanted, 'P-384'));
      expect(error).to.have.property('message').that.includes(wanted);
    });

    it('does not sign with a key it has not', async () => {
      const { vault } = open();
      for (const attempt of [
        vault.sign('no such key', Buffer.from('x'), 'SHA256'),
        vault.signDigest('no such key', Buffer.alloc(32)),
      ]) {
        expect(await rejection(attempt))
          .to.have.property('message')
          .that.includes('no such key');
      }
    });

    it('does not sign what cannot be a digest', async () => {
      const { vault } = open();
      const { label: made } = await vault.ensureKey(label(), 'P-256');
      for (const length of [0, 20, 31, 33, 1000]) {
        expect(await rejection(vault.signDigest(made, Buffer.alloc(length, 1))))
          .to.have.property('message')
          .that.includes('32, 48 or 64 bytes');
      }
    });

    it('signs many at once', async () => {
      const { vault } = open();
      const { publicKey, label: made } = await vault.ensureKey(label(), 'P-256');
      const key = imported(publicKey);
      const messages = Array.from({ length: 200 }, () => randomBytes(20));
      const signatures = await Promise.all(
        messages.map((message) => vault.sign(made, message, 'SHA256')),
      );
      signatures.forEach((signature, index) => {
        expect(verify('SHA256', messages[index] ?? Buffer.alloc(0), key, signature)).to.equal(true);
      });
    });

    it('answers its check', async () => {
      await open().vault.check();
    });
  });
}
