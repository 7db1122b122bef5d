import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import { decrypted, encrypted, NotOpened } from '../../infrastructure/backup/age.ts';
import { identitiesIn, NoKey, recipientsIn } from '../../infrastructure/backup/ageKeys.ts';
import { rejection } from '../support/assertions/rejection.ts';

const CHUNK = 64 * 1024;

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** In pieces of this size, the last one smaller. */
async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

const pair = () => generateKeyPairSync('x25519');

describe('Files encrypted as age does', () => {
  const [first, second, stranger] = [pair(), pair(), pair()];
  const recipients = [first.publicKey, second.publicKey];

  const sealed = (content: Buffer) => bytesOf(encrypted(inPieces(content, 1000), recipients));
  const open = (file: Buffer, identity: KeyObject, size = 777) =>
    bytesOf(decrypted(inPieces(file, size), [identity]));

  it('are opened by every recipient, whatever their size', async () => {
    for (const size of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 5]) {
      const content = Buffer.alloc(size, 'Тамга');
      const file = await sealed(content);
      for (const { privateKey } of [first, second]) {
        expect((await open(file, privateKey)).equals(content), String(size)).to.equal(true);
      }
      expect((await open(file, first.privateKey, 1_000_000)).equals(content)).to.equal(true);
    }
  });

  it('are opened by nobody else', async () => {
    const failure = await rejection(open(await sealed(Buffer.from('secret')), stranger.privateKey));
    expect(failure).to.be.instanceOf(NotOpened);
    expect((failure as Error).message).to.equal(
      'is encrypted to another recipient: no given identity opens it',
    );
  });

  it('are refused where a byte was changed, and where they are cut off', async () => {
    const file = await sealed(Buffer.alloc(CHUNK + 100, 1));
    const header = file.indexOf('\n--- ') + 49;
    for (const at of [30, header - 3, header + 3, header + 20, header + CHUNK, file.length - 1]) {
      const changed = Buffer.from(file);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(await rejection(open(changed, first.privateKey)), `changed ${at}`).to.be.instanceOf(
        NotOpened,
      );
    }
    const whole = header + 16 + CHUNK + 16;
    for (const length of [0, 10, header, header + 8, header + 16, whole, file.length - 1]) {
      expect(
        await rejection(open(file.subarray(0, length), first.privateKey)),
        `cut at ${length}`,
      ).to.be.instanceOf(NotOpened);
    }
  });

  describe('Their keys', () => {
    const pem = (key: KeyObject, type: 'spki' | 'pkcs8') =>
      key.export({ format: 'pem', type }).toString();
    // Of the specification of Bech32 keys: made by age-keygen.
    const identity = 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX';
    const recipient = 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj';

    it('open a file that another program made', async () => {
      const file = Buffer.from(
        'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBrTlJXdlR3bUE1ZXVCZ3E3S2FscWh6YlFaV0MyUG1EK1NqcnhKdGJrVXhvCm50' +
          'N2JNendjNVpUUUppMFJiNkhIVFBBL09SQ2pYa2U2WVQ4TzRYb1FacDAKLS0tIFZSc2ptM0pVMWtremgyeEpSc1VYYzJvVk11ME9HTFh3' +
          'eXZQMUJBWWZzNEEKpWWbHfFgjIwj/N2OljJ5R6vhDNw00Ca9GdeI62kdHSJlCffhB2NZ8/qL1PkmRA==',
        'base64',
      );
      const [secret] = identitiesIn(identity);
      const content = await open(file, secret as KeyObject);
      expect(content.toString()).to.equal('made elsewhere');
    });

    it('are read from lines and from PEM', () => {
      const [secret] = identitiesIn(`# created: today\n${identity}\n`);
      const [known] = recipientsIn(`${recipient}\n`);
      expect(secret && createPublicKey(secret).equals(known as KeyObject)).to.equal(true);
      const [own] = recipientsIn(pem(first.publicKey, 'spki'));
      expect(own?.equals(first.publicKey)).to.equal(true);
      expect(identitiesIn(pem(first.privateKey, 'pkcs8'))).to.have.length(1);
    });

    it('are refused where they are others, mistyped or missing', () => {
      const rsa = generateKeyPairSync('ed25519');
      for (const text of [
        '',
        '# nothing',
        recipient.replace('zvk', 'zvv'),
        recipient.slice(0, -1),
        identity,
        pem(rsa.publicKey, 'spki'),
      ]) {
        expect(() => recipientsIn(text), text).to.throw(NoKey, /^it contains no public key/);
      }
      for (const text of [
        '',
        recipient,
        pem(rsa.privateKey, 'pkcs8'),
        pem(first.publicKey, 'spki'),
      ]) {
        expect(() => identitiesIn(text), text).to.throw(NoKey, /^it contains no private key/);
      }
    });
  });
});
